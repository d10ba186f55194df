import { setTimeout as pause } from 'node:timers/promises';
import { JournalError, type Batch, type JournalContents } from '../core/journal-port.ts';
import { asJournalError } from './failures.ts';
import { contentsOfRows } from './store-read.ts';
import { workerClient, WorkerGone, type StartWorker, type WorkerClient } from './worker-client.ts';

const RESUME_PAUSE_MS_MIN = 10;
const RESUME_PAUSE_MS_MAX = 1_000;

/** The journal's thread, and another in its place when it is lost. */
export interface SteadyThread {
  load(): Promise<JournalContents>;
  /** How long the transaction took, in ms; null when that went down with a thread (but the batch did not). */
  append(batch: Batch): Promise<number | null>;
  nameOwner(url: string): Promise<void>;
  /** Once `inFlight` has settled, which it does even while a lost thread cannot be replaced. */
  close(inFlight: Promise<unknown>): Promise<void>;
}

export function steadyThread(path: string, start: StartWorker, warn: (message: string) => void): SteadyThread {
  const startOne = (): WorkerClient => workerClient(start({ path }), warn);
  let worker = startOne();
  let closing = false;
  let ownerUrl: string | null = null;

  /**
   * The thread is lost and with it the answer: unknown is not failure (R14). Another thread opens the file, until
   * one succeeds, and says which batch is the last.
   */
  async function readBack(gone: WorkerGone): Promise<number> {
    warn(lost(path, gone).message);
    for (let pauseMs = RESUME_PAUSE_MS_MIN; ; pauseMs = Math.min(pauseMs * 2, RESUME_PAUSE_MS_MAX)) {
      worker = startOne();
      try {
        return await worker.call('resume', ownerUrl);
      } catch (error) {
        await worker.end();
        // Still unknown, but the journal is closed: nobody will be told anything any more.
        if (closing) throw error;
        warn(error instanceof Error ? error.message : String(error));
      }
      await pause(pauseMs);
    }
  }

  return {
    async load() {
      try {
        return contentsOfRows(await worker.call('load', null));
      } catch (error) {
        await worker.end();
        throw error instanceof WorkerGone ? lost(path, error) : asJournalError(path, error);
      }
    },
    async append(batch) {
      try {
        return await worker.call('append', batch);
      } catch (error) {
        if (!(error instanceof WorkerGone)) throw error;
        if ((await readBack(error)) !== batch.sequence) throw lost(path, error);
        return null;
      }
    },
    async nameOwner(url) {
      ownerUrl = url;
      try {
        await worker.call('url', url);
      } catch (error) {
        // The thread that takes over at the next append names the owner again.
        if (!(error instanceof WorkerGone)) throw error;
      }
    },
    async close(inFlight) {
      closing = true;
      await inFlight;
      try {
        await worker.call('close', null);
      } catch (error) {
        if (!(error instanceof WorkerGone)) throw error;
      } finally {
        await worker.end();
      }
    },
  };
}

function lost(path: string, { cause }: WorkerGone): JournalError {
  const why = cause instanceof Error ? cause.message : 'it ended';
  return new JournalError('io', `the journal ${path} lost its thread: ${why}`, { cause });
}
