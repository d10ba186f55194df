import { setTimeout as pause } from 'node:timers/promises';
import { JournalError, type Batch, type Journal, type JournalContents } from '../core/journal-port.ts';
import { journalError } from './failures.ts';
import { startWorker, workerClient, WorkerGone, type StartWorker, type WorkerClient } from './worker-client.ts';

export interface SqliteJournalOptions {
  /** The database file; made when absent. Symbolic links are followed. A local disk: locks fail on network shares. */
  readonly path: string;
  /** Something a person should know and that stops nothing: a network file system, a write-back that failed. */
  onWarning?(message: string): void;
  /** A batch is durable: how long its transaction took, the sync included, and how many events it had. */
  onAppended?(ms: number, events: number): void;
  /** How the thread is started; for a program that is one file. */
  readonly startWorker?: StartWorker;
}

export interface SqliteJournal extends Journal {
  /** Names the coordinator's address in the hint beside the file, for whoever is refused because of it. */
  setOwnerUrl(url: string): Promise<void>;
}

const RESUME_PAUSE_MS_MAX = 1_000;

/**
 * The journal in one SQLite file, on a thread of its own: a sync that takes seconds delays grants, never a renewal
 * (S9). All that this side does is to ask, and to find out what became of a batch whose thread was lost.
 */
export function sqliteJournal(options: SqliteJournalOptions): SqliteJournal {
  const { path } = options;
  const start = options.startWorker ?? startWorker;
  let worker: WorkerClient | null = null;
  let phase: 'new' | 'open' | 'closed' = 'new';
  let closing: Promise<void> | null = null;
  let ownerUrl: string | null = null;
  /** Whatever is in flight, so that `close` comes after it. */
  let last: Promise<unknown> = Promise.resolve();

  const closedError = (): JournalError => journalError('closed', path, 'is not open');
  const startOne = (): WorkerClient => workerClient(start({ path }), (message) => options.onWarning?.(message));

  async function load(): Promise<JournalContents> {
    if (phase !== 'new') throw journalError('closed', path, 'is loaded once by each journal object');
    phase = 'open';
    worker = startOne();
    const loading = worker.call('load', null);
    last = loading.catch(() => {});
    try {
      return await loading;
    } catch (error) {
      phase = 'closed';
      await worker.end();
      throw error instanceof WorkerGone ? lost(error) : error;
    }
  }

  const lost = (error: WorkerGone): JournalError =>
    new JournalError('io', `the journal ${path} lost its thread: ${String(error.cause ?? 'it ended')}`, { cause: error });

  async function store(batch: Batch): Promise<void> {
    if (worker === null) throw closedError();
    try {
      const ms = await worker.call('append', batch);
      options.onAppended?.(ms, batch.events.length);
    } catch (error) {
      if (!(error instanceof WorkerGone)) throw error;
      const stored = await readBack(error);
      if (stored !== batch.sequence) throw lost(error);
    }
  }

  /**
   * The thread is lost and with it the answer: unknown is not failure (R14). Another thread opens the file, until
   * one succeeds, and says which batch is the last.
   */
  async function readBack(gone: WorkerGone): Promise<number> {
    options.onWarning?.(lost(gone).message);
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, RESUME_PAUSE_MS_MAX)) {
      worker = startOne();
      try {
        return await worker.call('resume', ownerUrl);
      } catch (error) {
        options.onWarning?.(error instanceof Error ? error.message : String(error));
        await worker.end();
      }
      if (closing !== null) throw closedError();
      await pause(pauseMs);
    }
  }

  async function close(): Promise<void> {
    const opened = phase === 'open';
    phase = 'closed';
    await last;
    if (worker === null) return;
    try {
      if (opened) await worker.call('close', null);
    } catch (error) {
      if (!(error instanceof WorkerGone)) throw error;
    } finally {
      await worker.end();
    }
  }

  return {
    load,
    append(batch) {
      if (phase !== 'open') return Promise.reject(closedError());
      const done = last.then(() => store(batch));
      last = done.catch(() => {});
      return done;
    },
    close() {
      closing ??= close();
      return closing;
    },
    async setOwnerUrl(url) {
      if (phase !== 'open' || worker === null) throw closedError();
      ownerUrl = url;
      await worker.call('url', url);
    },
  };
}
