import type { Problem } from '../checkers/all.ts';
import { playSeeds } from '../pool.ts';
import type { Mutant } from './registry.ts';

export interface Hunted {
  readonly mutant: Mutant;
  readonly seconds: number;
  readonly seeds: number;
  /** The first seed that shows it, or null. */
  readonly found: { readonly seed: number; readonly problems: readonly Problem[] } | null;
}

export interface HuntOptions {
  readonly from: number;
  readonly workers: number;
  /** Null: as many as the bug is said to need. */
  readonly seeds: number | null;
}

/** Plays with the bug planted until a seed shows it. */
export async function hunt(mutant: Mutant, { from, workers, seeds }: HuntOptions): Promise<Hunted> {
  const startMs = performance.now();
  const { patches, within } = mutant;
  const tally = await playSeeds({ from, seeds: seeds ?? within, workers, patches, stopAfter: 1 });
  return {
    mutant,
    seconds: (performance.now() - startMs) / 1_000,
    seeds: tally.seeds,
    found: tally.failed[0] ?? null,
  };
}

/** Found by whom the registry names, in a seed that has not more than that to say. */
export const isAsSaid = ({ mutant, found }: Hunted): boolean =>
  found !== null && found.problems.some(({ by }) => by === mutant.by);
