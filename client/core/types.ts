import type { Code, LossCode } from '../../shared/codes.ts';
import type { ClientMessage, CoordinatorMessage, LeaseState, WireLeaseView } from '../../shared/frames.ts';
import type { FencingToken, InstanceId, LeaseName, RequestId, SessionId } from '../../shared/ids.ts';
import type { Json } from '../../shared/json.ts';
import type { DurationMs, MonoMs, Stamp } from '../../shared/time.ts';
import type { ReloadRecord } from './reload.ts';

/**
 * The client without a platform: connection, claims and leases behind one door. It takes events with a reading of
 * both clocks and returns effects as data; one runner (client/runtime) turns them into sockets, timers, promises and
 * listeners. Deterministic: chance and ids are passed in. The simulator drives the same code.
 *
 * A claim and the lease that comes of it have one key: the request id of its `acquire`.
 */
export interface ClientCore {
  /**
   * Every call looks at the clocks first: what is over ends before the event is handled (S6).
   * With `hold`, what is to be sent waits for the next call without it (a `wake`, due at once), so that calls of one
   * tick leave as one frame; nothing else waits.
   */
  handle(now: Stamp, event: ClientEvent, hold?: boolean): readonly Effect[];
  /** When the core wants a `wake`; a late one delays news, never truth. Null when never. */
  nextWake(): MonoMs | null;
  /**
   * What is true of a lease by the clocks of this call, without a word to anybody: where that is more than was told, a
   * `wake` tells it. Null when forgotten.
   */
  lease(now: Stamp, key: RequestId): LeaseSnapshot | null;
  /** The key for a claim of that name: what an earlier instance called it, where it was left to this one; else a new one. */
  keyFor(name: LeaseName): RequestId;
  /** What another instance needs to go on in this one's place, once this one is put away with its `keepMs`; null without anything. */
  record(): ReloadRecord | null;
  readonly status: ClientStatus;
  /** The id that others see in a view of what this client holds; null before its first `welcome`. */
  readonly session: SessionId | null;
  /** Nothing held, waiting, asked or being given back: the socket may be closed after `idleMs`. */
  readonly idle: boolean;
}

export type ClientStatus = 'idle' | 'connecting' | 'open' | 'backing-off' | 'closed' | 'refused';

export interface ClientSettings {
  readonly urls: readonly string[];
  readonly instance: InstanceId;
  readonly label: string;
  readonly metadata: Json | undefined;
  readonly connectTimeoutMs: DurationMs;
  readonly maxBackoffMs: DurationMs;
  readonly idleMs: DurationMs;
  readonly pingMs: DurationMs | undefined;
  /** The browser holds dials back after failures, and tells nobody. */
  readonly holdsDialsBack?: boolean | undefined;
  /** What an earlier instance left to this one. */
  readonly resume?: ReloadRecord | undefined;
  /** Resolution of the monotonic clock, for the stop margin (R11). */
  readonly clockResolutionMs: number;
  /** A number in [0, 1) at each call. */
  readonly chance: () => number;
}

export type MakeClientCore = (settings: ClientSettings, now: Stamp) => ClientCore;

/** The number of a dial, rising from 1; names a socket between core and runner (R9). */
export type DialNumber = number & { readonly __brand: 'DialNumber' };
export function dialNumber(value: number): DialNumber {
  return value as DialNumber;
}

/** Names a caller's promise between core and runner; chosen by the runner, unique. */
export type Reference = number & { readonly __brand: 'Reference' };
export function reference(value: number): Reference {
  return value as Reference;
}

