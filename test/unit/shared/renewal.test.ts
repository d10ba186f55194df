import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LISTENING_STEP_MS, TTL_MS_MAX, TTL_MS_MIN, TTL_MS_MIN_FIXED } from '../../../shared/limits.ts';
import {
  attemptTimeoutMs,
  canLengthen,
  renewAfterMs,
  RENEW_RATIO_DEFAULT,
  stopMarginMs,
  stopMarginMsMin,
} from '../../../shared/renewal.ts';

const ttl = fc.integer({ min: TTL_MS_MIN, max: TTL_MS_MAX });
const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('stop margin', () => {
  it.each([
    [1_000, 150],
    [1_500, 150],
    [1_501, 150.1],
    [3_000, 300],
    [30_000, 3_000],
    [50_000, 5_000],
    [60_000, 5_000],
    [2_500_000, 5_000],
    [2_500_500, 5_001],
    [86_400_000, 172_800],
  ])('R11 S6 of a TTL of %d ms is %d ms', (ttlMs, margin) => {
    expect(stopMarginMs(ttlMs, ttlMs, undefined)).toBeCloseTo(margin, 6);
  });

  it('R11 counts the age of the anchor, not only the window', () => {
    expect(stopMarginMs(2_500_000, 2_600_000, undefined)).toBe(5_200);
  });

  it('R11 is at least twice the resolution of the clock', () => {
    expect(stopMarginMs(1_000, 1_000, undefined, 100)).toBe(200);
  });

  it('R11 a given one is taken as it is, but never under the least', () => {
    expect(stopMarginMs(30_000, 30_000, 400)).toBe(400);
    expect(stopMarginMs(30_000, 30_000, 9_000)).toBe(9_000);
    expect(stopMarginMs(30_000, 30_000, 10)).toBe(150);
    expect(stopMarginMsMin(30_000)).toBe(150);
    expect(stopMarginMsMin(100_000)).toBe(200);
  });

  it('R11 covers a listening step and the drift of two clocks that each may be 0.1 % off, for every window', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: TTL_MS_MIN_FIXED, max: TTL_MS_MAX }),
        fc.option(fc.integer({ min: 0, max: TTL_MS_MAX }), { nil: undefined }),
        (ttlMs, given) => {
          const margin = stopMarginMs(ttlMs, ttlMs, given);
          return margin >= LISTENING_STEP_MS && margin >= ttlMs * 0.002 - 1e-6 && margin >= (given ?? 0);
        },
      ),
    );
  });
});

describe('renewal clock', () => {
  it.each([
    [30_000, 30_000, 0, 20_000],
    [30_000, 30_000, 1, 18_500],
    [3_000, 3_000, 0, 2_000],
    [30_000, 12_000, 0, 2_000],
    [30_000, 10_000, 0, 0],
    [30_000, 1_000, 0, 0],
  ])('a window of %d ms with %d ms left and a spread of %d is renewed after %d ms', (ttlMs, leftMs, spread, after) => {
    expect(renewAfterMs(ttlMs, leftMs, RENEW_RATIO_DEFAULT, spread)).toBeCloseTo(after, 6);
  });

  it('F33 is spread over the last 5 % before two thirds, and leaves the last third for its attempts', () => {
    fc.assert(
      fc.property(ttl, unit, (ttlMs, spread) => {
        const after = renewAfterMs(ttlMs, ttlMs, RENEW_RATIO_DEFAULT, spread);
        return after <= ttlMs * RENEW_RATIO_DEFAULT + 1e-6 && after >= ttlMs * (RENEW_RATIO_DEFAULT - 0.05) - 1e-6;
      }),
    );
  });

  it('with the defaults there is room for two attempts between a renewal and the stop, for every window', () => {
    fc.assert(
      fc.property(ttl, (ttlMs) => {
        const stopAt = ttlMs - stopMarginMs(ttlMs, ttlMs, undefined);
        const first = renewAfterMs(ttlMs, ttlMs, RENEW_RATIO_DEFAULT, 0);
        const second = first + attemptTimeoutMs(ttlMs - first);
        return second < stopAt;
      }),
    );
  });
});

describe('attempt time-out', () => {
  it.each([
    [9_000, 3_000],
    [750, 250],
    [600, 250],
    [500, 250],
    [499, 249.5],
    [100, 50],
    [0, 0],
  ])('R26 with %d ms left is %d ms', (leftMs, timeout) => {
    expect(attemptTimeoutMs(leftMs)).toBe(timeout);
  });

  it('R26 is never more than half of a short rest, nor more than a third of a long one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: TTL_MS_MAX }),
        (leftMs) => attemptTimeoutMs(leftMs) <= Math.max(leftMs / 3, Math.min(250, leftMs / 2)),
      ),
    );
  });
});

it('a renewal can lengthen only what the ceiling does not bound', () => {
  expect([canLengthen(100, 101), canLengthen(100, 100), canLengthen(100, 99)]).toEqual([true, false, false]);
});
