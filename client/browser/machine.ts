import type { MonoMs } from '../../shared/time.ts';

/** One candidate over the locks of one browser, from its first request to its stop. docs/CLIENT-STATES.md has every state x event. */
export interface Candidate {
  readonly phase: Phase;
  /** Who was told to lead and had the lock when it was looked at; only while it stands. */
  readonly leader: Reign | null;
  /** Leaderships that ended within a second, and requests that failed, one after the other. */
  readonly setbacks: number;
}

export type Phase =
  /** Its request for the lock is in the browser's queue. `position`: as it was when it was looked at last. */
  | { readonly kind: 'standing'; readonly position: number | null }
  | { readonly kind: 'leading'; readonly since: MonoMs; readonly reign: Reign }
  /** No lock is requested until the pause is over. */
  | { readonly kind: 'pausing' }
  /** The page is put away or frozen: it requests nothing, so that it keeps nobody from leading. */
  | { readonly kind: 'away' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'refused' };

/** One leadership, as it is told. */
export interface Reign {
  readonly id: string;
  /** The browser's name for the page or worker that has the lock; null before it was looked at. */
  readonly client: string | null;
  readonly shown: { readonly label: string; readonly since: string };
}

/** What the browser says of the lock. */
export interface Seen {
  /** This page or worker, and that which has the lock. */
  readonly self: string | null;
  readonly holder: string | null;
  /** How many requests stand before this candidate's. */
  readonly ahead: number | null;
}

export type CandidateEvent =
  // Of its request.
  | { readonly kind: 'granted'; readonly reign: Reign }
  | { readonly kind: 'stolen' }
  | { readonly kind: 'failed'; readonly forGood: boolean }
  // Of the channel.
  | { readonly kind: 'asked' }
  | { readonly kind: 'heard'; readonly reign: Reign }
  | { readonly kind: 'heard-over'; readonly id: string }
  | { readonly kind: 'heard-moved' }
  /** What a look found, and what was heard that made it look. */
  | { readonly kind: 'looked'; readonly about: Reign | null; readonly seen: Seen }
  | { readonly kind: 'due' }
  | { readonly kind: 'away' }
  | { readonly kind: 'back' }
  | { readonly kind: 'resign' }
  | { readonly kind: 'stop' };

export type CandidateEffect =
  // For people, and before the lock is given back.
  | { readonly kind: 'elected' }
  /** Its lease ends: `code` says how. */
  | { readonly kind: 'ended'; readonly code: EndCode }
  | { readonly kind: 'deposed' }
  | { readonly kind: 'leader'; readonly reign: Reign | null }
  // For the browser.
  | { readonly kind: 'request' }
  /** Gives back the lock, or takes its request back. */
  | { readonly kind: 'free' }
  | { readonly kind: 'look'; readonly about: Reign | null }
  | { readonly kind: 'pause'; readonly attempt: number }
  // For the others, over the channel.
  | { readonly kind: 'ask' }
  | { readonly kind: 'tell-leads'; readonly reign: Reign }
  | { readonly kind: 'tell-over'; readonly id: string }
  | { readonly kind: 'tell-moved' }
  /** Nothing is listened for until the next request. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'leave' };

export type EndCode = 'released' | 'stolen' | 'closed';

interface Step {
  readonly state: Candidate;
  readonly effects: readonly CandidateEffect[];
}

/** What lasted this long breaks the row of setbacks. */
const LASTING_MS = 1_000;
/** So many leaderships in a row may be shorter; a pause follows the next (grant, resign, grant ... without end). */
const SHORT_REIGNS_MAX = 4;

const NEW: Candidate = { phase: { kind: 'standing', position: null }, leader: null, setbacks: 0 };

/** Stands at once; in a page that is put away as soon as it is back. */
export const begin = (): Step => stand(NEW);

/** Itself while it leads; else whom it was told of, and nobody where it does not stand. */
export const leaderOf = ({ phase, leader }: Candidate): Reign | null =>
  phase.kind === 'leading' ? phase.reign : phase.kind === 'standing' ? leader : null;

/** What people are told that it is: whoever does not contend says so. */
export const statusOf = ({ phase: { kind } }: Candidate) =>
  kind === 'pausing' || kind === 'away' ? ('connecting' as const) : kind;

export function candidateStep(candidate: Candidate, event: CandidateEvent, now: MonoMs): Step {
  switch (candidate.phase.kind) {
    case 'standing':
      return standing(candidate, event, now);
    case 'leading':
      return leading(candidate, candidate.phase, event, now);
    case 'pausing':
      if (event.kind === 'due') return stand(candidate);
      if (event.kind === 'away') return stay(candidate, { kind: 'away' }, { kind: 'rest' });
      return event.kind === 'stop' ? leave(candidate) : stay(candidate);
    case 'away':
      if (event.kind === 'back') return stand(candidate);
      return event.kind === 'stop' ? leave(candidate) : stay(candidate);
    case 'stopped':
    case 'refused':
      return stay(candidate);
    default:
      return candidate.phase satisfies never;
  }
}

