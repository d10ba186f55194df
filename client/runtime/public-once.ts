import type { RunOptions } from './public-options.ts';

/** As for `run`, and the slot. */
export interface OnceOptions extends Omit<RunOptions, 'ifUnavailable'> {
  /**
   * The nominal time for which this work is done, or any other text that names it: 1 to 128 bytes of UTF-8, without
   * control characters. Compared byte for byte.
   */
  readonly slot: string;
  /**
   * `after` (default): the slot counts as done when the work has resolved, so that after a crash the next in line does it
   * again: at least once. `before`: it counts as done before the work starts: at most once.
   */
  readonly mark?: 'before' | 'after' | undefined;
}

export type OnceResult<T> =
  | { readonly ran: true; readonly slot: string; readonly value: T }
  /** It was done before. */
  | {
      readonly ran: false;
      readonly slot: string;
      /** The label of whoever did it. */
      readonly by: string;
      /** When it was marked as done, by that client's wall clock: ISO 8601, in UTC. For people. */
      readonly at: string;
      readonly fencingToken: number;
    };
