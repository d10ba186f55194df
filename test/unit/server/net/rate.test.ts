import { describe, expect, test } from 'vitest';
import { countMessages, freshRate, type RateVerdict } from '../../../../server/net/rate.ts';
import { monoMs } from '../../../../shared/time.ts';

const limits = { messagesPerSecond: 1_000, messagesBurst: 2_000, overRateMsMax: 10_000 };

/** Feeds counts at given instants and returns the verdicts. */
function fed(steps: readonly (readonly [at: number, messages: number])[]): readonly RateVerdict[] {
  let state = freshRate(limits, monoMs(0));
  return steps.map(([at, messages]) => {
    const counted = countMessages(state, messages, monoMs(at), limits);
    state = counted.state;
    return counted.verdict;
  });
}

describe('S11 the rate of a session', () => {
  test('S11 a burst up to the limit is read, one message more pauses', () => {
    expect(fed([[0, 2_000]])).toEqual([{ kind: 'read' }]);
    expect(fed([[0, 2_001]])).toEqual([{ kind: 'pause', forMs: 101 }]);
  });

  test('S11 a pause lasts until the debt is paid and a tenth of a second is there again', () => {
    expect(
      fed([
        [0, 2_000],
        [0, 500],
      ]),
    ).toEqual([{ kind: 'read' }, { kind: 'pause', forMs: 600 }]);
    expect(
      fed([
        [0, 2_000],
        [0, 500],
        [600, 100],
      ])[2],
    ).toEqual({ kind: 'read' });
    expect(
      fed([
        [0, 2_000],
        [0, 500],
        [600, 101],
      ])[2]?.kind,
    ).toBe('pause');
  });

  test('S11 ten seconds over the rate without pause close the socket', () => {
    const flood = fed([[0, 3_000], ...Array.from({ length: 30 }, (_, index) => [(index + 1) * 400, 500] as const)]);
    const closedAt = flood.findIndex((verdict) => verdict.kind === 'close');
    expect(flood.slice(0, closedAt).every((verdict) => verdict.kind === 'pause')).toBe(true);
    expect(closedAt * 400).toBe(10_000);
  });

  test('S11 a second at rest counts as a pause: later bursts begin anew', () => {
    const bursts = fed(Array.from({ length: 20 }, (_, index) => [index * 4_000, 2_500] as const));
    expect(bursts.every((verdict) => verdict.kind === 'pause')).toBe(true);
  });

  test('S11 the rate itself can be kept up for ever', () => {
    const steady = fed(Array.from({ length: 500 }, (_, index) => [index * 100, 100] as const));
    expect(steady.every((verdict) => verdict.kind === 'read')).toBe(true);
  });
});
