import {
  FRAME_BYTES_MAX,
  HELLO_BYTES_MAX,
  LIFETIME_MS_MAX,
  STATE_BYTES_MAX,
  TTL_MS_MAX,
  TTL_MS_MIN_FIXED,
  WELCOME_BYTES_MAX,
} from '../../shared/limits.ts';
import { inWords, unknownKeyProblem, type OptionProblem } from '../../shared/options.ts';
import { LIMITS_DEFAULT, type Limits } from '../core/limits.ts';

interface Range {
  readonly min: number;
  readonly max: number;
  readonly unit: 'ms' | 'bytes' | '' | 'per second';
}

const KIB = 1_024;
const MIB = 1_024 * KIB;
const DAY_MS = 86_400_000;
const COUNT: Range = { min: 1, max: 1_000_000, unit: '' };

/** What each limit can be set to. */
export const LIMIT_RANGES: Readonly<Record<keyof Limits, Range>> = {
  ttlMsMax: { min: TTL_MS_MIN_FIXED, max: TTL_MS_MAX, unit: 'ms' },
  lifetimeMsDefault: { min: TTL_MS_MIN_FIXED, max: LIFETIME_MS_MAX, unit: 'ms' },
  lifetimeMsMax: { min: TTL_MS_MIN_FIXED, max: LIFETIME_MS_MAX, unit: 'ms' },
  queueMax: COUNT,
  perSessionMax: { ...COUNT, max: 100_000 },
  stateBytesMax: { min: 0, max: STATE_BYTES_MAX, unit: 'bytes' },
  statesMax: { min: 0, max: 100_000_000, unit: '' },
  statesBytesMax: { min: 0, max: 1_024 * 1_024 * MIB, unit: 'bytes' },
  stateIdleMs: { min: 1_000, max: 3_650 * DAY_MS, unit: 'ms' },
  frameBytesMax: { min: HELLO_BYTES_MAX, max: FRAME_BYTES_MAX, unit: 'bytes' },
  helloBytesMax: { min: KIB, max: FRAME_BYTES_MAX, unit: 'bytes' },
  helloWithinMs: { min: 100, max: 60_000, unit: 'ms' },
  outgoingBytesMax: { min: WELCOME_BYTES_MAX, max: 64 * MIB, unit: 'bytes' },
  messagesPerSecond: { ...COUNT, unit: 'per second' },
  messagesBurst: { ...COUNT, max: 10_000_000 },
  overRateMsMax: { min: 100, max: 600_000, unit: 'ms' },
  sessionsMax: COUNT,
  connectionsMax: COUNT,
  connectionsPerAddressMax: COUNT,
  unauthenticatedMax: COUNT,
  channelsPerSocketMax: { ...COUNT, max: 1_000 },
};

export const LIMIT_KEYS = Object.keys(LIMIT_RANGES) as readonly (keyof Limits)[]; // The record is total.

/** Pairs of which the first is at most the second. */
const ORDERED: readonly (readonly [keyof Limits, keyof Limits])[] = [
  ['lifetimeMsDefault', 'lifetimeMsMax'],
  ['helloBytesMax', 'frameBytesMax'],
];

export type LimitsResult =
  | { readonly ok: true; readonly limits: Limits }
  | { readonly ok: false; readonly problem: OptionProblem };

/** The given limits over `base`, each in its range and all in agreement; nothing is clamped. */
export function limitsFrom(given: object, base: Limits = LIMITS_DEFAULT): LimitsResult {
  const unknown = unknownKeyProblem(given, LIMIT_KEYS);
  if (unknown !== null) return { ok: false, problem: unknown };
  for (const [key, value] of Object.entries(given)) {
    const range = LIMIT_RANGES[key as keyof Limits]; // Every key is a known one: see above.
    if (Number.isSafeInteger(value) && value >= range.min && value <= range.max) continue;
    const allowed = `a whole number${range.unit === '' ? '' : ` (${range.unit})`} from ${range.min} to ${range.max}`;
    return { ok: false, problem: { param: key, problem: `${key} is ${inWords(value)}; allowed is ${allowed}` } };
  }
  const limits: Limits = { ...base, ...given };
  for (const [smaller, larger] of ORDERED) {
    if (limits[smaller] <= limits[larger]) continue;
    const problem = `${smaller} (${limits[smaller]}) is larger than ${larger} (${limits[larger]}); it must be at most that`;
    return { ok: false, problem: { param: smaller, problem } };
  }
  return { ok: true, limits };
}
