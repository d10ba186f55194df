import { execFileSync } from 'node:child_process';
import { availableParallelism, release } from 'node:os';
import { ROOT } from '../real/support/built.ts';
import type { Played } from './play.ts';
import type { ChaosRun } from './run.ts';

/** What was played, with what it takes to play it again. */
export function runOf(played: Played, of: Pick<ChaosRun, 'seed' | 'command'>): ChaosRun {
  const { from, to, clients, faults, entries } = played;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const names = new Set(entries.flatMap((entry) => (entry.event === 'held' ? [entry.name] : [])));
  return {
    ...of,
    commit,
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
