import type { Happened } from '../history.ts';
import { eventsOf, instant, type Of } from './reading.ts';

/** A counter guarded by lease and token loses nothing: each write is one more than the one before it. */
export const lostCounts = (events: readonly Happened[]): readonly string[] => lostOf(events, 'fenced');

/** What the same counter loses where nobody looks at the token. */
export const lostCountsWithoutToken = (events: readonly Happened[]): readonly string[] => lostOf(events, 'open');

function lostOf(events: readonly Happened[], counter: Of<'counted'>['counter']): readonly string[] {
  const found: string[] = [];
  const counted = eventsOf(events, 'counted').filter((one) => one.counter === counter);
  for (const [name, writes] of Map.groupBy(counted, (one) => one.name)) {
    let value = 0;
    for (const { at, client, token, read } of writes) {
      if (read !== value)
        found.push(
          `counter "${name}": ${client} with ${token} wrote ${read + 1} over ${value} at ${instant(at)} (${counter})`,
        );
      value = read + 1;
    }
  }
  return found;
}
