import type { Happened } from '../history.ts';
import { beliefsIn, eventsOf, instant } from './reading.ts';

/**
 * S5, S6: the coordinator ends no lease by time while its holder believes, whether anybody waits for it or not. S9: none
 * is over for a renewal that lay in a socket before the lease was ended.
 */
export function earlyEnds(events: readonly Happened[]): readonly string[] {
  const ends = new Map(eventsOf(events, 'expired').map((ended) => [ended.token, ended]));
  const early = beliefsIn(events).flatMap(({ client, token, to }) => {
    const ended = ends.get(token);
    return ended === undefined || to <= ended.at
      ? []
      : [`S5 "${ended.name}": ${token} ended at ${instant(ended.at)}; ${client} believes until ${instant(to)}`];
  });
  const arrivals = new Map(eventsOf(events, 'renewal-arrived').map((one) => [`${one.renewal} ${one.token}`, one.at]));
  const late = eventsOf(events, 'renewal-late').flatMap(({ renewal, token }) => {
    const [arrivedAt, ended] = [arrivals.get(`${renewal} ${token}`), ends.get(token)];
    return arrivedAt === undefined || ended === undefined || arrivedAt >= ended.at
      ? []
      : [`S9 "${ended.name}": ${token} ended at ${instant(ended.at)}; its renewal was there at ${instant(arrivedAt)}`];
  });
  return [...early, ...late];
}
