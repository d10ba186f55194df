import { holdsIn } from './holds.ts';
import { instant, type Judge } from './reading.ts';

/**
 * The history of each name is that of a lock that is taken and let go in the order of its tokens: each hold has an
 * instant at which it began, between claim and answer, and one at which it ended, behind the last belief and before the
 * answer to its release, so that all of them stand in one line. The tokens are the order, so no search is needed.
 */
export const isALock: Judge = (run) => {
  const found: string[] = [];
  for (const [name, holds] of Map.groupBy(holdsIn(run.entries), (hold) => hold.name)) {
    let free = run.from;
    for (const hold of holds.toSorted((a, b) => a.token - b.token)) {
      const who = `lock "${name}": ${hold.client} with ${hold.token}`;
      const began = later(hold.claimedAt, free);
      if (began > hold.toldAt)
        found.push(
          `${who} was told at ${instant(run, hold.toldAt)}, before ${instant(run, began)}, when it could be had`,
        );
      const ended = later(hold.believedUntil, began);
      if (hold.endedBy !== null && ended > hold.endedBy)
        found.push(
          `${who} held until ${instant(run, ended)}; its release was answered at ${instant(run, hold.endedBy)}`,
        );
      free = ended;
    }
  }
  return found;
};

const later = (a: bigint | null, b: bigint): bigint => (a !== null && a > b ? a : b);