export interface AcquireTerms {
  readonly name: LeaseName;
  /** The name as its caller knows it, which has no namespace: for messages, and in the lease's snapshot. Default `name`. */
  readonly shownAs?: string | undefined;
  readonly ttlMs: DurationMs;
  /** Counted from the `acquire` event; null: without limit; 0: one try. */
  readonly waitMs: DurationMs | null;
  readonly priority: number | undefined;
  readonly maxLifetimeMs: DurationMs | undefined;
  readonly minHoldMs: DurationMs | undefined;
  readonly lockDelayMs: DurationMs | undefined;
  readonly steal: boolean;
  readonly whenOwn: 'queue' | 'reject';
  readonly renew: boolean;
  readonly stopMarginMs: DurationMs | undefined;
  readonly renewRatio: number;
  /** Of an election, which says itself what it waits for and paces itself: one answer that is no place ends it. */
  readonly candidate?: boolean;
}

export type ClientEvent =
  // What people ask.
  | { readonly kind: 'acquire'; readonly key: RequestId; readonly terms: AcquireTerms }
  /** Withdraws a claim without a word to its caller (whose signal was aborted); a grant that crosses it is released. */
  | { readonly kind: 'withdraw'; readonly key: RequestId }
  | { readonly kind: 'release'; readonly key: RequestId; readonly reference: Reference; readonly handOver: boolean }
  /** From now on the claim, or the lease that came of it, has this priority. Nobody is told of an answer. */
  | { readonly kind: 'amend'; readonly key: RequestId; readonly priority: number }
  | { readonly kind: 'renew'; readonly key: RequestId; readonly reference: Reference }
  | {
      readonly kind: 'set-state';
      readonly key: RequestId;
      readonly reference: Reference;
      readonly value: Json | undefined;
      readonly ifVersion: number | undefined;
    }
  /** `renewWhile` said no, or the work that owns the lease is over: it is no longer renewed. */
  | { readonly kind: 'stop-renewing'; readonly key: RequestId }
  | {
      readonly kind: 'list';
      readonly reference: Reference;
      readonly name: LeaseName | undefined;
      readonly prefix: string;
      readonly after: string;
      readonly limit: number;
    }
  /**
   * Its views come as effects under the same reference, over reconnects, the first one at once after each, until
   * `unwatch`. Settled only by a failure, which ends it.
   */
  | {
      readonly kind: 'watch';
      readonly reference: Reference;
      readonly name: LeaseName;
      readonly shownAs?: string | undefined;
    }
  | { readonly kind: 'unwatch'; readonly reference: Reference }
  /** Resolves at the next `open`; keeps the connection wanted until then. */
  | { readonly kind: 'ready'; readonly reference: Reference }
  /** Fails it `unavailable`: its time is over, after so long. */
  | { readonly kind: 'give-up'; readonly reference: Reference; readonly afterMs: number }
  /** No new claims; those that wait end `closed`; leases named in `keep` go on being renewed until released. */
  | { readonly kind: 'close'; readonly keep: readonly RequestId[] }
  /** Ends it now: whatever is still held is lost `closed` (given back where there is a connection), then `bye`. */
  | { readonly kind: 'close-now' }
  /**
   * The page is about to stop (`pagehide`, `freeze`): its leases end `closed` and are given back, the socket is left
   * with a farewell, and nothing is dialled until `brought-back`. Claims, watches and questions stay asked.
   * With `keepMs` its successor is told of them by `record`: they are kept at the coordinator for so long.
   */
  | { readonly kind: 'put-away'; readonly keepMs?: DurationMs | undefined }
  /** It stands again (`pageshow`, `resume`): what is still asked is said on a new socket. */
  | { readonly kind: 'brought-back' }
  // What the platform brings.
  | { readonly kind: 'credential'; readonly dial: DialNumber; readonly credential: string | undefined }
  | { readonly kind: 'credential-failed'; readonly dial: DialNumber; readonly cause: unknown }
  | { readonly kind: 'socket-opened'; readonly dial: DialNumber }
  /** One frame, each message held against the table; unknown types are left out and counted by the runner. */
  | { readonly kind: 'socket-frame'; readonly dial: DialNumber; readonly messages: readonly CoordinatorMessage[] }
  /** Also when it never opened. `closeCode` 0 when there was none. */
  | { readonly kind: 'socket-closed'; readonly dial: DialNumber; readonly closeCode: number; readonly reason: string }
  /** A timer, a reading of a lease, any chance to look at the clocks. */
  | { readonly kind: 'wake' };

