/// <reference lib="esnext.disposable" preserve="true" />
import type { Json } from '../../shared/json.ts';
import type { LeaseNews, LeaseStatus } from '../core/types.ts';
import type { LeaseLostError, LeaseReleasedError } from './errors.ts';

type News<K extends LeaseNews['kind']> = Extract<LeaseNews, { readonly kind: K }>;

/** What a lease tells its listeners. */
export interface LeaseEvents {
  readonly renewed: News<'renewed'>;
  readonly 'at-risk': News<'at-risk'>;
  readonly recovered: News<'recovered'>;
  readonly 'ceiling-near': News<'ceiling-near'>;
  /**
   * A claim of a higher priority than that of this lease has begun to wait: whoever wants to be polite calls `handOver`.
   * Once for each beginning, and again after a reconnect for as long as it waits. Nothing else comes of it: the lease is
   * kept for as long as it is renewed.
   */
  readonly 'yield-requested': News<'yield-requested'>;
  readonly lost: LeaseLostError;
  readonly released: LeaseReleasedError;
}

/**
 * A lease, from its grant on. The handle never goes stale: renewals change what it says, not the handle. Everything
 * read from it is worked out from the clocks at that moment, so it is right even where no timer ran in time. A reading
 * calls no listener: where it finds the lease over, listeners are told in a microtask; `signal` and `assertHeld` alone
 * tell them first.
 *
 * What no lease can promise: code that is paused between a check and a write goes on inside the write. Send
 * `fencingToken` along and let the resource refuse smaller ones.
 *
 * A lease that is held keeps its process alive and is renewed until it is released, lost, or at its ceiling. What ties it
 * to its owner is `run`, `await using` and `renewWhile`; of a handle that was dropped a warning tells, and the ceiling ends
 * its lease.
 */
export interface Lease {
  readonly name: string;
  /** True: see `ifUnavailable` of `run` for the other kind. */
  readonly protected: true;
  /** Larger than that of every earlier grant of this name; never changes. A safe integer. */
  readonly fencingToken: number;
  readonly mode: 'exclusive';
  /** The window that the last grant or renewal bought, in ms; the coordinator's maximum may have cut what was asked. */
  readonly ttlMs: number;
  /** `at-risk`: a renewal is overdue or the clocks disagree; start nothing new. `lost` and `released` are final. */
  readonly status: LeaseStatus;
  /** Until this client stops believing unless it is renewed, in ms; 0 once it has. */
  readonly remainingMs: number;
  /** What is left of the longest total life of this grant, in ms; 0 once the lease is over. */
  readonly ceilingLeftMs: number;
  /**
   * Aborted when the lease is lost or released, and when `client.close()` asks the function of a `run` to end. The reason
   * is a `LeaseLostError` or a `LeaseReleasedError`. Reading it looks at the clocks, and aborts it where the lease is over,
   * which calls the listeners of that and of the lease: not for a render. One kept from earlier is aborted as soon as the
   * library's code runs again; behind another reading in a microtask.
   */
  readonly signal: AbortSignal;
  /** Throws unless the status is `held`: `at-risk`, the loss, or `released`. For starting new work, not for polling. */
  assertHeld(): void;
  /** The state of this name as this lease knows it; undefined when there is none. A fresh copy at each reading. */
  readonly state: Json | undefined;
  /**
   * Writes the state of this name under the fencing token (undefined removes it) and resolves with its new version when
   * that is on the coordinator's disk. The writes of one lease go one at a time, in the order of the calls; also at risk,
   * since the token guards them. The value is copied at the call: finite numbers, text, booleans, null, lists and plain
   * objects, at most 60 levels deep. (To TypeScript an interface has no index signature: declare a `type`, or spread it.)
   * Rejects `bad-request` (any other value), `state-too-large` (64 KiB unless the coordinator says otherwise),
   * `storage-full`, `unavailable`, or with the loss or the release: whether a write under way took effect is then unknown.
   */
  setState(value: Json | undefined): Promise<number>;
  /** Renews now, beside the automatic renewals; resolves with `remainingMs`. Rejects with the loss or the release. */
  renew(): Promise<number>;
  /**
   * Gives the lease back. The local end is at once; resolves at the coordinator's answer, or at the local deadline where
   * there is none, and never rejects: true when this call gave it back, false when it was over before. Nothing cancels it.
   */
  release(): Promise<boolean>;
  /** Releases to the next in the queue; until the answer the status is `at-risk`. Rejects `nobody-waiting` and keeps the lease when there is none; otherwise as `release`, but with the loss. */
  handOver(): Promise<void>;
  /** Calls `listener` at each such event, in order of registration; returns what takes it away again. What it throws becomes a warning. */
  on<E extends keyof LeaseEvents>(event: E, listener: (news: LeaseEvents[E]) => void): () => void;
  /** Calls `listener` whenever `getSnapshot()` gives another object; returns what takes it away again. */
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * The same object, frozen, for as long as nothing in it changes; its state is not to be changed either. What changes by
   * itself is not in it: read it off the lease.
   */
  readonly getSnapshot: () => LeaseSnapshot;
  /** `release`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface LeaseSnapshot {
  readonly status: LeaseStatus;
  readonly ttlMs: number;
  readonly state: Json | undefined;
  /** How it ended. */
  readonly error: LeaseLostError | LeaseReleasedError | null;
}

/** What `run` with `ifUnavailable: 'run'` gives its function when there is no coordinator: nothing is held. */
export interface UnprotectedLease {
  readonly name: string;
  readonly protected: false;
  readonly fencingToken: null;
  /** Aborted only by `client.close()`. */
  readonly signal: AbortSignal;
}
