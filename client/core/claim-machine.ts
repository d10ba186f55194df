import { backoffMs } from '../../shared/backoff.ts';
import type { CoordinatorMessageOf } from '../../shared/frames.ts';
import type { RequestId } from '../../shared/ids.ts';
import { PING_MS_MIN, PINGS_PER_WINDOW } from '../../shared/limits.ts';
import { later, type MonoMs } from '../../shared/time.ts';
import type { Reading } from './elapsed.ts';
import { called, failure } from './failures.ts';
import { NEVER } from './lease-machine.ts';
import type { AcquireTerms, Effect, Failure } from './types.ts';

/** One `acquire` under one promise, through outages, restarts and resumes, until its grant or its end. */
export interface Claim {
  readonly key: RequestId;
  readonly terms: AcquireTerms;
  readonly phase: ClaimPhase;
  /** The end of the wait, from the call; of the one try, when the coordinator counts as not reached. */
  readonly until: MonoMs;
  readonly withinMs: number;
  /** Answers in a row that were no place. */
  readonly tries: number;
  /** The coordinator took it once: a repeat does not steal again (R24). */
  readonly met: boolean;
  /** A connection was open at some time since the call: the end of the wait is a time-out. */
  readonly opened: boolean;
  readonly cause: Failure | undefined;
  /** When to say what it waits for, and that it waits for itself. */
  readonly waitingAt: MonoMs;
  readonly selfAt: MonoMs;
}

export type ClaimPhase =
  | { readonly kind: 'asking' }
  | { readonly kind: 'queued'; readonly place: Place; readonly since: MonoMs }
  /** Refused for now. */
  | { readonly kind: 'pausing'; readonly again: MonoMs }
  | { readonly kind: 'ended' };

export type Place = Omit<CoordinatorMessageOf<'queued'>, 'type' | 'request'>;

export type ClaimEvent =
  /** `unreached`: that there is no connection, and why; null while there is one. */
  | { readonly kind: 'look'; readonly unreached: string | null }
  | { readonly kind: 'queued'; readonly place: Place }
  | { readonly kind: 'moved'; readonly position: number }
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** Out of the queue, or to be said again for another reason: it claims anew under the same id. */
  | { readonly kind: 'repeat' }
  | { readonly kind: 'amend'; readonly priority: number }
  /** Its grant came too late to be believed: a repeat renews it, or claims anew (R12, R7). */
  | { readonly kind: 'stale-grant' }
  | { readonly kind: 'end'; readonly failure: Failure | null };

export type ClaimEffect =
  | Extract<Effect, { readonly kind: 'queued' | 'warning' }>
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** To be sent, again. */
  | { readonly kind: 'ask' }
  /** What was said of its priority is so no more. */
  | { readonly kind: 'amend' }
  /** The coordinator is to forget it. */
  | { readonly kind: 'cancel' };

interface ClaimStep {
  readonly state: Claim;
  readonly effects: readonly ClaimEffect[];
}

export const SAY_WAITING_MS = 10_000;
const SAY_SELF_MS = 1_000;

export function claimOf(key: RequestId, terms: AcquireTerms, now: Reading, connectTimeoutMs: number): Claim {
  const withinMs = terms.waitMs === 0 ? connectTimeoutMs : (terms.waitMs ?? Infinity);
  return {
    key,
    terms,
    phase: { kind: 'asking' },
    until: later(now.mono, withinMs),
    withinMs,
    tries: 0,
    met: false,
    opened: false,
    cause: undefined,
    waitingAt: terms.waitMs === null && !terms.candidate ? later(now.mono, SAY_WAITING_MS) : NEVER,
    selfAt: NEVER,
  };
}

/** `asking` and `queued` differ only in what is known; both are out, or go out with the next socket. */
export const claimWake = ({ phase, until, waitingAt, selfAt }: Claim): number =>
  Math.min(until, waitingAt, selfAt, phase.kind === 'pausing' ? phase.again : NEVER);

/** How often the coordinator pings a session that waits for this. */
export const pingMsOf = ({ terms }: Claim): number => Math.max(PING_MS_MIN, terms.ttlMs / PINGS_PER_WINDOW);

/** While something waits no pause is longer; nor than a third of what is left, so that a dial comes before the end. */
const PAUSE_MS_MAX = 2_000;
export const pauseMsOf = ({ until }: Claim, now: Reading): number => Math.min(PAUSE_MS_MAX, (until - now.mono) / 3);

