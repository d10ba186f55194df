import type { Happened } from '../history.ts';
import { eventsOf, instant, undoneAt, type Of } from './reading.ts';

/** S3: no renewal of a lease that is over is answered as done. */
export function renewedAfterTheEnd(events: readonly Happened[]): readonly string[] {
  const ends = Map.groupBy(eventsOf(events, 'ended'), ({ token }) => token);
  return eventsOf(events, 'renewal-done').flatMap(({ renewal, token, at }) => {
    const ended = ends.get(token)?.findLast((end) => end.at < at);
    return ended === undefined || isBack(events, ended, at)
      ? []
      : [`S3 ${renewal} renewed ${token} at ${instant(at)}, which ended at ${instant(ended.at)}`];
  });
}

/** By `at` an older copy of the disk has it again, or a crash has undone its end. */
function isBack(events: readonly Happened[], ended: Of<'ended'>, at: number): boolean {
  const replaced = eventsOf(events, 'disk-replaced').some((disk) => disk.at > ended.at && disk.at < at);
  return replaced || (undoneAt(events, ended) ?? Infinity) < at;
}
