import { cpSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Bench } from '../support/bench.ts';
import type { ClientHandle, ClientProcess } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { entriesOf, isOf, msBetween, now } from '../support/log.ts';
import { eventually, sleep } from '../support/waiting.ts';

const TTL_MS = 3_000;
/** Of the holder whose coordinator is killed: it has to outlive the new one's start. */
const LONG_TTL_MS = 10_000;
const HOLE_MS = TTL_MS + 2_000;
const TOKENS_APART_MS = 1_100;
const BACK_MS_MAX = 2_000;
const LIMIT_MS = 10_000;
const SLACK_MS = 250;
const OPTIONS = { connectTimeoutMs: 500, maxBackoffMs: 500, idleMs: 60_000 };

export const F26: FieldCase = {
  id: 'F26',
  title: 'S8 a waiter whose session died while it waited stands again under the same promise, or is timed out',
  async run(bench, size) {
    const afterMs = size === 'full' ? 5_000 : 2_000;
    const rounds = size === 'full' ? 5 : 1;
    for (let round = 0; round < rounds; round += 1) await playAll(bench, round, afterMs);
    // A dial that was given up may have been welcomed all the same: that session ends by silence.
    bench.ghosts = 3 * rounds;
  },
};

async function playAll(bench: Bench, round: number, afterMs: number): Promise<void> {
  const [coordinator, others] = [await bench.coordinator(), bench.process()];
  await Promise.all([
    cutOff(bench, `cut-${round}`, { coordinator, others, afterMs }),
    limited(bench, `limited-${round}`, { coordinator, others }),
    emptied(bench, `emptied-${round}`, { others, afterMs }),
  ]);
}

interface Place {
  readonly coordinator: CoordinatorProcess;
  /** What outlives the case. */
  readonly others: ClientProcess;
  readonly afterMs: number;
}

interface Pair {
  readonly name: string;
  readonly holding: ClientProcess;
  readonly holder: ClientHandle;
  readonly waiter: ClientHandle;
  readonly observer: ClientHandle;
}

/** A holds; B waits behind it, if need be by another way. */
async function pair(
  bench: Bench,
  name: string,
  { coordinator: { url }, others }: Omit<Place, 'afterMs'>,
  { urlOfB = url, ttlMs = TTL_MS }: { readonly urlOfB?: string; readonly ttlMs?: number } = {},
): Promise<Pair> {
  const holding = bench.process();
  const holder = holding.client(`A ${name}`, url, { maxBackoffMs: 500, idleMs: 60_000 });
  const waiter = others.client(`B ${name}`, urlOfB, OPTIONS, true);
  const observer = others.client(`observer ${name}`, url, { idleMs: 60_000 });
  await Promise.all([holder, waiter, observer].map((client) => client.ready(30_000)));
  await holder.acquire('a', name, { ttlMs });
  return { name, holding, holder, waiter, observer };
}

const queued = (bench: Bench, { label }: ClientHandle): Promise<unknown> =>
  bench.log.find('queued', ({ client }) => client === label, 5_000, `${label} queues`);

async function whenQueued({ observer, name }: Pair, wanted: number, ms: number): Promise<bigint> {
  const seen = async (): Promise<bigint | null> => {
    const view = await observer.inspect(name);
    return view.ok && (view.value as { readonly queue: number }).queue === wanted ? now() : null; // A LeaseView as JSON.
  };
  return eventually(seen, ms, `the queue of ${name} has ${wanted}`);
}

const isBack = (told: string, ms: number): readonly [string, string, string, boolean] => [
  told,
  `after ${ms.toFixed(0)} ms`,
  `at most ${BACK_MS_MAX} ms`,
  ms <= BACK_MS_MAX,
];

