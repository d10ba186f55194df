/// <reference lib="esnext.disposable" preserve="true" />
import type { Json } from '../../shared/json.ts';
import type { ClientStatus } from '../core/types.ts';
import type { LeaseError } from './errors.ts';
import type { Lease, UnprotectedLease } from './public-lease.ts';
import type { AcquireOptions, RunOptions, TryAcquireOptions, Warning } from './public-options.ts';

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
  /** Calls `listener` at each such event; returns what takes it away again. What it throws becomes a warning. */
  on<E extends keyof ClientEvents>(event: E, listener: (news: ClientEvents[E]) => void): () => void;
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TimeoutOptions {
  readonly timeoutMs?: number | undefined;
}

export interface CloseOptions {
  readonly drainMs?: number | undefined;
}

/** What is known of a name. Every amount of time is in ms and as of the answer. */
export interface LeaseView {
  readonly name: string;
  readonly holders: readonly {
    readonly label: string;
    readonly metadata: Json;
    readonly session: string;
    readonly fencingToken: number;
    readonly mode: 'exclusive' | 'shared';
    readonly heldForMs: number;
    readonly remainingMs: number;
    readonly ceilingLeftMs: number;
  }[];
  /** How many wait. */
  readonly queue: number;
  readonly state: { readonly value: Json; readonly version: number; readonly fencingToken: number } | null;
  /** Of the last grant; null when nothing is stored of the name, which may have been granted long ago all the same. */
  readonly lastFencingToken: number | null;
}