export function claimStep(claim: Claim, event: ClaimEvent, now: Reading, chance: () => number): ClaimStep {
  const { phase } = claim;
  if (phase.kind === 'ended') return stay(claim);
  switch (event.kind) {
    case 'look':
      return look({ ...claim, opened: claim.opened || event.unreached === null }, event.unreached, now);
    case 'queued':
      return queued(claim, event.place, now);
    case 'moved':
      if (phase.kind !== 'queued' || phase.place.position === event.position) return stay(claim);
      return queued(claim, { ...phase.place, position: event.position }, now, phase.since);
    case 'refused':
      return refused(claim, event.failure, now, chance);
    case 'repeat':
      return stay({ ...claim, phase: { kind: 'asking' } }, { kind: 'ask' });
    case 'amend':
      return stay({ ...claim, terms: { ...claim.terms, priority: event.priority } }, { kind: 'amend' });
    case 'stale-grant':
      // At once the first time; paced when windows keep being over on arrival.
      return pause({ ...claim, met: true }, claim.tries && backoffMs('at-stake', claim.tries, chance(), Infinity), now);
    case 'end':
      return event.failure
        ? end(claim, { kind: 'failed', failure: event.failure }, { kind: 'cancel' })
        : end(claim, { kind: 'cancel' });
    default:
      return event satisfies never;
  }
}

const stay = (state: Claim, ...effects: ClaimEffect[]): ClaimStep => ({ state, effects });
const end = (claim: Claim, ...effects: ClaimEffect[]): ClaimStep =>
  stay({ ...claim, phase: { kind: 'ended' } }, ...effects);
const pause = (claim: Claim, ms: number, now: Reading): ClaimStep =>
  stay({ ...claim, tries: claim.tries + 1, phase: { kind: 'pausing', again: later(now.mono, ms) } });

function look(claim: Claim, unreached: string | null, now: Reading): ClaimStep {
  const { phase, terms } = claim;
  if (claimWake(claim) > now.mono) return stay(claim);
  if (claim.until <= now.mono) return end(claim, { kind: 'failed', failure: timeOut(claim, now) }, { kind: 'cancel' });
  const again = phase.kind === 'pausing' && phase.again <= now.mono;
  const effects: ClaimEffect[] = again ? [{ kind: 'ask' }] : [];
  if (claim.waitingAt <= now.mono)
    effects.push({
      kind: 'warning',
      code: 'waiting',
      text: `"${called(terms)}" waits: ${waitsFor(claim, unreached, now)}`,
    });
  if (claim.selfAt <= now.mono)
    effects.push({ kind: 'warning', code: 'behind-self', text: `"${called(terms)}" is held by this client itself` });
  return stay(
    {
      ...claim,
      phase: again ? { kind: 'asking' } : phase,
      waitingAt: claim.waitingAt <= now.mono ? NEVER : claim.waitingAt,
      selfAt: claim.selfAt <= now.mono ? NEVER : claim.selfAt,
    },
    ...effects,
  );
}

function waitsFor({ phase, cause }: Claim, unreached: string | null, now: Reading): string {
  if (unreached !== null) return unreached;
  if (phase.kind !== 'queued') return cause?.message ?? 'no answer yet';
  const { holder, heldForMs, position, quietMs } = phase.place;
  if (quietMs) return `quiet time of ${quietMs} ms`;
  const heldMs = Math.round((heldForMs ?? 0) + now.mono - phase.since);
  return `${holder === undefined ? 'not free yet' : `held by "${holder}" for ${heldMs} ms`}, position ${position}`;
}

/** Never reached is not the same as not free; and of one try only the coordinator says that the name is not free. */
function timeOut(claim: Claim, now: Reading): Failure {
  const { terms, opened, withinMs, phase, cause } = claim;
  const position = phase.kind === 'queued' ? phase.place.position : undefined;
  const code = opened && terms.waitMs !== 0 ? 'wait-timeout' : 'unavailable';
  const why = code === 'wait-timeout' && phase.kind === 'queued' ? `: ${waitsFor(claim, null, now)}` : '';
  return failure(code, `"${called(terms)}": not granted within ${withinMs} ms${why}`, true, { position, cause });
}

function queued(claim: Claim, place: Place, now: Reading, since: MonoMs = now.mono): ClaimStep {
  const { position, behind, holder, heldForMs, remainingMs } = place;
  const self = behind === 'self';
  const known = claim.phase.kind === 'queued' && claim.phase.place.behind === behind;
  return stay(
    {
      ...claim,
      phase: { kind: 'queued', place, since },
      met: true,
      tries: 0,
      selfAt: known ? claim.selfAt : self ? later(now.mono, SAY_SELF_MS) : NEVER,
    },
    { kind: 'queued', key: claim.key, position, behind, holder, heldForMs, remainingMs },
  );
}

function refused(claim: Claim, why: Failure, now: Reading, chance: () => number): ClaimStep {
  if (!why.retryable || why.code === 'wait-timeout' || claim.terms.waitMs === 0 || claim.terms.candidate)
    return end(claim, { kind: 'failed', failure: why });
  const ms = Math.max(why.retryAfterMs ?? 0, backoffMs('refused', claim.tries + 1, chance(), Infinity));
  return pause({ ...claim, cause: why }, ms, now);
}
