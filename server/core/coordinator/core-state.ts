import type { FencingToken, JournalId } from '../../../shared/ids.ts';
import type { ListeningMs, WallMs } from '../../../shared/time.ts';
import type { Ids, Output } from '../core-types.ts';
import type { Limits } from '../limits.ts';
import type { Deadlines } from '../table/deadlines.ts';
import type { LeaseTable, TableCommand, TableEvent } from '../table-types.ts';
import type { Backlog } from './backlog.ts';
import type { Batches } from './batches.ts';
import { follow } from './follow.ts';
import type { ListeningRecord } from './listening-record.ts';
import { notice } from './notice.ts';
import type { Outbox } from './outbox.ts';
import type { SessionBook, SessionEntry } from './session-book.ts';
import type { Watches } from './watches.ts';

/** What the parts of the coordinator share. Each part is a function over it; only `turn` calls them in order. */
export interface Core {
  readonly table: LeaseTable;
  readonly book: SessionBook;
  readonly outbox: Outbox;
  readonly batches: Batches;
  readonly record: ListeningRecord;
  /** When each session is due next, in one heap: a turn looks only at those whose time has come. */
  readonly dues: Deadlines<SessionEntry>;
  /** Sessions whose dues may have changed in this turn. */
  readonly changed: Set<SessionEntry>;
  readonly watches: Watches;
  readonly ids: Ids;
  readonly journal: JournalId;
  limits: Limits;
  /** The largest token granted or shown (S2). */
  mark: FencingToken;
  quietUntil: ListeningMs | null;
  drain: 'no' | 'begun' | 'done';
  /** When states of idle names were looked through last. */
  idleStatesAt: WallMs;
  backlog: Backlog;
  /** What this turn tells people, and what the table decided in it. */
  notes: Note[];
  happened: TableEvent[];
}

export type Note = Extract<Output, { readonly kind: 'note' }>;

/** The clocks of a turn, for what is decided in it. */
export interface Moment {
  readonly now: ListeningMs;
  readonly wall: WallMs;
}

/** Has the table decide, and takes note of it; what is to be said of it is up to the caller (`tell`). */
export function decide(core: Core, now: ListeningMs, command: TableCommand): readonly TableEvent[] {
  return noted(core, core.table.apply(now, command));
}

export function noted(core: Core, events: readonly TableEvent[]): readonly TableEvent[] {
  for (const event of events) {
    core.happened.push(event);
    follow(core, event);
    notice(core.watches, event);
  }
  return events;
}

export function note(core: Core, level: Note['level'], code: string, text: string): void {
  core.notes.push({ kind: 'note', level, code, text });
}
