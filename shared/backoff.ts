import { durationMs, type DurationMs } from './time.ts';

/**
 * The one retry pause of the product: exponential, capped, jittered. Chance is passed in as a number in [0, 1).
 * Full jitter is AWS's "Exponential Backoff And Jitter"; half of it is fixed where an answer was a refusal, so that
 * a refusing coordinator is never asked twice at once.
 */
export type BackoffKind = 'unreachable' | 'at-stake' | 'refused';

interface Pace {
  readonly baseMs: number;
  readonly capMs: number;
  readonly fixedPart: number;
}

const PACES = {
  unreachable: { baseMs: 500, capMs: 8_000, fixedPart: 0 },
  'at-stake': { baseMs: 50, capMs: 1_000, fixedPart: 0 },
  refused: { baseMs: 1_000, capMs: 30_000, fixedPart: 0.5 },
} as const satisfies Record<BackoffKind, Pace>;

/** 2 ** 30 ms is beyond every cap, and a larger exponent would leave the safe integers. */
const EXPONENT_MAX = 30;

/**
 * The pause before try `attempt` (1 is the first retry).
 * `capMs` lowers the cap of the kind (`maxBackoffMs`); it never raises that of `at-stake`.
 */
export function backoffMs(kind: BackoffKind, attempt: number, chance: number, capMs: number): DurationMs {
  const pace = PACES[kind];
  const cap = kind === 'unreachable' ? capMs : Math.min(pace.capMs, kind === 'refused' ? pace.capMs : capMs);
  const span = Math.min(cap, pace.baseMs * 2 ** Math.min(attempt - 1, EXPONENT_MAX));
  return durationMs(span * (pace.fixedPart + (1 - pace.fixedPart) * chance));
}
