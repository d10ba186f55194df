import type { Entry, EntryOf } from './log.ts';

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

/**
 * Beliefs begin with `held` and end with `lost` or `released`, or with the death of the process. A process that is
 * suspended believes nothing meanwhile: it runs no code. Afterwards it believes again from the first reading that
 * says so.
 */
export function beliefsOf(entries: readonly Entry[]): readonly Belief[] {
  const sorted = entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const end = (sorted.at(-1)?.at ?? 0n) + 1n;
  const beliefs: Belief[] = [];
  for (const held of sorted) if (held.event === 'held') beliefs.push(...stretches(held, sorted, end));
  return beliefs;
}

function stretches(held: EntryOf<'held'>, sorted: readonly Entry[], end: bigint): readonly Belief[] {
  const { client, name, token } = held;
  const found: Belief[] = [];
  let from: bigint | undefined = held.at;
  const close = (to: bigint, open = false): void => {
    if (from !== undefined) found.push({ client, name, token, from, to, open });
    from = undefined;
  };
  for (const entry of sorted) {
    if (entry.client !== client || entry.at < held.at) continue;
    if (entry.event === 'suspended' || entry.event === 'killed' || entry.event === 'exited') close(entry.at);
    if (entry.event === 'killed' || entry.event === 'exited') return found;
    if (!('token' in entry) || entry.token !== token) continue;
    if (entry.event === 'lost' || entry.event === 'released') {
      close(entry.at);
      return found;
    }
    if (from === undefined && saysHeld(entry)) from = entry.at;
  }
  close(end, true);
  return found;
}

const saysHeld = (entry: Entry): boolean =>
  entry.event === 'recovered' || (entry.event === 'read' && (entry.status === 'held' || entry.status === 'at-risk'));
