/// <reference lib="esnext.disposable" preserve="true" />
import type { LeaseLostError, LeaseReleasedError } from './errors.ts';
import type { ElectionStatus } from './public-election.ts';

/**
 * An election that only the tabs and workers of one browser, of one origin and profile, take part in. Nothing else of
 * `elect` means anything here, and is refused: a native lock has no window, no priority and no state.
 */
export interface BrowserElectOptions {
  readonly scope: 'browser';
  /** Shown to the other tabs as the leader's. At most 128 bytes, without control characters. Default: the client's. */
  readonly label?: string | undefined;
  /** Stops the election. */
  readonly signal?: AbortSignal | undefined;
}

export interface BrowserLeaseEvents {
  /** `stolen`: other code of this origin took the lock by force. `closed`: the page was put away or frozen. */
  readonly lost: LeaseLostError;
  readonly released: LeaseReleasedError;
}

/**
 * The native lock of this browser, as a lease. It has no fencing token: nothing that is written under it can be told from
 * what an earlier holder writes late. It has no window either: whoever has the lock keeps it until it is given back, its
 * page ends, or it is taken by force.
 */
export interface BrowserLease extends AsyncDisposable {
  readonly name: string;
  /** `lost` and `released` are final. */
  readonly status: 'held' | 'lost' | 'released';
  /** Aborted at the end; the reason is a `LeaseLostError` or a `LeaseReleasedError`. */
  readonly signal: AbortSignal;
  /** Throws how it ended, unless it is held. */
  assertHeld(): void;
  /** Gives the lock back; the election stands again, at the tail. Never rejects: true when this call gave it back, false when it was over before. */
  release(): Promise<boolean>;
  /** Calls `listener` at the end, in order of registration; returns what takes it away again. What it throws becomes a warning. */
  on<E extends keyof BrowserLeaseEvents>(event: E, listener: (news: BrowserLeaseEvents[E]) => void): () => void;
  /** Calls `listener` whenever `getSnapshot()` gives another object; returns what takes it away again. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => BrowserLeaseSnapshot;
  /** `release`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The same object, frozen, for as long as nothing in it changes. */
export interface BrowserLeaseSnapshot {
  readonly status: BrowserLease['status'];
  /** How it ended. */
  readonly error: LeaseLostError | LeaseReleasedError | null;
}

/** Who leads, as it said so itself. For people: nothing is protected by it. */
export interface BrowserLeader {
  readonly label: string;
  /** Since when, by its wall clock: ISO 8601, in UTC. */
  readonly since: string;
}

export interface BrowserElectionEvents {
  /** This candidate leads. */
  readonly elected: BrowserLease;
  /** It led, and does no more. It stands again already, at the tail, unless it was stopped or its page is away. */
  readonly deposed: LeaseLostError | LeaseReleasedError;
  /** Who leads has changed, here or in another tab; null: nobody is known to lead. */
  readonly leader: BrowserLeader | null;
}

/** What an election is at one moment. The same object, frozen, for as long as nothing in it changes. */
export interface BrowserElectionSnapshot {
  readonly status: ElectionStatus;
  readonly isLeader: boolean;
  readonly leader: BrowserLeader | null;
  readonly position: number | null;
  readonly lease: BrowserLease | null;
}

/**
 * One candidate for the lock `leasehold:<name>` of this browser (Web Locks), with the client's namespace before the name. It
 * opens no connection and needs no coordinator. Events come in the order that those of `Election` have.
 *
 * In `pagehide` and `freeze` it ends its lease and gives the lock back before the page stops, or leaves the queue, and it
 * stands again at `pageshow` and `resume`. What it cannot do: a page that stops without such an event (blocked, or frozen by
 * a browser that tells none) keeps the lock, or its place in the queue, for as long as it stands still, and nobody else
 * leads; and where other code takes the lock by force meanwhile, it believes until the browser tells it. A lease of a
 * coordinator has a window and a token for that.
 */
export interface BrowserElection extends AsyncDisposable {
  readonly name: string;
  /**
   * `connecting`: it does not stand: it is being loaded, its page is away, or it pauses (1 to 30 s: where it led for less
   * than a second five times in a row). `refused`: there are no Web Locks here, or they could not be loaded.
   */
  readonly status: ElectionStatus;
  readonly isLeader: boolean;
  /** Of this candidate while it leads. */
  readonly lease: BrowserLease | null;
  /** The last that was told of whoever leads, and that had the lock when it was looked at. */
  readonly leader: BrowserLeader | null;
  /** How many stand before it, as it was at the last change that was told; null while it leads or does not stand. */
  readonly position: number | null;
  /** Why, of `refused`: `unavailable`. */
  readonly error: Error | null;
  on<E extends keyof BrowserElectionEvents>(event: E, listener: (news: BrowserElectionEvents[E]) => void): () => void;
  /** Steps down and stands again at the tail; of a candidate that does not lead: nothing. Resolves when the browser has the lock back; never rejects. */
  resign(): Promise<void>;
  /**
   * Steps down or leaves the queue, for good. Resolves when the browser has the lock back, and never rejects; the same
   * promise at each call. Aborting `options.signal` and `client.close()` do the same.
   */
  stop(): Promise<void>;
  /** Calls `listener` whenever `getSnapshot()` gives another object; returns what takes it away again. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => BrowserElectionSnapshot;
  /** `stop`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
