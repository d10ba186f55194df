import { backoffMs } from '../../shared/backoff.ts';
import type { WireLeaseView } from '../../shared/frames.ts';
import type { FencingToken } from '../../shared/ids.ts';
import { between, durationMs, later, monoMs, type DurationMs, type MonoMs } from '../../shared/time.ts';
import type { ClientStatus, Failure } from './types.ts';

/** One candidate, from its first claim to its stop. docs/CLIENT-STATES.md has every state x event. */
export interface Candidate {
  readonly phase: CandidatePhase;
  /** There is a connection. */
  readonly open: boolean;
  /** The largest token that it knows of this name, and the last of its own that is over; 0 before the first. */
  readonly mark: number;
  readonly ended: number;
  /** The newest that it was told of the name. */
  readonly view: WireLeaseView | null;
  /** What ended within a second, one after the other. */
  readonly setbacks: number;
  readonly resignedAt: MonoMs;
}

export type CandidatePhase =
  /** Its claim is asked: out, or to go out with the next socket. */
  | { readonly kind: 'standing'; readonly since: MonoMs; readonly position: number | null }
  /** `last`: it was stopped, and its lease is being given back. */
  | { readonly kind: 'leading'; readonly since: MonoMs; readonly token: FencingToken; readonly last: boolean }
  /** No claim is asked until then. */
  | { readonly kind: 'pausing'; readonly until: MonoMs }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'refused'; readonly failure: Failure };

export type ElectionEvent =
  | { readonly kind: 'connection'; readonly status: ClientStatus }
  /** Of its claim. */
  | { readonly kind: 'queued'; readonly position: number }
  | { readonly kind: 'granted'; readonly token: FencingToken }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** Its lease ended, by whatever word. */
  | { readonly kind: 'over' }
  | { readonly kind: 'view'; readonly view: WireLeaseView }
  /** The pause may be over. */
  | { readonly kind: 'due' }
  | { readonly kind: 'resign' }
  | { readonly kind: 'stop' };

export type ElectionEffect =
  | { readonly kind: 'claim' }
  | { readonly kind: 'pause'; readonly ms: DurationMs }
  | { readonly kind: 'release' }
  /** Nothing is wanted any more: no claim, no watch, no timer. */
  | { readonly kind: 'leave' }
  // For people, in this order.
  | { readonly kind: 'elected' }
  | { readonly kind: 'deposed' }
  /** Who leads has changed; null: nobody is known to. */
  | { readonly kind: 'leader'; readonly token: FencingToken | null };

interface ElectionStep {
  readonly state: Candidate;
  readonly effects: readonly ElectionEffect[];
}

/** What lasted this long breaks the row of setbacks. */
const LASTING_MS = 1_000;
/** So many leaderships in a row may be shorter; a pause follows the next (grant, end, grant, end ... at the network's pace). */
const SHORT_REIGNS_MAX = 4;
/** Two calls of one moment are one resignation, whoever leads by the second. */
const ONE_MOMENT_MS = 1;

/** Asking again changes nothing: what was asked has to be changed. */
const FOR_GOOD: readonly string[] = ['forbidden', 'mode-conflict', 'bad-request', 'refused'];

export const candidateOf = (status: ClientStatus, now: MonoMs): Candidate => ({
  phase: { kind: 'standing', since: now, position: null },
  open: status === 'open',
  mark: 0,
  ended: 0,
  view: null,
  setbacks: 0,
  resignedAt: monoMs(-Infinity),
});

/** What people are told that it is: whoever does not contend says so. */
export function electionStatus({ phase: { kind }, open }: Candidate) {
  if (kind === 'standing') return open ? kind : 'connecting';
  return kind === 'pausing' ? 'connecting' : kind;
}

/** While it leads, itself; else whoever it was told of last, unless that is its own lease that is over, or of before that. */
export function leaderOf({ phase, view, ended }: Candidate): FencingToken | null {
  if (phase.kind === 'leading') return phase.token;
  const top = isFinal(phase) || view === null ? null : topOf(view);
  return top !== null && top > ended ? top : null;
}

const isFinal = ({ kind }: CandidatePhase): boolean => kind === 'stopped' || kind === 'refused';

const topOf = ({ holders }: WireLeaseView): FencingToken | null =>
  holders.reduce<FencingToken | null>(
    (top, { fencingToken }) => (top !== null && top > fencingToken ? top : fencingToken),
    null,
  );

