import type {
  FencingToken,
  InstanceId,
  JournalId,
  LeaseName,
  RequestId,
  SecretHash,
  SessionId,
} from '../../shared/ids.ts';
import type { Json } from '../../shared/json.ts';
import type { DurationMs, WallMs } from '../../shared/time.ts';

/**
 * Port: where the coordinator keeps what must outlive it. Adapters: SQLite on a worker thread, and a twin in memory;
 * one contract suite holds both (test/unit/server/journal).
 */
export interface Journal {
  /**
   * Reads everything and begins a run: the run's number rises by 1; each lease's `lifeMs` takes up the listening
   * time that the last run journaled since the lease's grant; `listeningMs` starts at 0. Called once.
   * Rejects with a `JournalError`; the file is then unchanged.
   */
  load(): Promise<JournalContents>;
  /**
   * Makes the events of one batch durable, all or none. At most one call is in flight (R14). Resolves only when the
   * batch would survive a power cut; rejects only when it is known that it would not: an unknown outcome is read
   * back first, by `sequence`, for as long as that takes.
   */
  append(batch: Batch): Promise<void>;
  /** Idempotent. Lets an append in flight end first. */
  close(): Promise<void>;
}

export interface Batch {
  /** Rises by 1 with each batch that succeeded, over runs; a failed batch's number is used again. */
  readonly sequence: number;
  readonly events: readonly DurableEvent[];
}

export interface JournalContents {
  readonly id: JournalId;
  /** True when nothing was stored before: a new file. */
  readonly fresh: boolean;
  readonly run: number;
  readonly sequence: number;
  /** The largest token ever granted or shown; a row of its own. 0 in a new journal. */
  readonly mark: FencingToken;
  /** The largest window ever granted: how long quiet must last when the journal was lost or restored (R16). */
  readonly largestWindowMs: DurationMs;
  /** A quiet time that was not over when the last run ended; starts anew. */
  readonly quietMs: DurationMs;
  readonly leases: readonly StoredLease[];
  /** In stored order: the order of arrival. */
  readonly claims: readonly StoredClaim[];
  readonly sessions: readonly StoredSession[];
  readonly states: readonly StoredState[];
  readonly closures: readonly StoredClosure[];
}

/** What a grant was asked for; the same for a claim that waits and for the lease that came of it. */
export interface ClaimTerms {
  readonly session: SessionId;
  readonly request: RequestId;
  readonly name: LeaseName;
  /** As asked; the window granted is at most the coordinator's own maximum. */
  readonly askedTtlMs: DurationMs;
  readonly maxLifetimeMs: DurationMs;
  readonly minHoldMs: DurationMs;
  readonly lockDelayMs: DurationMs;
  readonly priority: number;
  readonly renews: boolean;
}

export interface StoredLease {
  readonly terms: ClaimTerms;
  readonly fencingToken: FencingToken;
  /** The window as stored: no renewal reaches further until a longer one is durable (R4). */
  readonly ttlMs: DurationMs;
  /** Listening time of life before this run; 0 for a lease granted in this run. */
  readonly lifeMs: DurationMs;
  /** The run's listening time at the grant; 0 for a lease of an earlier run. */
  readonly grantedAtMs: DurationMs;
  /** Listening time, summed over runs, in which its holder was waited for in vain (R3). */
  readonly silentMs: DurationMs;
}

export interface StoredClaim {
  readonly terms: ClaimTerms;
}

export interface StoredSession {
  readonly session: SessionId;
  readonly secretHash: SecretHash;
  readonly instance: InstanceId;
  readonly label: string;
  readonly metadata: Json;
}

export interface StoredState {
  readonly name: LeaseName;
  /** JSON text; null when the holder removed it (the version lives on). */
  readonly valueJson: string | null;
  readonly version: number;
  /** The token under which it was written. */
  readonly fencingToken: FencingToken;
  /** The `setState` that wrote it, so that its repeat is answered and not done twice. */
  readonly session: SessionId;
  readonly request: RequestId;
  /** For the end of its keeping only. */
  readonly writtenAt: WallMs;
}

/** A name that is closed to everybody (minimum hold) or to all but one session (lock-delay). */
export interface StoredClosure {
  readonly name: LeaseName;
  readonly forMs: DurationMs;
  readonly exempt: SessionId | null;
}

export type DurableEvent =
  /** Also lifts the mark to the token, and `largestWindowMs` to the window. */
  | { readonly kind: 'granted'; readonly lease: StoredLease }
  | { readonly kind: 'ended'; readonly name: LeaseName; readonly fencingToken: FencingToken }
  /** A window longer than the stored one; changes nothing when the token is not current. */
  | {
      readonly kind: 'window';
      readonly name: LeaseName;
      readonly fencingToken: FencingToken;
      readonly ttlMs: DurationMs;
    }
  | {
      readonly kind: 'silent';
      readonly leases: readonly {
        readonly name: LeaseName;
        readonly fencingToken: FencingToken;
        readonly silentMs: DurationMs;
      }[];
    }
  /** Sets `silentMs` to 0. */
  | { readonly kind: 'heard'; readonly name: LeaseName; readonly fencingToken: FencingToken }
  | { readonly kind: 'state'; readonly state: StoredState }
  | { readonly kind: 'state-dropped'; readonly name: LeaseName }
  | { readonly kind: 'closed'; readonly closure: StoredClosure }
  | { readonly kind: 'opened'; readonly name: LeaseName }
  | { readonly kind: 'session'; readonly session: StoredSession }
  | { readonly kind: 'session-ended'; readonly session: SessionId }
  | { readonly kind: 'claim'; readonly claim: StoredClaim }
  | { readonly kind: 'claim-ended'; readonly session: SessionId; readonly request: RequestId }
  | { readonly kind: 'mark'; readonly fencingToken: FencingToken }
  | { readonly kind: 'quiet'; readonly quietMs: DurationMs }
  /** The listening time of this run so far, from which the next run works out each lease's life. */
  | { readonly kind: 'listened'; readonly listeningMs: DurationMs };

export type JournalErrorCode =
  | 'in-use'
  | 'newer-file'
  | 'damaged'
  | 'foreign-log'
  | 'not-a-journal'
  | 'not-writable'
  | 'full'
  | 'io'
  | 'closed';

/** The one error of journals. The message names the file and what to do. */
export class JournalError extends Error {
  readonly code: JournalErrorCode;
  constructor(code: JournalErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'JournalError';
    this.code = code;
  }
}
