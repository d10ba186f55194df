import type { FencingToken, JournalId, LeaseName, SessionId } from '../../shared/ids.ts';
import { fencingToken } from '../../shared/ids.ts';
import type { DurationMs } from '../../shared/time.ts';
import { durationMs } from '../../shared/time.ts';
import type {
  Batch,
  DurableEvent,
  JournalContents,
  StoredClaim,
  StoredClosure,
  StoredLease,
  StoredSession,
  StoredState,
} from './journal-port.ts';

/**
 * What durable events mean, in one place: every journal stores what this fold would hold, and the contract suite
 * holds each against it. The image is the fold's accumulator and is changed in place, since a batch of 10,000 events
 * must not copy 10,000 leases 10,000 times; `nextRun` is the pure way in.
 */
export interface JournalImage {
  readonly id: JournalId;
  run: number;
  sequence: number;
  mark: FencingToken;
  largestWindowMs: DurationMs;
  quietMs: DurationMs;
  /** Listening time that the present run has journaled. */
  listeningMs: DurationMs;
  readonly leases: Map<string, StoredLease>;
  readonly claims: Map<string, StoredClaim>;
  readonly sessions: Map<SessionId, StoredSession>;
  readonly states: Map<LeaseName, StoredState>;
  readonly closures: Map<LeaseName, StoredClosure>;
}

/** Ids and names hold no control characters, so that a NUL keeps two parts apart. */
const key = (first: string, second: string | number): string => `${first}\0${second}`;
const longer = (a: DurationMs, b: DurationMs): DurationMs => (a > b ? a : b);
const larger = (a: FencingToken, b: FencingToken): FencingToken => (a > b ? a : b);

export function emptyImage(id: JournalId): JournalImage {
  return {
    id,
    run: 0,
    sequence: 0,
    mark: fencingToken(0),
    largestWindowMs: durationMs(0),
    quietMs: durationMs(0),
    listeningMs: durationMs(0),
    leases: new Map(),
    claims: new Map(),
    sessions: new Map(),
    states: new Map(),
    closures: new Map(),
  };
}

/** The image as it stands when the run that `contents` began has stored nothing yet. */
export function imageOf(contents: JournalContents): JournalImage {
  const { id, run, sequence, mark, largestWindowMs, quietMs } = contents;
  return {
    id,
    run,
    sequence,
    mark,
    largestWindowMs,
    quietMs,
    listeningMs: durationMs(0),
    leases: new Map(contents.leases.map((lease) => [key(lease.terms.name, lease.fencingToken), lease])),
    claims: new Map(contents.claims.map((claim) => [key(claim.terms.session, claim.terms.request), claim])),
    sessions: new Map(contents.sessions.map((session) => [session.session, session])),
    states: new Map(contents.states.map((state) => [state.name, state])),
    closures: new Map(contents.closures.map((closure) => [closure.name, closure])),
  };
}

export function contentsOf(image: JournalImage): JournalContents {
  const { id, run, sequence, mark, largestWindowMs, quietMs } = image;
  return {
    id,
    // Not "the file was made just now": a crash between the two must not lose what a new journal is given (S5).
    fresh: sequence === 0,
    run,
    sequence,
    mark,
    largestWindowMs,
    quietMs,
    leases: [...image.leases.values()].toSorted((a, b) => a.fencingToken - b.fencingToken),
    claims: [...image.claims.values()],
    sessions: [...image.sessions.values()],
    states: [...image.states.values()],
    closures: [...image.closures.values()],
  };
}

/** Begins a run: lives take up the listening time that the last run journaled since their grants. */
export function beginRun(image: JournalImage): void {
  for (const [at, lease] of image.leases) {
    const livedMs = longer(durationMs(0), durationMs(image.listeningMs - lease.grantedAtMs));
    image.leases.set(at, {
      ...lease,
      lifeMs: durationMs(lease.lifeMs + livedMs),
      grantedAtMs: durationMs(0),
    });
  }
  image.run += 1;
  image.listeningMs = durationMs(0);
}

/** Says why a batch does not follow what is stored, or null. */
export function outOfSequence(stored: number, batch: Batch): string | null {
  if (batch.sequence === stored + 1) return null;
  return `batch ${batch.sequence} does not follow batch ${stored}, the last one stored; the next is ${stored + 1}`;
}

/** Applies a batch that is known to follow (`outOfSequence`). */
export function applyBatch(image: JournalImage, batch: Batch): void {
  for (const event of batch.events) applyEvent(image, event);
  image.sequence = batch.sequence;
}

/** What the next run will load when the one that loaded `contents` appends `batches` and ends. */
export function nextRun(contents: JournalContents, batches: readonly Batch[]): JournalContents {
  const image = imageOf(contents);
  for (const batch of batches) applyBatch(image, batch);
  beginRun(image);
  return contentsOf(image);
}

export function applyEvent(image: JournalImage, event: DurableEvent): void {
  switch (event.kind) {
    case 'granted':
      image.leases.set(key(event.lease.terms.name, event.lease.fencingToken), event.lease);
      image.mark = larger(image.mark, event.lease.fencingToken);
      image.largestWindowMs = longer(image.largestWindowMs, event.lease.ttlMs);
      return;
    case 'ended':
      image.leases.delete(key(event.name, event.fencingToken));
      return;
    case 'window':
      lengthen(image, event);
      return;
    case 'silent':
      for (const lease of event.leases) amend(image, lease, { silentMs: lease.silentMs });
      return;
    case 'heard':
      amend(image, event, { silentMs: durationMs(0) });
      return;
    case 'state':
      image.states.set(event.state.name, event.state);
      return;
    case 'state-dropped':
      image.states.delete(event.name);
      return;
    case 'closed':
      image.closures.set(event.closure.name, event.closure);
      return;
    case 'opened':
      image.closures.delete(event.name);
      return;
    case 'session':
      image.sessions.set(event.session.session, event.session);
      return;
    case 'session-ended':
      image.sessions.delete(event.session);
      return;
    case 'claim':
      // A claim that is stored already keeps its place: a Map and an upsert agree on that.
      image.claims.set(key(event.claim.terms.session, event.claim.terms.request), event.claim);
      return;
    case 'claim-ended':
      image.claims.delete(key(event.session, event.request));
      return;
    case 'mark':
      image.mark = larger(image.mark, event.fencingToken);
      return;
    case 'quiet':
      image.quietMs = event.quietMs;
      return;
    case 'listened':
      image.listeningMs = longer(image.listeningMs, event.listeningMs);
      return;
    default:
      event satisfies never;
  }
}

interface Which {
  readonly name: LeaseName;
  readonly fencingToken: FencingToken;
}

/** A lease that is no longer stored stays away: nothing that comes late revives a token (S3). */
function amend(image: JournalImage, which: Which, change: Partial<Pick<StoredLease, 'ttlMs' | 'silentMs'>>): void {
  const at = key(which.name, which.fencingToken);
  const lease = image.leases.get(at);
  if (lease !== undefined) image.leases.set(at, { ...lease, ...change });
}

/** A window is only ever stored longer (R4): a shorter one would cut what a holder was told. */
function lengthen(image: JournalImage, event: Which & { readonly ttlMs: DurationMs }): void {
  const lease = image.leases.get(key(event.name, event.fencingToken));
  if (lease === undefined || lease.ttlMs >= event.ttlMs) return;
  amend(image, event, { ttlMs: event.ttlMs });
  image.largestWindowMs = longer(image.largestWindowMs, event.ttlMs);
}
