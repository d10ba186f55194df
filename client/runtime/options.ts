import { leaseName } from '../../shared/ids.ts';
import {
  BACKOFF_MS_MAX_LEAST,
  BACKOFF_MS_MAX_MOST,
  CONNECT_TIMEOUT_MS_MAX,
  CONNECT_TIMEOUT_MS_MIN,
  CREDENTIAL_BYTES_MAX,
  DRAIN_MS_MAX,
  IDLE_MS_MAX,
  LABEL_BYTES_MAX,
  LIFETIME_MS_MAX,
  LOCK_DELAY_MS_MAX,
  METADATA_BYTES_MAX,
  MIN_HOLD_MS_MAX,
  PRIORITY_MAX,
  PRIORITY_MIN,
  TTL_MS_MAX,
  TTL_MS_MIN,
  TTL_MS_MIN_FIXED,
  WAIT_MS_MAX,
} from '../../shared/limits.ts';
import { nameProblem } from '../../shared/names.ts';
import { inWords, unknownKeyProblem } from '../../shared/options.ts';
import {
  RENEW_ATTEMPTS_MIN,
  RENEW_RATIO_DEFAULT,
  RENEW_RATIO_MAX,
  RENEW_RATIO_MIN,
  ROUND_TRIP_MS_MIN,
  stopMarginMs,
  stopMarginMsMin,
} from '../../shared/renewal.ts';
import { durationMs } from '../../shared/time.ts';
import { utf8Bytes } from '../../shared/utf8.ts';
import type { AcquireTerms } from '../core/types.ts';
import { badRequest } from './errors.ts';
import type { AcquireOptions, ConnectOptions, RunOptions } from './public-options.ts';

const MS = 'whole milliseconds';
const URLS = 'ws://, wss://, http:// or https:// with host, port and path, or a list of such';
type Range = readonly [min: number, max: number, of: string];
/** What an option may be: a range, or one of the kinds that `typeof` tells, or one of some literals. */
type Rule = Range | string | readonly [];
type Rules<O> = Readonly<Record<keyof O, Rule>>;

export const CONNECT_RULES: Rules<ConnectOptions> = {
  label: 'string',
  metadata: [],
  ttlMs: [TTL_MS_MIN, TTL_MS_MAX, MS],
  connectTimeoutMs: [CONNECT_TIMEOUT_MS_MIN, CONNECT_TIMEOUT_MS_MAX, MS],
  maxBackoffMs: [BACKOFF_MS_MAX_LEAST, BACKOFF_MS_MAX_MOST, MS],
  idleMs: [0, IDLE_MS_MAX, MS],
  credential: 'string or function',
  logger: 'object or function',
  WebSocket: 'function',
};

/** `ttlMs` and `stopMarginMs` have ranges that depend on others: `termsOf` checks them. */
const ACQUIRE_RULES: Rules<AcquireOptions> = {
  ttlMs: [],
  waitMs: [0, WAIT_MS_MAX, MS],
  onQueued: 'function',
  priority: [PRIORITY_MIN, PRIORITY_MAX, 'whole numbers'],
  maxLifetimeMs: [TTL_MS_MIN_FIXED, LIFETIME_MS_MAX, MS],
  minHoldMs: [0, MIN_HOLD_MS_MAX, MS],
  lockDelayMs: [0, LOCK_DELAY_MS_MAX, MS],
  steal: 'boolean',
  whenOwn: 'queue or reject',
  renew: 'boolean',
  renewWhile: 'function',
  renewRatio: [RENEW_RATIO_MIN, RENEW_RATIO_MAX, 'numbers'],
  stopMarginMs: [],
  signal: 'object',
};

export const DRAIN_RULES = { drainMs: [0, DRAIN_MS_MAX, MS] } as const;
export const TIMEOUT_RULES = { timeoutMs: [1, WAIT_MS_MAX, MS] } as const;
export const RUN_RULES: Rules<RunOptions> = {
  ...ACQUIRE_RULES,
  ...DRAIN_RULES,
  ifUnavailable: 'reject or skip or run',
};

/** Throws `bad-request` for the first option that is unknown or not what its rule allows. */
export function checkOptions(given: object, rules: Readonly<Record<string, Rule>>): void {
  if (typeof given !== 'object' || given === null) throw refused('options', given, 'an object');
  const unknown = unknownKeyProblem(given, Object.keys(rules));
  if (unknown !== null) throw badRequest(unknown.param, unknown.problem);
  for (const [key, value] of Object.entries<unknown>({ ...given })) {
    const rule = rules[key] ?? [];
    if (value === undefined) continue;
    if (typeof rule !== 'string') {
      if (rule.length === 3) inRange(key, value, rule);
    } else if (value === null || !rule.split(' or ').some((kind) => kind === typeof value || kind === value)) {
      throw refused(key, value, rule);
    }
  }
}

const refused = (key: string, value: unknown, allowed: string): Error =>
  badRequest(key, `${key} is ${inWords(value)}; allowed: ${allowed}`);

