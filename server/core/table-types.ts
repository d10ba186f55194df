import type { FencingToken, LeaseName, RequestId, SessionId } from '../../shared/ids.ts';
import type { Code, LossCode, PermanentRenewalCode } from '../../shared/codes.ts';
import type { DurationMs, ListeningMs, WallMs } from '../../shared/time.ts';
import type { ClaimTerms, DurableEvent, JournalContents, StoredLease, StoredState } from './journal-port.ts';
import type { Limits } from './limits.ts';

/**
 * The lease table: `apply(now, command): TableEvent[]`. No I/O, no clock, no randomness, no await; everything that
 * takes time (an append) comes back as a command. Events are the one spine: the coordinator turns them into replies,
 * views, history and metrics.
 */
export interface LeaseTable {
  apply(now: ListeningMs, command: TableCommand): readonly TableEvent[];
  /** Ends what is over at `now`, then grants what that opened. `now` is a reading from before the sockets were read (R6). */
  advance(now: ListeningMs): readonly TableEvent[];
  /** When `advance` has something to do next; null when never. */
  nextDeadline(): ListeningMs | null;
  /**
   * The durable events since the last call, in the order decided; from here on they belong to batch `sequence`. `now`:
   * the listening time that is stored in the same batch, if any, is at most this; default the latest reading shown.
   */
  takeDurable(sequence: number, now?: ListeningMs): readonly DurableEvent[];
  /** Whether `takeDurable` would return anything. */
  readonly hasDurable: boolean;
  /** What may be shown: durable holders and states only (R15). Null when the table knows nothing of the name. */
  view(now: ListeningMs, name: LeaseName): NameView | null;
  /** Names in byte order that begin with `prefix` and come after `after`. */
  list(
    now: ListeningMs,
    prefix: string,
    after: string,
    limit: number,
  ): { readonly views: readonly NameView[]; readonly next: string | null };
  /** The durable leases of a session, for `welcome`; leases that are being ended are not among them. */
  heldBy(session: SessionId): readonly HeldLease[];
  /** Which of them are asked to yield, and to which priority. */
  yieldsOf(session: SessionId): readonly {
    readonly name: LeaseName;
    readonly fencingToken: FencingToken;
    readonly priority: number;
  }[];
  claimsOf(session: SessionId): readonly {
    readonly request: RequestId;
    readonly name: LeaseName;
    readonly position: number;
    readonly askedTtlMs: DurationMs;
  }[];
  /** Longest window among the leases of a session, in any phase, or null when it has none. */
  longestLeaseMs(session: SessionId): DurationMs | null;
  longestClaimMs(session: SessionId): DurationMs | null;
  /** Leases, in any phase, and claims of a session. */
  sizeOf(session: SessionId): number;
  /** Of its leases, in any phase. */
  namesOf(session: SessionId): readonly LeaseName[];
  /** Leases of an earlier run that were not heard from in this one, with the silence to be stored at `now` (R3). */
  unheard(
    now: ListeningMs,
  ): readonly { readonly name: LeaseName; readonly fencingToken: FencingToken; readonly silentMs: DurationMs }[];
  /** Least `maxLifetimeMs` among living leases: how often `listened` must be journaled; null without a lease. */
  leastLifetimeMs(): DurationMs | null;
  counts(): {
    readonly leases: number;
    readonly claims: number;
    readonly names: number;
    readonly states: number;
    readonly stateBytes: number;
  };
}

export type MakeLeaseTable = (contents: JournalContents, limits: Limits, now: ListeningMs, wall: WallMs) => LeaseTable;

