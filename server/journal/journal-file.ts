import type { Database } from 'better-sqlite3';
import { setTimeout as pause } from 'node:timers/promises';
import { JournalError, type Batch } from '../core/journal-port.ts';
import { asJournalError, isCallersFault } from './failures.ts';
import { removeLeftovers } from './file-check.ts';
import { openFile } from './file-open.ts';
import { networkFileSystem, realPathOf } from './file-system.ts';
import { writeAheadLog, type Log } from './log.ts';
import { writeBackPacer } from './log-pacer.ts';
import { removeOwner, thisProcess, writeOwner } from './owner-hint.ts';
import { makeStore, type Store } from './store.ts';
import type { StoredRows } from './stored-rows.ts';

/** How often, and how far apart, what a failed append left in the log is written over before the failure is told. */
const OVERWRITES_MAX = 3;
const OVERWRITE_PAUSE_MS = 50;

/** A journal's file, from its opening to its closing, on the thread that owns it. */
export interface JournalFile {
  load(): Promise<StoredRows>;
  /** Opens the file within the run that another thread began; the number of the last batch stored. */
  resume(url: string | null): Promise<number>;
  /** How long the transaction took, its sync included, in ms. */
  append(batch: Batch): Promise<number>;
  /** To be called once an append was answered: writing the log back takes syncs that only the next may wait for. */
  appended(): void;
  nameOwner(url: string): void;
  close(): void;
}

interface Opened {
  readonly path: string;
  readonly db: Database;
  readonly log: Log;
  readonly store: Store;
}

export function journalFile(givenPath: string, warn: (message: string) => void): JournalFile {
  const startedAt = new Date().toISOString();
  const pacer = writeBackPacer((error) => warn(asJournalError(givenPath, error).message));
  let opened: Opened | null = null;

  function theOpened(): Opened {
    if (opened === null) throw new JournalError('closed', `the journal ${givenPath} is not open`);
    return opened;
  }

  /** Opens the file and does the first writing; gives the file up again when that fails. */
  async function open<T>(url: string | null, first: (store: Store) => T): Promise<T> {
    const path = realPathOf(givenPath);
    opened = openedFile(path, await openFile(path));
    try {
      const result = first(opened.store);
      // From here on the file by itself says that a log goes with it.
      opened.log.writeBack();
      nameOwner(url);
      removeLeftovers(path);
      warnOfNetwork(path, warn);
      return result;
    } catch (error) {
      close();
      throw error;
    }
  }

  function nameOwner(url: string | null): void {
    const { path } = theOpened();
    try {
      writeOwner(path, thisProcess(startedAt, url));
    } catch (error) {
      warn(`the owner of the journal ${path} cannot be noted beside it: ${asJournalError(path, error).message}`);
    }
  }

  function close(): void {
    pacer.stop();
    if (opened === null) return;
    const { path, db, log } = opened;
    opened = null;
    try {
      log.settle();
    } catch (error) {
      warn(asJournalError(path, error).message);
    }
    // SQLite puts the log, whose row says that no log goes with it, into the file and deletes it. The hint goes
    // first: behind the close it could be the next owner's.
    removeOwner(path);
    db.close();
  }

  return {
    load: () => open(null, (store) => store.begin()),
    resume: (url) => open(url, (store) => store.sequence()),
    append: (batch) => append(theOpened(), batch),
    appended() {
      if (opened !== null) pacer.appended(opened.log);
    },
    nameOwner,
    close,
  };
}

function openedFile(path: string, db: Database): Opened {
  try {
    const log = writeAheadLog(db);
    return { path, db, log, store: makeStore(db, log) };
  } catch (error) {
    db.close();
    throw asJournalError(path, error);
  }
}

function warnOfNetwork(path: string, warn: (message: string) => void): void {
  const network = networkFileSystem(path);
  if (network === null) return;
  warn(`the journal ${path} lies on ${network}: locks and syncs cannot be trusted there, put it on a local disk`);
}

async function append({ path, store }: Opened, batch: Batch): Promise<number> {
  const began = performance.now();
  try {
    store.append(batch);
  } catch (error) {
    if (isCallersFault(error)) throw error;
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
