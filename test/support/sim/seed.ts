import { createHash } from 'node:crypto';
import type { Problem } from './checkers/all.ts';
import { lostCountsWithoutToken } from './checkers/counter.ts';
import { planFor, type Plan } from './plan.ts';
import { play, type Simulated } from './simulation.ts';
import type { CountName } from './tally.ts';

export interface SeedResult {
  readonly seed: number;
  readonly problems: readonly Problem[];
  readonly counts: Readonly<Record<CountName, number>>;
}

/** One seed. With `twice` it runs a second time, and every message, event and line has to be the same. */
export function runSeed(seed: number, twice: boolean): SeedResult {
  const plan = planFor(seed);
  if (!twice) return resultOf(seed, play(plan));
  const [first, second] = [hashed(plan), hashed(plan)];
  const result = resultOf(seed, first.played);
  if (first.hash === second.hash) return result;
  return { ...result, problems: [...result.problems, { by: 'crash', text: 'two runs of it differ' }] };
}

function resultOf(seed: number, { history, problems }: Simulated): SeedResult {
  const lostWithoutToken = lostCountsWithoutToken(history.events).length;
  return { seed, problems, counts: { ...history.counts, lostWithoutToken } };
}

/** Of every byte that was sent and all that happened. */
export const hashOf = (plan: Plan): string => hashed(plan).hash;

function hashed(plan: Plan): { readonly hash: string; readonly played: Simulated } {
  const hash = createHash('sha256');
  const played = play(plan, (text) => void hash.update(text));
  const { history, problems } = played;
  hash.update(JSON.stringify([history.events, history.lines, history.counts, problems]));
  return { hash: hash.digest('hex'), played };
}
