import type { Happened } from '../history.ts';
import { eventsOf, instant } from './reading.ts';

/** S3: no renewal of a lease that is over is answered as done. */
export function renewedAfterTheEnd(events: readonly Happened[]): readonly string[] {
  const ends = new Map(eventsOf(events, 'ended').map(({ token, at }) => [token, at]));
  return eventsOf(events, 'renewal-done').flatMap(({ renewal, token, at }) => {
    const endedAt = ends.get(token);
    // An older copy of a disk may have it again.
    const isBack = eventsOf(events, 'disk-replaced').some((replaced) => replaced.at > (endedAt ?? Infinity));
    return endedAt === undefined || endedAt >= at || isBack
      ? []
      : [`S3 ${renewal} renewed ${token} at ${instant(at)}, which ended at ${instant(endedAt)}`];
  });
}
