import type { RequestId, SecretHash, SessionId } from '../../../shared/ids.ts';
import type { Json } from '../../../shared/json.ts';
import { durationMs, listeningMs, type DurationMs, type ListeningMs, type WallMs } from '../../../shared/time.ts';
import type { SocketId } from '../core-types.ts';
import type { StoredSession } from '../journal-port.ts';
import { newTimer, type Timer } from '../table/deadlines.ts';
import type { ClockSample } from './clock-rate.ts';
import type { Session } from './session.ts';

/** All that the coordinator knows of one client's standing, save what the lease table knows. */
export interface SessionEntry {
  readonly id: SessionId;
  readonly secretHash: SecretHash;
  /** What binds it to a client; replaced as a whole by each transition. */
  session: Session;
  label: string;
  metadata: Json;
  /** Whether the journal has it, or is about to: from its first claim on. */
  stored: boolean;
  /** How often another instance has taken it over, and the journal does not know: nothing is said of it until then (R15). */
  takeOversUnstored: number;
  /** Claims that wait, for their turn or for the disk, by request. */
  readonly claims: Map<RequestId, Claim>;
  /** State writes that wait for the disk. */
  readonly writes: Set<RequestId>;
  /** Since when requests of it wait, for the disk or until there is room for their first views; null when none does. */
  waitsSince: ListeningMs | null;
  /** The longest window that it ever claimed: how long it lives in silence (R25). */
  longestClaimMs: DurationMs;
  /** Claims that left the queue while nobody could be told. */
  gone: RequestId[];
  /** Whether the table passes its claims over, since it is silent (R19). */
  passedOver: boolean;
  ping: PingState;
  clock: ClockState;
  /** Its one place in the heap of what is due. */
  readonly timer: Timer;
}

export interface Claim {
  readonly ttlMs: DurationMs;
  /** Decided, and not yet durable. */
  readonly pending: boolean;
}

export interface PingState {
  readonly count: number;
  readonly lastAt: ListeningMs;
  /** When the last ping said that the next would come: kept even where the pace has become slower. */
  readonly promisedMs: DurationMs;
  /** What `hello` asked for. */
  readonly askedMs: DurationMs | null;
}

/** For R27: the last ping, the first sample, and whether a rate that is off was noted. */
export interface ClockState {
  readonly sent: { readonly ping: number; readonly at: ListeningMs; readonly wall: WallMs } | null;
  readonly first: ClockSample | null;
  readonly noted: boolean;
}

export const CLOCK_UNKNOWN: ClockState = { sent: null, first: null, noted: false };

export interface SessionBook {
  get(id: SessionId): SessionEntry | undefined;
  bySocket(socket: SocketId): SessionEntry | undefined;
  add(entry: SessionEntry): void;
  remove(entry: SessionEntry): void;
  /** Replaces what binds a session, and keeps the sockets' register true. */
  become(entry: SessionEntry, session: Session): void;
  entries(): Iterable<SessionEntry>;
  readonly size: number;
  readonly bound: number;
}

export function sessionBook(): SessionBook {
  const byId = new Map<SessionId, SessionEntry>();
  const sockets = new Map<SocketId, SessionEntry>();
  const unregister = ({ session }: SessionEntry): void => {
    if (session.kind === 'bound') sockets.delete(session.socket);
  };
  const register = (entry: SessionEntry): void => {
    if (entry.session.kind === 'bound') sockets.set(entry.session.socket, entry);
  };
  return {
    get: (id) => byId.get(id),
    bySocket: (socket) => sockets.get(socket),
    add(entry) {
      byId.set(entry.id, entry);
      register(entry);
    },
    remove(entry) {
      unregister(entry);
      byId.delete(entry.id);
    },
    become(entry, session) {
      unregister(entry);
      entry.session = session;
      register(entry);
    },
    entries: () => byId.values(),
    get size() {
      return byId.size;
    },
    get bound() {
      return sockets.size;
    },
  };
}

export function newEntry(
  identity: {
    readonly id: SessionId;
    readonly secretHash: SecretHash;
    readonly label: string;
    readonly metadata: Json;
  },
  session: Session,
  askedMs: DurationMs | null,
): SessionEntry {
  return {
    ...identity,
    session,
    stored: false,
    takeOversUnstored: 0,
    claims: new Map(),
    writes: new Set(),
    waitsSince: null,
    longestClaimMs: durationMs(0),
    gone: [],
    passedOver: false,
    ping: { count: 0, lastAt: heardAt(session), promisedMs: durationMs(Infinity), askedMs },
    clock: CLOCK_UNKNOWN,
    timer: newTimer(heardAt(session)),
  };
}

export function recoveredEntry(stored: StoredSession): SessionEntry {
  const { session: id, secretHash, label, metadata, instance } = stored;
  const entry = newEntry({ id, secretHash, label, metadata }, { kind: 'unheard', instance }, null);
  return { ...entry, stored: true, passedOver: true };
}

/** When the last frame of it was read; of a session of an earlier run, the start of this one. */
export const heardAt = (session: Session): ListeningMs =>
  session.kind === 'unheard' ? listeningMs(0) : session.line.heardAt;

export const waitsForDisk = (entry: SessionEntry): boolean => {
  if (entry.writes.size > 0) return true;
  for (const claim of entry.claims.values()) if (claim.pending) return true;
  return false;
};
