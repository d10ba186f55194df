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
  return [...ofClient.values()].flatMap((moments) => {
    const sorted = moments.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    return entriesIn(sorted).flatMap((entry) => (entry.event === 'held' ? stretches(entry, sorted, end) : []));
  });
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

const entriesIn = (moments: readonly Moment[]): readonly Entry[] =>
  moments.flatMap((moment) => (moment.kind === 'entry' ? [moment.entry] : []));

function stretches(held: EntryOf<'held'>, sorted: readonly Moment[], end: bigint): readonly Belief[] {
  const { client, name, token } = held;
  const found: Belief[] = [];
  let from: bigint | undefined;
  let stops = 0;
  const close = (to: bigint, open = false): void => {
    if (from !== undefined) found.push({ client, name, token, from, to, open });
    from = undefined;
  };
  for (const moment of sorted) {
    if (moment.kind !== 'entry') {
      stops += moment.kind === 'stops' ? 1 : -1;
      if (stops > 0) close(moment.at);
      continue;
    }
    const { entry } = moment;
    if (entry.at < held.at) continue;
    if (entry.event === 'killed' || entry.event === 'exited' || endsBelief(entry, token)) {
      close(entry.at);
      return found;
    }
    if (from === undefined && (entry === held || (saysHeld(entry) && entry.token === token))) from = entry.at;
    if (stops > 0) close(entry.at);
  }
  close(end, true);
  return found;
}

const endsBelief = (entry: Entry, token: number): boolean =>
  (entry.event === 'lost' || entry.event === 'released') && entry.token === token;

const saysHeld = (entry: Entry): entry is EntryOf<'recovered' | 'read'> =>
  entry.event === 'recovered' || (entry.event === 'read' && (entry.status === 'held' || entry.status === 'at-risk'));
