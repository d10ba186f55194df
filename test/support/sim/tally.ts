import type { Problem } from './checkers/all.ts';
import type { Counts } from './history.ts';
import type { SeedResult } from './seed.ts';

/** What many seeds came to. */
export interface Tally {
  seeds: number;
  readonly counts: Record<string, number>;
  /** Cells of the state tables that were visited. */
  readonly cells: Set<string>;
  readonly failed: { readonly seed: number; readonly problems: readonly Problem[] }[];
}

/** Of one seed at most so many problems are kept. */
const PROBLEMS_MAX = 5;

export const emptyTally = (): Tally => ({ seeds: 0, counts: {}, cells: new Set(), failed: [] });

export function addTo(tally: Tally, { seed, problems, counts }: SeedResult): void {
  tally.seeds += 1;
  for (const [name, count] of Object.entries(counts)) tally.counts[name] = (tally.counts[name] ?? 0) + count;
  if (problems.length > 0) tally.failed.push({ seed, problems: problems.slice(0, PROBLEMS_MAX) });
}

export function join(tally: Tally, { seeds, counts, cells, failed }: Tally): void {
  tally.seeds += seeds;
  for (const [name, count] of Object.entries(counts)) tally.counts[name] = (tally.counts[name] ?? 0) + count;
  for (const cell of cells) tally.cells.add(cell);
  tally.failed.push(...failed);
}

export type CountName = keyof Counts | 'lostWithoutToken';

/** Each of them has to happen in a run of seeds. Total: a count that is added to the history does not compile without it. */
const NEEDED: Readonly<Record<CountName, true>> = {
  grants: true,
  contested: true,
  losses: true,
  recovered: true,
  doubts: true,
  resumed: true,
  writes: true,
  undone: true,
  gone: true,
  faults: true,
  restarts: true,
  clientRestarts: true,
  farewells: true,
  revoked: true,
  forced: true,
  stolen: true,
  handedOver: true,
  madeWay: true,
  putAway: true,
  reloaded: true,
  takenOver: true,
  separated: true,
  restored: true,
  disksLost: true,
  fenced: true,
  views: true,
  drained: true,
  denied: true,
  lostWithoutToken: true,
};

/** What a run of seeds did not contain: it has shown nothing about it. A count that nobody made is one that is zero. */
export const missing = ({ counts }: Pick<Tally, 'counts'>): readonly string[] =>
  Object.keys(NEEDED).filter((name) => !((counts[name] ?? 0) > 0));
