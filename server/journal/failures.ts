import { JournalError, type JournalErrorCode } from '../core/journal-port.ts';

/** Codes of SQLite and of the operating system, by how they begin; the first that fits counts. */
const meanings: readonly (readonly [prefix: string, code: JournalErrorCode])[] = [
  ['SQLITE_BUSY', 'in-use'],
  ['SQLITE_LOCKED', 'in-use'],
  ['SQLITE_FULL', 'full'],
  // No space for the index that SQLite makes when it looks at a file with a log.
  ['SQLITE_IOERR_SHMSIZE', 'full'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['SQLITE_NOTADB', 'not-a-journal'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_IOERR_CORRUPTFS', 'damaged'],
  ['SQLITE_CANTOPEN', 'not-writable'],
  ['SQLITE_READONLY', 'not-writable'],
  ['SQLITE_PERM', 'not-writable'],
  ['EACCES', 'not-writable'],
  ['EPERM', 'not-writable'],
  ['EROFS', 'not-writable'],
  ['ENOENT', 'not-writable'],
  ['ENOTDIR', 'not-writable'],
];

/** The `code` of an error of SQLite or of the operating system; '' when it has none. */
export function systemCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

export function meaningOf(error: unknown): JournalErrorCode {
  // JSON that this program wrote and that is none any more.
  if (error instanceof SyntaxError) return 'damaged';
  const code = systemCode(error);
  return meanings.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'io';
}

/** What the disk has no part in: a batch that does not follow, a value that no column takes. */
export const isCallersFault = (error: unknown): boolean =>
  !(error instanceof JournalError) &&
  /^$|^SQLITE_(CONSTRAINT|MISMATCH|RANGE|TOOBIG|ERROR|MISUSE)/.test(systemCode(error));

export const isBusy = (error: unknown): boolean => meaningOf(error) === 'in-use';

const cures: Record<JournalErrorCode, string> = {
  'in-use': 'stop the other coordinator first, or give this one a file of its own',
  'newer-file': 'start the version of Leasehold that wrote it, or a later one',
  damaged: 'restore it from a backup; nothing was changed, and a new file would lose every lease',
  'foreign-log': 'put the right log back, or restore both from one backup; nothing was changed',
  'not-a-journal': 'name another file, or move this one away; nothing was changed',
  'not-writable': 'give this user the right to read and write the file and its folder',
  full: 'free some space; writing goes on by itself then',
  io: 'look at the disk and at the system log; writing is tried again',
  closed: 'open it again',
};

/** One sentence that names the file, what is wrong with it, and what to do: the code's own cure, or a closer one. */
export function journalError(
  code: JournalErrorCode,
  path: string,
  what: string,
  cause?: unknown,
  cure: string = cures[code],
): JournalError {
  const detail = systemCode(cause);
  const named = detail === '' ? '' : ` (${detail})`;
  return new JournalError(code, `the journal ${path} ${what}${named}: ${cure}`, cause === undefined ? {} : { cause });
}

const whats: Record<JournalErrorCode, string> = {
  'in-use': 'is in use by another process',
  'newer-file': 'was written by a newer version',
  damaged: 'is damaged',
  'foreign-log': 'has a log beside it that is not its own',
  'not-a-journal': 'is not a Leasehold journal, or its first page is damaged',
  'not-writable': 'cannot be opened for writing',
  full: 'cannot be written, the disk is full',
  io: 'cannot be read or written, the disk reports an error',
  closed: 'is closed',
};

/** Whatever went wrong, as the one error of journals. */
export function asJournalError(path: string, error: unknown): JournalError {
  if (error instanceof JournalError) return error;
  const code = meaningOf(error);
  return journalError(code, path, whats[code], error);
}
