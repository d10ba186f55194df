import type { ClientMessage, LeaseState, WireHeld } from '../../shared/frames.ts';
import {
  requestId,
  type FencingToken,
  type InstanceId,
  type JournalId,
  type RequestId,
  type Secret,
  type SessionId,
} from '../../shared/ids.ts';
import { FRAME_BYTES_MAX, STATE_BYTES_MAX } from '../../shared/limits.ts';
import { durationMs, monoMs, type DurationMs, type MonoMs, type Stamp } from '../../shared/time.ts';
import { makeAnchors, type Anchors } from './anchors.ts';
import type { Claim } from './claim-machine.ts';
import { CONNECTION_AT_START, connectionStatus, type Connection } from './connection-machine.ts';
import { makeElapsed, type Reading } from './elapsed.ts';
import { isLiving, NEVER, type Lease } from './lease-machine.ts';
import type { Restored } from './reload.ts';
import type { ClientSettings, ClientStatus, Effect, Failure, Outcome, Reference } from './types.ts';

/** All that a client knows. The machines are pure; what they return is put down here. */
export interface Book {
  readonly settings: ClientSettings;
  readonly read: (stamp: Stamp) => Reading;
  anchors: Anchors;
  /** Who it is to the coordinator: another one once this one has left its session to others. */
  instance: InstanceId;
  readonly leases: Map<RequestId, Held>;
  /** Everything asked and not yet answered, in the order of the calls. */
  readonly asks: Map<RequestId, Ask>;
  readonly standing: Standing;
  connection: Connection;
  now: Reading;
  /** Of the call that is being handled. */
  effects: Effect[];
  /** What goes with the next frame. */
  outbox: ClientMessage[];
  /** After a frame that could not be read each message has a frame of its own, so that it takes no other with it. */
  aloneUntil: MonoMs;
  closing: boolean;
  /** What an earlier instance left to this one, and nobody has asked for again; and how long it is kept for them. */
  readonly restored: Map<RequestId, Restored>;
  restoredUntil: MonoMs;
  /** The page was put away: nothing is dialled. */
  away: boolean;
  idleSince: MonoMs | null;
  /** The wake that was asked for last; and, after a stall, when what is due is looked at all the same. */
  wake: MonoMs | null;
  graceAt: MonoMs | null;
  ids: number;
  keys: number;
}

export interface Held {
  lease: Lease;
  state: LeaseState | undefined;
  /** When it may be forgotten. */
  until: MonoMs;
}

/** What the coordinator said of this client's session, and what a `hello` tells it. */
export interface Standing {
  credential?: string | undefined;
  session?: SessionId;
  secret?: Secret | undefined;
  /** The instance that had this session before and left it: each `hello` brings its last word, since nobody can tell whether it arrived. */
  left?: InstanceId;
  /** Journals met, the last one last. */
  journals: JournalId[];
  tokenMark?: FencingToken;
  windowMs: DurationMs;
  /** The smallest window that was ever asked. */
  leastTtlMs: number;
  stateBytesMax: number;
  frameBytesMax: number;
  /** Parts of a `welcome` so far. */
  held: WireHeld[];
}

export interface Ask {
  readonly kind:
    | 'acquire'
    /** Of a claim or a lease whose priority has changed: goes on for as long as that does, and is said on each socket. */
    | 'amend'
    | 'cancel'
    | 'release'
    | 'hand-over'
    | 'end-ack'
    | 'write'
    | 'renewal'
    | 'list'
    | 'watch'
    | 'ready';
  /** What is sent; absent for a claim, whose words change, and for what only waits. */
  readonly message?: ClientMessage;
  /** The lease that it is about. */
  readonly key?: RequestId;
  readonly reference?: Reference | undefined;
  claim?: Claim;
  /** When to say that it waits for its first answer, and how people call what it is about; once. */
  warnAt?: MonoMs;
  readonly called?: string;
  /** Of a claim: the largest token that cannot be its grant, known when it was made (S2) or in doubt since (R16). */
  above?: number | undefined;
  until: MonoMs;
  /** The frame that it left in, on the current socket; 0: not sent on it. */
  frame: number;
  sentAt: MonoMs;
  /** It was put on some socket once, so that the coordinator may know of it. */
  said: boolean;
  /** An answer showed that it was read, though it is not its end. */
  read: boolean;
}

export function makeBook(settings: ClientSettings, stamp: Stamp): Book {
  const read = makeElapsed(stamp);
  const { resume } = settings;
  return {
    settings,
    read,
    anchors: makeAnchors(),
    instance: settings.instance,
    leases: new Map(),
    asks: new Map(),
    restored: new Map(resume?.asked.map((one) => [one.request, one])),
    restoredUntil: NEVER,
    standing: {
      ...(resume && { session: resume.session, secret: resume.secret, left: resume.left }),
      ...(resume?.tokenMark && { tokenMark: resume.tokenMark }),
      journals: resume ? [resume.journal] : [],
      windowMs: resume?.windowMs ?? durationMs(0),
      leastTtlMs: Infinity,
      stateBytesMax: STATE_BYTES_MAX,
      frameBytesMax: FRAME_BYTES_MAX,
      held: [],
    },
    connection: CONNECTION_AT_START,
    now: read(stamp),
    effects: [],
    outbox: [],
    aloneUntil: monoMs(-Infinity),
    closing: false,
    away: false,
    idleSince: null,
    wake: null,
    graceAt: null,
    ids: 0,
    keys: 0,
  };
}

/** Unique in the session; `#` keeps it apart from the keys of claims. */
export const newId = (book: Book): RequestId => requestId(`#${ofInstance(book)}${(book.ids += 1)}`);

/** Unique likewise. */
export const newKey = (book: Book): RequestId => requestId(`${ofInstance(book)}${(book.keys += 1)}`);

/** A session that was resumed knows ids of an earlier instance, and takes a repeat for what it was then. */
const ofInstance = ({ settings: { resume, instance } }: Book): string => (resume ? `${instance.slice(-8)}.` : '');

export const statusOf = (book: Book): ClientStatus => connectionStatus(book.connection);

export function ask(book: Book, id: RequestId, kind: Ask['kind'], fields: Partial<Ask>): void {
  book.asks.set(id, {
    kind,
    until: NEVER,
    frame: 0,
    sentAt: book.now.mono,
    said: false,
    read: false,
    ...fields,
  });
}

export function settle(book: Book, { reference }: Pick<Ask, 'reference'>, outcome: Outcome): void {
  if (reference !== undefined) book.effects.push({ kind: 'settle', reference, outcome });
}

export const fail = (book: Book, asked: Pick<Ask, 'reference'>, why: Failure): void =>
  settle(book, asked, { kind: 'failed', failure: why });

export const living = (book: Book): readonly Held[] => [...book.leases.values()].filter(({ lease }) => isLiving(lease));
