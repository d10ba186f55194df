import type { Bench } from '../../support/bench.ts';
import type { ClientHandle, ClientProcess } from '../../support/client-process.ts';
import type { HostedCoordinator } from '../../support/hosted-coordinator.ts';
import type { EntryOf } from '../../support/log.ts';

export const TTL_MS = 3_000;
/** What a client gives up of that window by itself: a tenth. */
export const STOP_MARGIN_MS = 300;
export const SLACK_MS = 250;

export interface Place {
  readonly bench: Bench;
  readonly coordinator: HostedCoordinator;
  readonly waiters: ClientProcess;
  readonly maxLifetimeMs: number;
}

/** Stands in the queue; resolves then. Its claim settles by itself. */
export async function stand({ bench, coordinator, waiters }: Place, name: string): Promise<ClientHandle> {
  const waiter = waiters.client(`waiter of ${name}`, coordinator.url, { idleMs: 60_000 });
  await waiter.ready(30_000);
  void waiter.acquire('w', name, { ttlMs: TTL_MS }).catch(() => undefined);
  await bench.log.find('queued', (entry) => entry.client === waiter.label, 5_000, `${waiter.label} queues`);
  return waiter;
}

export const heldBy = (bench: Bench, { label }: ClientHandle, ms: number): Promise<EntryOf<'held'>> =>
  bench.log.find('held', ({ client }) => client === label, ms, `${label} holds`);
