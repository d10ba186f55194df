import type { Belief, Happened } from '../history.ts';

export type Of<K extends Happened['kind']> = Extract<Happened, { readonly kind: K }>;

/** A dozen checkers ask for the same kinds of the same history, one after the other. */
let sorted: { readonly events: readonly Happened[]; readonly length: number; readonly kinds: Kinds } | null = null;
type Kinds = ReadonlyMap<string, readonly Happened[]>;

export function eventsOf<K extends Happened['kind']>(events: readonly Happened[], kind: K): readonly Of<K>[] {
  if (sorted?.events !== events || sorted.length !== events.length)
    sorted = { events, length: events.length, kinds: Map.groupBy(events, (event) => event.kind) };
  return (sorted.kinds.get(kind) ?? []) as readonly Of<K>[]; // They are grouped by it.
}

export const instant = (at: number): string => at.toFixed(3);

export const beliefInWords = ({ client, token, from, to }: Belief): string =>
  `${client} with ${token} from ${instant(from)} to ${instant(to)}`;

/** What S1 speaks of: whoever believed when an operator forced the name open is left out from then on. */
export function beliefsIn(events: readonly Happened[]): readonly Belief[] {
  const forced = eventsOf(events, 'forced');
  const grants = new Map(eventsOf(events, 'granted').map(({ token, at }) => [token, at]));
  return eventsOf(events, 'believed').flatMap((belief) => {
    const grantedAt = grants.get(belief.token) ?? belief.from;
    const until = Math.min(
      ...forced.filter(({ name, at }) => name === belief.name && at >= grantedAt).map(({ at }) => at),
      belief.to,
    );
    return until > belief.from ? [{ ...belief, to: until }] : [];
  });
}

/** When a crash undid this end of a lease, since no disk had it: the next run gives the lease its window again (S4, S5). */
export function undoneAt(events: readonly Happened[], { token, at }: Of<'ended'>): number | null {
  const killedAt = eventsOf(events, 'killed').find((kill) => kill.at >= at)?.at ?? null;
  if (killedAt === null) return null;
  const stored = eventsOf(events, 'end-stored');
  return stored.some((end) => end.token === token && end.at >= at && end.at <= killedAt) ? null : killedAt;
}