export type TableCommand =
  | {
      readonly kind: 'acquire';
      readonly terms: ClaimTerms;
      /** Null: without limit. 0: one try, decided now. */
      readonly waitMs: DurationMs | null;
      readonly steal: boolean;
      readonly whenOwn: 'queue' | 'reject';
      /** What its session watches: it counts with its leases and claims (`perSessionMax`). Default 0. */
      readonly watches?: number;
    }
  /** Of a claim, or of the lease that came of it. */
  | { readonly kind: 'amend'; readonly session: SessionId; readonly request: RequestId; readonly priority: number }
  /** Withdraws a claim; a grant that it meets is released. Idempotent. */
  | { readonly kind: 'cancel'; readonly session: SessionId; readonly request: RequestId }
  | {
      readonly kind: 'renew';
      readonly session: SessionId;
      readonly name: LeaseName;
      readonly fencingToken: FencingToken;
    }
  | {
      readonly kind: 'release';
      readonly session: SessionId;
      readonly request: RequestId;
      readonly name: LeaseName;
      readonly fencingToken: FencingToken;
      readonly handOver: boolean;
    }
  | {
      readonly kind: 'set-state';
      readonly session: SessionId;
      readonly request: RequestId;
      readonly name: LeaseName;
      readonly fencingToken: FencingToken;
      readonly valueJson: string | null;
      readonly ifVersion: number | null;
      readonly wall: WallMs;
    }
  /** The holder says that it has stopped believing: the name opens (R1). */
  | {
      readonly kind: 'end-ack';
      readonly session: SessionId;
      readonly name: LeaseName;
      readonly fencingToken: FencingToken;
    }
  /** `now: true` opens the name at once and gives up S1 for it. `fencingToken` null: whoever holds it. */
  | {
      readonly kind: 'revoke';
      readonly name: LeaseName;
      readonly fencingToken: FencingToken | null;
      readonly now: boolean;
    }
  /** Claims of a silent session are passed over and keep their place; hearing from it again is a wake (R19). */
  | { readonly kind: 'heard-from'; readonly session: SessionId; readonly silent: boolean }
  /** The session's claims leave the queue (`gone`); its leases stay until their deadlines (S7). */
  | { readonly kind: 'claims-gone'; readonly session: SessionId }
  /** A token was shown that lifts the mark; already held against the bound of R17. */
  | { readonly kind: 'lift-mark'; readonly fencingToken: FencingToken }
  /** Nothing is granted before `until`; never moves it earlier (S5). */
  | { readonly kind: 'quiet'; readonly until: ListeningMs }
  /** While false nothing is granted or written: `unavailable`. Renewals and releases go on. */
  | { readonly kind: 'writable'; readonly writable: boolean }
  /** While true nothing is granted: new claims are refused `draining`, queued ones stay stored for the next run. */
  | { readonly kind: 'draining' }
  | { readonly kind: 'limits'; readonly limits: Limits }
  /** Batch `sequence` is durable: `now` is the instant p from which its grants count (R5). */
  | { readonly kind: 'appended'; readonly sequence: number }
  /**
   * Batch `sequence` is known not to be durable: undoes its grants and all grants decided since, by token, last first,
   * puts their claims back in place; refuses its state writes and those since `unavailable`; all else goes with the
   * next `takeDurable` (R14). Undone tokens are never used again.
   */
  | { readonly kind: 'append-failed'; readonly sequence: number }
  /** States of idle names older than `limits.stateIdleMs`. */
  | { readonly kind: 'drop-idle-states'; readonly wall: WallMs };

export interface QueuePlace {
  /** How many stand before it in the queue; 0 is next. */
  readonly position: number;
  readonly behind: 'self' | 'other' | 'nobody';
  readonly holder: HeldLease | null;
  /** Listening time that the holder has held it so far. */
  readonly heldForMs: DurationMs | null;
  readonly quietMs: DurationMs | null;
}

