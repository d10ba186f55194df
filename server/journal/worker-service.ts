import type { Database } from 'better-sqlite3';
import { setTimeout as pause } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { JournalError, type Batch } from '../core/journal-port.ts';
import { asJournalError } from './failures.ts';
import { removeLeftovers } from './file-check.ts';
import { openFile } from './file-open.ts';
import { networkFileSystem, realPathOf } from './file-system.ts';
import { writeAheadLog, type Log } from './log.ts';
import { writeBackPacer } from './log-pacer.ts';
import { removeOwner, thisProcess, writeOwner } from './owner-hint.ts';
import { makeStore, type Store } from './store.ts';
import type { Call, Calls, CallKind, FromWorker, WorkerData } from './worker-messages.ts';

/** How often, and how far apart, what a failed append left in the log is written over before the failure is told. */
const OVERWRITES_MAX = 3;
const OVERWRITE_PAUSE_MS = 50;

interface Opened {
  readonly path: string;
  readonly db: Database;
  readonly log: Log;
  readonly store: Store;
}

/** The journal's thread: one call after another, so that nothing is ever decided between two halves of one. */
export function serveJournal(port: MessagePort, data: WorkerData): void {
  const warn = (message: string): void => port.postMessage({ kind: 'warning', message } satisfies FromWorker);
  const startedAt = new Date().toISOString();
  const pacer = writeBackPacer((error) => warn(asJournalError(data.path, error).message));
  let opened: Opened | null = null;

  const theOpened = (): Opened => {
    if (opened === null) throw new JournalError('closed', `the journal ${data.path} is not open`);
    return opened;
  };

  async function open(url: string | null): Promise<Opened> {
    const path = realPathOf(data.path);
    const db = await openFile(path);
    const log = writeAheadLog(db);
    opened = { path, db, log, store: makeStore(db, log) };
    hint(path, url);
    removeLeftovers(path);
    const network = networkFileSystem(path);
    if (network !== null) warn(`the journal ${path} lies on ${network}: locks and syncs cannot be trusted there, put it on a local disk`);
    return opened;
  }

  /** Opens the file and does the first writing; gives the file up again when that fails. */
  async function openFor<T>(url: string | null, first: (store: Store) => T): Promise<T> {
    const { log, store } = await open(url);
    try {
      const result = first(store);
      // From here on the file by itself says that a log goes with it.
      log.writeBack();
      return result;
    } catch (error) {
      close();
      throw error;
    }
  }

  function hint(path: string, url: string | null): void {
    try {
      writeOwner(path, thisProcess(startedAt, url));
    } catch (error) {
      warn(`the owner of the journal ${path} cannot be noted beside it: ${asJournalError(path, error).message}`);
    }
  }

  function close(): null {
    pacer.stop();
    if (opened === null) return null;
    const { path, db, log } = opened;
    opened = null;
    try {
      log.settle();
    } catch (error) {
      warn(asJournalError(path, error).message);
    }
    // SQLite puts the log, whose row says that no log goes with it, into the file and deletes it.
    db.close();
    removeOwner(path);
    return null;
  }

  const answers: { readonly [K in CallKind]: (asked: Calls[K]['with']) => Promise<Calls[K]['back']> | Calls[K]['back'] } = {
    load: () => openFor(null, (store) => store.begin()),
    resume: (url) => openFor(url, (store) => store.sequence()),
    append: (batch) => append(theOpened(), batch),
    url(url) {
      hint(theOpened().path, url);
      return null;
    },
    close,
  };
  const answer = <K extends CallKind>(kind: K, asked: Calls[K]['with']) => answers[kind](asked);

  async function serve(call: Call): Promise<void> {
    try {
      const back = await answer(call.kind, call.with);
      port.postMessage({ kind: 'done', id: call.id, back } satisfies FromWorker);
    } catch (error) {
      port.postMessage(failureOf(call.id, data.path, error));
    }
    // After the answer: a write-back takes syncs of its own, which only the next batch may have to wait for.
    if (call.kind === 'append' && opened !== null) pacer.appended(opened.log);
    if (call.kind === 'close') port.close();
  }

  let last: Promise<void> = Promise.resolve();
  port.on('message', (call: Call) => {
    last = last.then(() => serve(call));
  });
}

async function append({ path, store }: Opened, batch: Batch): Promise<number> {
  const began = performance.now();
  try {
    store.append(batch);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    if (!(await isStored(store, batch))) throw asJournalError(path, error);
  }
  return performance.now() - began;
}

/**
 * Whether a batch whose commit failed is stored after all. A failed sync leaves the batch whole in the log, where
 * the next start would find it although this process has undone it: so it is first written over. Where even that
 * cannot be synced, a power cut (nothing less) could still bring the batch back: then a write that was refused is
 * there after all; nothing else was granted since, so exclusion and the order of tokens hold.
 */
async function isStored(store: Store, batch: Batch): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      if (store.sequence() === batch.sequence) return true;
      store.overwrite();
      return false;
    } catch {
      // The disk still fails; the error that will be told is that of the append itself.
      if (tries === OVERWRITES_MAX) return false;
    }
    await pause(OVERWRITE_PAUSE_MS);
  }
}

function failureOf(id: number, path: string, error: unknown): FromWorker {
  if (error instanceof RangeError) return { kind: 'failed', id, code: null, message: error.message };
  const failure = error instanceof JournalError ? error : asJournalError(path, error);
  return { kind: 'failed', id, code: failure.code, message: failure.message };
}

