/// <reference lib="esnext.disposable" preserve="true" />
import type { LeaseLostError, LeaseReleasedError } from './errors.ts';
import type { Lease } from './public-lease.ts';
import type { AcquireOptions } from './public-options.ts';
import type { LeaseView } from './public-view.ts';

/** As for `acquire`; an election waits without limit, and tells its place itself. `signal` stops it. */
export interface ElectOptions extends Omit<AcquireOptions, 'waitMs' | 'onQueued' | 'steal' | 'whenOwn'> {
  /**
   * `visible`: the page that people see is to lead. While it is visible it asks with a priority of `priority` + 1, so that
   * `priority` is at most 99 then (`bad-request`). A leader that is out of sight and is asked to yield resigns once it
   * has led for 2,000 ms, so that whoever asks leads next, and stands again; one that is visible does not. What is loaded for it
   * comes with the first such election; where that fails, a warning says so and the election goes on without. In what is
   * no page it has no effect. Not promised: that a page which cannot run, or has no connection, makes way; then its window
   * ends first.
   */
  readonly prefer?: 'visible' | undefined;
}

/**
 * `connecting`: this candidate is not known to stand: there is no connection, or it pauses after a refusal. `standing`: it
 * waits in the queue. `stopped` and `refused` (asking again would change nothing: `forbidden`, `mode-conflict`,
 * `bad-request`, or the client is refused) are final.
 */
export type ElectionStatus = 'connecting' | 'standing' | 'leading' | 'stopped' | 'refused';

/** What an election tells its listeners. */
export interface ElectionEvents {
  /** This candidate leads, under this lease. */
  readonly elected: Lease;
  /** It led, and does no more. It stands again already, at the tail, unless it was stopped. */
  readonly deposed: LeaseLostError | LeaseReleasedError;
  /** Who leads has changed, here or elsewhere; null: nobody is known to lead. */
  readonly leader: LeaseView | null;
}

/** What an election is at one moment. The same object, frozen, for as long as nothing in it changes. */
export interface ElectionSnapshot {
  readonly status: ElectionStatus;
  readonly isLeader: boolean;
  readonly leader: LeaseView | null;
  readonly position: number | null;
  readonly lease: Lease | null;
}

/**
 * One candidate. It stands again after each loss, for ever, until it is stopped or its client is closed or refused; and
 * keeps its process alive until then. After a refusal it pauses first, 1 to 30 s; and so it does where it led for less
 * than a second five times in a row. One warning where nobody has answered it within 10 s.
 *
 * At a win, in one turn: whoever subscribed, then `elected`, then `leader`. At a loss, in one turn: whoever subscribed, then the lease's signal
 * aborts and the lease tells `lost` or `released`, then `deposed`, then `leader(null)`. Never `deposed` without
 * `elected`. What a listener throws becomes a warning and stops no other. A reading calls no listener: where it finds the
 * lease over, it answers so, and the turn of the loss comes in a microtask.
 */
export interface Election extends AsyncDisposable {
  readonly name: string;
  readonly status: ElectionStatus;
  /** Worked out from the clocks at each reading; true also while the lease is at risk. */
  readonly isLeader: boolean;
  /** Of this candidate while it leads. */
  readonly lease: Lease | null;
  /** The last that is known of whoever leads. */
  readonly leader: LeaseView | null;
  /** How many stand before this candidate; null while it leads or is not known to stand. */
  readonly position: number | null;
  /** Why, of `refused`. */
  readonly error: Error | null;
  on<E extends keyof ElectionEvents>(event: E, listener: (news: ElectionEvents[E]) => void): () => void;
  /**
   * Steps down and stands again at the tail, as `lease.release` does, too; of a candidate that does not lead: nothing. Two
   * calls within a millisecond are one. Resolves as `lease.release` does, and never rejects.
   */
  resign(): Promise<void>;
  /**
   * Steps down or leaves the queue, for good, and watches no more: the leader is null from then on. Resolves as
   * `lease.release` does, and never rejects; the same promise at each call. Aborting `options.signal` does the same.
   */
  stop(): Promise<void>;
  /** Calls `listener` whenever `getSnapshot()` gives another object; returns what takes it away again. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => ElectionSnapshot;
  /** `stop`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
