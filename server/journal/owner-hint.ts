import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Who has the journal, in a file beside it. Only a hint, for the sentence that refuses a second coordinator: the
 * lock is SQLite's, which says no more than "busy".
 */
export interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly startedAt: string;
  readonly url?: string;
}

const HINT_BYTES_MAX = 4096;
const TEXT_LENGTH_MAX = 200;

export const hintPath = (path: string): string => `${path}.owner`;

export const thisProcess = (startedAt: string, url: string | null): Owner => ({
  pid: process.pid,
  host: hostname(),
  startedAt,
  ...(url === null ? {} : { url }),
});

/** Renamed into place, so that a reader never meets half of it. */
export function writeOwner(path: string, owner: Owner): void {
  const draft = `${hintPath(path)}.${owner.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(owner)}\n`);
    renameSync(draft, hintPath(path));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

export const removeOwner = (path: string): void => rmSync(hintPath(path), { force: true });

/** Null when there is no hint, or none that can be believed. */
export function readOwner(path: string): Owner | null {
  try {
    if (statSync(hintPath(path)).size > HINT_BYTES_MAX) return null;
    const owner = ownerOf(JSON.parse(readFileSync(hintPath(path), 'utf8')));
    return owner !== null && isGone(owner) ? null : owner;
  } catch {
    // Absent, being replaced, or written by somebody else: the refusal then names nobody, which is all it can do.
    return null;
  }
}

export function describeOwner(path: string): string {
  const owner = readOwner(path);
  if (owner === null) return 'is in use by another process';
  const at = owner.url === undefined ? '' : `, ${owner.url}`;
  return `is in use by pid ${owner.pid} on ${owner.host} since ${owner.startedAt}${at}`;
}

function ownerOf(value: unknown): Owner | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!('pid' in value && 'host' in value && 'startedAt' in value)) return null;
  const { pid, host, startedAt } = value;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return null;
  if (typeof host !== 'string' || typeof startedAt !== 'string') return null;
  const url = 'url' in value && typeof value.url === 'string' ? { url: plain(value.url) } : {};
  return { pid, host: plain(host), startedAt: plain(startedAt), ...url };
}

/** The hint goes into a message for a terminal: no control characters, no endless text. */
const plain = (text: string): string => text.replaceAll(/\p{Cc}/gu, '').slice(0, TEXT_LENGTH_MAX);

/** A hint left behind by a process that was killed must not accuse it. Only this machine's processes can be asked. */
function isGone(owner: Owner): boolean {
  if (owner.host !== hostname()) return false;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    // EPERM: it lives, as another user.
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ESRCH';
  }
}
