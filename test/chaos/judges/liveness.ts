import type { Entry } from '../../real/support/log.ts';
import type { ChaosRun } from '../run.ts';
import { instant, type Judge } from './reading.ts';
import { listen } from './wire.ts';

/** One wish for a lease, until it was granted or given up. */
export interface Wish {
  readonly client: string;
  readonly name: string;
  readonly from: bigint;
  /** Null: never. */
  readonly to: bigint | null;
  readonly granted: boolean;
}

type Making = { -readonly [K in keyof Wish]: Wish[K] };

/** When the last fault was over. */
export const calmFrom = ({ faults, from }: ChaosRun): bigint =>
  faults.reduce((latest, { to }) => (to > latest ? to : latest), from);

/** With the faults over, every wish ends, and whoever wishes gets a lease. */
export const allGetTheirs: Judge = (run) => {
  const calm = calmFrom(run);
  const found: string[] = [];
  const gets = new Map<string, boolean>();
  for (const { client, name, from, to, granted } of wishesIn(run.entries)) {
    if (to === null) found.push(`liveness: ${client} asked for "${name}" at ${instant(run, from)} and was never told`);
    else if (to > calm) gets.set(client, granted || gets.get(client) === true);
  }
  for (const [client, gotOne] of gets)
    if (!gotOne) found.push(`liveness: ${client} got no lease after the last fault, at ${instant(run, calm)}`);
  return found;
};

const ANSWERS = new Set<unknown>(['granted', 'error']);

/** From recorded sockets, and from the promises of clients without one. What dies wishes nothing any more. */
export function wishesIn(entries: readonly Entry[]): readonly Wish[] {
  const wishes: Making[] = [];
  const open = new Map<string, Map<unknown, Making>>();
  const wish = (client: string, key: unknown, name: string, from: bigint): void => {
    const ofClient = open.get(client) ?? new Map<unknown, Making>();
    open.set(client, ofClient);
    if (ofClient.has(key)) return;
    const made: Making = { client, name, from, to: null, granted: false };
    ofClient.set(key, made);
    wishes.push(made);
  };
  const end = (client: string, key: unknown, to: bigint, granted: boolean): void => {
    const made = open.get(client)?.get(key);
    if (made === undefined) return;
    Object.assign(made, { to, granted });
    open.get(client)?.delete(key);
  };
  listen(entries, {
    said: ({ at, client, message }) => {
      const { type, request, name } = message;
      if (type === 'acquire' && typeof name === 'string') wish(client, request, name, at);
      else if (type === 'cancel') end(client, request, at, false);
    },
    heard: ({ at, client, message, asked }) => {
      if (asked?.message['type'] !== 'acquire' || !ANSWERS.has(message['type'])) return;
      end(client, asked.message['request'], at, message['type'] === 'granted');
    },
    other: (entry) => {
      const { at, client } = entry;
      const name = entry.event === 'called' ? /^acquire (.*)$/.exec(entry.what)?.[1] : undefined;
      if (entry.event === 'called' && name !== undefined) wish(client, entry.call, name, at);
      else if (entry.event === 'settled') end(client, entry.call, at, entry.ok);
      const isClosed = entry.event === 'settled' && entry.what === 'close';
      const isOver = isClosed || entry.event === 'killed' || entry.event === 'exited';
      if (isOver) for (const key of open.get(client)?.keys() ?? []) end(client, key, at, false);
    },
  });
  return wishes;
}