function standing(candidate: Candidate, event: CandidateEvent, now: MonoMs): Step {
  switch (event.kind) {
    case 'granted':
      return to(
        { ...candidate, phase: { kind: 'leading', since: now, reign: event.reign }, leader: null },
        { kind: 'elected' },
        { kind: 'leader', reign: event.reign },
        { kind: 'look', about: null },
      );
    case 'failed':
      return event.forGood
        ? toldOf(candidate, stay(candidate, { kind: 'refused' }, { kind: 'leave' }))
        : toldOf(candidate, pause({ ...candidate, leader: null }, candidate.setbacks + 1, candidate.setbacks + 1));
    case 'heard':
      // What was held against the browser once needs no second look.
      return event.reign.id === candidate.leader?.id
        ? to(candidate)
        : to(candidate, { kind: 'look', about: event.reign });
    case 'heard-over':
      return toldOf(
        candidate,
        to(event.id === candidate.leader?.id ? { ...candidate, leader: null } : candidate, {
          kind: 'look',
          about: null,
        }),
      );
    case 'heard-moved':
      return to(candidate, { kind: 'look', about: null });
    case 'looked':
      return toldOf(candidate, to(afterLook(candidate, event.about, event.seen)));
    case 'away':
      return toldOf(candidate, withdrawn(candidate, { kind: 'away' }, { kind: 'rest' }));
    case 'stop':
      return toldOf(candidate, withdrawn(candidate, { kind: 'stopped' }, { kind: 'leave' }));
    default:
      return to(candidate);
  }
}

/** A leader counts as one only while the browser says that the lock is its. */
function afterLook(candidate: Candidate, about: Reign | null, { holder, ahead }: Seen): Candidate {
  const known = about !== null && about.client === holder ? about : candidate.leader;
  const leader = known !== null && known.client === holder ? known : null;
  return { ...candidate, leader, phase: { kind: 'standing', position: ahead } };
}

function leading(
  candidate: Candidate,
  phase: Extract<Phase, { readonly kind: 'leading' }>,
  event: CandidateEvent,
  now: MonoMs,
): Step {
  const { reign } = phase;
  switch (event.kind) {
    case 'looked': {
      const { self, holder } = event.seen;
      // Known already; or robbed, and the browser is about to say so.
      if (reign.client !== null || self === null || self !== holder) return to(candidate);
      const known = { ...reign, client: self };
      return to({ ...candidate, phase: { ...phase, reign: known } }, { kind: 'tell-leads', reign: known });
    }
    case 'asked':
      // One that is not known yet is told as soon as it is.
      return reign.client === null ? to(candidate) : to(candidate, { kind: 'tell-leads', reign });
    case 'stolen':
    case 'resign':
      return over(candidate, phase, event.kind === 'resign' ? 'released' : 'stolen', now);
    case 'away':
      return ended(candidate, reign, 'closed', { kind: 'away' }, { kind: 'rest' });
    case 'stop':
      return ended(candidate, reign, 'released', { kind: 'stopped' }, { kind: 'leave' });
    default:
      return to(candidate);
  }
}

const to = (state: Candidate, ...effects: readonly CandidateEffect[]): Step => ({ state, effects });
const stay = (candidate: Candidate, phase: Phase = candidate.phase, ...effects: readonly CandidateEffect[]): Step =>
  to({ ...candidate, phase }, ...effects);

const stand = (candidate: Candidate): Step =>
  to(
    { ...candidate, phase: { kind: 'standing', position: null }, leader: null },
    { kind: 'request' },
    { kind: 'ask' },
    { kind: 'look', about: null },
  );

const pause = (candidate: Candidate, setbacks: number, attempt: number): Step =>
  to({ ...candidate, phase: { kind: 'pausing' }, setbacks }, { kind: 'pause', attempt });

const leave = (candidate: Candidate): Step => stay(candidate, { kind: 'stopped' }, { kind: 'leave' });

/** People hear of the leader only when that is another one, or nobody. */
function toldOf(before: Candidate, { state, effects }: Step): Step {
  const reign = leaderOf(state);
  return reign?.id === leaderOf(before)?.id ? { state, effects } : to(state, { kind: 'leader', reign }, ...effects);
}

/** Out of the queue: whoever stands behind it hears so. */
const withdrawn = (candidate: Candidate, phase: Phase, last: CandidateEffect): Step =>
  to({ ...candidate, phase, leader: null }, { kind: 'free' }, { kind: 'tell-moved' }, last);

/** People hear that it leads no more before the lock is given back: nobody leads beside it. */
const ended = (
  candidate: Candidate,
  { id }: Reign,
  code: EndCode,
  phase: Phase,
  ...last: readonly CandidateEffect[]
): Step =>
  to(
    { ...candidate, phase, leader: null },
    { kind: 'ended', code },
    { kind: 'deposed' },
    { kind: 'leader', reign: null },
    { kind: 'free' },
    { kind: 'tell-over', id },
    ...last,
  );

/** It stands again at once, at the tail. */
function over(
  candidate: Candidate,
  { since, reign }: Extract<Phase, { readonly kind: 'leading' }>,
  code: EndCode,
  now: MonoMs,
): Step {
  const setbacks = now - since < LASTING_MS ? candidate.setbacks + 1 : 0;
  const next =
    setbacks > SHORT_REIGNS_MAX
      ? pause(candidate, setbacks, setbacks - SHORT_REIGNS_MAX)
      : stand({ ...candidate, setbacks });
  return ended(next.state, reign, code, next.state.phase, ...next.effects);
}
