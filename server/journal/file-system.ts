import { lstatSync, readlinkSync, realpathSync, statfsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { journalError, systemCode } from './failures.ts';

const LINKS_MAX = 40;

/**
 * The file that `path` means, through every symbolic link, also when that file is yet to be made: two paths to one
 * file must meet the same lock, log and hint.
 */
export function realPathOf(path: string, linksLeft: number = LINKS_MAX): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  if (linksLeft > 0 && lstatSync(full, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    return realPathOf(resolve(dirname(full), readlinkSync(full)), linksLeft - 1);
  }
  return join(folderOf(full), basename(full));
}

function folderOf(path: string): string {
  try {
    return realpathSync(dirname(path));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    const what = `cannot be made, its folder ${dirname(path)} does not exist`;
    throw journalError('not-writable', path, what, error, 'create the folder, or name a file in one that exists');
  }
}

/** `statfs` types (Linux) of file systems on which locks or syncs of other machines' clients cannot be trusted. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x5346414f, 'AFS'],
  [0x564c, 'NCP'],
]);

/** What kind of network file system holds `path`; null when it is a local one, or cannot be told. */
export function networkFileSystem(path: string): string | null {
  if (process.platform === 'win32') return path.startsWith('\\\\') ? 'a network share' : null;
  if (process.platform !== 'linux') return null;
  try {
    // The kernel's word may come sign-extended.
    return networkTypes.get(statfsSync(dirname(path)).type >>> 0) ?? null;
  } catch {
    // It only decides whether to warn; what is wrong with the folder shows when the file is opened.
    return null;
  }
}
