import Database from 'better-sqlite3';
import { randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { checkFile } from './file-check.ts';
import { asJournalError, isBusy, journalError, systemCode } from './failures.ts';
import { LOG_BYTES_KEPT } from './log.ts';
import { APPLICATION_ID, insertJournalRow, migrate, migrations } from './schema.ts';
import { describeOwner } from './owner-hint.ts';

/** Two that start at one instant get in each other's way for the moment of a look; an owner stays. */
const BUSY_FOR_MS = 250;

/**
 * Opens the journal at `path` (a real path) for this process alone, making it if there is none. From then on nothing
 * in this process may open the file by `node:fs`: on POSIX closing any descriptor of a file gives up the process's
 * locks on it, SQLite's too.
 */
export async function openFile(path: string): Promise<Database.Database> {
  const until = performance.now() + BUSY_FOR_MS;
  for (;;) {
    try {
      return openNow(path);
    } catch (error) {
      if (!isBusy(error)) throw asJournalError(path, error);
      if (performance.now() > until) throw journalError('in-use', path, describeOwner(path), error);
    }
    await pause(10 + Math.random() * 40);
  }
}

function openNow(path: string): Database.Database {
  if (!isThere(path)) makeFile(path);
  checkAccess(path);
  checkFile(path);
  const db = new Database(path, { fileMustExist: true, timeout: 0 });
  try {
    takeExclusively(db, path);
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function isThere(path: string): boolean {
  // The log first: one that is there now was there before the file, or its file was made in between.
  const log = [`${path}-wal`, `${path}-journal`].find((beside) => sizeOf(beside) !== null);
  if (sizeOf(path) === null) {
    if (log === undefined) return false;
    throw journalError('foreign-log', path, `is not there, but a log of it is (${log})`);
  }
  // A journal is only ever in WAL mode; SQLite would undo the file by whatever lies here.
  if ((sizeOf(`${path}-journal`) ?? 0) > 0)
    throw journalError('foreign-log', path, `has a rollback journal ${path}-journal beside it`);
  return true;
}

const sizeOf = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.size ?? null;

/** What SQLite would find out only after it has begun to write, or would take for an empty database. */
function checkAccess(path: string): void {
  const stat = statSync(path);
  if (!stat.isFile()) throw journalError('not-a-journal', path, 'is not a file');
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw journalError(
      'not-writable',
      path,
      `belongs to user ${stat.uid} and cannot be read and written by this one`,
      error,
    );
  }
  checkFolder(path);
  // SQLite takes this for a new database, and tokens would begin anew.
  if (stat.size === 0) throw journalError('not-a-journal', path, 'is an empty file (0 bytes)');
}

function checkFolder(path: string): void {
  try {
    accessSync(dirname(path), constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw journalError('not-writable', path, `lies in the folder ${dirname(path)}, which cannot be written`, error);
  }
}

/**
 * Made whole under another name and linked into place, so that nobody ever meets half a journal, and so that of two
 * that make it at once one wins and the other opens the winner's.
 */
function makeFile(path: string): void {
  checkFolder(path);
  const draft = `${path}.new-${randomUUID()}`;
  try {
    const db = new Database(draft);
    try {
      takeExclusively(db, path);
      db.pragma(`application_id = ${APPLICATION_ID}`);
      migrate(db, migrations);
      insertJournalRow(db, randomUUID());
    } finally {
      db.close();
    }
    moveIntoPlace(draft, path);
    syncFolder(dirname(path));
  } finally {
    for (const end of ['', '-wal']) rmSync(`${draft}${end}`, { force: true });
  }
}

function moveIntoPlace(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemCode(error))) throw error;
    // No hard links on this file system: one instant is left in which two could both make a file.
    if (sizeOf(path) === null) renameSync(draft, path);
  }
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * The order matters: `locking_mode` before the log is opened keeps the log's index in this process and refuses every
 * other; `synchronous` read before the first statement says FULL but better-sqlite3's default for WAL is NORMAL,
 * which loses acknowledged batches at a power cut. Hence all three are read back at the end.
 */
function takeExclusively(db: Database.Database, path: string): void {
  db.pragma('locking_mode = EXCLUSIVE');
  db.pragma('journal_mode = WAL');
  db.prepare('SELECT count(*) FROM sqlite_master').get();
  db.pragma('synchronous = FULL');
  if (process.platform === 'darwin') {
    // Without these macOS lets a sync end before the drive has stored anything.
    db.pragma('fullfsync = 1');
    db.pragma('checkpoint_fullfsync = 1');
  }
  db.pragma('wal_autocheckpoint = 0');
  db.pragma(`journal_size_limit = ${LOG_BYTES_KEPT}`);
  const modes = ['locking_mode', 'journal_mode', 'synchronous'].map((name) =>
    String(db.pragma(name, { simple: true })),
  );
  if (modes.join() !== 'exclusive,wal,2')
    throw journalError('io', path, `cannot be made safe here, SQLite stays at ${modes.join()}`);
}
