import Database from 'better-sqlite3';
import { copyFileSync, constants, linkSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { journalError, meaningOf, systemCode } from './failures.ts';
import { logState } from './log-header.ts';
import { APPLICATION_ID, applicationIdOf, migrations, versionOf } from './schema.ts';

/**
 * Looks at a file before it is opened for good, and changes nothing at its path, whatever it finds: closing SQLite
 * on a file with a log would write the log into it, right or wrong. So the looking is done read-only and under other
 * names (hard links in a folder beside it, where SQLite may leave what it likes). Links have the locks of the file:
 * the look fails as "busy" while somebody has it, and nobody can begin to write during the look.
 */
export function checkFile(path: string): void {
  const folder = mkdtempSync(`${path}${CHECK_SUFFIX}`);
  try {
    const log = logState(`${path}-wal`);
    const alone = lookAt(nameAgain(path, join(folder, 'alone.db')));
    if (log === 'empty') return judgeAlone(path, alone);
    if (log === 'not-a-log')
      throw journalError('foreign-log', path, `has beside it a file ${path}-wal that is not a log`);
    const both = nameAgain(path, join(folder, 'both.db'));
    nameAgain(`${path}-wal`, `${both}-wal`);
    judgeWithLog(path, alone, lookAt(both));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const CHECK_SUFFIX = '.check-';
const LEFTOVER_MS = 60_000;

/** Removes what a process that was killed during its look left behind; only once the lock is ours. */
export function removeLeftovers(path: string): void {
  const begin = `${basename(path)}${CHECK_SUFFIX}`;
  for (const name of readdirSync(dirname(path))) {
    const leftover = join(dirname(path), name);
    if (!name.startsWith(begin)) continue;
    const stat = statSync(leftover, { throwIfNoEntry: false });
    // A young one may be another process's, which is about to be refused.
    if (stat === undefined || Date.now() - stat.mtimeMs < LEFTOVER_MS) continue;
    rmSync(leftover, { recursive: true, force: true });
  }
}

function nameAgain(from: string, to: string): string {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL'].includes(systemCode(error))) throw error;
    // No hard links on this file system. A copy has no lock, so it is looked for first.
    throwIfLocked(from);
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
  return to;
}

/**
 * A reader that wants the file for itself is told "busy" when somebody has it, and otherwise fails before it has
 * touched anything, since a read-only descriptor cannot hold an exclusive lock.
 */
function throwIfLocked(path: string): void {
  const db = new Database(path, { readonly: true, timeout: 0 });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.prepare('SELECT 1 FROM sqlite_master').get();
  } catch (error) {
    if (meaningOf(error) === 'in-use') throw error;
  } finally {
    db.close();
  }
}

interface Row {
  readonly id: string;
  readonly sequence: number;
  readonly logBase: number;
  readonly withLog: number;
}

type Look =
  | { readonly kind: 'unreadable'; readonly error: unknown }
  | {
      readonly kind: 'readable';
      readonly applicationId: number;
      readonly version: number;
      /** Null when there is no such row. */
      readonly row: Row | null;
      /** What SQLite found wrong with the pages; null when nothing. */
      readonly fault: string | null;
    };

function lookAt(path: string): Look {
  const db = new Database(path, { readonly: true, timeout: 0 });
  try {
    const applicationId = applicationIdOf(db);
    const version = versionOf(db);
    // Nothing more is asked of a file that is somebody else's or of a later version: its tables may be any.
    if (applicationId !== APPLICATION_ID || version > migrations.length) {
      return { kind: 'readable', applicationId, version, row: null, fault: null };
    }
    return { kind: 'readable', applicationId, version, row: rowOf(db), fault: faultOf(db) };
  } catch (error) {
    if (!['not-a-journal', 'damaged'].includes(meaningOf(error))) throw error;
    return { kind: 'unreadable', error };
  } finally {
    db.close();
  }
}

function rowOf(db: Database.Database): Row | null {
  const known = db.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'journal'`).get();
  if (known === undefined) return null;
  const statement = db.prepare<[], Row>('SELECT id, sequence, log_base AS logBase, with_log AS withLog FROM journal');
  return statement.get() ?? null;
}

function faultOf(db: Database.Database): string | null {
  const found = db.pragma('quick_check(1)', { simple: true });
  return found === 'ok' ? null : String(found);
}

function judgeAlone(path: string, alone: Look): void {
  const row = judgePages(path, alone);
  if (row.withLog === 0) return;
  throw journalError(
    'damaged',
    path,
    `has lost its log ${path}-wal: it was copied without it, or the log was deleted, and what the log held is missing`,
  );
}

/** What makes a file unfit, log or not; gives its row. */
function judgePages(path: string, look: Look): Row {
  if (look.kind === 'unreadable') {
    const damaged = meaningOf(look.error) === 'damaged';
    throw damaged
      ? journalError('damaged', path, 'is damaged', look.error)
      : journalError('not-a-journal', path, 'is not a Leasehold journal, or its first page is damaged', look.error);
  }
  if (look.applicationId !== APPLICATION_ID) throw journalError('not-a-journal', path, 'is not a Leasehold journal');
  if (look.version > migrations.length) {
    const versions = `version ${look.version}, this program knows ${migrations.length}`;
    throw journalError('newer-file', path, `was written by a newer version of Leasehold (${versions})`);
  }
  if (look.fault !== null) throw journalError('damaged', path, `is damaged (${look.fault.replaceAll('\n', ' ')})`);
  if (look.row === null) throw journalError('damaged', path, 'is damaged, it has no id');
  return look.row;
}

function judgeWithLog(path: string, alone: Look, both: Look): void {
  // A file without a fault that gets one by the log: the log is to blame. Otherwise the file itself.
  if (isSound(alone) && !isSound(both)) throw foreign(path, 'does not fit it');
  if (alone.kind === 'readable' && alone.applicationId !== APPLICATION_ID) judgePages(path, alone);
  const row = judgePages(path, both);
  // A power cut while the log was being written back may have left the file unreadable alone; its log mends that.
  if (alone.kind === 'unreadable' || alone.row === null) return;
  if (alone.row.id !== row.id) throw foreign(path, `belongs to the journal ${row.id}, the file is ${alone.row.id}`);
  if (alone.row.sequence >= row.logBase && alone.row.sequence <= row.sequence) return;
  const reach = `covers batches ${row.logBase} to ${row.sequence}`;
  throw foreign(path, `is from another time: it ${reach}, the file stands at ${alone.row.sequence}`);
}

const isSound = (look: Look): boolean =>
  look.kind === 'readable' && look.fault === null && look.applicationId === APPLICATION_ID;

const foreign = (path: string, what: string): Error =>
  journalError('foreign-log', path, `has a log ${path}-wal beside it that ${what}`);
