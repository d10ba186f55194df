import type { Happened } from '../history.ts';
import { beliefsIn, eventsOf, instant } from './reading.ts';

/** One hold as its client saw it: it began between the two first instants, and ended between the two last. */
interface Hold {
  /** Disks before this one: an older copy has leases again that were over, and so their tokens. */
  readonly disk: number;
  readonly name: string;
  readonly client: string;
  readonly token: number;
  readonly claimedAt: number;
  readonly toldAt: number;
  readonly believedUntil: number;
  readonly endedBy: number;
}

/**
 * The history is that of a lock that is taken and let go in the order of its tokens: each hold has an instant at which
 * it began, between claim and answer, and one at which it ended, behind the last belief and before the answer to its
 * release, so that all of them stand in one line. The tokens are the order, so no search is needed.
 */
export function notALock(events: readonly Happened[]): readonly string[] {
  const found: string[] = [];
  for (const [name, holds] of Map.groupBy(holdsIn(events), (hold) => hold.name)) {
    let free = 0;
    for (const hold of holds.toSorted((a, b) => a.disk - b.disk || a.token - b.token)) {
      const who = `"${name}": ${hold.client} with ${hold.token}`;
      const began = Math.max(hold.claimedAt, free);
      if (began > hold.toldAt)
        found.push(`lock ${who} was told at ${instant(hold.toldAt)}, before ${instant(began)}, when it could be had`);
      const ended = Math.max(began, hold.believedUntil);
      if (ended > hold.endedBy)
        found.push(`lock ${who} held until ${instant(ended)}; its release was answered at ${instant(hold.endedBy)}`);
      free = ended;
    }
  }
  return found;
}

function holdsIn(events: readonly Happened[]): readonly Hold[] {
  const claims = Map.groupBy(eventsOf(events, 'claimed'), ({ claim }) => claim);
  const releases = new Map(eventsOf(events, 'released').map(({ client, token, at }) => [`${client} ${token}`, at]));
  const replaced = eventsOf(events, 'disk-replaced');
  const beliefs = Map.groupBy(beliefsIn(events), ({ client, token }) => `${client} ${token}`);
  const ends = eventsOf(events, 'claim-ended');
  const tellings = Map.groupBy(ends, ({ client, token }) => `${client} ${token}`);
  return ends.flatMap(({ claim, client, token, at }) => {
    // A page that was loaded again repeats its claim, and is told of its token another time: a hold of its own.
    const claimed = claims.get(claim)?.findLast((one) => one.client === client && one.at <= at);
    if (token === null || claimed === undefined) return [];
    const key = `${client} ${token}`;
    const next = tellings.get(key)?.find((telling) => telling.at > at)?.at ?? Infinity;
    const until = (beliefs.get(key) ?? []).filter(({ from }) => from >= at && from < next).map(({ to }) => to);
    return [
      {
        disk: replaced.filter((one) => one.at <= at).length,
        name: claimed.name,
        client,
        token,
        claimedAt: claimed.at,
        toldAt: at,
        believedUntil: Math.max(0, ...until),
        endedBy: releases.get(key) ?? Infinity,
      },
    ];
  });
}
