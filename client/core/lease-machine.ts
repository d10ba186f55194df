import { backoffMs } from '../../shared/backoff.ts';
import type { Code, LossCode } from '../../shared/codes.ts';
import type { FencingToken, FrameNumber, RequestId } from '../../shared/ids.ts';
import { ANSWER_WITHIN_MS } from '../../shared/limits.ts';
import { attemptTimeoutMs } from '../../shared/renewal.ts';
import { later, monoMs, type MonoMs } from '../../shared/time.ts';
import type { Reading } from './elapsed.ts';
import { boundByCeiling, leftByMono, leftByReal, renewAt, windowOf, type Told, type Window } from './lease-window.ts';
import type { AcquireTerms, LeaseNews, LeaseStatus, RenewalAttempt } from './types.ts';

/** One lease on its client, from its grant to its end. docs/CLIENT-STATES.md has every state x event. */
export interface Lease {
  readonly key: RequestId;
  readonly token: FencingToken;
  readonly terms: AcquireTerms;
  readonly window: Window;
  readonly phase: LeasePhase;
  /** False from the start for a fixed window, later when its owner asked to stop. */
  readonly renews: boolean;
  /** Answers in a row that did not lengthen the window. */
  readonly tries: number;
  readonly attempts: readonly { readonly at: MonoMs; readonly outcome: RenewalAttempt['outcome'] }[];
}

export type LeasePhase =
  /** `renewAt` is on the `real` clock, so that a host that slept renews as soon as it wakes. */
  | { readonly kind: 'resting'; readonly renewAt: MonoMs }
  /** A renewal is due: out on a socket, or waiting for one. */
  | { readonly kind: 'renewing'; readonly sent: boolean; readonly until: MonoMs }
  /** A renewal was not answered in time: at risk. The next goes over a new socket. */
  | { readonly kind: 'silent'; readonly sent: boolean; readonly until: MonoMs }
  /** The window is over if the host slept: only the answer to a frame from `after` on decides (R12). */
  | { readonly kind: 'doubt'; readonly sent: boolean; readonly until: MonoMs; readonly after: FrameNumber }
  /** Offered to the next in line: not believed (R13), and held again if nobody was there. */
  | { readonly kind: 'handing' }
  | { readonly kind: 'lost'; readonly code: LossCode }
  | { readonly kind: 'released' };

export type LeaseEvent =
  /**
   * The clocks were looked at; `next` is the number of the next frame. What is over ends before anything else happens
   * (S6); what is merely due waits until the sockets have been read, since an answer may lie in them.
   */
  | { readonly kind: 'look'; readonly next: FrameNumber; readonly what: 'over' | 'due' }
  /** The coordinator told of the lease. `answer`: to a renewal (a `welcome` renews nothing, R8). */
  | {
      readonly kind: 'told';
      readonly told: Told;
      readonly frame: FrameNumber;
      readonly anchor: Reading | undefined;
      readonly answer: boolean;
    }
  | { readonly kind: 'refused'; readonly code: Code }
  /** It is over by somebody's word. `reply`: what the coordinator is told. */
  | { readonly kind: 'end'; readonly code: LossCode; readonly reply: 'give-back' | 'end-ack' | 'nothing' }
  | { readonly kind: 'release' }
  | { readonly kind: 'hand-over' }
  /** A hand-over was answered; null: the next in line has it. */
  | { readonly kind: 'handed'; readonly code: Code | null }
  | { readonly kind: 'amend'; readonly priority: number }
  | { readonly kind: 'renew' }
  | { readonly kind: 'stop-renewing' }
  /** Its renewal went to the socket. */
  | { readonly kind: 'sent' }
  /** On a new socket, whatever was sent on the old one counts as unsent. */
  | { readonly kind: 'reconnected' };

export type LeaseEffect =
  /** For people. */
  | LeaseNews
  /** The socket answers nothing: dial anew. */
  | { readonly kind: 'redial' }
  /** What was said of its priority is so no more. */
  | { readonly kind: 'amend' }
  /** Release it, so that nobody waits out a window for nothing. */
  | { readonly kind: 'give-back' }
  | { readonly kind: 'end-ack' };

export interface Means {
  readonly chance: () => number;
  readonly clockResolutionMs: number;
}

interface LeaseStep {
  readonly state: Lease;
  readonly effects: readonly LeaseEffect[];
}

export const NEVER = monoMs(Infinity);
const ATTEMPTS_KEPT = 5;

