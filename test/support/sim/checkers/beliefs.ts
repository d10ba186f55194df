import type { Belief, Happened } from '../history.ts';
import { beliefInWords, beliefsIn } from './reading.ts';

/** S1: no two clients believe at once that they hold one name, and no client by two grants. */
export function overlappingBeliefs(events: readonly Happened[]): readonly string[] {
  const found: string[] = [];
  // Of each name the belief that reaches furthest so far, in order of their beginnings.
  const furthest = new Map<string, Belief>();
  for (const belief of beliefsIn(events).toSorted((a, b) => a.from - b.from)) {
    const before = furthest.get(belief.name);
    const isOther = before !== undefined && (before.token !== belief.token || before.client !== belief.client);
    if (isOther && belief.from < before.to)
      found.push(`S1 "${belief.name}": ${beliefInWords(before)} and ${beliefInWords(belief)}`);
    if (before === undefined || belief.to > before.to) furthest.set(belief.name, belief);
  }
  return found;
}