export type TableEvent =
  /** A grant is decided and waits for its append; nothing may tell of it yet, save history. */
  | { readonly kind: 'grant-decided'; readonly lease: StoredLease }
  | {
      readonly kind: 'grant-undone';
      readonly session: SessionId;
      readonly request: RequestId;
      readonly name: LeaseName;
      readonly fencingToken: FencingToken;
    }
  /** To be told now. `repeat`: a repeated acquire that met its living grant; a renewal counted from the repeat (R7). */
  | {
      readonly kind: 'granted';
      readonly request: RequestId;
      readonly repeat: boolean;
      readonly lease: HeldLease;
      readonly state: StoredState | null;
    }
  | {
      readonly kind: 'queued';
      readonly session: SessionId;
      readonly request: RequestId;
      readonly name: LeaseName;
      readonly place: QueuePlace;
    }
  | {
      readonly kind: 'amended';
      readonly session: SessionId;
      readonly request: RequestId;
      readonly name: LeaseName;
      readonly position: number;
    }
  /** A claim ended without a grant. */
  | {
      readonly kind: 'claim-ended';
      readonly session: SessionId;
      readonly request: RequestId;
      readonly name: LeaseName;
      readonly code: 'cancelled' | 'wait-timeout' | 'gone' | 'revoked';
      readonly position: number;
    }
  /** The session is not able to hear of its claim's grant; it should be pinged, so that it wakes. */
  | { readonly kind: 'passed-over'; readonly session: SessionId; readonly name: LeaseName }
  /** Its deadline was asked to move, or has moved behind a write that an earlier renewal waited for. */
  | { readonly kind: 'renewed'; readonly lease: HeldLease }
  | {
      readonly kind: 'renew-refused';
      readonly session: SessionId;
      readonly name: LeaseName;
      readonly fencingToken: FencingToken;
      readonly code: PermanentRenewalCode;
    }
  /** The answer to a release. `lease` left by its holder's word only when `released`. */
  | {
      readonly kind: 'released';
      readonly session: SessionId;
      readonly request: RequestId;
      readonly name: LeaseName;
      readonly fencingToken: FencingToken;
      readonly released: boolean;
      readonly code: PermanentRenewalCode | 'nobody-waiting' | null;
    }
  /** An authority ends the lease: to be told at once; the name stays closed until the `end-ack` or the window's end. */
  | {
      readonly kind: 'ending';
      readonly session: SessionId;
      readonly name: LeaseName;
      readonly fencingToken: FencingToken;
      readonly code: 'revoked' | 'stolen';
    }
  /** The lease is over. `told`: its session was already told by `ending`, or asked for it itself. */
  | {
      readonly kind: 'ended';
      readonly session: SessionId;
      readonly name: LeaseName;
      readonly fencingToken: FencingToken;
      readonly code: Extract<LossCode, 'expired' | 'ceiling' | 'revoked' | 'stolen'> | 'released' | 'cancelled';
      readonly told: boolean;
    }
  | {
      readonly kind: 'ceiling-near';
      readonly session: SessionId;
      readonly name: LeaseName;
      readonly fencingToken: FencingToken;
      readonly ceilingLeftMs: DurationMs;
    }
  /** A claim of a higher priority than the holder's has begun to wait. */
  | {
      readonly kind: 'yield-requested';
      readonly session: SessionId;
      readonly name: LeaseName;
      readonly fencingToken: FencingToken;
      readonly priority: number;
    }
  /** Durable, to be answered now. */
  | {
      readonly kind: 'state-set';
      readonly session: SessionId;
      readonly request: RequestId;
      readonly name: LeaseName;
      readonly version: number;
    }
  | {
      readonly kind: 'refused';
      readonly session: SessionId;
      readonly request: RequestId;
      readonly name: LeaseName;
      readonly code: Code;
      readonly message: string;
      readonly param: string | null;
      readonly retryAfterMs: DurationMs | null;
    }
  /** What `view` shows of the name has changed (holders, tokens or state; not renewals, not queue length). */
  | { readonly kind: 'view-changed'; readonly name: LeaseName };

export interface HeldLease {
  readonly session: SessionId;
  readonly request: RequestId;
  readonly name: LeaseName;
  readonly fencingToken: FencingToken;
  readonly ttlMs: DurationMs;
  readonly deadline: ListeningMs;
  readonly ceilingAt: ListeningMs;
}

export interface NameView {
  readonly name: LeaseName;
  readonly holders: readonly (HeldLease & {
    readonly heldForMs: DurationMs;
    readonly remainingMs: DurationMs;
    readonly ceilingLeftMs: DurationMs;
  })[];
  readonly queue: number;
  readonly state: StoredState | null;
  readonly lastFencingToken: FencingToken | null;
}