/** Of a grant that is believed: its window was not over on arrival. */
export function leaseOf(key: RequestId, token: FencingToken, terms: AcquireTerms, window: Window, means: Means): Lease {
  const lease: Lease = {
    key,
    token,
    terms,
    window,
    renews: terms.renew,
    tries: 0,
    attempts: [],
    phase: { kind: 'resting', renewAt: NEVER },
  };
  return { ...lease, phase: { kind: 'resting', renewAt: dueAt(lease, window, means.chance()) } };
}

export function leaseStatus({ phase: { kind } }: Lease): LeaseStatus {
  if (kind === 'lost' || kind === 'released') return kind;
  return kind === 'resting' || kind === 'renewing' ? 'held' : 'at-risk';
}

export const isLiving = (lease: Lease): boolean => lease.phase.kind !== 'lost' && lease.phase.kind !== 'released';

/** Whether a `renew` should be handed to a socket now. */
export const wantsRenewal = ({ phase }: Lease): boolean => 'sent' in phase && !phase.sent;

/** When the next `look` has something to do. */
export function leaseWake({ phase, window }: Lease, now: Reading): MonoMs {
  const real = later(now.mono, leftByReal(window, now));
  if (phase.kind === 'resting') return monoMs(Math.min(real, now.mono + (phase.renewAt - now.real)));
  const over = phase.kind === 'doubt' ? later(now.mono, leftByMono(window, now)) : real;
  return 'until' in phase ? monoMs(Math.min(over, phase.until)) : over;
}

export function leaseStep(lease: Lease, event: LeaseEvent, now: Reading, means: Means): LeaseStep {
  const { phase } = lease;
  // Once lost, lost: no later message revives an ended token (R2).
  if (!isLiving(lease)) return stay(lease);
  switch (event.kind) {
    case 'look':
      return look(lease, event, now);
    case 'told':
      return told(lease, event, now, means);
    case 'refused':
      return refused(lease, event.code, now);
    case 'end':
      return lose(lease, event.code, event.reply, now);
    case 'release':
      return to(lease, { kind: 'released' }, { kind: 'released' });
    case 'hand-over':
      return to(lease, { kind: 'handing' });
    case 'handed':
      return handed(lease, event.code, now);
    case 'amend':
      return to({ ...lease, terms: { ...lease.terms, priority: event.priority } }, phase, { kind: 'amend' });
    case 'renew':
      return phase.kind === 'resting' ? begin(lease, now) : stay(lease);
    case 'stop-renewing':
      // At risk it still asks: only an answer tells whether it is held.
      return to(
        { ...lease, renews: false },
        leaseStatus(lease) === 'held' ? { kind: 'resting', renewAt: NEVER } : phase,
      );
    case 'sent':
      if (!('sent' in phase)) return stay(lease);
      return to(lease, { ...phase, sent: true, until: phase.kind === 'doubt' ? phase.until : timeout(lease, now) });
    case 'reconnected':
      return 'sent' in phase ? to(lease, { ...phase, sent: false }) : stay(lease);
    default:
      return event satisfies never;
  }
}

const stay = (state: Lease): LeaseStep => ({ state, effects: [] });
const to = (lease: Lease, phase: LeasePhase, ...effects: LeaseEffect[]): LeaseStep => ({
  state: { ...lease, phase },
  effects,
});

const logged = (lease: Lease, now: Reading, outcome: RenewalAttempt['outcome']): Lease => ({
  ...lease,
  attempts: [...lease.attempts, { at: now.mono, outcome }].slice(-ATTEMPTS_KEPT),
});

const dueAt = (lease: Lease, window: Window, spread: number): MonoMs =>
  lease.renews && !boundByCeiling(window) ? renewAt(window, lease.terms.renewRatio, spread) : NEVER;

const timeout = (lease: Lease, now: Reading): MonoMs =>
  later(now.mono, Math.min(ANSWER_WITHIN_MS, attemptTimeoutMs(leftByReal(lease.window, now))));

const begin = (lease: Lease, now: Reading): LeaseStep =>
  to(lease, { kind: 'renewing', sent: false, until: timeout(lease, now) });

export const attemptsOf = ({ attempts }: Lease, now: Reading): readonly RenewalAttempt[] =>
  attempts.map(({ at, outcome }) => ({ agoMs: now.mono - at, outcome }));

