import type { AcquireOptions, Command, ConnectOptions } from '../../real/support/program/commands.ts';

/** What the harness tells the test page: what it tells a client program, and what only a page can do. */
export type PageOrder =
  | Command
  /** Blocks the main thread, then reads the lease in the first line behind. */
  | { readonly do: 'block'; readonly client: string; readonly key: string; readonly forMs: number }
  /** Logs `tick` from a chain of timers, each set by the one before: the kind that a hidden page slows down most. */
  | { readonly do: 'tick'; readonly everyMs: number }
  /** Closes every client of the page, as a program does at its end, then logs `left`. */
  | { readonly do: 'leave' }
  /** Logs whether there is a global of this name: `has NAME` or `has no NAME`. */
  | { readonly do: 'look-for'; readonly global: string }
  | FeatureOrder;

interface OfClient {
  readonly client: string;
}

interface Called extends OfClient {
  readonly call: string;
  readonly key: string;
  readonly name: string;
}

/** What a part of a page does with a client. */
export type FeatureOrder =
  /** Its lease is read from now on in whatever runs first: timers, and the events by which a page hears that it goes on. */
  | ({ readonly do: 'probe'; readonly key: string; readonly everyMs: number } & OfClient)
  /** A client in a dedicated worker of the page; what follows for it is passed on. */
  | ({ readonly do: 'in-worker'; readonly url: string; readonly options: ConnectOptions } & OfClient)
  /** An effect that starts, is cleaned up and starts again, `times` times in one turn. */
  | ({ readonly do: 'mount'; readonly effect: Effect; readonly times: number } & Called)
  /** Stands among the tabs of this browser alone; its log is that of an election without tokens. */
  | ({ readonly do: 'elect-browser' } & Called)
  /** A claim that `withdraw` aborts. */
  | ({ readonly do: 'claim'; readonly options: AcquireOptions } & Called)
  | ({ readonly do: 'withdraw'; readonly key: string } & OfClient)
  /** An election that is stopped in its own listener for `elected`. */
  | ({ readonly do: 'stop-in-hook' } & Called);

/** What the effect starts. */
export type Effect =
  | { readonly starts: 'client'; readonly url: string; readonly options: ConnectOptions }
  | { readonly starts: 'election' | 'claim' };

/** What the page tells the harness, through the binding of this name. */
export const BINDING = 'tellHarness';

export type Told = ToldLine | ToldOrigin;

/** One line of the page's log. The document numbers its lines, since one that was put away tells them all again. */
export interface ToldLine {
  readonly document: string;
  readonly index: number;
  /** An entry; its instant counts from the document's time origin. */
  readonly line: string;
}

/** What the document's clock counts from, where the page itself had to find out. */
export interface ToldOrigin {
  readonly document: string;
  /** Nanoseconds of `process.hrtime`. */
  readonly origin: string;
  /** The page's stamps are wrong by this much at most. */
  readonly withinMs: number;
}
