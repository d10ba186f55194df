import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, type BackoffKind } from '../../../shared/backoff.ts';
import { BACKOFF_MS_MAX_DEFAULT } from '../../../shared/limits.ts';

const delays = (kind: BackoffKind, chance: number, cap: number = BACKOFF_MS_MAX_DEFAULT): number[] =>
  [1, 2, 3, 4, 5, 6, 7, 1_000].map((attempt) => backoffMs(kind, attempt, chance, cap));

describe('pauses, exactly', () => {
  it('unreachable: full jitter below 500 ms, doubled to 8 s', () => {
    expect(delays('unreachable', 1)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000]);
    expect(delays('unreachable', 0.5)).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000]);
    expect(delays('unreachable', 0)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('refused: half fixed and half random below 1 s, doubled to 30 s', () => {
    expect(delays('refused', 1)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(delays('refused', 0)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  });

  it('at stake: full jitter below 50 ms, doubled to 1 s', () => {
    expect(delays('at-stake', 1)).toEqual([50, 100, 200, 400, 800, 1_000, 1_000, 1_000]);
  });

  it('a cap lowers the pauses to reach the coordinator, never those after a refusal', () => {
    expect(delays('unreachable', 1, 600)).toEqual([500, 600, 600, 600, 600, 600, 600, 600]);
    expect(delays('at-stake', 1, 150)).toEqual([50, 100, 150, 150, 150, 150, 150, 150]);
    expect(delays('refused', 1, 600)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('a cap may raise the pauses to reach the coordinator, never those at stake', () => {
    expect(backoffMs('unreachable', 10, 1, 60_000)).toBe(60_000);
    expect(backoffMs('at-stake', 10, 1, 60_000)).toBe(1_000);
  });

  it('are finite, never negative, never over their cap, for every attempt and chance', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<BackoffKind>('unreachable', 'at-stake', 'refused'),
        fc.integer({ min: 1, max: 2 ** 31 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (kind, attempt, chance) => {
          const pause = backoffMs(kind, attempt, chance, BACKOFF_MS_MAX_DEFAULT);
          return (
            pause >= (kind === 'refused' ? 500 : 0) &&
            pause <= { unreachable: 8_000, 'at-stake': 1_000, refused: 30_000 }[kind]
          );
        },
      ),
    );
  });
});
