import type { Database } from 'better-sqlite3';
import { outOfSequence } from '../core/journal-fold.ts';
import type { Batch } from '../core/journal-port.ts';
import type { Log } from './log.ts';
import { readRows } from './store-read.ts';
import type { StoredRows } from './stored-rows.ts';
import { eventWriter, type RowChange } from './store-write.ts';

/** The journal's tables in an open file: runs, batches, and what is stored. Synchronous: it lives on its own thread. */
export interface Store {
  /** Begins a run and reads everything. */
  begin(): StoredRows;
  /** One transaction; throws what SQLite throws, or a `RangeError` when the batch does not follow. */
  append(batch: Batch): void;
  /** The number of the last batch stored. */
  sequence(): number;
  /** A small write over whatever a failed append may have left behind in the log. */
  overwrite(): void;
}

export function makeStore(db: Database, log: Log): Store {
  const write = eventWriter(db);
  const sequence = db.prepare<[], number>('SELECT sequence FROM journal').pluck();
  const takeUpLives = db.prepare(
    `UPDATE lease SET life_ms = life_ms + max(0, (SELECT listening_ms FROM journal) - granted_at_ms), granted_at_ms = 0`,
  );
  const nextRun = db.prepare('UPDATE journal SET run = run + 1, listening_ms = 0, with_log = 0');
  const overwrite = db.prepare('UPDATE journal SET overwritten = overwritten + 1, with_log = 0');
  const follow = db.prepare<[RowChange & { readonly sequence: number; readonly base: number }]>(
    `UPDATE journal SET
       sequence = @sequence,
       mark = max(mark, @mark),
       largest_window_ms = max(largest_window_ms, @largestWindowMs),
       quiet_ms = coalesce(@quietMs, quiet_ms),
       listening_ms = max(listening_ms, @listeningMs),
       with_log = 0,
       log_base = @base
     WHERE sequence = @sequence - 1`,
  );

  const begin = db.transaction((): StoredRows => {
    takeUpLives.run();
    nextRun.run();
    return readRows(db);
  });
  const append = db.transaction((batch: Batch): void => {
    const change = write(batch.events);
    const followed = follow.run({ ...change, sequence: batch.sequence, base: log.base });
    if (followed.changes !== 1)
      throw new RangeError(outOfSequence(sequence.get() ?? 0, batch) ?? 'the journal has no row');
  });

  return {
    begin: () => begin.immediate(),
    append: (batch) => append.immediate(batch),
    sequence: () => sequence.get() ?? 0,
    overwrite: () => void overwrite.run(),
  };
}