function inRange(key: string, value: unknown, [min, max, of]: Range): void {
  const right = of === 'numbers' ? Number.isFinite(value) : Number.isSafeInteger(value);
  if (!right || Number(value) < min || Number(value) > max) throw refused(key, value, `${of} from ${min} to ${max}`);
}

/** Throws `bad-request` unless `value` is a text of at most `bytesMax` bytes. */
export function checkText(key: string, value: unknown, bytesMax: number): void {
  if (typeof value !== 'string' || utf8Bytes(value) > bytesMax)
    throw refused(key, value, `text of at most ${bytesMax} bytes`);
}

/** The JSON text of `value`; throws `bad-request` for what has none (a function, a cycle, a bigint). */
export function jsonText(key: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // Refused just below, with the same words.
  }
  if (text === undefined) throw refused(key, value, 'a JSON value');
  return text;
}

export function checkName(name: string): void {
  const problem = typeof name === 'string' ? nameProblem(name) : 'a name is a text';
  if (problem !== null) throw badRequest('name', `name is ${inWords(name)}; ${problem}`);
}

/** The URLs of `connect` as the socket wants them: ws or wss, no slash at the end. */
export function socketUrls(given: string | readonly string[]): readonly string[] {
  const urls = typeof given === 'string' ? [given] : given;
  if (!Array.isArray(urls) || urls.length === 0) throw refused('url', given, URLS);
  return urls.map((url: unknown) => {
    if (typeof url !== 'string' || !/^(ws|http)s?:\/\/[^?#@\s]+$/.test(url) || !URL.canParse(url))
      throw refused('url', url, URLS);
    return url.replace(/^http/, 'ws').replace(/\/+$/, '');
  });
}

/** Checks the options of `connect`, one by one and together. */
export function checkConnect(options: ConnectOptions): void {
  checkOptions(options, CONNECT_RULES);
  const { label, metadata, credential } = options;
  if (label !== undefined) checkText('label', label, LABEL_BYTES_MAX);
  if (metadata !== undefined) checkText('metadata', jsonText('metadata', metadata), METADATA_BYTES_MAX);
  if (typeof credential === 'string') checkText('credential', credential, CREDENTIAL_BYTES_MAX);
}

/** Checks a claim's options, one by one and together, and fills in what was left out. */
export function termsOf(
  name: string,
  options: AcquireOptions,
  ttlMsDefault: number,
  rules: Readonly<Record<string, Rule>> = ACQUIRE_RULES,
): AcquireTerms {
  checkName(name);
  checkOptions(options, rules);
  const {
    ttlMs = ttlMsDefault,
    maxLifetimeMs,
    renew = true,
    renewRatio = RENEW_RATIO_DEFAULT,
    stopMarginMs: given,
  } = options;
  inRange('ttlMs', ttlMs, [renew ? TTL_MS_MIN : TTL_MS_MIN_FIXED, TTL_MS_MAX, MS]);
  if (given !== undefined) inRange('stopMarginMs', given, [stopMarginMsMin(ttlMs), ttlMs, MS]);
  if (maxLifetimeMs !== undefined && maxLifetimeMs < ttlMs)
    throw refused('maxLifetimeMs', maxLifetimeMs, `at least ttlMs ${ttlMs}`);
  checkRoom(ttlMs, renew ? renewRatio : 0, stopMarginMs(ttlMs, ttlMs, given), renew);
  return {
    name: leaseName(name),
    ttlMs: durationMs(ttlMs),
    waitMs: options.waitMs === undefined ? null : durationMs(options.waitMs),
    priority: options.priority,
    maxLifetimeMs: optional(maxLifetimeMs),
    minHoldMs: optional(options.minHoldMs),
    lockDelayMs: optional(options.lockDelayMs),
    steal: options.steal ?? false,
    whenOwn: options.whenOwn ?? 'queue',
    renew,
    stopMarginMs: optional(given),
    renewRatio,
  };
}

const optional = (ms: number | undefined) => (ms === undefined ? ms : durationMs(ms));

/** Between the first renewal and the stop margin there must be room for more than one attempt; a fixed window needs none. */
function checkRoom(ttlMs: number, ratio: number, margin: number, renew: boolean): void {
  const room = ttlMs * (1 - ratio) - margin;
  const needed = renew ? RENEW_ATTEMPTS_MIN * ROUND_TRIP_MS_MIN : 1;
  if (room >= needed) return;
  const sum = `ttlMs ${ttlMs} x (1 - renewRatio ${+ratio.toFixed(3)}) - stopMarginMs ${margin} = ${Math.round(room)} ms`;
  const attempts = `${RENEW_ATTEMPTS_MIN} renewals of ${ROUND_TRIP_MS_MIN} ms`;
  throw badRequest(
    'ttlMs',
    `${sum} must be at least ${needed} (${attempts}): raise ttlMs, or lower renewRatio or stopMarginMs`,
  );
}
