import type { Database } from 'better-sqlite3';

/**
 * SQLite's write-ahead log, and how a file is told apart from one that has lost its log.
 *
 * The journal row in the *file* says `with_log = 1` while a log goes with it; the same row in the *log* always says 0.
 * So whoever reads the file through its log sees 0; whoever has the file alone sees 1 and knows that something is
 * missing; and when SQLite puts the log into the file and deletes it (at a clean close, but also when a process ends
 * by `process.exit`, without a word to us), the file says 0 again. `log_base` is the batch at which the file stood
 * when the log began: a log that begins later than the file ends is not the file's own.
 *
 * Hence writing back is done here, not by SQLite's `wal_autocheckpoint`: 1 into the log, log into the file, 0 into
 * the new log.
 */
export interface Log {
  /** To be written with every batch. */
  readonly base: number;
  /** Pages that wait in the log. */
  readonly pages: number;
  /** The first thing after a run has begun, and whenever the log is long or the journal idle. */
  writeBack(): void;
  /** Before the file is closed: makes good a write-back that failed half way. */
  settle(): void;
}

/** Back to this size after each write-back (`journal_size_limit`): the log is written over from its start. */
export const LOG_BYTES_KEPT = 4 * 1024 * 1024;
/** Pages in the log (of 4 KiB) at which it is written back: about 4 MiB, so that it seldom outgrows the above. */
export const LOG_PAGES_MAX = 1000;

export function writeAheadLog(db: Database): Log {
  const pending = db.prepare<[], { readonly log: number }>('PRAGMA wal_checkpoint(NOOP)');
  const checkpoint = db.prepare<[], { readonly busy: number; readonly log: number; readonly checkpointed: number }>(
    'PRAGMA wal_checkpoint(PASSIVE)',
  );
  const goesWithLog = db.prepare('UPDATE journal SET with_log = 1');
  const startsLog = db.prepare<[number]>('UPDATE journal SET with_log = 0, log_base = ?');
  const sequence = db.prepare<[], number>('SELECT sequence FROM journal').pluck();
  /** False when the log's row may say 1. */
  let settled = true;
  let base = db.prepare<[], number>('SELECT log_base FROM journal').pluck().get() ?? 0;

  return {
    get base() {
      return base;
    },
    get pages() {
      return pending.get()?.log ?? 0;
    },
    writeBack() {
      settled = false;
      goesWithLog.run();
      try {
        const done = checkpoint.get();
        if (done !== undefined && done.busy === 0 && done.log === done.checkpointed) base = sequence.get() ?? base;
      } finally {
        // Also when writing back failed: the file is whole with this log as it was.
        startsLog.run(base);
      }
      settled = true;
    },
    settle() {
      if (!settled) startsLog.run(base);
      settled = true;
    },
  };
}
