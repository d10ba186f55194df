import type { Json } from '../../shared/json.ts';

/**
 * What is known of a name. Nothing in it protects anything: by the time you read it, it may be over; only a lease does.
 * `heldForMs`, `remainingMs` and `ceilingLeftMs` are worked out from the clock at each reading, never below 0.
 */
export interface LeaseView {
  /** Without the client's namespace. */
  readonly name: string;
  readonly holders: readonly HolderView[];
  /** How many wait. */
  readonly queue: number;
  readonly state: { readonly value: Json; readonly version: number; readonly fencingToken: number } | null;
  /** Of the last grant; null when nothing is stored of the name, which may have been granted long ago all the same. */
  readonly lastFencingToken: number | null;
}

export interface HolderView {
  readonly label: string;
  readonly metadata: Json;
  readonly session: string;
  readonly fencingToken: number;
  readonly mode: 'exclusive' | 'shared';
  readonly heldForMs: number;
  /** Until its lease ends unless it is renewed. */
  readonly remainingMs: number;
  readonly ceilingLeftMs: number;
}

export interface WatchOptions {
  /** Ends the iteration, which then finishes without an error. */
  readonly signal?: AbortSignal | undefined;
}

export interface ListOptions {
  /** Names that begin with this, behind the client's namespace. Default: every name. At most 256 bytes of UTF-8. */
  readonly prefix?: string | undefined;
  /** Ends the iteration; the next `next()` rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** For each page of the answer, in ms: then `unavailable`. Default `connectTimeoutMs`; 1 to 86,400,000. */
  readonly timeoutMs?: number | undefined;
}
