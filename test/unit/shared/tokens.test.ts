import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fencingToken } from '../../../shared/ids.ts';
import { wallMs } from '../../../shared/time.ts';
import { markAtStart, mayLift, nextToken } from '../../../shared/tokens.ts';

const PER_SECOND = 2 ** 20;
const LIFT_MAX = 2 ** 52;
const FROM_S = Date.UTC(2026, 10, 1) / 1_000;
const UNTIL_S = FROM_S + 20 * 366 * 86_400;
const NOW = wallMs(Date.UTC(2026, 11, 1));
const NOW_S = NOW / 1_000;

describe('S2 the mark at the start of a run', () => {
  it('lets the first token be floor(unix seconds x 2^20), to the millisecond, where nothing larger was granted', () => {
    expect(nextToken(markAtStart(fencingToken(0), NOW))).toBe(NOW_S * PER_SECOND);
    expect(nextToken(markAtStart(fencingToken(0), wallMs(NOW + 1)))).toBe(NOW_S * PER_SECOND + 1_048);
    expect(nextToken(markAtStart(fencingToken(0), wallMs(NOW + 999)))).toBe(NOW_S * PER_SECOND + 1_047_527);
    expect(nextToken(markAtStart(fencingToken(0), wallMs(NOW + 1_000)))).toBe((NOW_S + 1) * PER_SECOND);
  });

  it('never falls behind what was persisted', () => {
    const ahead = fencingToken((NOW_S + 5) * PER_SECOND);
    expect(markAtStart(ahead, NOW)).toBe(ahead);
    expect(markAtStart(fencingToken(NOW_S * PER_SECOND), NOW)).toBe(NOW_S * PER_SECOND);
  });

  it.each([
    [FROM_S - 1, 0],
    [FROM_S, FROM_S * PER_SECOND - 1],
    [UNTIL_S, UNTIL_S * PER_SECOND - 1],
    [UNTIL_S + 1, 0],
    [0, 0],
    [-5, 0],
    [NaN, 0],
    [1e15, 0],
  ])(
    'R17 the time floor counts only from the date of the build to 20 years after: at %d s the mark is %d',
    (seconds, mark) => {
      expect(markAtStart(fencingToken(0), wallMs(seconds * 1_000))).toBe(Math.min(mark, LIFT_MAX - 1));
    },
  );

  it('R17 whatever the wall clock says, the time lifts nothing over 2^52, and a token is a safe integer', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: false }),
        fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 1 }),
        (wall, persisted) => {
          const mark = markAtStart(fencingToken(persisted), wallMs(wall));
          return mark >= persisted && Number.isSafeInteger(nextToken(mark)) && (mark === persisted || mark < LIFT_MAX);
        },
      ),
    );
  });
});

describe('S2 R17 a token that is shown', () => {
  const most = (NOW_S + 86_400) * PER_SECOND;
  it.each([
    [1, true],
    [most - 1, true],
    [most, true],
    [most + 1, false],
    [LIFT_MAX + 1, false],
    [Number.MAX_SAFE_INTEGER, false],
  ])('%d may lift the mark: %s', (shown, may) => {
    expect(mayLift(fencingToken(shown), NOW)).toBe(may);
  });

  it.each([[FROM_S - 1], [UNTIL_S + 1], [NaN]])(
    'lifts nothing while the wall clock is not credible: %d s',
    (seconds) => {
      expect(mayLift(fencingToken(1), wallMs(seconds * 1_000))).toBe(false);
    },
  );
});

it('S2 the next token is larger by one', () => {
  expect(nextToken(fencingToken(41))).toBe(42);
});
