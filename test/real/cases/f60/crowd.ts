import type { Bench } from '../../support/bench.ts';
import type { ClientHandle, ClientProcess } from '../../support/client-process.ts';
import type { CoordinatorProcess } from '../../support/coordinator-process.ts';
import { entriesOf } from '../../support/log.ts';
import { eventually } from '../../support/waiting.ts';

export interface Plan {
  readonly clients: number;
  readonly holders: number;
  readonly processes: number;
  readonly maxBackoffMs: number;
}

export interface Crowd {
  readonly plan: Plan;
  readonly owners: readonly ClientProcess[];
  readonly clients: readonly ClientHandle[];
  readonly holders: ReadonlySet<string>;
}

const TTL_MS = 15_000;
const WATCHED = 'board';

/**
 * Everybody watches one name, so that each wants its connection back; the first of each process hold a lease besides.
 */
export async function gather(bench: Bench, coordinator: CoordinatorProcess, id: string, plan: Plan): Promise<Crowd> {
  const owners = Array.from({ length: plan.processes }, () => bench.process());
  const clients: ClientHandle[] = [];
  const holders: ClientHandle[] = [];
  for (const [index, owner] of owners.entries()) {
    for (let n = 0; n < plan.clients / plan.processes; n += 1) {
      const { maxBackoffMs } = plan;
      const client = owner.client(`${id}-${index}-${n}`, coordinator.url, { maxBackoffMs }, true);
      client.watch('w', WATCHED);
      clients.push(client);
      if (n < plan.holders / plan.processes) holders.push(client);
    }
  }
  await Promise.all(holders.map((holder) => holder.acquire('a', holder.label, { ttlMs: TTL_MS }, 60_000)));
  await eventually(
    () => (openOf(bench, clients).length === clients.length ? true : null),
    60_000,
    'every client is connected',
  );
  return { plan, owners, clients, holders: new Set(holders.map(({ label }) => label)) };
}

/** The clients whose last word is that they are connected. */
export function openOf(bench: Bench, clients: readonly ClientHandle[]): readonly ClientHandle[] {
  const last = new Map<string, string>();
  for (const { client, status } of entriesOf(bench.log.entries, 'status')) last.set(client, status);
  return clients.filter(({ label }) => last.get(label) === 'open');
}
