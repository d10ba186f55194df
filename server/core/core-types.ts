import type { ClientMessage, ClientMessageOf, CoordinatorMessage, WireLeaseView } from '../../shared/frames.ts';
import type { ClosingCode } from '../../shared/close-codes.ts';
import type { FencingToken, FrameNumber, LeaseName, Secret, SecretHash, SessionId } from '../../shared/ids.ts';
import type { DurationMs, ListeningMs, WallMs } from '../../shared/time.ts';
import type { Batch, JournalContents } from './journal-port.ts';
import type { Limits } from './limits.ts';
import type { NameView, TableEvent } from './table-types.ts';

/** A socket's number, given by the adapter that owns it; never used again in one run. */
export type SocketId = number & { readonly __brand: 'SocketId' };
export const socketId = (value: number): SocketId => value as SocketId;

/** Port: new ids and secrets. Random in the adapter, counted in tests and in the simulator. */
export interface Ids {
  session(): SessionId;
  secret(): { readonly secret: Secret; readonly hash: SecretHash };
}

/**
 * The coordinator without a platform: sessions, pings, recovery and the lease table behind one door. It takes what is
 * ready in one turn, decides all of it, asks for one append, and speaks. Deterministic: the same turns give the same
 * outputs.
 */
export interface CoordinatorCore {
  turn(turn: Turn): readonly Output[];
  /** When a turn is due although nothing came in; null when never. */
  nextWake(): ListeningMs | null;
  /** Whether anything is held or waits or is waited for: then the listening clock must tick (R6). */
  readonly mustListen: boolean;
  view(now: ListeningMs, name: LeaseName): NameView | null;
  /** What `GET /v1/leases/{name}` shows: of a name that nobody ever held, what is shown of one that is free. */
  show(now: ListeningMs, name: LeaseName): WireLeaseView;
  /** A page of names in byte order that begin with `prefix` and come after `after`; cut by bytes too, at least one. */
  list(
    now: ListeningMs,
    prefix: string,
    after: string,
    limit: number,
  ): { readonly views: readonly WireLeaseView[]; readonly next: string | null };
  readonly status: CoreStatus;
}

export interface CoreStatus {
  readonly writable: boolean;
  readonly draining: boolean;
  readonly quietUntil: ListeningMs | null;
  readonly sessions: number;
  /** Sockets bound to a session. */
  readonly sockets: number;
  readonly leases: number;
  readonly claims: number;
  readonly watches: number;
  /** Batches appended in this run. */
  readonly appends: number;
}

export interface Turn {
  /** A reading of the listening clock from before the sockets were read: what is over by it may end (R6). */
  readonly expiry: ListeningMs;
  /** A reading from after they were read: windows count from it (R5, R6). */
  readonly now: ListeningMs;
  readonly wall: WallMs;
  readonly inputs: readonly Input[];
}

export type Input =
  /** The first message of a socket, checked; the credential has been held against `auth` by the adapter. */
  | {
      readonly kind: 'hello';
      readonly socket: SocketId;
      readonly hello: ClientMessageOf<'hello'>;
      /** Hash of `hello.resume.secret`; null without one. */
      readonly resumeHash: SecretHash | null;
      /** Messages that came behind `hello` in the same frame. */
      readonly rest: readonly Exclude<ClientMessage, { readonly type: 'hello' }>[];
    }
  /** One frame of a socket whose `hello` was passed on: its number and its messages, each checked. */
  | {
      readonly kind: 'frame';
      readonly socket: SocketId;
      readonly frame: FrameNumber;
      readonly messages: readonly ClientMessage[];
      /** Its earlier messages came in an input before this one: a frame may be too much for one turn (S11). */
      readonly goesOn?: boolean;
    }
  | { readonly kind: 'socket-closed'; readonly socket: SocketId }
  /** So much waits to be read by its peer that views have to wait; false when it has read on. The newest view is sent then. */
  | { readonly kind: 'congestion'; readonly socket: SocketId; readonly congested: boolean }
  /** The append that the last `append` output asked for has ended. */
  | { readonly kind: 'appended'; readonly sequence: number; readonly ok: boolean }
  /** An operator's word. `by` goes to the history; the answer waits for the journal (R1). */
  | {
      readonly kind: 'revoke';
      readonly reference: number;
      readonly name: LeaseName;
      readonly fencingToken: FencingToken | null;
      readonly now: boolean;
      readonly by: string;
    }
  | { readonly kind: 'configure'; readonly limits: Limits }
  /** SIGTERM: no new grants; sessions are told `draining`, then their sockets are closed with that code. */
  | { readonly kind: 'drain'; readonly retryAfterMs: DurationMs };

export type Output =
  /** One frame: all that this turn says to this socket, in the order decided. */
  | { readonly kind: 'send'; readonly socket: SocketId; readonly messages: readonly CoordinatorMessage[] }
  /** Behind whatever was sent before. */
  | { readonly kind: 'close'; readonly socket: SocketId; readonly code: ClosingCode; readonly reason: string }
  /** At most one at a time; the next follows the `appended` of this one. */
  | { readonly kind: 'append'; readonly batch: Batch }
  | { readonly kind: 'answer'; readonly reference: number; readonly ended: readonly FencingToken[] }
  /** The spine: every event of the table, for history, metrics and logs. */
  | { readonly kind: 'happened'; readonly at: ListeningMs; readonly events: readonly TableEvent[] }
  | { readonly kind: 'note'; readonly level: 'info' | 'warn' | 'error'; readonly code: string; readonly text: string };

export type MakeCoordinatorCore = (options: {
  readonly contents: JournalContents;
  readonly limits: Limits;
  readonly ids: Ids;
  /** From the start of the run: `serve --quiet`. */
  readonly quietMs: DurationMs;
  readonly wall: WallMs;
}) => CoordinatorCore;
