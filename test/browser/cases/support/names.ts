import type { ClientHandle } from '../../../real/support/client-process.ts';
import type { Bench } from '../../../real/support/bench.ts';
import type { EntryOf } from '../../../real/support/log.ts';
import type { RunLog } from '../../../real/support/run-log.ts';

const STANDS_MS = 10_000;

/** Stands for a name under a key of the same text, and is known to. */
export async function standFor(log: RunLog, client: ClientHandle, name: string): Promise<void> {
  await client.elect(name, name);
  await standingFor(log, client, name);
}

/** It has its place in the queue for this name, or leads. */
export function standingFor(log: RunLog, client: ClientHandle, name: string, since = 0n): Promise<EntryOf<'election'>> {
  return log.find(
    'election',
    (entry) =>
      entry.client === client.label &&
      entry.name === name &&
      entry.at > since &&
      (entry.position !== null || entry.status === 'leading'),
    STANDS_MS,
    `${client.label} stands for ${name}`,
  );
}

/** The first grant of this name to this client from `since` on. */
export function grantFor(
  log: RunLog,
  client: ClientHandle,
  name: string,
  since: bigint,
  ms: number,
): Promise<EntryOf<'held'>> {
  const fits = (entry: EntryOf<'held'>): boolean =>
    entry.client === client.label && entry.name === name && entry.at >= since;
  return log.find('held', fits, ms, `${client.label} holds ${name}`);
}

/** Of several runs, the slowest one. */
export function measureSlowest(bench: Bench, what: string, took: readonly number[], msMax: number): void {
  const slowest = Math.max(...took);
  const times = took.length === 1 ? '' : `, slowest of ${took.length}`;
  bench.measure(`${what}${times}`, `${slowest.toFixed(0)} ms`, `at most ${msMax} ms`, slowest <= msMax);
}
