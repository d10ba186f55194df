import { describe, expect, test } from 'vitest';
import { listeningClock } from '../../../../server/core/listening-clock.ts';
import { LISTENING_STEP_MS, TICK_MS } from '../../../../shared/limits.ts';
import { monoMs } from '../../../../shared/time.ts';

const START = 1_000_000;
const clock = () => listeningClock(monoMs(START));

describe('the listening clock', () => {
  test('begins at 0 and keeps real time while it is read at least once a step', () => {
    const { read } = clock();
    expect(read(monoMs(START))).toBe(0);
    for (let at = TICK_MS; at <= 10 * TICK_MS; at += TICK_MS) expect(read(monoMs(START + at))).toBe(at);
  });

  test('S9 a stall counts as one step, however long it was', () => {
    const { read } = clock();
    expect(read(monoMs(START + 60_000))).toBe(LISTENING_STEP_MS);
  });

  test('R6 what a stall cut off is gone for good, and never caught up', () => {
    const { read } = clock();
    read(monoMs(START + 10_000));
    expect(read(monoMs(START + 10_001))).toBe(LISTENING_STEP_MS + 1);
    expect(read(monoMs(START + 10_001 + 2 * LISTENING_STEP_MS))).toBe(2 * LISTENING_STEP_MS + 1);
  });

  test('a step of exactly its size is counted whole', () => {
    expect(clock().read(monoMs(START + LISTENING_STEP_MS))).toBe(LISTENING_STEP_MS);
  });

  test('it never goes back, and counts no time twice after a clock that did', () => {
    const { read } = clock();
    read(monoMs(START + 100));
    expect(read(monoMs(START + 40))).toBe(100);
    expect(read(monoMs(START + 100))).toBe(100);
    expect(read(monoMs(START + 120))).toBe(120);
  });

  test('parts of a millisecond count', () => {
    const { read } = clock();
    read(monoMs(START + 0.25));
    expect(read(monoMs(START + 0.75))).toBe(0.75);
  });
});
