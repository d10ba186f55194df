import { LISTENING_STEP_MS } from './limits.ts';
import { durationMs, type DurationMs } from './time.ts';

/** The arithmetic of the renewal clock (docs/PROMISES.md, section 3). All of it is pure; chance is passed in. */
const MARGIN_MS_MIN = 50;
const MARGIN_MS_CAP = 5_000;
/** S1 holds for clock rates that differ by less than 0.1 %; 1/500 covers two such clocks, drifting apart (R11). */
const DRIFT_PART = 500;
const SPREAD = 0.05;
const ATTEMPT_MS_MIN = 250;

export const RENEW_RATIO_DEFAULT = 2 / 3;
export const RENEW_RATIO_MIN = 0.1;
export const RENEW_RATIO_MAX = 0.9;
/** Between the renewal and the stop margin there must be room for this many round trips of this length. */
export const RENEW_ATTEMPTS_MIN = 2;
export const ROUND_TRIP_MS_MIN = 75;

/**
 * The least stop margin that keeps S1 for a window of which `leftMs` (the TTL and the age of its anchor) are
 * counted on a clock of this resolution (R11).
 */
export function stopMarginMsMin(leftMs: number, resolutionMs = 0): DurationMs {
  return durationMs(Math.max(MARGIN_MS_MIN, LISTENING_STEP_MS, leftMs / DRIFT_PART, 2 * resolutionMs));
}

/** How long before its deadline a client stops believing; the cap of 5 s yields to the least margin (R11). */
export function stopMarginMs(ttlMs: number, leftMs: number, given: number | undefined, resolutionMs = 0): DurationMs {
  const wanted = given ?? Math.min(ttlMs / 10, MARGIN_MS_CAP);
  return durationMs(Math.max(wanted, stopMarginMsMin(leftMs, resolutionMs)));
}

/**
 * How long after its anchor a lease is renewed: when 2/3 of the granted window are gone, so `ttlMs / 3` before the
 * deadline. `spread` in [0, 1) brings the first firing up to 5 % of the window forward, so that a fleet spreads.
 */
export function renewAfterMs(ttlMs: number, leftMs: number, ratio: number, spread: number): DurationMs {
  return durationMs(Math.max(0, leftMs - ttlMs * (1 - ratio) - ttlMs * SPREAD * spread));
}

/** How long one attempt may take: a third of what is left, at least min(250 ms, half of what is left) (R26). */
export function attemptTimeoutMs(leftMs: number): DurationMs {
  return durationMs(Math.max(leftMs / 3, Math.min(ATTEMPT_MS_MIN, leftMs / 2)));
}

/** Whether a renewal could still lengthen the window: not when the ceiling is what bounds it. */
export const canLengthen = (leftMs: number, ceilingLeftMs: number): boolean => ceilingLeftMs > leftMs;
