import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { entriesOf, msBetween, now } from '../support/log.ts';
import type { Relay } from '../support/relay.ts';
import { eventually, sleep } from '../support/waiting.ts';

const TTL_MS = 3_000;
/** A waiter is out of the queue after so long a silence: its longest window, and 3 s at the least. */
const SESSION_WINDOW_MS = 3_000;
const SLACK_MS = 250;
const HAND_OVER_MS_MAX = 100;
const NAME = 'queue';
const OPTIONS = { connectTimeoutMs: 500, maxBackoffMs: 500, idleMs: 60_000 };

export const F01: FieldCase = {
  id: 'F01',
  title: 'S8 a waiter that is gone leaves the queue and is never granted; back again, it stands at the tail',
  async run(bench, size) {
    const heldForMs = size === 'full' ? 8_000 : 5_500;
    const coordinator = await bench.coordinator();
    const relay = await bench.relay(() => coordinator);
    const others = bench.process();
    const [a, c, d, observer] = ['A', 'C', 'D', 'observer'].map((label) =>
      others.client(label, coordinator.url, { idleMs: 60_000 }),
    );
    const b = bench.process().client('B', relay.url, OPTIONS, true);
    if (a === undefined || c === undefined || d === undefined || observer === undefined)
      throw new Error('five clients');
    await Promise.all([a, b, c, d, observer].map((client) => client.ready(30_000)));
    // A dial that it gave up may have been welcomed all the same: that session ends by silence.
    bench.ghosts = 1;
    await play(bench, relay, { a, b, c, d, observer }, heldForMs);
  },
};

type Clients = Readonly<Record<'a' | 'b' | 'c' | 'd' | 'observer', ClientHandle>>;

async function play(bench: Bench, relay: Relay, clients: Clients, heldForMs: number): Promise<void> {
  const { a, b, c, d, observer } = clients;
  await a.acquire('a', NAME, { ttlMs: TTL_MS });
  const began = performance.now();
  const waits = new Map<ClientHandle, ReturnType<ClientHandle['acquire']>>();
  const stand = async (client: ClientHandle): Promise<void> => {
    waits.set(client, client.acquire(client.label, NAME, { ttlMs: TTL_MS }, 60_000));
    await bench.log.find('queued', (entry) => entry.client === client.label, 5_000, `${client.label} queues`);
  };
  await stand(b);
  await stand(c);
  await sleep(Math.max(0, 1_000 - (performance.now() - began)));
  const cutAt = now();
  relay.blackHole();
  await measureOut(bench, observer, cutAt);
  await sleep(Math.max(0, heldForMs - (performance.now() - began)));
  await a.release('a');
  await waits.get(c);
  measureGrants(bench);

  await stand(d);
  const healedAt = now();
  relay.heal();
  await measureBack(bench, healedAt);
  for (const [holder, next] of [
    [c, d],
    [d, b],
  ] as const) {
    await holder.release(holder.label);
    await waits.get(next);
  }
  await b.release('B');
  const order = entriesOf(bench.log.entries, 'held').map(({ client }) => client);
  bench.measure('order of all grants', order.join(', '), 'A, C, D, B', order.join('') === 'ACDB');
}

async function queueOf(observer: ClientHandle): Promise<number> {
  const seen = await observer.inspect(NAME);
  return seen.ok ? (seen.value as { readonly queue: number }).queue : Number.NaN; // A LeaseView as JSON.
}

async function measureOut(bench: Bench, observer: ClientHandle, cutAt: bigint): Promise<void> {
  const out = async (): Promise<bigint | null> => ((await queueOf(observer)) === 1 ? now() : null);
  const outAt = await eventually(out, 2 * SESSION_WINDOW_MS, 'B is out of the queue');
  const ms = msBetween(cutAt, outAt);
  bench.measure(
    'silent to out of the queue',
    `${ms.toFixed(0)} ms`,
    `at most ${SESSION_WINDOW_MS + SLACK_MS} ms`,
    ms <= SESSION_WINDOW_MS + SLACK_MS,
  );
}

/** Tokens of a coordinator follow one another, so two that are neighbours leave no room for a grant between them. */
function measureGrants(bench: Bench): void {
  const { entries } = bench.log;
  const released = entriesOf(entries, 'released', 'A')[0];
  const [first, next, ...more] = entriesOf(entries, 'held');
  const ms = released && next ? msBetween(released.at, next.at) : Number.NaN;
  bench.measure(
    'release to the waiter behind the dead one',
    `${next?.client} after ${ms.toFixed(1)} ms`,
    `C, at most ${HAND_OVER_MS_MAX} ms`,
    next?.client === 'C' && ms <= HAND_OVER_MS_MAX,
  );
  const between = Number(next?.token) - Number(first?.token) - 1;
  bench.measure(
    'grants told, and tokens used between the two',
    `${1 + more.length}, ${between}`,
    'one, none',
    more.length === 0 && between === 0,
  );
}

async function measureBack(bench: Bench, healedAt: bigint): Promise<void> {
  const back = await bench.log.find(
    'queued',
    ({ client, at }) => client === 'B' && at > healedAt,
    10_000,
    'B stands in the queue again',
  );
  bench.measure(
    'the dead waiter, healed',
    `is told that it stands behind ${back.position} after ${msBetween(healedAt, back.at).toFixed(0)} ms`,
    'no longer at the head: behind one, D, which came last',
    back.position === 1,
  );
}
