import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { onPath } from '../../scripts/support/system.ts';

/** What some faults need of the machine, beside Node. */
export type Tool = 'mounts' | 'namespaces' | 'strace' | 'faketime';

const LIBRARY = ['/usr/lib', '/usr/lib64', '/usr/local/lib', `/usr/lib/${debianTriple()}`].map(
  (folder) => `${folder}/faketime/libfaketime.so.1`,
);

/** Why a tool cannot be used here, in words; null: it can. Each is tried, since root in a container may be less. */
const TRIALS: Record<Tool, () => string | null> = {
  mounts: () => (runs('unshare', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt') ? null : 'mounting needs root'),
  namespaces: () => {
    if (onPath('ip') === null) return 'there is no `ip` (Debian package iproute2)';
    return runs('unshare', '--net', 'ip', 'link', 'add', 'leasehold0', 'type', 'veth', 'peer', 'name', 'leasehold1')
      ? null
      : 'a network namespace needs root';
  },
  strace: () => {
    if (onPath('strace') === null) return 'there is no `strace`';
    return runs('strace', '-qq', '-e', 'trace=none', 'true') ? null : 'tracing is not allowed';
  },
  faketime: () => (faketimeLibrary() === null ? 'there is no libfaketime (Debian package libfaketime)' : null),
};

export function missingTools(): ReadonlyMap<Tool, string> {
  const missing = new Map<Tool, string>();
  for (const tool of Object.keys(TRIALS) as Tool[]) {
    const why = TRIALS[tool](); // The keys of this very table.
    if (why !== null) missing.set(tool, why);
  }
  return missing;
}

export const faketimeLibrary = (): string | null => LIBRARY.find((path) => existsSync(path)) ?? null;

function debianTriple(): string {
  return { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }[process.arch as string] ?? 'none'; // Others are undefined.
}

const runs = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** A command of the system that has to succeed. */
export function system(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** A program that is started under it does not hear the Ctrl-C that is meant for this one. */
export const OWN_SESSION: readonly string[] = onPath('setsid') === null ? [] : ['setsid'];