export type Effect =
  | { readonly kind: 'ask-credential'; readonly dial: DialNumber }
  | { readonly kind: 'dial'; readonly dial: DialNumber; readonly url: string }
  /** One frame; its first message carries the frame number. */
  | { readonly kind: 'send'; readonly dial: DialNumber; readonly messages: readonly ClientMessage[] }
  /** The socket is of no more use: close it without waiting for its close. Nothing of it is heard any more. */
  | { readonly kind: 'abandon'; readonly dial: DialNumber }
  | { readonly kind: 'status'; readonly status: ClientStatus; readonly failure: Failure | null }
  /** A claim ended. After `granted` the lease lives under the same key. */
  | { readonly kind: 'claim'; readonly key: RequestId; readonly outcome: ClaimOutcome }
  | {
      readonly kind: 'queued';
      readonly key: RequestId;
      readonly position: number;
      readonly behind: 'self' | 'other' | 'nobody';
      readonly holder: string | undefined;
      readonly heldForMs: number | undefined;
      readonly remainingMs: number | undefined;
    }
  | { readonly kind: 'lease'; readonly key: RequestId; readonly news: LeaseNews }
  | { readonly kind: 'view'; readonly reference: Reference; readonly view: WireLeaseView }
  | { readonly kind: 'settle'; readonly reference: Reference; readonly outcome: Outcome }
  | {
      readonly kind: 'warning';
      readonly code: Code | 'waiting' | 'behind-self' | 'journal-changed' | 'stalled' | 'clock-rate';
      readonly text: string;
    };

export type ClaimOutcome =
  | { readonly kind: 'granted'; readonly name: LeaseName; readonly fencingToken: FencingToken }
  | { readonly kind: 'failed'; readonly failure: Failure };

export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'released'; readonly released: boolean; readonly code: Code | undefined }
  | { readonly kind: 'renewed'; readonly leftMs: number }
  | { readonly kind: 'state-set'; readonly version: number }
  | { readonly kind: 'views'; readonly views: readonly WireLeaseView[]; readonly next: string | undefined }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** What becomes a `LeaseError` at the public edge. */
export interface Failure {
  readonly code: Code;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly param?: string | undefined;
  readonly requestId?: string | undefined;
  /** Of a wait that timed out: its last known place. */
  readonly position?: number | undefined;
  readonly cause?: Failure | undefined;
}

export type LeaseNews =
  | { readonly kind: 'renewed'; readonly leftMs: number }
  | { readonly kind: 'at-risk'; readonly why: 'silent' | 'doubt' }
  | { readonly kind: 'recovered' }
  | { readonly kind: 'ceiling-near'; readonly ceilingLeftMs: number }
  /** A claim of this priority, higher than that of the lease, has begun to wait; again after each reconnect. */
  | { readonly kind: 'yield-requested'; readonly priority: number }
  | { readonly kind: 'lost'; readonly code: LossCode; readonly attempts: readonly RenewalAttempt[] }
  | { readonly kind: 'released' };

/** One of the last renewals of a lease that was lost. */
export interface RenewalAttempt {
  /** Before the loss. */
  readonly agoMs: number;
  readonly outcome: 'acknowledged' | 'unanswered' | 'no-connection' | Code;
}

export type LeaseStatus = 'held' | 'at-risk' | 'lost' | 'released';

export interface LeaseSnapshot {
  /** As its caller knows it. */
  readonly name: string;
  readonly fencingToken: FencingToken;
  readonly ttlMs: number;
  readonly status: LeaseStatus;
  /** Until the client stops believing; 0 once it has. */
  readonly remainingMs: number;
  readonly ceilingLeftMs: number;
  readonly state: LeaseState | undefined;
  readonly lossCode: LossCode | undefined;
  /** The last renewals so far, oldest first. */
  readonly attempts: readonly RenewalAttempt[];
}
