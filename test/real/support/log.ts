import type { Client } from 'leasehold';
import type { Json } from '../../../shared/json.ts';

/**
 * What a run leaves behind: entries of every client and of the harness, each with a reading of
 * `process.hrtime.bigint()`. On one Linux host that clock is common to all processes, so entries of different
 * processes compare exactly.
 */
export type Entry = Stamped & What;

interface Stamped {
  /** Nanoseconds. */
  readonly at: bigint;
  /** One `connect()` of one process; the harness itself speaks of a client by the same label. */
  readonly client: string;
}

interface OfLease {
  readonly key: string;
  readonly name: string;
  readonly token: number;
}

export type Messages = readonly { readonly [field: string]: Json }[];

export type What =
  /** A promise was asked for; `withinMs` is the bound that its caller asked for, absent: without limit. */
  | { readonly event: 'called'; readonly call: string; readonly what: string; readonly withinMs?: number }
  | { readonly event: 'settled'; readonly call: string; readonly what: string; readonly ok: true; readonly value: Json }
  | {
      readonly event: 'settled';
      readonly call: string;
      readonly what: string;
      readonly ok: false;
      readonly code: string;
      readonly message: string;
    }
  | ({ readonly event: 'held' } & OfLease)
  /** Granted, and over before the program could look at it. */
  | ({ readonly event: 'late' } & OfLease)
  | ({ readonly event: 'at-risk' } & OfLease)
  | ({ readonly event: 'recovered' } & OfLease)
  | ({ readonly event: 'released' } & OfLease)
  | ({ readonly event: 'lost'; readonly code: string } & OfLease)
  /** Four fifths of the longest total life are over. */
  | ({ readonly event: 'ceiling-near'; readonly ceilingLeftMs: number } & OfLease)
  /** A claim of this priority, higher than that of the lease, has begun to wait. */
  | ({ readonly event: 'yield-requested'; readonly priority: number } & OfLease)
  /** A signal that was kept from the grant on has fired. */
  | ({ readonly event: 'aborted'; readonly code: string } & OfLease)
  /** What the lease said when it was asked, at this instant. */
  | ({
      readonly event: 'read';
      readonly status: string;
      readonly remainingMs: number;
      readonly aborted: boolean;
      /** The window in force, as the lease tells it. */
      readonly ttlMs?: number;
    } & OfLease)
  | { readonly event: 'queued'; readonly key: string; readonly name: string; readonly position: number }
  /** `code`: why, of `backing-off` and `refused`. */
  | { readonly event: 'status'; readonly status: string; readonly code?: string }
  /** One view of a watch. `holder` holds the name, `writer` wrote the value: fencing tokens, null where there is none. */
  | {
      readonly event: 'viewed';
      readonly key: string;
      readonly name: string;
      readonly version: number | null;
      readonly value: Json;
      readonly holder: number | null;
      readonly writer: number | null;
      readonly lastToken: number | null;
      readonly queue: number;
      /** What the view says is left of the holder's window. */
      readonly remainingMs?: number | null;
    }
  /** What an election says, at its start and after each change. `leads`: the token of its own lease. */
  | {
      readonly event: 'election';
      readonly key: string;
      readonly name: string;
      readonly status: string;
      readonly isLeader: boolean;
      readonly position: number | null;
      readonly leads: number | null;
    }
  | {
      readonly event: 'leader';
      readonly key: string;
      readonly name: string;
      readonly leader: { readonly label: string; readonly token: number } | null;
    }
  | ({ readonly event: 'deposed'; readonly code: string } & OfLease)
  /** One step of a worker under an election; each win starts a worker of its own. */
  | ({ readonly event: 'worked'; readonly worker: number } & OfLease)
  /** One is to be added to the number that the write `after` made; then how that write, `by`, ended: null is acknowledged. */
  | { readonly event: 'adding'; readonly by: string; readonly n: number; readonly after: string }
  | { readonly event: 'added'; readonly by: string; readonly code: string | null }
  /** The same where no token is asked for; such a write is always acknowledged. */
  | { readonly event: 'added-loose'; readonly by: string; readonly n: number; readonly after: string }
  /** What the client's dials go over, from here on. */
  | { readonly event: 'transport'; readonly over: Client['transport'] }
  | { readonly event: 'warning'; readonly text: string }
  | { readonly event: 'unhandled'; readonly text: string }
  /** The socket under the client, where it is recorded. `sent` is stamped before the frame goes out. */
  | { readonly event: 'dialled'; readonly dial: number }
  | { readonly event: 'sent'; readonly dial: number; readonly messages: Messages }
  | { readonly event: 'received'; readonly dial: number; readonly messages: Messages }
  | { readonly event: 'socket-closed'; readonly dial: number; readonly code: number }
  /** Whose stamps may be wrong by this much, against those of the others: a page that had to find out about its clock. */
  | { readonly event: 'clock'; readonly withinMs: number }
  /** Said by the harness: the page of this client was given what the page of `from` left behind, and may go on with its token. */
  | { readonly event: 'descends'; readonly from: string }
  /** What a page goes through, as the browser told it. */
  | { readonly event: 'page'; readonly what: string }
  /** Said by the harness, before an operator opens this name at once, whoever believes in it. */
  | { readonly event: 'forced'; readonly name: string }
  /** Said by the harness, before it sends the signal. */
  | { readonly event: 'killed' }
  | { readonly event: 'suspended' }
  | { readonly event: 'continued' }
  /** Said by the process itself, afterwards: from `at` on it was given no processor. */
  | { readonly event: 'stood-still'; readonly forMs: number }
  | { readonly event: 'exited'; readonly code: number | null; readonly signal: string | null };

export type EventName = What['event'];
export type EntryOf<E extends EventName> = Extract<Entry, { readonly event: E }>;

export const now = (): bigint => process.hrtime.bigint();

/** From `from` to `to`, in milliseconds with fractions. */
export const msBetween = (from: bigint, to: bigint): number => Number(to - from) / 1e6;

export const addMs = (at: bigint, ms: number): bigint => at + BigInt(Math.round(ms * 1e6));

export function entriesOf<E extends EventName>(entries: readonly Entry[], event: E, client?: string): EntryOf<E>[] {
  const found: EntryOf<E>[] = [];
  for (const entry of entries) {
    if (isOf(entry, event) && (client === undefined || entry.client === client)) found.push(entry);
  }
  return found;
}

export function isOf<E extends EventName>(entry: Entry, event: E): entry is EntryOf<E> {
  return entry.event === event;
}

/** One line of a client program's stdout. */
export const toLine = (entry: Entry): string =>
  JSON.stringify(entry, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

export function fromLine(line: string): Entry {
  const read = JSON.parse(line) as Entry & { readonly at: unknown }; // Written by `toLine` of our own client program.
  return { ...read, at: BigInt(String(read.at)) };
}

/** Value at quantile `q` in [0, 1] of a list that need not be sorted. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}