async function cutOff(bench: Bench, name: string, place: Place): Promise<void> {
  const { coordinator, afterMs } = place;
  const relay = await bench.relay(() => coordinator);
  const of = await pair(bench, name, place, { urlOfB: relay.url });
  const waiting = of.waiter.acquire('b', name, { ttlMs: TTL_MS }, 60_000);
  await queued(bench, of.waiter);
  relay.blackHole();
  await Promise.all([sleep(HOLE_MS), whenQueued(of, 0, HOLE_MS)]);
  const healedAt = now();
  relay.heal();
  const backAt = await whenQueued(of, 1, 10_000);
  bench.measure(...isBack('healed to back in the queue', msBetween(healedAt, backAt)));
  await sleep(afterMs);
  await ends(bench, of, waiting, 'dies');
}

/** The coordinator goes on from a copy of its data in which B has never come. */
async function emptied(bench: Bench, name: string, { others, afterMs }: Omit<Place, 'coordinator'>): Promise<void> {
  // Not in the second of the other coordinator's start: tokens begin at the clock.
  await sleep(TOKENS_APART_MS);
  const data = bench.dataFile();
  const coordinator = await bench.coordinator({ data });
  const of = await pair(bench, name, { coordinator, others }, { ttlMs: LONG_TTL_MS });
  await sleep(500);
  const before = bench.folder();
  cpSync(dirname(data), before, { recursive: true });
  const waiting = of.waiter.acquire('b', name, { ttlMs: TTL_MS }, 60_000);
  await queued(bench, of.waiter);
  await sleep(500);
  await coordinator.kill();
  rmSync(dirname(data), { recursive: true });
  cpSync(before, dirname(data), { recursive: true });
  await bench.restart(coordinator);
  const upAt = now();
  const backAt = await whenQueued(of, 1, 10_000);
  bench.measure(...isBack('the emptied coordinator listens, to back in the queue', msBetween(upAt, backAt)));
  await sleep(afterMs);
  await ends(bench, of, waiting, 'releases');
}

/** `how` A ends: by its death, or by its word. */
async function ends(
  bench: Bench,
  { name, waiter, holder, holding }: Pair,
  waiting: ReturnType<ClientHandle['acquire']>,
  how: 'dies' | 'releases',
): Promise<void> {
  const settled = bench.log.entries.some(
    (entry) => entry.client === waiter.label && isOf(entry, 'settled') && entry.what === `acquire ${name}`,
  );
  const lost = entriesOf(bench.log.entries, 'lost').filter((entry) => entry.name === name).length;
  bench.measure(
    `${name}: the promise meanwhile`,
    `${settled ? 'settled' : 'pending'}, A ${lost > 0 ? 'lost its lease' : 'holds on'}`,
    'pending, A holds on',
    !settled && lost === 0,
  );
  const endedAt = now();
  if (how === 'dies') holding.kill();
  else await holder.release('a');
  const granted = await waiting;
  const [ms, most] = [msBetween(endedAt, granted.at), how === 'dies' ? TTL_MS + SLACK_MS : SLACK_MS];
  bench.measure(
    `${name}: A ${how}, to the grant`,
    granted.ok ? `${ms.toFixed(0)} ms` : granted.code,
    `at most ${most} ms`,
    granted.ok && ms <= most,
  );
  await waiter.release('b');
}

async function limited(bench: Bench, name: string, place: Omit<Place, 'afterMs'>): Promise<void> {
  const { coordinator } = place;
  const relay = await bench.relay(() => coordinator);
  const of = await pair(bench, name, place, { urlOfB: relay.url });
  const waiting = of.waiter.acquire('b', name, { ttlMs: TTL_MS, waitMs: LIMIT_MS }, 60_000);
  await queued(bench, of.waiter);
  relay.blackHole();
  await sleep(HOLE_MS);
  relay.heal();
  const settled = await waiting;
  const called = await bench.log.find('called', ({ call }) => call === settled.call, 1_000, 'the call is in the log');
  const ms = msBetween(called.at, settled.at);
  bench.measure(
    'with a limit of 10 s',
    settled.ok ? 'granted' : `${settled.code} after ${ms.toFixed(0)} ms`,
    `wait-timeout after ${LIMIT_MS} ms, 100 ms more or less`,
    !settled.ok && settled.code === 'wait-timeout' && Math.abs(ms - LIMIT_MS) <= 100,
  );
}
