import { availableParallelism, release } from 'node:os';
import type { Played } from './play.ts';
import type { ChaosRun } from './run.ts';

/** What was played, with what it takes to play it again. */
export function runOf(played: Played, of: Pick<ChaosRun, 'seed' | 'command' | 'commit' | 'leftOut'>): ChaosRun {
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
