import type { Command } from '../../real/support/program/commands.ts';

/** What the harness tells the test page: what it tells a client program, and what only a page can do. */
export type PageOrder =
  | Command
  /** Blocks the main thread, then reads the lease in the first line behind. */
  | { readonly do: 'block'; readonly client: string; readonly key: string; readonly forMs: number }
  /** Logs `tick` from a chain of timers, each set by the one before: the kind that a hidden page slows down most. */
  | { readonly do: 'tick'; readonly everyMs: number };

/** What the page tells the harness, through the binding of this name. */
export const BINDING = 'tellHarness';

/** One line of the page's log. The document numbers its lines, since one that was put away tells them all again. */
export interface Told {
  readonly document: string;
  readonly index: number;
  /** An entry; its instant counts from the document's time origin. */
  readonly line: string;
}
