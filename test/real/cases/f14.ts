import type { Bench } from '../support/bench.ts';
import type { ClientHandle, ClientProcess, Settled } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase, Size } from '../support/field-case.ts';
import { entriesOf } from '../support/log.ts';
import { LooseNumber } from '../support/loose-number.ts';
import { NOTHING, type Sum } from '../support/program/adding.ts';
import type { Relay } from '../support/relay.ts';
import { seeded } from '../support/seeded.ts';
import { sleep } from '../support/waiting.ts';

const TTL_MS = 3_000;
const NAME = 'number';
const CLIENTS = 5;
/** In the short size windows are short and faults long, so that owners outlive theirs all the same. */
const PLAN = {
  ci: { windowMs: 1_500, soakMs: 7_000, weakest: 0.75 },
  full: { windowMs: TTL_MS, soakMs: 60_000, weakest: 0 },
};
const HOLD_MS = 150;
const TOKENS_APART_MS = 1_100;

export const F14: FieldCase = {
  id: 'F14',
  title: 'S3 a write under an old token is refused: no acknowledged add is lost, and without the token adds are',
  async run(bench, size) {
    // Each with a coordinator of its own: that of the soak is killed now and then.
    const calm = await bench.coordinator();
    // Not in the same second: tokens begin at the clock, and two coordinators know nothing of each other's.
    await sleep(TOKENS_APART_MS);
    const shaken = await bench.coordinator();
    await Promise.all([staleWrite(bench, calm), soak(bench, size, shaken)]);
  },
};

const stateIn = (settled: Settled): unknown =>
  settled.ok ? (settled.value as { readonly state?: { readonly value?: unknown } }).state?.value : undefined; // A LeaseView as JSON.

/** (a) The owner is stopped for 2 W; beside it one that only the coordinator can refuse, since it asks no client. */
async function staleWrite(bench: Bench, coordinator: CoordinatorProcess): Promise<void> {
  const sleeper = bench.process();
  const a = sleeper.client('A', coordinator.url);
  const b = bench.process().client('B', coordinator.url, { idleMs: 60_000 });
  const raw = await bench.raw(coordinator);
  raw.send({ type: 'acquire', request: 'r', name: 'raw', ttlMs: TTL_MS });
  const [{ fencingToken = 0 }] = await Promise.all([raw.take('granted'), a.acquire('a', 'doc', { ttlMs: TTL_MS })]);
  const waiting = ['doc', 'raw'].map((name) => b.acquire(name, name, { ttlMs: TTL_MS }));
  sleeper.suspend();
  await Promise.all([sleep(2 * TTL_MS), ...waiting]);
  await Promise.all(['doc', 'raw'].map((name) => b.setState(name, 'of B')));
  // The order lies in its stdin already, so it is obeyed as soon as any code runs.
  const writing = a.setState('a', 'of A');
  sleeper.resume();
  raw.send({ type: 'setState', request: 's', name: 'raw', fencingToken, value: 'of A' });
  const [wrote, answer] = await Promise.all([writing, raw.take('error')]);
  const lost = await bench.log.find('lost', ({ client }) => client === 'A', 5_000, 'A turns lost');
  const states = await Promise.all(['doc', 'raw'].map((name) => b.inspect(name)));
  const refusals = [wrote.ok ? 'accepted' : wrote.code, JSON.stringify(answer['code'])];
  bench.measure(
    'the write that wakes, by the client and on the wire',
    `${refusals.join(' and ')}; state ${states.map(stateIn).join(', ')}; A is lost: ${lost.code}`,
    'refused as stale, state is that of B, A turns lost',
    !wrote.ok && answer['code'] === 'superseded' && states.every((view) => stateIn(view) === 'of B'),
  );
  await Promise.all(['doc', 'raw'].map((name) => b.release(name)));
}

interface Floor {
  readonly bench: Bench;
  readonly processes: readonly ClientProcess[];
  readonly relays: readonly Relay[];
  readonly windowMs: number;
  coordinator: CoordinatorProcess;
}

/** `strength` in [0, 1): of two windows. */
type Fault = (floor: Floor, victim: number, strength: number) => Promise<void>;

const stop: Fault = async ({ processes, windowMs }, victim, strength) => {
  const stopped = processes[victim];
  stopped?.suspend();
  await sleep(strength * 2 * windowMs);
  stopped?.resume();
};

