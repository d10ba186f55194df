import { later, type MonoMs } from '../../shared/time.ts';

export interface RateLimits {
  readonly messagesPerSecond: number;
  readonly messagesBurst: number;
  /** Over the rate for this long without pause: the socket is closed. */
  readonly overRateMsMax: number;
}

/** What one session has left of its messages (a leaky bucket), and since when it is over. */
export interface RateState {
  readonly tokens: number;
  readonly at: MonoMs;
  /** When it first went over, and when its socket was read again last; null while it keeps to its rate. */
  readonly over: { readonly since: MonoMs; readonly until: MonoMs } | null;
}

export type RateVerdict =
  | { readonly kind: 'read' }
  /** Not read for this long: until the debt is paid and a little is there again. */
  | { readonly kind: 'pause'; readonly forMs: number }
  | { readonly kind: 'close' };

/** Under the rate for this long after a pause: the next one counts anew. */
const RESTED_MS = 1_000;
/** A pause ends with this much of a second's messages, so that a flood costs few pauses and not one a message. */
const PAUSE_PART = 0.1;

export const freshRate = (limits: RateLimits, now: MonoMs): RateState => ({
  tokens: limits.messagesBurst,
  at: now,
  over: null,
});

/** Counts `messages` that were just read. */
export function countMessages(
  state: RateState,
  messages: number,
  now: MonoMs,
  limits: RateLimits,
): { readonly state: RateState; readonly verdict: RateVerdict } {
  const refilled = Math.min(limits.messagesBurst, state.tokens + ((now - state.at) * limits.messagesPerSecond) / 1_000);
  const tokens = refilled - messages;
  if (tokens >= 0) return { state: { tokens, at: now, over: state.over }, verdict: { kind: 'read' } };

  const wanted = Math.min(limits.messagesBurst, limits.messagesPerSecond * PAUSE_PART);
  const forMs = Math.ceil(((wanted - tokens) * 1_000) / limits.messagesPerSecond);
  const goesOn = state.over !== null && now - state.over.until < RESTED_MS;
  const since = goesOn && state.over !== null ? state.over.since : now;
  const over = { since, until: later(now, forMs) };
  const verdict =
    now - since >= limits.overRateMsMax ? ({ kind: 'close' } as const) : ({ kind: 'pause', forMs } as const);
  return { state: { tokens, at: now, over }, verdict };
}