export function electionStep(
  candidate: Candidate,
  event: ElectionEvent,
  now: MonoMs,
  chance: () => number,
): ElectionStep {
  const { phase } = candidate;
  if (isFinal(phase)) return stay(candidate);
  switch (event.kind) {
    case 'connection':
      return connection(candidate, event.status, now);
    case 'queued':
      return stay(
        phase.kind === 'standing' ? { ...candidate, phase: { ...phase, position: event.position } } : candidate,
      );
    case 'granted':
      return phase.kind === 'standing' ? granted(candidate, event.token, now) : stay(candidate);
    case 'failed':
      return phase.kind === 'standing' ? failed(candidate, phase.since, event.failure, now, chance) : stay(candidate);
    case 'over':
      return phase.kind === 'leading' ? over(candidate, phase, now, chance) : stay(candidate);
    case 'view':
      return seen(candidate, event.view);
    case 'due':
      if (phase.kind !== 'pausing') return stay(candidate);
      // A timer may be early, and is where the pause is longer than any timer.
      return phase.until <= now
        ? stand(candidate, now)
        : stay(candidate, { kind: 'pause', ms: between(now, phase.until) });
    case 'resign':
      if (phase.kind !== 'leading' || phase.last || now - candidate.resignedAt < ONE_MOMENT_MS) return stay(candidate);
      return stay({ ...candidate, resignedAt: now }, { kind: 'release' });
    case 'stop':
      if (phase.kind !== 'leading') return leave(candidate, { kind: 'stopped' });
      return phase.last
        ? stay(candidate)
        : stay({ ...candidate, phase: { ...phase, last: true } }, { kind: 'release' });
    default:
      return event satisfies never;
  }
}

const stay = (state: Candidate, ...effects: readonly ElectionEffect[]): ElectionStep => ({ state, effects });

const stand = (candidate: Candidate, now: MonoMs): ElectionStep =>
  stay({ ...candidate, phase: { kind: 'standing', since: now, position: null } }, { kind: 'claim' });

function pause(candidate: Candidate, attempt: number, now: MonoMs, chance: () => number, leastMs = 0): ElectionStep {
  const ms = durationMs(Math.max(leastMs, backoffMs('refused', attempt, chance(), Infinity)));
  return stay({ ...candidate, phase: { kind: 'pausing', until: later(now, ms) } }, { kind: 'pause', ms });
}

/** For good. Nothing is watched any more, so nobody is known to lead. */
const leave = (candidate: Candidate, phase: CandidatePhase): ElectionStep =>
  toldOf(candidate, stay({ ...candidate, phase }, { kind: 'leave' }));

/** People hear of the leader only when that is another one, or nobody. */
function toldOf(before: Candidate, { state, effects }: ElectionStep): ElectionStep {
  const token = leaderOf(state);
  return token === leaderOf(before) ? { state, effects } : stay(state, ...effects, { kind: 'leader', token });
}

function connection(candidate: Candidate, status: ClientStatus, now: MonoMs): ElectionStep {
  const { phase } = candidate;
  const open = status === 'open';
  const next = { ...candidate, open };
  // Its claim, or that after its lease, ends with the client. Whoever has none asks, so as to be told why.
  if (phase.kind === 'pausing' && (status === 'refused' || status === 'closed')) return stand(next, now);
  return stay(open || phase.kind !== 'standing' ? next : { ...next, phase: { ...phase, position: null } });
}

const granted = (candidate: Candidate, token: FencingToken, now: MonoMs): ElectionStep =>
  stay(
    {
      ...candidate,
      phase: { kind: 'leading', since: now, token, last: false },
      mark: Math.max(candidate.mark, token),
    },
    { kind: 'elected' },
    // Also where a view was quicker than the grant.
    { kind: 'leader', token },
  );

function failed(
  candidate: Candidate,
  since: MonoMs,
  failure: Failure,
  now: MonoMs,
  chance: () => number,
): ElectionStep {
  if (failure.code === 'closed') return leave(candidate, { kind: 'stopped' });
  if (FOR_GOOD.includes(failure.code)) return leave(candidate, { kind: 'refused', failure });
  const setbacks = now - since < LASTING_MS ? candidate.setbacks + 1 : 1;
  return pause({ ...candidate, setbacks }, setbacks, now, chance, failure.retryAfterMs);
}

function over(
  candidate: Candidate,
  { token, since, last }: Extract<CandidatePhase, { readonly kind: 'leading' }>,
  now: MonoMs,
  chance: () => number,
): ElectionStep {
  const setbacks = now - since < LASTING_MS ? candidate.setbacks + 1 : 0;
  const next = { ...candidate, ended: token, setbacks };
  const { state, effects } = last
    ? stay({ ...next, phase: { kind: 'stopped' } }, { kind: 'leave' })
    : setbacks > SHORT_REIGNS_MAX
      ? pause(next, setbacks - SHORT_REIGNS_MAX, now, chance)
      : stand(next, now);
  const told: readonly ElectionEffect[] = [...effects, { kind: 'deposed' }, { kind: 'leader', token: null }];
  const newer = leaderOf(state);
  return newer === null ? stay(state, ...told) : stay(state, ...told, { kind: 'leader', token: newer });
}

function seen(candidate: Candidate, view: WireLeaseView): ElectionStep {
  // Of a name of which nothing is stored any more there is no token: that is news, too.
  const last = view.lastFencingToken ?? topOf(view) ?? candidate.mark;
  if (last < candidate.mark) return stay(candidate);
  return toldOf(candidate, stay({ ...candidate, view, mark: last }));
}
