import type { Json } from '../../shared/json.ts';
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
  VALUE_DEPTH_MAX,
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
import { utf8Bytes } from '../../shared/utf8.ts';
import type { AcquireTerms } from '../core/types.ts';
import { badRequest } from './errors.ts';
import type { AcquireOptions, ConnectOptions, RunOptions, TryAcquireOptions, Urls } from './public-options.ts';

const SIGNAL = 'an AbortSignal';
const MS = 'whole milliseconds';
const URLS =
  'ws://, wss://, http:// or https:// with host, port and path alone (a secret is a credential), or a list of such';
const JSON_KINDS = 'finite numbers, text, true, false, null, lists and plain objects';
type Range = readonly [min: number, max: number, of: string];
/** What an option may be: a range, or one of the kinds that `typeof` tells, or one of some quoted literals. */
type Rule = Range | string | readonly [];
export type Rules<O> = Readonly<Record<keyof O, Rule>>;

export const CONNECT_RULES: Rules<ConnectOptions> = {
  namespace: 'string',
  label: 'string',
  metadata: [],
  ttlMs: [TTL_MS_MIN, TTL_MS_MAX, MS],
  connectTimeoutMs: [CONNECT_TIMEOUT_MS_MIN, CONNECT_TIMEOUT_MS_MAX, MS],
  maxBackoffMs: [BACKOFF_MS_MAX_LEAST, BACKOFF_MS_MAX_MOST, MS],
  idleMs: [0, IDLE_MS_MAX, MS],
  credential: 'string or function',
  logger: 'object or function',
  WebSocket: 'function',
  resumeOnReload: 'boolean',
  share: '"shared-worker" or object',
};

/** `ttlMs` and `stopMarginMs` have ranges that depend on others: `termsOf` checks them. */
export const TRY_RULES: Rules<TryAcquireOptions> = {
  ttlMs: [],
  priority: [PRIORITY_MIN, PRIORITY_MAX, 'whole numbers'],
  maxLifetimeMs: [TTL_MS_MIN_FIXED, LIFETIME_MS_MAX, MS],
  minHoldMs: [0, MIN_HOLD_MS_MAX, MS],
  lockDelayMs: [0, LOCK_DELAY_MS_MAX, MS],
  steal: 'boolean',
  whenOwn: '"queue" or "reject"',
  renew: 'boolean',
  renewWhile: 'function',
  renewRatio: [RENEW_RATIO_MIN, RENEW_RATIO_MAX, 'numbers'],
  stopMarginMs: [],
  signal: SIGNAL,
};

const ACQUIRE_RULES: Rules<AcquireOptions> = {
  ...TRY_RULES,
  waitMs: [0, WAIT_MS_MAX, MS],
  onQueued: 'function',
};

export const DRAIN_RULES = { drainMs: [0, DRAIN_MS_MAX, MS] } as const;
export const SIGNAL_RULES = { signal: SIGNAL } as const;
export const TIMEOUT_RULES = { timeoutMs: [1, WAIT_MS_MAX, MS] } as const;
export const RUN_RULES: Rules<RunOptions> = {
  ...ACQUIRE_RULES,
  ...DRAIN_RULES,
  ifUnavailable: '"reject" or "skip" or "run"',
};

/** Throws `bad-request` for the first option that is unknown or not what its rule allows. */
export function checkOptions(given: object, rules: Readonly<Record<string, Rule>>, what?: 'event'): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw refused('options', given, 'an object');
  const unknown = unknownKeyProblem(given, Object.keys(rules), what);
  if (unknown !== null) throw badRequest(unknown.param, unknown.problem);
  for (const [key, value] of Object.entries<unknown>({ ...given })) {
    const rule = rules[key] ?? [];
    if (value === undefined) continue;
    if (typeof rule !== 'string') {
      if (rule.length === 3) inRange(key, value, rule);
    } else if (!rule.split(' or ').some((kind) => isOf(kind, value))) {
      throw refused(key, value, rule);
    }
  }
}

const isOf = (kind: string, value: unknown): boolean =>
  kind === SIGNAL
    ? // Not `instanceof`: it may come from another realm, or from another package.
      'throwIfAborted' in Object(value)
    : kind === typeof (value ?? 0) || kind === inWords(value);

/** Of a credential, which is a secret, only its type is shown. */
export const refused = (
  key: string,
  value: unknown,
  allowed: string,
  shown = key === 'credential' ? typeof value : inWords(value),
): Error => badRequest(key, `${key} is ${shown}; allowed: ${allowed}`);

function inRange(key: string, value: unknown, [min, max, of]: Range): void {
  const right = of === 'numbers' ? Number.isFinite(value) : Number.isSafeInteger(value);
  if (!right || Number(value) < min || Number(value) > max) throw refused(key, value, `${of} from ${min} to ${max}`);
}

/** Throws `bad-request` unless `value` is a text of at most `bytesMax` bytes. */
export function checkText(key: string, value: unknown, bytesMax: number): void {
  if (typeof value !== 'string') throw refused(key, value, 'string');
  const bytes = utf8Bytes(value);
  if (bytes > bytesMax) throw refused(key, value, `at most ${bytesMax}`, `${bytes} bytes`);
}

