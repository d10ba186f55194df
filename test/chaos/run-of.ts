import { execFileSync } from 'node:child_process';
import { availableParallelism, release } from 'node:os';
import { ROOT } from '../real/support/built.ts';
import type { Played } from './play.ts';
import type { ChaosRun } from './run.ts';

/** To be asked before a run: others may commit meanwhile. */
export const presentCommit = (): string =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();

/** What was played, with what it takes to play it again. */
export function runOf(played: Played, of: Pick<ChaosRun, 'seed' | 'command' | 'commit'>): ChaosRun {
  const { from, to, clients, faults, entries } = played;
  const names = new Set(entries.flatMap((entry) => (entry.event === 'held' ? [entry.name] : [])));
  return {
    ...of,
    date: new Date().toISOString(),
    machine: `Linux ${release()}, ${availableParallelism()} cores, Node ${process.versions.node}`,
    from,
    to,
    clients,
    faults,
    entries,
    names: [...names].toSorted(),
  };
}
