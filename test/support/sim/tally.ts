import type { Problem } from './checkers/all.ts';
import type { SeedResult } from './seed.ts';

/** What many seeds came to. */
export interface Tally {
  seeds: number;
  readonly counts: Record<string, number>;
  readonly failed: { readonly seed: number; readonly problems: readonly Problem[] }[];
}

/** Of one seed at most so many problems are kept. */
const PROBLEMS_MAX = 5;

export const emptyTally = (): Tally => ({ seeds: 0, counts: {}, failed: [] });

export function addTo(tally: Tally, { seed, problems, counts }: SeedResult): void {
  tally.seeds += 1;
  for (const [name, count] of Object.entries(counts)) tally.counts[name] = (tally.counts[name] ?? 0) + count;
  if (problems.length > 0) tally.failed.push({ seed, problems: problems.slice(0, PROBLEMS_MAX) });
}

export function join(tally: Tally, { seeds, counts, failed }: Tally): void {
  tally.seeds += seeds;
  for (const [name, count] of Object.entries(counts)) tally.counts[name] = (tally.counts[name] ?? 0) + count;
  tally.failed.push(...failed);
}

/** What a run of seeds did not contain: it has shown nothing about it. */
export const missing = ({ counts }: Tally): readonly string[] =>
  Object.entries(counts)
    .filter(([, count]) => count === 0)
    .map(([name]) => name);
