import { addMs, type Entry, type EntryOf } from './log.ts';

/** A stretch of time in which one client believed that it holds a lease. At risk counts: people go on working then. */
export interface Belief {
  readonly client: string;
  readonly name: string;
  readonly token: number;
  readonly from: bigint;
  readonly to: bigint;
  /** Still believed when the log ended; `to` is then just behind the end of the log. */
  readonly open: boolean;
}

/** What the beliefs of one client are worked out from, in the order of time. */
type Moment = { readonly at: bigint } & (
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'stops' | 'goes-on' }
);

/**
 * Beliefs begin with `held` and end with `lost` or `released`, or with the death of the process. A process that
 * stands still believes nothing meanwhile: it runs no code. Afterwards it believes again from the first reading that
 * says so. A signal takes its time to stop a process: what it still said after the signal was sent is a belief of
 * that instant.
 */
export function beliefsOf(entries: readonly Entry[]): readonly Belief[] {
  const end = entries.reduce((latest, { at }) => (at > latest ? at : latest), 0n) + 1n;
  const ofClient = new Map<string, Moment[]>();
  for (const entry of entries) {
    const moments = ofClient.get(entry.client) ?? [];
    ofClient.set(entry.client, moments);
    moments.push(...momentsOf(entry));
  }
  return [...ofClient.values()].flatMap((moments) =>
    stretches(
      moments.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
      end,
    ),
  );
}

function momentsOf(entry: Entry): readonly Moment[] {
  const { at } = entry;
  if (entry.event === 'suspended') return [{ at, kind: 'stops' }];
  if (entry.event === 'continued') return [{ at, kind: 'goes-on' }];
  if (entry.event !== 'stood-still') return [{ at, kind: 'entry', entry }];
  return [
    { at, kind: 'stops' },
    { at: addMs(at, entry.forMs), kind: 'goes-on' },
  ];
}

/** A lease that has begun and not ended, as its client's moments are gone through. */
interface Living {
  readonly held: EntryOf<'held'>;
  readonly found: Belief[];
  /** Absent while nothing is believed: the process stands still, or stood and has not said anything since. */
  from: bigint | undefined;
}

/** One pass over the moments of one client, however many leases it had: an hour has a million of them. */
function stretches(sorted: readonly Moment[], end: bigint): readonly Belief[] {
  const found: Belief[][] = [];
  const living = new Map<number, Living[]>();
  let stops = 0;
  for (const moment of sorted) {
    if (moment.kind !== 'entry') {
      // A process that was stopped, killed and started again under its label is told to continue by nobody.
      stops = Math.max(0, stops + (moment.kind === 'stops' ? 1 : -1));
      if (stops > 0) for (const lease of all(living)) close(lease, moment.at);
      continue;
    }
    const { entry } = moment;
    if (entry.event === 'killed' || entry.event === 'exited') {
      for (const lease of all(living)) close(lease, entry.at);
      living.clear();
      stops = 0;
    } else if (entry.event === 'held') {
      const lease: Living = { held: entry, found: [], from: undefined };
      found.push(lease.found);
      living.set(entry.token, [...(living.get(entry.token) ?? []), lease]);
    }
    if (!('token' in entry)) continue;
    for (const lease of living.get(entry.token) ?? []) {
      if (endsBelief(entry)) close(lease, entry.at);
      else if (entry === lease.held || saysHeld(entry)) lease.from ??= entry.at;
      // What it still says while it is being stopped is a belief of that instant.
      if (stops > 0) close(lease, entry.at);
    }
    if (endsBelief(entry)) living.delete(entry.token);
  }
  for (const lease of all(living)) close(lease, end, true);
  return found.flat();
}

const all = (living: ReadonlyMap<number, readonly Living[]>): readonly Living[] => [...living.values()].flat();

function close(lease: Living, to: bigint, open = false): void {
  const { from, held, found } = lease;
  if (from !== undefined) found.push({ client: held.client, name: held.name, token: held.token, from, to, open });
  lease.from = undefined;
}

const endsBelief = (entry: Entry): boolean => entry.event === 'lost' || entry.event === 'released';

const saysHeld = (entry: Entry): entry is EntryOf<'recovered' | 'read'> =>
  entry.event === 'recovered' || (entry.event === 'read' && (entry.status === 'held' || entry.status === 'at-risk'));
