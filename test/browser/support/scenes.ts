import type { ClientHandle } from '../../real/support/client-process.ts';
import { deadlinesOf } from '../../real/support/deadlines.ts';
import { entriesOf, type Entry, type EntryOf } from '../../real/support/log.ts';
import type { RunLog } from '../../real/support/run-log.ts';

const STANDS_MS = 10_000;

/** The name that the candidates of these tests stand for, and the key under which each of them does. */
export const OFFICE = 'leader';
export const KEY = 'e';

/** Stands for the office, and is known to: whoever stands later is behind it. */
export async function stand(log: RunLog, client: ClientHandle): Promise<void> {
  await client.elect(KEY, OFFICE);
  await standing(log, client);
}

/** It has its place in the queue, or leads; with `since`, after that instant. */
export function standing(log: RunLog, client: ClientHandle, since = 0n): Promise<EntryOf<'election'>> {
  return log.find(
    'election',
    ({ client: label, status, position, at }) =>
      label === client.label && at > since && (position !== null || status === 'leading'),
    STANDS_MS,
    `${client.label} stands`,
  );
}

/** The first grant of this client from `since` on. */
export function grantOf(log: RunLog, client: ClientHandle, since: bigint, ms: number): Promise<EntryOf<'held'>> {
  const fits = (entry: EntryOf<'held'>): boolean => entry.client === client.label && entry.at >= since;
  return log.find('held', fits, ms, `${client.label} holds`);
}

/** The next answer to a renewal of this client. */
export function renewalOf(log: RunLog, client: ClientHandle, ms: number): Promise<EntryOf<'received'>> {
  const fits = ({ client: label, messages }: EntryOf<'received'>): boolean =>
    label === client.label && messages.some(({ type }) => type === 'renewed');
  return log.next('received', fits, ms, `a renewal of ${client.label} is acknowledged`);
}

/** What its holder may count on, of the lease that it was granted last. */
export function deadlineOf(entries: readonly Entry[], client: ClientHandle): bigint {
  const token = entriesOf(entries, 'held', client.label).at(-1)?.token ?? 0;
  return deadlinesOf(entries).get(client.label)?.get(token) ?? 0n;
}

const OF_WINDOWS = new Set<unknown>(['granted', 'renew', 'renewed']);

/** When this client asked last for a window, or was given one: an answer that it did not live to read counts as well. */
export function lastWindowOf(entries: readonly Entry[], client: ClientHandle): bigint {
  const words = [...entriesOf(entries, 'received', client.label), ...entriesOf(entries, 'sent', client.label)];
  const ats = words.filter(({ messages }) => messages.some(({ type }) => OF_WINDOWS.has(type))).map(({ at }) => at);
  return ats.reduce((latest, at) => (at > latest ? at : latest), 0n);
}

/** How the belief in a token ended. */
export function endOf(entries: readonly Entry[], client: ClientHandle, token: number): Entry | undefined {
  const ends = [...entriesOf(entries, 'lost', client.label), ...entriesOf(entries, 'released', client.label)];
  return ends.find((end) => end.token === token);
}
