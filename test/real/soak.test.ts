import { expect, test } from 'vitest';
import { Bench } from './support/bench.ts';
import type { ClientHandle, ClientProcess } from './support/client-process.ts';
import type { CoordinatorProcess } from './support/coordinator-process.ts';
import { entriesOf } from './support/log.ts';
import type { Relay } from './support/relay.ts';
import { seeded } from './support/seeded.ts';
import { FULL } from './support/size.ts';
import { sleep } from './support/waiting.ts';

const TTL_MS = 3_000;
/** Long enough that a renewal comes into it. */
const HOLD_MS = 2_500;
const CLIENTS = 3;
const FAULTS = FULL ? 300 : 10;
/** How long a test may wait for it all. */
const LIMIT_MS = 120_000 + FAULTS * 6_000;
const SEED = Number(process.env['LEASEHOLD_SEED'] ?? 1);
const OPTIONS = { connectTimeoutMs: 1_000, maxBackoffMs: 500, idleMs: 60_000 };

/** What may be broken while the clients contend. */
interface Floor {
  readonly bench: Bench;
  readonly processes: readonly ClientProcess[];
  readonly relays: readonly Relay[];
  coordinator: CoordinatorProcess;
}

/** Each fault ends by itself; `strength` in [0, 1) says for how long it lasts. */
type Fault = (floor: Floor, victim: number, strength: number) => Promise<void>;

const onRelay =
  (begin: (relay: Relay) => void, lastMs: number): Fault =>
  async ({ relays }, victim, strength) => {
    const relay = relays[victim % relays.length];
    if (relay === undefined) return;
    begin(relay);
    await sleep(strength * lastMs);
    relay.heal();
    relay.delayMs.up = 0;
    relay.delayMs.down = 0;
  };

const swallowOne =
  (type: string): Fault =>
  async ({ relays }, victim) => {
    void relays[victim % relays.length]?.next(
      'down',
      (message) => message['type'] === type,
      () => 'swallow',
    );
    await Promise.resolve();
  };

const FAULTS_KNOWN: readonly Fault[] = [
  onRelay((relay) => relay.reset(), 0),
  onRelay((relay) => relay.blackHole(), 2 * TTL_MS),
  onRelay((relay) => relay.drop('up'), 2 * TTL_MS),
  onRelay((relay) => relay.drop('down'), 2 * TTL_MS),
  onRelay((relay) => {
    relay.delayMs.up = 300;
    relay.delayMs.down = 200;
  }, TTL_MS),
  swallowOne('granted'),
  swallowOne('renewed'),
  swallowOne('released'),
  async ({ processes }, victim, strength) => {
    const stopped = processes[victim % processes.length];
    stopped?.suspend();
    await sleep(strength * 1.5 * TTL_MS);
    stopped?.resume();
  },
  async ({ coordinator }, _, strength) => {
    coordinator.signal('SIGSTOP');
    await sleep(strength * 2_000);
    coordinator.signal('SIGCONT');
  },
  async (floor, _, strength) => {
    await floor.coordinator.kill();
    await sleep(strength * 1_500);
    floor.coordinator = await floor.bench.restart(floor.coordinator);
  },
];

test(
  'S1 beliefs never overlap and tokens only rise while sockets, clients and the coordinator are broken at random',
  { timeout: LIMIT_MS },
  async () => {
    await using bench = new Bench();
    const coordinator = await bench.coordinator();
    const floor: Floor = {
      bench,
      coordinator,
      processes: Array.from({ length: CLIENTS }, () => bench.process()),
      relays: await relaysFor(bench, () => floor.coordinator),
    };
    const clients = floor.processes.map((owner, index) =>
      owner.client(`c${index}`, floor.relays[index]?.url ?? '', OPTIONS, true),
    );
    const contending = clients.map((client) =>
      client.churn('soak-', { workers: 2, holdMs: HOLD_MS, pauseMs: 20 }, { ttlMs: TTL_MS }, LIMIT_MS),
    );
    for (let fault = 0; fault < FAULTS; fault += 1) {
      const chance = (salt: number): number => seeded(SEED * 1_000_003 + fault * 17 + salt);
      // Each in its turn, so that a short soak has them all; against whom and for how long is by chance.
      const chosen = FAULTS_KNOWN[(fault * 3 + SEED) % FAULTS_KNOWN.length];
      await chosen?.(floor, victimOf(bench, chance(1)), 0.6 + 0.4 * chance(2));
      await sleep(chance(3) * 600);
    }
    await calm(clients, contending);
    // One that is between two dials when it is closed says no farewell.
    bench.ghosts = CLIENTS;
    await bench.finish();
    expect(bench.violations).toEqual([]);
    const { entries } = bench.log;
    expect(entriesOf(entries, 'held').length).toBeGreaterThan(FAULTS / 2);
    expect(entriesOf(entries, 'lost').length).toBeGreaterThan(0);
  },
);

/** Mostly whoever got a lease last: faults that hit nobody who holds would show little. */
function victimOf(bench: Bench, chance: number): number {
  const holder = entriesOf(bench.log.entries, 'held').at(-1)?.client.slice(1);
  return chance < 0.7 && holder !== undefined ? Number(holder) : Math.floor(chance * CLIENTS);
}

async function relaysFor(bench: Bench, target: () => CoordinatorProcess): Promise<readonly Relay[]> {
  return Promise.all(Array.from({ length: CLIENTS }, () => bench.relay(target)));
}

/** With the faults over, everything that was asked for comes to its end. */
async function calm(clients: readonly ClientHandle[], contending: readonly Promise<unknown>[]): Promise<void> {
  for (const client of clients) client.stop();
  await Promise.all(contending);
}
