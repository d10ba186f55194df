import { readFileSync } from 'node:fs';
import type { Bench } from '../support/bench.ts';
import { COLLECTING } from '../support/collecting.ts';
import type { ClientHandle, Settled } from '../support/client-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { msBetween, now } from '../support/log.ts';
import { eventually, sleep } from '../support/waiting.ts';

const NAME = 'crowd';
const TTL_MS = 3_000;
const CONNECTIONS = 20;
const WAIT_MS = 50;
const EMPTY_MS_MAX = 1_000;
const GROWTH_MB_MAX = 20;
const GRANTED_MS_MAX = 50;

interface Plan {
  readonly holdMs: number;
  readonly attempts: number;
  /** At a time, of each connection: so the queue is that many times twenty long. */
  readonly lanes: number;
  readonly restMs: number;
}

const PLANS: Readonly<Record<'ci' | 'full', Plan>> = {
  ci: { holdMs: 5_500, attempts: 2_000, lanes: 5, restMs: 2_000 },
  full: { holdMs: 60_000, attempts: 20_000, lanes: 5, restMs: 10_000 },
};

/** V8 lets the space for objects that die young grow to three times 16 MB and gives none of it back: here it is held to 2 MB. */
const MEMORY = { NODE_OPTIONS: `--max-semi-space-size=2 ${COLLECTING}` };
const COLLECTS_MS = 500;

export const F09: FieldCase = {
  id: 'F09',
  title: 'S8 claims whose wait is over leave the queue and no memory behind, and do not delay who still waits',
  async run(bench, size) {
    const plan = PLANS[size];
    const coordinator = await bench.coordinator({ env: MEMORY });
    const holder = bench.process().client('A', coordinator.url);
    const waiter = bench.process().client('B', coordinator.url);
    await Promise.all([holder.ready(), waiter.ready()]);
    const crowd = await crowdOf(bench, coordinator.url);
    const { at: heldAt } = await holder.acquire('a', NAME, { ttlMs: TTL_MS });
    // Once before: what the process takes for the first of them and uses again is nothing that they leave behind.
    await Promise.all(crowd.map((client) => client.attempts(NAME, timesOf(plan), { ttlMs: TTL_MS, waitMs: WAIT_MS })));
    const startMb = await residentMb(coordinator.pid);

    const ends = crowd.map((client) => client.attempts(NAME, timesOf(plan), { ttlMs: TTL_MS, waitMs: WAIT_MS }));
    // In the midst of them stands one that does not give up: those before it and those behind it do.
    await sleep(500);
    const waiting = waiter.acquire('b', NAME, { ttlMs: TTL_MS }, plan.holdMs + 30_000);
    await bench.log.find('queued', ({ client }) => client === 'B', 5_000, 'B stands in the queue');
    const settled = await Promise.all(ends);
    const peakMb = await residentMb(coordinator.pid);
    measureAttempts(bench, settled, plan);
    await measureQueue(bench, waiter, settled);
    await measureMemory(bench, coordinator.pid, { startMb, peakMb }, plan);

    await sleep(Math.max(0, plan.holdMs - msBetween(heldAt, now())));
    const released = await holder.release('a');
    await waiting;
    await measureHandOver(bench, released);
    await waiter.release('b');
  },
};

const timesOf = ({ attempts, lanes }: Plan): { readonly times: number; readonly lanes: number } => ({
  times: attempts / CONNECTIONS / lanes,
  lanes,
});

async function crowdOf(bench: Bench, url: string): Promise<readonly ClientHandle[]> {
  const programs = [bench.process(), bench.process()];
  const crowd = Array.from({ length: CONNECTIONS }, (_, index) =>
    (programs[index % programs.length] ?? bench.process()).client(`crowd-${index}`, url, { idleMs: 600_000 }),
  );
  await Promise.all(crowd.map((client) => client.ready()));
  return crowd;
}

function measureAttempts(bench: Bench, settled: readonly Settled[], { attempts }: Plan): void {
  const told = settled.map(toldBy);
  const ended: Record<string, number> = {};
  for (const one of told)
    for (const [code, count] of Object.entries(one.ended)) ended[code] = (ended[code] ?? 0) + count;
  bench.measure(
    `${attempts} attempts with ${WAIT_MS} ms on ${CONNECTIONS} connections`,
    Object.entries(ended)
      .map(([code, count]) => `${count} ${code}`)
      .join(', '),
    'all end by wait-timeout',
    ended['wait-timeout'] === attempts,
  );
  const slowestMs = Math.max(...told.map((one) => one.slowestMs));
  bench.measure('slowest of them', `${slowestMs.toFixed(0)} ms`, 'told only', true);
}

// `attempts` of the client program settles so.
const toldBy = (settled: Settled): Told =>
  settled.ok ? (settled.value as unknown as Told) : { ended: { [settled.code]: 1 }, slowestMs: 0 };

interface Told {
  readonly ended: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

/** Beside B, that is: it waits in the same queue. */
async function measureQueue(bench: Bench, waiter: ClientHandle, settled: readonly Settled[]): Promise<void> {
  const lastAt = settled.reduce((last, { at }) => (at > last ? at : last), 0n);
  let seen: unknown;
  const emptied = await eventually(
    async () => {
      const looked = await waiter.inspect(NAME);
      seen = looked.ok ? (looked.value as { readonly queue?: number }).queue : looked.code; // A LeaseView as JSON.
      return seen === 1 ? looked : null;
    },
    5_000,
    'the queue is empty',
  ).catch(() => null);
  const tookMs = emptied === null ? Infinity : msBetween(lastAt, emptied.at);
  bench.measure(
    'after the last time-out, in the queue beside B',
    emptied === null ? `${String(seen)} in all for 5 s` : `nobody after ${tookMs.toFixed(0)} ms`,
    `nobody within ${EMPTY_MS_MAX} ms`,
    tookMs <= EMPTY_MS_MAX,
  );
}

async function measureMemory(
  bench: Bench,
  pid: number,
  { startMb, peakMb }: { readonly startMb: number; readonly peakMb: number },
  { restMs }: Plan,
): Promise<void> {
  await sleep(restMs);
  const endMb = await residentMb(pid);
  bench.measure(
    `resident memory of the coordinator ${restMs / 1_000} s later, behind a collection of garbage`,
    `${startMb.toFixed(1)} MB behind as many before, ${peakMb.toFixed(1)} MB behind the last attempt, ${endMb.toFixed(1)} MB`,
    `at most ${GROWTH_MB_MAX} MB over the start`,
    endMb - startMb <= GROWTH_MB_MAX,
  );
}

/** From A's call of `release`, which lies before the release itself. */
async function measureHandOver(bench: Bench, released: Settled): Promise<void> {
  const called = await bench.log.find('called', ({ call }) => call === released.call, 1_000, 'the release is logged');
  const held = await bench.log.find('held', ({ client }) => client === 'B', 1_000, 'B holds');
  const tookMs = msBetween(called.at, held.at);
  bench.measure(
    'B, which waited amid them, after the release',
    `granted in ${tookMs.toFixed(1)} ms`,
    `at most ${GRANTED_MS_MAX} ms`,
    tookMs <= GRANTED_MS_MAX,
  );
}

/** VmRSS, in units of 1,048,576 bytes. */
async function residentMb(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  await sleep(COLLECTS_MS);
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kib === undefined) throw new Error(`process ${pid} has no VmRSS`);
  return Number(kib) / 1_024;
}