/** The same of what stands in lists and logs: no control characters, no half of a surrogate pair. */
export function checkLine(key: string, value: unknown, bytesMax: number): void {
  checkText(key, value, bytesMax);
  if (/[\p{Cc}\p{Cs}]/u.test(String(value)))
    throw refused(key, value, 'well-formed Unicode without control characters');
}

/** A copy of `value`; throws `bad-request` for what JSON would change, and for what nests too deep. Undefined is none. */
export function jsonCopy(key: string, value: unknown): Json | undefined {
  if (value === undefined) return value;
  checkJson(key, value, key, VALUE_DEPTH_MAX);
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** A cycle, too, is too deep. */
function checkJson(key: string, value: unknown, at: string, levels: number): void {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || Number.isFinite(value)) return;
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) throw badRequest(key, `${at} is ${inWords(value)}; allowed: ${JSON_KINDS}`);
  if (levels === 0) throw badRequest(key, `${key} nests deeper than ${VALUE_DEPTH_MAX} levels`);
  // In an array that is made from it a hole is undefined; in a list that is refused, in an object it is no key.
  for (const [name, one] of Object.entries(isList ? Array.from<unknown>(value) : value))
    if (isList || one !== undefined) checkJson(key, one, `${at}[${inWords(name)}]`, levels - 1);
}

/** Of no class: `Object.prototype` is the one, in whatever realm, that has no prototype itself. */
const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== undefined && Object.getPrototypeOf(Object.getPrototypeOf(value) ?? Object.prototype) === null;

export function checkName(name: string): void {
  const problem = typeof name === 'string' ? nameProblem(name) : 'a name is a text';
  if (problem !== null) throw badRequest('name', `name is ${inWords(name)}; ${problem}`);
}

/** The URLs of `connect` as the socket wants them: ws or wss, no slash at the end. */
export function socketUrls(given: Urls): readonly string[] {
  const urls: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (urls.length === 0) throw refused('url', given, URLS, 'an empty list');
  return urls.map((one) => {
    const url = one instanceof URL ? one.href : one;
    if (typeof url !== 'string') throw refused('url', url, URLS);
    if (!/^(ws|http)s?:\/\/[^?#@\s]+$/.test(url) || !URL.canParse(url)) {
      // What may be a secret is not shown, wherever its odd characters make it end.
      const shown = url.replace(/^(\w+:\/\/)?.*@/s, '$1***@').replace(/([?#]).*/s, '$1***');
      throw refused('url', url, URLS, inWords(shown));
    }
    return url.replace(/^http/, 'ws').replace(/\/+$/, '');
  });
}

/** Checks the options of `connect`, one by one and together; they are the caller's no more. */
export function checkConnect(options: ConnectOptions): ConnectOptions {
  checkOptions(options, CONNECT_RULES);
  const { label, credential, logger, share } = options;
  if (logger !== undefined && typeof logger.warn !== 'function')
    throw refused('logger', logger, 'an object with a function warn');
  const metadata = jsonCopy('metadata', options.metadata);
  if (label !== undefined) checkLine('label', label, LABEL_BYTES_MAX);
  if (metadata !== undefined) checkText('metadata', JSON.stringify(metadata), METADATA_BYTES_MAX);
  if (typeof share === 'object') checkWorker(share);
  if (typeof credential === 'string') checkText('credential', credential, CREDENTIAL_BYTES_MAX);
  return { ...options, metadata };
}

function checkWorker(share: object): void {
  const { worker, ...others } = share as { readonly worker?: unknown };
  const key = unknownKeyProblem(others, ['worker']);
  if (key !== null) throw badRequest('share', key.problem);
  const right = worker instanceof URL || (typeof worker === 'string' && worker !== '');
  if (!right)
    throw refused(
      'share',
      worker,
      'the place of the built leasehold/shared-worker, as text or URL',
      `{ worker: ${inWords(worker)} }`,
    );
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
    waitMs = null,
    priority,
    maxLifetimeMs,
    minHoldMs,
    lockDelayMs,
    steal = false,
    whenOwn = 'queue',
    renew = true,
    renewRatio = RENEW_RATIO_DEFAULT,
    stopMarginMs: given,
  } = options;
  inRange('ttlMs', ttlMs, [renew ? TTL_MS_MIN : TTL_MS_MIN_FIXED, TTL_MS_MAX, MS]);
  if (given !== undefined) inRange('stopMarginMs', given, [stopMarginMsMin(ttlMs), ttlMs, MS]);
  if (maxLifetimeMs !== undefined && maxLifetimeMs < ttlMs)
    throw refused('maxLifetimeMs', maxLifetimeMs, `at least ttlMs ${ttlMs}`);
  checkRoom(ttlMs, renew ? renewRatio : 0, stopMarginMs(ttlMs, ttlMs, given), renew);
  const terms = {
    name,
    ttlMs,
    waitMs,
    priority,
    maxLifetimeMs,
    minHoldMs,
    lockDelayMs,
    steal,
    whenOwn,
    renew,
    renewRatio,
  };
  // The brands say what was just checked.
  return { ...terms, stopMarginMs: given } as AcquireTerms;
}

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
