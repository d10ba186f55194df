import type { Journal, JournalContents } from '../core/journal-port.ts';
import { journalError } from './failures.ts';
import { steadyThread, type SteadyThread } from './steady-thread.ts';
import { startWorker, type StartWorker } from './worker-client.ts';

export interface SqliteJournalOptions {
  /** The database file; made when absent. Symbolic links are followed. A local disk: locks fail on network shares. */
  readonly path: string;
  /** What a person should know and what stops nothing: a network file system, a write-back that failed. Never throws. */
  onWarning?(message: string): void;
  /** A batch is durable: how long its transaction took, the sync included, and how many events. Never throws. */
  onAppended?(ms: number, events: number): void;
  /** How the thread is started; for a program that is one file. */
  readonly startWorker?: StartWorker;
}

export interface SqliteJournal extends Journal {
  /** Names the coordinator's address in the hint beside the file, for whoever is refused because of it. */
  setOwnerUrl(url: string): Promise<void>;
}

type Phase =
  | { readonly kind: 'new' }
  | { readonly kind: 'open'; readonly thread: SteadyThread }
  | { readonly kind: 'closed' };

/**
 * The journal in one SQLite file, on a thread of its own: a sync that takes seconds delays grants, never a renewal
 * (S9).
 */
export function sqliteJournal(options: SqliteJournalOptions): SqliteJournal {
  const { path } = options;
  let phase: Phase = { kind: 'new' };
  let closing: Promise<void> | null = null;
  /** Whatever is in flight, so that `close` comes after it. */
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  const theThread = (): SteadyThread => {
    if (phase.kind !== 'open') throw journalError('closed', path, 'is not open');
    return phase.thread;
  };

  async function load(): Promise<JournalContents> {
    if (phase.kind !== 'new') throw journalError('closed', path, 'is loaded once by each journal object');
    const thread = steadyThread(path, options.startWorker ?? startWorker, (message) => options.onWarning?.(message));
    phase = { kind: 'open', thread };
    try {
      return await inTurn(() => thread.load());
    } catch (error) {
      phase = { kind: 'closed' };
      throw error;
    }
  }

  async function close(): Promise<void> {
    const before = phase;
    phase = { kind: 'closed' };
    if (before.kind === 'open') await before.thread.close(last);
  }

  return {
    load,
    async append(batch) {
      const thread = theThread();
      const ms = await inTurn(() => thread.append(batch));
      if (ms !== null) options.onAppended?.(ms, batch.events.length);
    },
    close() {
      closing ??= close();
      return closing;
    },
    async setOwnerUrl(url) {
      await theThread().nameOwner(url);
    },
  };
}
