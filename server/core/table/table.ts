import type { FencingToken, LeaseName } from '../../../shared/ids.ts';
import { between, durationMs, type DurationMs, type ListeningMs } from '../../../shared/time.ts';
import type { Limits } from '../limits.ts';
import type { TableEvent } from '../table-types.ts';
import { Deadlines } from './deadlines.ts';
import { Lifetimes } from './lifetimes.ts';
import type { Holder, NameEntry, Owner, QuietTime } from './model.ts';
import { NameIndex } from './name-index.ts';
import { Outbox } from './outbox.ts';
import { SessionIndex } from './session-index.ts';

/** All that the lease table knows. Only the files of this folder change it. */
export interface Table {
  limits: Limits;
  readonly startedAt: ListeningMs;
  /** The latest reading that the table was shown. */
  latest: ListeningMs;
  /** The largest token ever granted or shown. */
  mark: FencingToken;
  writable: boolean;
  draining: boolean;
  /** Null when it is not quiet. */
  quiet: QuietTime | null;
  readonly names: NameIndex;
  readonly sessions: SessionIndex;
  readonly deadlines: Deadlines<Owner>;
  readonly outbox: Outbox;
  readonly lifetimes: Lifetimes;
  /** Leases of an earlier run whose holder was not heard from in this one. */
  readonly unheard: Set<Holder>;
  /** Names with a state, the longest unwritten first. */
  readonly stated: Map<LeaseName, NameEntry>;
  states: number;
  stateBytes: number;
  leases: number;
  claims: number;
  arrivals: number;
  steals: number;
  /** What the command under way has said so far. */
  events: TableEvent[];
  /** Names that may have opened, or may have nothing left, since the command began. */
  readonly touched: Set<NameEntry>;
}

export const emptyTable = (limits: Limits, startedAt: ListeningMs, mark: FencingToken): Table => ({
  limits,
  startedAt,
  latest: startedAt,
  mark,
  writable: true,
  draining: false,
  quiet: null,
  names: new NameIndex(),
  sessions: new SessionIndex(),
  deadlines: new Deadlines(),
  outbox: new Outbox(),
  lifetimes: new Lifetimes(),
  unheard: new Set(),
  stated: new Map(),
  states: 0,
  stateBytes: 0,
  leases: 0,
  claims: 0,
  arrivals: 0,
  steals: 0,
  events: [],
  touched: new Set(),
});

/** What is left until `until`, rounded up to whole milliseconds, as it is stored; never below 0. */
export const storedLeft = (now: ListeningMs, until: ListeningMs): DurationMs =>
  durationMs(Math.max(0, Math.ceil(between(now, until))));

/** Listening time of this run so far, in whole milliseconds. */
export const listened = (table: Table, now: ListeningMs): number => between(table.startedAt, now);
