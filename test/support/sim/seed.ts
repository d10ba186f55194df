import { createHash } from 'node:crypto';
import type { Problem } from './checkers/all.ts';
import { lostCountsWithoutToken } from './checkers/counter.ts';
import type { Counts } from './history.ts';
import { planFor, type Plan } from './plan.ts';
import { play } from './simulation.ts';

export interface SeedResult {
  readonly seed: number;
  readonly problems: readonly Problem[];
  readonly counts: Counts & { readonly lostWithoutToken: number };
}

/** One seed. With `twice` it runs again, and every message, event and line has to be the same. */
export function runSeed(seed: number, twice: boolean): SeedResult {
  const plan = planFor(seed);
  const { history, problems } = play(plan);
  const counts = { ...history.counts, lostWithoutToken: lostCountsWithoutToken(history.events).length };
  const differs = twice && hashOf(plan) !== hashOf(plan);
  const all: readonly Problem[] = differs ? [...problems, { by: 'crash', text: 'two runs of it differ' }] : problems;
  return { seed, problems: all, counts };
}

/** Of every byte that was sent and all that happened. */
export function hashOf(plan: Plan): string {
  const hash = createHash('sha256');
  const { history, problems } = play(plan, (text) => void hash.update(text));
  hash.update(JSON.stringify([history.events, history.lines, history.counts, problems]));
  return hash.digest('hex');
}
