import type { Happened } from '../history.ts';
import { eventsOf, instant, type Of } from './reading.ts';

/** S2: each grant's token is larger than that of every earlier grant. */
export function fallenTokens(events: readonly Happened[]): readonly string[] {
  const found: string[] = [];
  let largest: Of<'granted'> | undefined;
  for (const grant of eventsOf(events, 'granted')) {
    if (largest !== undefined && grant.token <= largest.token)
      found.push(`S2 token ${grant.token} at ${instant(grant.at)} after ${largest.token} at ${instant(largest.at)}`);
    if (largest === undefined || grant.token > largest.token) largest = grant;
  }
  return found;
}
