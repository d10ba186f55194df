import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { system } from './tools.ts';

/** The process that made it follows. */
export const DISK_PREFIX = 'leasehold-chaos-';
export const NETWORK_PREFIX = 'leasehold-chaos-';
const NETWORKS = '/run/netns';

/** What the machine keeps of a run that ends in the middle, unless it is undone: mounts, namespaces. Last made, first undone. */
const undone: (() => void)[] = [];

process.on('exit', () => {
  for (const undo of undone.splice(0).toReversed()) attempt(undo);
});

/** Undoes it when it is disposed of, and at the latest when this process ends. */
export function undoing(undo: () => void): Disposable {
  undone.push(undo);
  return {
    [Symbol.dispose]: () => {
      const at = undone.indexOf(undo);
      if (at < 0) return;
      undone.splice(at, 1);
      attempt(undo);
    },
  };
}

function attempt(undo: () => void): void {
  try {
    undo();
  } catch (error) {
    process.stderr.write(`not cleaned up: ${String(error)}\n`);
  }
}

/** A run that was killed could not clean up: what is named after a process that is no more is taken away. */
export function sweepLeftOvers(): void {
  for (const name of orphans(tmpdir(), DISK_PREFIX)) {
    const folder = join(tmpdir(), name);
    attempt(() => system('umount', '--lazy', folder));
    attempt(() => rmdirSync(folder));
  }
  for (const name of orphans(NETWORKS, NETWORK_PREFIX)) attempt(() => system('ip', 'netns', 'delete', name));
}

function orphans(folder: string, prefix: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => {
    const pid = name.startsWith(prefix) ? /^\d+/.exec(name.slice(prefix.length))?.[0] : undefined;
    return pid !== undefined && !existsSync(`/proc/${pid}`);
  });
}
