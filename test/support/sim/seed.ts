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
  const first = written(plan);
  const result = resultOf(seed, first.played);
  const text = difference(first, written(plan));
  return text === null ? result : { ...result, problems: [...result.problems, { by: 'crash', text }] };
}

function resultOf(seed: number, { history, problems }: Simulated): SeedResult {
  const lostWithoutToken = lostCountsWithoutToken(history.events).length;
  return { seed, problems, counts: { ...history.counts, lostWithoutToken } };
}

/** Every byte that was sent and all that happened. */
interface Written {
  readonly sent: readonly string[];
  readonly happened: string;
  readonly played: Simulated;
}

function written(plan: Plan): Written {
  const sent: string[] = [];
  const played = play(plan, (text) => void sent.push(text));
  const { history, problems } = played;
  return { sent, played, happened: JSON.stringify([history.events, history.lines, history.counts, problems]) };
}

/** What two runs of one plan do not have in common, in words. */
function difference(first: Written, second: Written): string | null {
  const length = Math.max(first.sent.length, second.sent.length);
  for (let index = 0; index < length; index += 1)
    if (first.sent[index] !== second.sent[index]) return `two runs of it differ at message ${index + 1}`;
  return first.happened === second.happened ? null : 'two runs of it differ in what happened';
}

/** Of every byte that was sent and all that happened. */
export function hashOf(plan: Plan): string {
  const { sent, happened } = written(plan);
  const hash = createHash('sha256');
  for (const text of sent) hash.update(text);
  return hash.update(happened).digest('hex');
}
