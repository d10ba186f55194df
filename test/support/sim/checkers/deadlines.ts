import type { Happened } from '../history.ts';
import { beliefsIn, eventsOf, instant, undoneAt } from './reading.ts';

/** S5, S6: the coordinator ends no lease by time while its holder believes, whether anybody waits for it or not. */
export function earlyEnds(events: readonly Happened[]): readonly string[] {
  // The last one of each, as far as it remained.
  const ends = new Map(remainingEnds(events).map((ended) => [ended.token, ended]));
  return beliefsIn(events).flatMap(({ client, token, to }) => {
    const ended = ends.get(token);
    return ended === undefined || !ended.byTime || to <= ended.at
      ? []
      : [`S5 "${ended.name}": ${token} ended at ${instant(ended.at)}; ${client} believes until ${instant(to)}`];
  });
}

/**
 * Without those that a crash undid, since no disk had them, and those in the quiet time of a disk that was replaced: an
 * older copy may know of a shorter window than the holder, and it is for that that nothing is granted meanwhile.
 */
function remainingEnds(events: readonly Happened[]): ReturnType<typeof eventsOf<'ended'>> {
  const disks = eventsOf(events, 'disk-replaced');
  const grants = eventsOf(events, 'granted');
  return eventsOf(events, 'ended').filter((ended) => {
    const disk = disks.findLast((one) => one.at <= ended.at);
    if (disk !== undefined && !grants.some((grant) => grant.at > disk.at && grant.at < ended.at)) return false;
    return undoneAt(events, ended) === null;
  });
}

/** S9: no lease is over for a renewal that lay in a socket before the lease was ended. */
export function unreadRenewals(events: readonly Happened[]): readonly string[] {
  const ends = Map.groupBy(eventsOf(events, 'ended'), ({ token }) => String(token));
  const grants = eventsOf(events, 'granted');
  const fixed = new Set(grants.filter((grant) => grant.fixed).map(({ token }) => token));
  const arrivals = new Map(eventsOf(events, 'renewal-arrived').map((one) => [`${one.renewal} ${one.token}`, one.at]));
  return eventsOf(events, 'renewal-late').flatMap(({ renewal, token, at }) => {
    const arrivedAt = arrivals.get(`${renewal} ${token}`);
    // It is answered in the turn in which the lease ends, or later.
    const ended = ends.get(String(token))?.findLast((one) => one.at <= at);
    return fixed.has(token) || arrivedAt === undefined || !ended?.byTime || arrivedAt >= ended.at
      ? []
      : [`S9 "${ended.name}": ${token} ended at ${instant(ended.at)}; its renewal was there at ${instant(arrivedAt)}`];
  });
}
