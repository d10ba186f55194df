import type { Bench } from '../support/bench.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import { deadlinesOf } from '../support/deadlines.ts';
import type { FieldCase } from '../support/field-case.ts';
import { addMs, entriesOf, msBetween, now, type EntryOf } from '../support/log.ts';
import { sleep } from '../support/waiting.ts';

const NAME = 'leader';
const WORK_MS = 100;
const LEADS_SLACK_MS = 2_000;
const SETTLED_MS = 1_000;
/** A connection that was dropped sooner is followed by a long pause. */
const PROVEN_MS = 5_500;

export const F27: FieldCase = {
  id: 'F27',
  title: 'S1 an election goes on over outages of the coordinator, short and long, with never two workers at once',
  async run(bench, size) {
    const plan =
      size === 'full'
        ? { ttlMs: 15_000, shortMs: 2_000, longMs: [20_000, 90_000] }
        : { ttlMs: 4_000, shortMs: 500, longMs: [5_000] };
    let coordinator = await bench.coordinator();
    for (const label of ['A', 'B']) {
      const client = bench.process().client(label, coordinator.url, {}, true);
      await client.elect('e', NAME, { ttlMs: plan.ttlMs }, WORK_MS);
    }
    await bench.log.find('held', () => true, 5_000, 'one of them leads');
    await bench.log.find('election', ({ status }) => status === 'standing', 5_000, 'the other one stands');
    await sleep(SETTLED_MS);

    // A short window has room for an outage and a slow start only where it is nearly whole.
    if (size === 'ci') await bench.log.next('received', isRenewed, plan.ttlMs, 'a renewal is acknowledged');
    const short = await outage(bench, coordinator, plan.shortMs);
    coordinator = short.coordinator;
    await sleep(Math.max(plan.ttlMs, PROVEN_MS));
    measureShort(bench, plan.shortMs, short);
    for (const ms of plan.longMs) {
      const long = await outage(bench, coordinator, ms);
      coordinator = long.coordinator;
      await measureLong(bench, plan.ttlMs, ms, long);
    }
    measureWorkers(bench);
  },
};

const isRenewed = ({ messages }: EntryOf<'received'>): boolean =>
  messages.some((message) => message['type'] === 'renewed');

interface Outage {
  readonly coordinator: CoordinatorProcess;
  /** Who led before. */
  readonly before: EntryOf<'held'>;
  readonly stoppedAt: bigint;
  readonly startedAt: bigint;
}

/** Stopped as an operator stops it, and started again on the same data. */
async function outage(bench: Bench, coordinator: CoordinatorProcess, ms: number): Promise<Outage> {
  const before = entriesOf(bench.log.entries, 'held').at(-1);
  if (before === undefined) throw new Error('nobody led');
  const stoppedAt = now();
  await coordinator.stop();
  await sleep(Math.max(0, ms - msBetween(stoppedAt, now())));
  const startedAt = now();
  return { coordinator: await bench.restart(coordinator), before, stoppedAt, startedAt };
}

/** A whole window later, so that a leader who came back without its lease would have been found out. */
function measureShort(bench: Bench, ms: number, { before, stoppedAt }: Outage): void {
  const wins = entriesOf(bench.log.entries, 'held').filter(({ at }) => at > stoppedAt);
  const losses = entriesOf(bench.log.entries, 'deposed').filter(({ at }) => at > stoppedAt);
  const working = workedSince(bench, addMs(now(), -SETTLED_MS));
  bench.measure(
    `outage of ${seconds(ms)}`,
    `${losses.length} deposed, ${wins.length} elected, working with ${working.join(', ')}`,
    `same leader, same token (${before.token})`,
    wins.length === 0 && losses.length === 0 && working.join() === String(before.token),
  );
}

async function measureLong(
  bench: Bench,
  ttlMs: number,
  ms: number,
  { before, stoppedAt, startedAt }: Outage,
): Promise<void> {
  const next = await bench.log.find(
    'held',
    ({ at }) => at > stoppedAt,
    ttlMs + LEADS_SLACK_MS + 5_000,
    `one leads after ${seconds(ms)}`,
  );
  const { entries } = bench.log;
  const lastStep =
    entriesOf(entries, 'worked', before.client).findLast(({ token }) => token === before.token)?.at ?? 0n;
  // Later words of that lease tell how long its name stays closed, and are no news to whoever has lost it.
  const meanwhile = entries.filter(({ at }) => at < startedAt);
  const deadline = deadlinesOf(meanwhile).get(before.client)?.get(before.token) ?? 0n;
  const leftMs = msBetween(lastStep, deadline);
  bench.measure(
    `outage of ${seconds(ms)}: the worker's last step before its local deadline`,
    `${leftMs.toFixed(0)} ms`,
    'at least 0 ms',
    leftMs >= 0 && deadline > stoppedAt,
  );
  const afterMs = msBetween(startedAt, next.at);
  await sleep(SETTLED_MS);
  const wins = entriesOf(entries, 'held').filter(({ at }) => at > stoppedAt).length;
  bench.measure(
    `outage of ${seconds(ms)}: start to the next leader`,
    `${afterMs.toFixed(0)} ms, ${wins} elected`,
    `at most W + 2 s = ${ttlMs + LEADS_SLACK_MS} ms, exactly one`,
    afterMs <= ttlMs + LEADS_SLACK_MS && wins === 1,
  );
  const working = workedSince(bench, addMs(now(), -SETTLED_MS / 2));
  bench.measure(
    `outage of ${seconds(ms)}: token of the worker then`,
    `${before.token} -> ${working.join(', ')}`,
    'one, and higher',
    working.length === 1 && Number(working[0]) > before.token,
  );
}

/** Two workers at once would have their steps among each other: those of one lie together, and tokens never fall. */
function measureWorkers(bench: Bench): void {
  const steps = entriesOf(bench.log.entries, 'worked').toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const names = steps.map(({ client, worker }) => `${client}.${worker}`);
  const stretches = names.filter((name, index) => name !== names[index - 1]);
  const workers = new Set(stretches).size;
  const fallen = steps.filter(({ token }, index) => token < (steps[index - 1]?.token ?? 0)).length;
  bench.measure(
    `${steps.length} steps of ${workers} workers`,
    `${stretches.length - workers} interleaved, ${fallen} with an older token`,
    'never two workers at once',
    stretches.length === workers && fallen === 0 && workers > 1,
  );
}

const workedSince = (bench: Bench, from: bigint): readonly number[] => [
  ...new Set(
    entriesOf(bench.log.entries, 'worked')
      .filter(({ at }) => at > from)
      .map(({ token }) => token),
  ),
];

const seconds = (ms: number): string => `${ms / 1_000} s`;
