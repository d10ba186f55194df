import { describe, expect, test } from 'vitest';
import { makeElapsed } from '../../../../client/core/elapsed.ts';
import { monoMs, wallMs } from '../../../../shared/time.ts';

/** Readings at these [mono, wall - mono]; how far `real` is ahead of `mono` at each. */
function ahead(...stamps: readonly (readonly [number, number])[]): readonly number[] {
  const stampOf = ([mono, by]: readonly [number, number]) => ({ mono: monoMs(mono), wall: wallMs(mono + by) });
  const read = makeElapsed(stampOf(stamps[0] ?? [0, 0]));
  return stamps.map((stamp) => {
    const { mono, real } = read(stampOf(stamp));
    return real - mono;
  });
}

describe('R12 elapsed time', () => {
  test('R12 is the monotonic difference while both clocks agree, however far apart they are', () => {
    expect(ahead([0, 1e12], [500, 1e12], [90_000, 1e12])).toEqual([0, 0, 0]);
  });

  test('R12 takes up what the wall clock rises above the monotonic one: a sleep, or a step', () => {
    expect(ahead([0, 0], [100, 7_000], [200, 7_000])).toEqual([0, 7_000, 7_000]);
  });

  test('R12 rises never shrink', () => {
    expect(ahead([0, 0], [100, 7_000], [200, -50_000])).toEqual([0, 7_000, 7_000]);
  });

  test('R12 rises before and after a step back add up', () => {
    expect(ahead([0, 0], [100, 7_000], [200, 1_000], [300, 4_000])).toEqual([0, 7_000, 7_000, 10_000]);
  });

  test('R12 a fall of at most 20 ms is the noise of two readings: what returns from it is not counted again', () => {
    expect(ahead([0, 0], [1, 5], [2, -15], [3, 5], [4, -14], [5, 6])).toEqual([0, 5, 5, 5, 5, 6]);
    expect(ahead([0, 0], [1, -21], [2, 0])).toEqual([0, 0, 21]);
  });

  test('R12 a slow drift of the clocks counts as it comes', () => {
    expect(ahead([0, 0], [1_000, 0.5], [2_000, 1], [3_000, 1.5])).toEqual([0, 0.5, 1, 1.5]);
  });
});
