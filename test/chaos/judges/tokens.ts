import { holdsIn, type Hold } from './holds.ts';
import { instant, type Judge } from './reading.ts';

/**
 * S2: a claim that goes out when a token is known gets a larger one, whatever names the two are of and however often
 * the coordinator was started in between.
 */
export const tokensRiseOverAll: Judge = (run) => {
  const found: string[] = [];
  const holds = holdsIn(run.entries);
  const told = holds.toSorted((a, b) => (a.toldAt < b.toldAt ? -1 : 1));
  let next = 0;
  let largest: Hold | undefined;
  const claimed = holds.flatMap((hold) => (hold.claimedAt === null ? [] : [{ hold, claimedAt: hold.claimedAt }]));
  for (const { hold, claimedAt } of claimed.toSorted((a, b) => (a.claimedAt < b.claimedAt ? -1 : 1))) {
    for (let known = told[next]; known !== undefined && known.toldAt < claimedAt; known = told[next]) {
      if (largest === undefined || known.token > largest.token) largest = known;
      next += 1;
    }
    if (largest !== undefined && hold.token <= largest.token)
      found.push(
        `tokens: ${hold.client} asked for "${hold.name}" at ${instant(run, claimedAt)} and got ${hold.token}; ${largest.token} of "${largest.name}" was known before`,
      );
  }
  return found;
};
