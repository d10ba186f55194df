import { Worker } from 'node:worker_threads';
import { JournalError } from '../core/journal-port.ts';
import type { Call, CallKind, Calls, FromWorker, WorkerData } from './worker-messages.ts';

/** The thread ended with calls unanswered: what they asked for may or may not have been done. */
export class WorkerGone extends Error {
  override readonly name = 'WorkerGone';
}

export interface WorkerClient {
  call<K extends CallKind>(kind: K, asked: Calls[K]['with']): Promise<Calls[K]['back']>;
  /** Ends the thread; whatever is unanswered fails as `WorkerGone`. */
  end(): Promise<void>;
}

/** What is used of a `Worker`. */
export interface JournalThread {
  postMessage(call: Call): void;
  on(event: 'message', listener: (message: FromWorker) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

/** Starts the journal's thread; another one for the single-file command, which has no file to start it from. */
export type StartWorker = (data: WorkerData) => JournalThread;

export const startWorker: StartWorker = (data) =>
  new Worker(new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './journal-worker.js', import.meta.url), {
    workerData: data,
    name: 'leasehold journal',
  });

interface Waiting {
  done(back: Calls[CallKind]['back']): void;
  failed(error: Error): void;
}

export function workerClient(worker: JournalThread, onWarning: (message: string) => void): WorkerClient {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let gone: WorkerGone | null = null;
  let cause: unknown;

  // The thread keeps the process up only while an answer is due.
  const settle = (id: number): Waiting | undefined => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    return one;
  };

  worker.unref();
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'warning') return onWarning(message.message);
    if (message.kind === 'done') return settle(message.id)?.done(message.back);
    const { code, message: text } = message;
    settle(message.id)?.failed(code === null ? new Error(text) : new JournalError(code, text));
  });
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', () => {
    gone = new WorkerGone('the thread of the journal ended', { cause });
    for (const one of waiting.values()) one.failed(gone);
    waiting.clear();
  });

  return {
    call<K extends CallKind>(kind: K, asked: Calls[K]['with']) {
      return new Promise<Calls[K]['back']>((resolve, reject) => {
        if (gone !== null) return reject(gone);
        lastId += 1;
        worker.ref();
        waiting.set(lastId, { done: resolve, failed: reject });
        // `kind` and `asked` belong together by the type of `call`, which a union cannot be told.
        worker.postMessage({ id: lastId, kind, with: asked } as Call);
      });
    },
    async end() {
      await worker.terminate();
    },
  };
}
