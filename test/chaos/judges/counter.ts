import { isOf, type Entry, type EntryOf } from '../../real/support/log.ts';
import { instant, type Judge } from './reading.ts';

interface Add {
  readonly name: string;
  readonly token: number;
  readonly adding: EntryOf<'adding'>;
  /** Else it may have happened or not. */
  readonly acknowledged: boolean;
}

/** No write yet. */
const NOBODY = '';

/**
 * A counter guarded by lease and token loses nothing. In the order of the tokens each holder has to find the number of
 * the last acknowledged add; the add whose answer was lost just before may have happened, and then it is that one.
 */
export const counterLosesNothing: Judge = (run) => {
  const found: string[] = [];
  for (const [name, adds] of Map.groupBy(addsIn(run.entries), (add) => add.name)) {
    const numbers = new Map([[NOBODY, 0]]);
    let possible: readonly string[] = [NOBODY];
    for (const { token, adding, acknowledged } of adds.toSorted((a, b) => a.token - b.token)) {
      const { at, client, by, after, n } = adding;
      const who = `counter "${name}": ${client} with ${token} at ${instant(run, at)}`;
      if (!possible.includes(after))
        found.push(`${who} found the number of "${after}"; it had to be that of ${possible.join(' or ')}`);
      if (n !== (numbers.get(after) ?? n - 1) + 1)
        found.push(`${who} wrote ${n} over ${numbers.get(after)} of "${after}"`);
      numbers.set(by, n);
      possible = acknowledged ? [by] : [after, by];
    }
  }
  return found;
};

/** Adds of the counter without a token that are gone since another one began from the same number. */
export function lostWithoutToken(entries: readonly Entry[]): number {
  const names = new Map(entries.filter((entry) => isOf(entry, 'held')).map((held) => [keyOf(held), held.name]));
  const loose = entries.filter((entry) => isOf(entry, 'added-loose'));
  const places = new Set(loose.map(({ client, by, after }) => `${names.get(`${client} ${by}`)} ${after}`));
  return loose.length - places.size;
}

/** Each add has the key of the lease under which it is made. */
export function addsIn(entries: readonly Entry[]): readonly Add[] {
  const held = new Map(entries.filter((entry) => isOf(entry, 'held')).map((one) => [keyOf(one), one]));
  const added = new Set(
    entries.flatMap((entry) => (isOf(entry, 'added') && entry.code === null ? [`${entry.client} ${entry.by}`] : [])),
  );
  return entries.flatMap((entry) => {
    const lease = isOf(entry, 'adding') ? held.get(`${entry.client} ${entry.by}`) : undefined;
    if (!isOf(entry, 'adding') || lease === undefined) return [];
    const { name, token } = lease;
    return [{ name, token, adding: entry, acknowledged: added.has(`${entry.client} ${entry.by}`) }];
  });
}

const keyOf = ({ client, key }: EntryOf<'held'>): string => `${client} ${key}`;
