/// <reference lib="esnext.disposable" preserve="true" />
import type { ClientStatus } from '../core/types.ts';
import type { LeaseError } from './errors.ts';
import type { BrowserElection, BrowserElectOptions } from './public-browser.ts';
import type { ElectOptions, Election } from './public-election.ts';
import type { Lease, UnprotectedLease } from './public-lease.ts';
import type { OnceOptions, OnceResult } from './public-once.ts';
import type { AcquireOptions, RunOptions, TryAcquireOptions, Warning } from './public-options.ts';
import type { LeaseView, ListOptions, WatchOptions } from './public-view.ts';

/** What a client tells its listeners. */
export interface ClientEvents {
  readonly status: StatusChange;
  readonly warning: Warning;
}

export interface StatusChange {
  readonly status: ClientStatus;
  /** Why, of `backing-off` and `refused`. */
  readonly error: LeaseError | null;
}

/**
 * One client: it connects at its first use, again whenever that is needed, and not when it is idle. Its promises, except
 * that of `run`, are never reported as unhandled rejections.
 */
export interface Client {
  /**
   * Acquires `name`, calls `work` with the lease, releases it when the work has settled, and resolves or rejects as the
   * work did. Rejects as `acquire` before that. On loss `lease.signal` aborts and the work has `drainMs`; then `run`
   * rejects with the `LeaseLostError`, also when the work resolved; what the work threw is its `cause`. A work that goes on
   * after that is on its own. `options.signal` counts until the grant: aborted by then, the work never starts.
   */
  run<T>(name: string, work: (lease: Lease) => T | PromiseLike<T>): Promise<T>;
  run<T>(
    name: string,
    options: RunOptions & { readonly ifUnavailable?: 'reject' | undefined },
    work: (lease: Lease) => T | PromiseLike<T>,
  ): Promise<T>;
  run<T>(
    name: string,
    options: RunOptions & { readonly ifUnavailable: 'skip' },
    work: (lease: Lease) => T | PromiseLike<T>,
  ): Promise<T | undefined>;
  run<T>(
    name: string,
    options: RunOptions,
    work: (lease: Lease | UnprotectedLease) => T | PromiseLike<T>,
  ): Promise<T | undefined>;
  /**
   * Waits its turn and resolves with the lease, over outages, restarts of the coordinator and new connections. Rejects
   * `wait-timeout` (a `WaitTimeoutError`), `unavailable`, `bad-request`, `forbidden`, `already-held`, `refused`,
   * `closed`, or with the reason of `options.signal`. A name is global in the coordinator: 1 to 256 bytes, no control
   * characters. Where this client's session has as many claims and leases as it may (`too-many-requests`), it waits, too.
   * Until the promise settles the process stays alive.
   */
  acquire(name: string, options?: AcquireOptions): Promise<Lease>;
  /** Resolves with null when the coordinator says that the name is not free. Without a word from it: `unavailable`, within `connectTimeoutMs`. */
  tryAcquire(name: string, options?: TryAcquireOptions): Promise<Lease | null>;
  /**
   * Who holds `name`, how many wait, and its state, as of now: by the time you read it, it may be over; only a lease
   * protects. Rejects `unavailable` after `timeoutMs` (default `connectTimeoutMs`; 1 to 86,400,000), `forbidden`, `closed`.
   */
  inspect(name: string, options?: TimeoutOptions): Promise<LeaseView>;
  /**
   * The view of `name` now, then another after each change of its holders or state, over reconnects and restarts too:
   * what you see last is how it is, whatever was missed between. Renewals and the length of the queue come at most once a
   * second. Who reads slowly sees the newest and skips the rest. Ends when the loop is left or `signal` aborts; throws
   * `forbidden`, `too-many-requests`, `refused`, `closed`. Nothing is asked before the first `next()`; from then on the
   * process stays alive until the loop is left or aborted. One warning after 10 s without a first answer.
   */
  watch(name: string, options?: WatchOptions): AsyncIterableIterator<LeaseView>;
  /**
   * What is known of each name that begins with `prefix`, in byte order, page by page: each view as of its own page.
   * Throws as `inspect` does.
   */
  list(options?: ListOptions): AsyncIterableIterator<LeaseView>;
  /**
   * Does `work` once for a `slot`, over all clients that ask for this name and slot, also if they ask seconds apart:
   * acquires `name`, waiting its turn; skips where its state says that the slot is done; else runs as `run` does and
   * writes the slot to the state before it releases. The state of the name is `once`'s own, and remembers the last 32
   * slots. Rejects as `run` and `setState` do; `bad-request` where the state is not of `once`'s making.
   */
  once<T>(name: string, options: OnceOptions, work: (lease: Lease) => T | PromiseLike<T>): Promise<OnceResult<T>>;
  /**
   * Stands among the tabs and workers of this browser alone, over Web Locks: no coordinator, no connection, no token. Throws
   * `bad-request`.
   */
  elect(name: string, options: BrowserElectOptions): BrowserElection;
  /** Stands as a candidate for `name` at once, and again after each loss. Throws `bad-request`. */
  elect(name: string, options?: ElectOptions): Election;
  /** Connects and resolves once connected. Rejects `unavailable` after `timeoutMs` (default `connectTimeoutMs`; 1 to 86,400,000), `refused`, `closed`. */
  ready(options?: TimeoutOptions): Promise<void>;
  /**
   * Ends this client for good. Claims that wait reject `closed`; leases are released, except those of functions in
   * `run`: their signals abort, and they go on being renewed until the function has settled or `drainMs` (default 5,000;
   * 0 to 86,400,000) is over. Settles within `drainMs` + 1 s without a network, too; a `run` whose
   * function still goes on rejects `closed` then, whatever its own `drainMs`. The same promise at each call.
   * The library installs no signal handler: call this in yours.
   */
  close(options?: CloseOptions): Promise<void>;
  /** `refused` and `closed` are final; held leases outlive `backing-off`, not `refused`. */
  readonly status: ClientStatus;
  /** What the last dial went over, or the one that is under way; `socket` before the first. See `ConnectOptions.share`. */
  readonly transport: 'socket' | 'shared-worker';
  /** Calls `listener` at each such event; returns what takes it away again. What it throws becomes a warning. */
  on<E extends keyof ClientEvents>(event: E, listener: (news: ClientEvents[E]) => void): () => void;
  /** Calls `listener` whenever `getSnapshot()` gives another object; returns what takes it away again. */
  readonly subscribe: (listener: () => void) => () => void;
  /** The same object, frozen, for as long as nothing in it changes. */
  readonly getSnapshot: () => ClientSnapshot;
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ClientSnapshot {
  readonly status: ClientStatus;
  /** Why, of `backing-off` and `refused`. */
  readonly error: LeaseError | null;
  readonly transport: 'socket' | 'shared-worker';
}

export interface TimeoutOptions {
  readonly timeoutMs?: number | undefined;
}

export interface CloseOptions {
  readonly drainMs?: number | undefined;
}
