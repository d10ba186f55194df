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
  const claims = new Map(eventsOf(events, 'claimed').map((claimed) => [claimed.claim, claimed]));
  const releases = new Map(eventsOf(events, 'released').map(({ client, token, at }) => [`${client} ${token}`, at]));
  const replaced = eventsOf(events, 'disk-replaced');
  const until = new Map<string, number>();
  for (const { client, token, to } of beliefsIn(events)) {
    const key = `${client} ${token}`;
    until.set(key, Math.max(to, until.get(key) ?? 0));
  }
  return eventsOf(events, 'claim-ended').flatMap(({ claim, client, token, at }) => {
    const claimed = claims.get(claim);
    if (token === null || claimed === undefined) return [];
    const key = `${client} ${token}`;
    return [
      {
        disk: replaced.filter((one) => one.at <= at).length,
        name: claimed.name,
        client,
        token,
        claimedAt: claimed.at,
        toldAt: at,
        believedUntil: until.get(key) ?? 0,
        endedBy: releases.get(key) ?? Infinity,
      },
    ];
  });
}