function lose(lease: Lease, code: LossCode, reply: 'give-back' | 'end-ack' | 'nothing', now: Reading): LeaseStep {
  const lost: LeaseEffect = { kind: 'lost', code, attempts: attemptsOf(lease, now) };
  // The news comes first: stop believing, then say so (R13).
  return reply === 'nothing'
    ? to(lease, { kind: 'lost', code }, lost)
    : to(lease, { kind: 'lost', code }, lost, { kind: reply });
}

function look(lease: Lease, { next, what }: Extract<LeaseEvent, { readonly kind: 'look' }>, now: Reading): LeaseStep {
  const { phase, window } = lease;
  if (leftByMono(window, now) <= 0 || (phase.kind === 'doubt' && what === 'due' && phase.until <= now.mono)) {
    return lose(lease, boundByCeiling(window) ? 'ceiling' : lease.renews ? 'missed-ack' : 'expired', 'give-back', now);
  }
  if (phase.kind === 'doubt' || phase.kind === 'handing') return stay(lease);
  if (leftByReal(window, now) <= 0) {
    // One that is not renewed is not made longer by the doubt of its last second: clocks drift apart by less.
    const sent = !lease.renews && leftByMono(window, now) <= ANSWER_WITHIN_MS;
    const doubt = { kind: 'doubt', sent, until: later(now.mono, ANSWER_WITHIN_MS), after: next } as const;
    return phase.kind === 'silent' ? to(lease, doubt) : to(lease, doubt, { kind: 'at-risk', why: 'doubt' });
  }
  if (what === 'over') return stay(lease);
  if (phase.kind === 'resting') return phase.renewAt <= now.real ? begin(lease, now) : stay(lease);
  if (!('until' in phase) || phase.until > now.mono) return stay(lease);
  const effects: LeaseEffect[] = phase.kind === 'renewing' ? [{ kind: 'at-risk', why: 'silent' }] : [];
  if (phase.sent) effects.push({ kind: 'redial' });
  const silent = { kind: 'silent', sent: false, until: NEVER } as const;
  return to(logged(lease, now, phase.sent ? 'unanswered' : 'no-connection'), silent, ...effects);
}

function told(
  lease: Lease,
  event: Extract<LeaseEvent, { readonly kind: 'told' }>,
  now: Reading,
  means: Means,
): LeaseStep {
  const { phase } = lease;
  const fresh = event.anchor && windowOf(event.told, event.anchor, lease.terms, means.clockResolutionMs);
  if (phase.kind === 'doubt' && (!fresh || event.frame < phase.after || leftByReal(fresh, now) <= 0))
    return stay(lease);
  // A deadline is never moved earlier (R4), so the later of the two is known to hold.
  const window = fresh && leftByReal(fresh, now) >= leftByReal(lease.window, now) ? fresh : lease.window;
  const next = { ...lease, window };
  if (phase.kind === 'handing' || (!event.answer && phase.kind !== 'doubt')) return stay(next);
  const leftMs = leftByReal(window, now);
  const due = dueAt(lease, window, 0);
  const short = due <= now.real;
  const tries = short ? lease.tries + 1 : 0;
  const again = later(now.real, backoffMs('at-stake', tries, means.chance(), leftMs / 3));
  const effects: LeaseEffect[] = [{ kind: 'renewed', leftMs }];
  if (phase.kind === 'silent' || phase.kind === 'doubt') effects.unshift({ kind: 'recovered' });
  return to(
    { ...logged(next, now, 'acknowledged'), tries },
    { kind: 'resting', renewAt: short ? again : due },
    ...effects,
  );
}

/** `forbidden` has no loss of its own: whoever may not renew any more is not authorized to hold. */
const LOSSES = ['expired', 'superseded', 'revoked', 'stolen', 'ceiling'] as const satisfies readonly LossCode[];

/** A permanent answer is never asked again; any other waits for the attempt's own time-out. */
function refused(lease: Lease, code: Code, now: Reading): LeaseStep {
  const loss = code === 'forbidden' ? 'unauthorized' : LOSSES.find((one) => one === code);
  return loss ? lose(logged(lease, now, code), loss, 'nothing', now) : stay(lease);
}

function handed(lease: Lease, code: Code | null, now: Reading): LeaseStep {
  if (lease.phase.kind !== 'handing') return stay(lease);
  if (code === null) return to(lease, { kind: 'released' }, { kind: 'released' });
  return code === 'nobody-waiting' ? to(lease, { kind: 'resting', renewAt: now.real }) : refused(lease, code, now);
}
