import { deadlinesOf } from '../support/deadlines.ts';
import { entriesOf, msBetween } from '../support/log.ts';
import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';

const TTL_MS = 3_000;
const RENEW_AFTER_MS = 2_000;
const AT_ONCE = 10;

export const F22: FieldCase = {
  id: 'F22',
  title: 'S6 a client that hears nothing any more stops believing inside the window of its last acknowledged renewal',
  async run(bench, size) {
    const batches = size === 'full' ? 5 : 1;
    const atOnce = size === 'full' ? AT_ONCE : 3;
    const coordinator = await bench.coordinator();
    const waiter = bench.process().client('waiter', coordinator.url, { idleMs: 60_000 });
    await waiter.ready();
    const losses: Loss[] = [];
    for (let batch = 0; batch < batches; batch += 1)
      losses.push(...(await blackHoles(bench, coordinator, waiter, batch, atOnce)));
    measureLosses(bench, 'black hole after an acknowledged renewal', losses);
    const gaps = losses.map(({ toNextMs }) => toNextMs);
    bench.measure(
      'lost to the next belief, least',
      `${Math.min(...gaps).toFixed(0)} ms`,
      'at least 0 ms',
      Math.min(...gaps) >= 0,
    );
    measureLosses(bench, 'coordinator killed and never back', await neverBack(bench, coordinator, atOnce));
  },
};

interface Loss {
  /** From sending the last acknowledged renewal until `lost`. */
  readonly afterMs: number;
  readonly toNextMs: number;
}

async function blackHoles(
  bench: Bench,
  coordinator: CoordinatorProcess,
  waiter: ClientHandle,
  batch: number,
  atOnce: number,
): Promise<readonly Loss[]> {
  const holders = bench.process();
  const one = async (index: number): Promise<Loss> => {
    const name = `hole-${batch}-${index}`;
    const relay = await bench.relay(() => coordinator);
    const holder = holders.client(`holder-${batch}-${index}`, relay.url, {}, true);
    await holder.acquire('a', name, { ttlMs: TTL_MS });
    const waiting = waiter.acquire(name, name, { ttlMs: TTL_MS });
    await relay.next(
      'down',
      (message) => message['type'] === 'renewed',
      () => {
        // Behind this frame, which still passes.
        setImmediate(() => relay.blackHole());
      },
    );
    const loss = await lossOf(bench, holder.label);
    await waiting;
    const next = await bench.log.find(
      'held',
      (entry) => entry.client === waiter.label && entry.name === name,
      1_000,
      'the waiter holds',
    );
    await waiter.release(name);
    relay.close();
    return { ...loss, toNextMs: msBetween(loss.at, next.at) };
  };
  return Promise.all(Array.from({ length: atOnce }, (_, index) => one(index)));
}

async function neverBack(bench: Bench, coordinator: CoordinatorProcess, atOnce: number): Promise<readonly Loss[]> {
  const holders = bench.process();
  const clients = Array.from({ length: atOnce }, (_, index) =>
    holders.client(`orphan-${index}`, coordinator.url, {}, true),
  );
  await Promise.all(clients.map((client) => client.acquire('a', `orphan-${client.label}`, { ttlMs: TTL_MS })));
  await bench.log.next(
    'received',
    ({ messages }) => messages.some((message) => message['type'] === 'renewed'),
    2 * TTL_MS,
    'a renewal is acknowledged',
  );
  await coordinator.kill();
  return Promise.all(clients.map(async (client) => ({ ...(await lossOf(bench, client.label)), toNextMs: Infinity })));
}

async function lossOf(bench: Bench, client: string): Promise<{ readonly at: bigint; readonly afterMs: number }> {
  const lost = await bench.log.find(
    'lost',
    (entry) => entry.client === client,
    3 * TTL_MS,
    `${client} is told of its loss`,
  );
  const deadline = deadlinesOf(entriesOfClient(bench, client)).get(client)?.get(lost.token);
  // The deadline is the sending of the last acknowledged frame plus the window that was left for it.
  return { at: lost.at, afterMs: deadline === undefined ? Number.NaN : TTL_MS - msBetween(lost.at, deadline) };
}

const entriesOfClient = (bench: Bench, client: string) => [
  ...entriesOf(bench.log.entries, 'sent', client),
  ...entriesOf(bench.log.entries, 'received', client),
];

function measureLosses(bench: Bench, what: string, losses: readonly Loss[]): void {
  const after = losses.map(({ afterMs }) => afterMs);
  const [least, most] = [Math.min(...after), Math.max(...after)];
  const ok = losses.length > 0 && least >= RENEW_AFTER_MS && most <= TTL_MS;
  bench.measure(
    `${what}, ${losses.length} runs`,
    `lost ${least.toFixed(0)} to ${most.toFixed(0)} ms after that renewal was sent`,
    '2,000 to 3,000 ms',
    ok,
  );
}
