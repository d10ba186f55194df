import type { Happened } from '../history.ts';
import { eventsOf, instant } from './reading.ts';

/**
 * S10: without a fault no grant is waited out of which nobody was told. It was made for a claim that was given up at the
 * same moment, and whoever gave that up gives it back.
 */
export function unwantedGrants(events: readonly Happened[]): readonly string[] {
  const calmAt = eventsOf(events, 'calm')[0]?.at ?? Infinity;
  const told = new Set(eventsOf(events, 'claim-ended').map(({ token }) => token));
  const waitedOut = new Map(
    eventsOf(events, 'ended').flatMap((ended) => (ended.byTime ? [[ended.token, ended.at] as const] : [])),
  );
  return eventsOf(events, 'granted').flatMap(({ name, token, at }) => {
    const endedAt = waitedOut.get(token);
    return at < calmAt || told.has(token) || endedAt === undefined
      ? []
      : [`S10 "${name}": ${token} granted at ${instant(at)} to nobody was waited out until ${instant(endedAt)}`];
  });
}