const blackHole: Fault = async ({ relays, windowMs }, victim, strength) => {
  const relay = relays[victim];
  relay?.blackHole();
  await sleep(strength * 2 * windowMs);
  relay?.heal();
};

const restart: Fault = async (floor, _, strength) => {
  await floor.coordinator.kill();
  await sleep(strength * 500);
  floor.coordinator = await floor.bench.restart(floor.coordinator);
};

const FAULTS: readonly Fault[] = [stop, blackHole, restart, stop];

/** (b) Owners are stopped and cut off between their read and their write, and the coordinator is killed. */
async function soak(bench: Bench, size: Size, coordinator: CoordinatorProcess): Promise<void> {
  await using loose = await LooseNumber.open();
  const { windowMs, soakMs, weakest } = PLAN[size];
  const relays = await Promise.all(Array.from({ length: CLIENTS }, () => bench.relay(() => floor.coordinator)));
  const processes = relays.map(() => bench.process());
  const floor: Floor = { bench, coordinator, windowMs, relays, processes };
  const options = { connectTimeoutMs: 500, maxBackoffMs: 500, idleMs: 60_000 };
  const clients = processes.map((owner, index) => owner.client(`c${index}`, relays[index]?.url ?? '', options, true));
  await Promise.all(clients.map((client) => client.ready(30_000)));
  const pace = { holdMs: HOLD_MS, pauseMs: 5, unfenced: loose.url };
  const adding = clients.map((client) => client.add(NAME, pace, { ttlMs: windowMs }));
  const until = performance.now() + soakMs;
  for (let fault = 0; performance.now() < until; fault += 1) {
    await bench.log.next('held', ({ name }) => name === NAME, 10_000, 'one adds');
    const strength = weakest + (1 - weakest) * seeded(fault);
    await FAULTS[fault % FAULTS.length]?.(floor, ownerOf(bench), strength);
    await sleep(seeded(fault + 500) * 2 * HOLD_MS);
  }
  for (const client of clients) client.stop();
  await Promise.all(adding);
  measureSums(bench, await finalOf(bench, floor), loose);
  // Those that are between two dials when they are closed say no farewell.
  bench.ghosts = CLIENTS;
}

const ownerOf = (bench: Bench): number =>
  Number(
    entriesOf(bench.log.entries, 'held')
      .findLast(({ name }) => name === NAME)
      ?.client.slice(1),
  );

async function finalOf(bench: Bench, floor: Floor): Promise<Sum> {
  const reader: ClientHandle = bench.process().client('reader', floor.coordinator.url);
  return stateIn(await reader.inspect(NAME)) as Sum; // Only `add` writes it.
}

/**
 * Each write names the one that it was added to, so the final number is the end of a chain. Every acknowledged add is in
 * it. One whose answer was lost may have happened or not; it counts when it is in the chain. So the final number is that
 * of the acknowledged adds and of those, exactly.
 */
function measureSums(bench: Bench, final: Sum, loose: LooseNumber): void {
  const { entries } = bench.log;
  const adding = new Map(entriesOf(entries, 'adding').map((entry) => [entry.by, entry]));
  const added = entriesOf(entries, 'added');
  const acknowledged = added.filter(({ code }) => code === null).map(({ by }) => by);
  const chain = new Set<string>();
  for (let { by } = final; by !== NOTHING.by && !chain.has(by); by = adding.get(by)?.after ?? NOTHING.by) chain.add(by);
  const missing = acknowledged.filter((by) => !chain.has(by));
  const unknown = chain.size - (acknowledged.length - missing.length);
  const refused = added.length - acknowledged.length;
  bench.measure(
    'final number under the token',
    `${final.n} = ${acknowledged.length} acknowledged + ${unknown} of ${refused} that were not; ${missing.length} lost`,
    'the acknowledged adds, and those that happened though the answer was lost: none is missing',
    missing.length === 0 && final.n === chain.size && final.n === acknowledged.length + unknown && final.n > 0,
  );
  bench.measure('adds that the end of a lease refused', refused, 'some: owners outlived their windows', refused > 0);
  const lostAdds = loose.writes - loose.sum.n;
  bench.measure(
    'the same without a token',
    `${loose.sum.n} after ${loose.writes} adds: ${lostAdds} lost`,
    'adds are lost, so that this can fail',
    lostAdds > 0,
  );
}
