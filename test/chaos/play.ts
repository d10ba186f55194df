import { now, type Entry } from '../real/support/log.ts';
import { Bench } from '../real/support/bench.ts';
import { eventually, sleep, within } from '../real/support/waiting.ts';
import type { Fault } from './fault.ts';
import { Floor } from './floor.ts';
import { planOf, type Step } from './plan.ts';
import type { FaultSpan } from './run.ts';
import { sweepLeftOvers } from './left-over.ts';
import { SoFar } from './so-far.ts';
import type { Tool } from './tools.ts';
import { NUMBER } from './workload.ts';

/** Within this every claim of a calm system ends, and everyone who asks gets a lease. */
const CALM_MS = 60_000;
/** Within this every fault is over by itself. */
const FAULT_MS = 180_000;
const PROGRESS_MS = 10_000;

export interface Wanted {
  readonly seed: number;
  readonly ms: number;
  readonly faults: readonly Fault[];
  /** What is not there, and why: what needs it is left out. */
  readonly missing: ReadonlyMap<Tool, string>;
  /** Ends the faults early; the run is judged all the same. */
  readonly signal?: AbortSignal;
  readonly progress?: (line: string) => void;
}

export interface Played {
  readonly from: bigint;
  readonly to: bigint;
  readonly clients: readonly string[];
  readonly faults: readonly FaultSpan[];
  readonly entries: readonly Entry[];
  /** What the runner itself saw and no log tells: O6, a coordinator that ended by itself, work that never ended. */
  readonly found: readonly string[];
  /** What the coordinators said on standard error. */
  readonly coordinatorSaid: string;
}

/** Breaks real processes for a while, lets them come to rest, and hands back what they did. */
export async function play(wanted: Wanted): Promise<Played> {
  sweepLeftOvers();
  await using bench = new Bench();
  const from = now();
  const floor = await Floor.open(bench, wanted.missing);
  try {
    const spans: FaultSpan[] = [];
    const soFar = new SoFar(floor, spans);
    const telling = setInterval(() => wanted.progress?.(soFar.line()), PROGRESS_MS);
    await faults(floor, spans, wanted).finally(() => clearInterval(telling));
    wanted.progress?.('the faults are over; what was begun comes to its end');
    const found = await calm(floor);
    floor.supervisor.stop();
    await bench.rest();
    const { entries } = bench.log;
    return {
      from,
      to: now(),
      clients: [...new Set(entries.map(({ client }) => client))],
      faults: spans,
      entries,
      found: [...floor.supervisor.found, ...found, ...bench.violations],
      coordinatorSaid: floor.supervisor.said,
    };
  } finally {
    await bench[Symbol.asyncDispose]();
    await floor[Symbol.asyncDispose]();
  }
}

async function faults(floor: Floor, spans: FaultSpan[], { seed, ms, faults: kinds, signal }: Wanted): Promise<void> {
  const until = performance.now() + ms;
  const isOver = (): boolean => performance.now() > until || signal?.aborted === true || floor.supervisor.hasGivenUp;
  const plan = planOf(seed, kinds);
  // Everyone at work first.
  await sleep(1_000);
  while (!isOver()) {
    const step = plan.next().value;
    await Promise.all(playStep(floor, step, spans));
    await sleep(step.pauseMs);
  }
}

/** One that fails, or does not end, is told, and the run goes on: what it has shown so far is worth a verdict. */
const playStep = (floor: Floor, step: Step, spans: FaultSpan[]): readonly Promise<void>[] =>
  step.faults.map(async ({ fault, chance }) => {
    const victim = await fault.victim(floor, chance);
    const from = now();
    await within(fault.play(floor, chance, victim), FAULT_MS, 'its end').catch((error: unknown) => {
      floor.supervisor.found.push(`the fault ${fault.kind} of ${victim} failed: ${String(error)}`);
    });
    spans.push({ kind: fault.kind, victim, from, to: now() });
  });

/** With the faults over everything that was begun ends, and everyone gets the same lease once. */
async function calm(floor: Floor): Promise<readonly string[]> {
  const { tenants } = floor;
  const found: string[] = [];
  for (const { place } of tenants) place.relay?.bury();
  await sleep(1_000);
  for (const tenant of tenants) tenant.stop();
  const left = (): readonly string[] => tenants.flatMap((tenant) => tenant.unsettled());
  await eventually(() => (left().length === 0 ? true : null), CALM_MS, 'work ends').catch(() => {
    for (const call of left()) found.push(`liveness: ${call} did not end within ${CALM_MS} ms of calm`);
  });
  const clients = tenants.flatMap((tenant) => tenant.clients);
  await Promise.all(
    clients.map(async (client) => {
      const key = `last of ${client.label}`;
      const got = await client.acquire(key, 'calm', { ttlMs: 3_000 }, CALM_MS).catch(() => null);
      if (got?.ok === true) await client.release(key);
      else
        found.push(`liveness: ${client.label} got no lease in the calm: ${got?.ok === false ? got.code : 'silence'}`);
    }),
  );
  // For the log: what the number is in the end.
  await clients[0]?.inspect(NUMBER).catch(() => undefined);
  return found;
}
