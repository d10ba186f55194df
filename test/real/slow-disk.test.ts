import { expect, test } from 'vitest';
import { onPath } from '../../scripts/support/system.ts';
import { Bench } from './support/bench.ts';
import { entriesOf, msBetween, quantile, type Entry } from './support/log.ts';
import { renewalTimes } from './support/renewals.ts';
import { FULL } from './support/size.ts';
import { sleep } from './support/waiting.ts';

const HOLDERS = 10;
const TTL_MS = 3_000;
const OBSERVED_MS = FULL ? 60_000 : 12_000;
const RENEWAL_MS_MAX = 200;
const FSYNC_MS = 2_000;
const SLOW = [
  'strace',
  '-f',
  '-qq',
  '--seccomp-bpf',
  '-o',
  '/dev/null',
  '-e',
  'trace=fsync,fdatasync',
  '-e',
  `inject=fsync,fdatasync:delay_enter=${FSYNC_MS / 1_000}s`,
];

// Without strace no disk can be slowed; `npm run setup` installs it.
test.skipIf(onPath('strace') === null)(
  'S9 a disk whose fsync takes 2 s costs no lease, delays no renewal beyond 200 ms, and delays every grant',
  { timeout: 90_000 + OBSERVED_MS },
  async () => {
    await using bench = new Bench();
    const data = bench.dataFile();
    // The file is made on a quick disk: what is slow here is the running, not the first start.
    await (await bench.coordinator({ data })).stop();
    const coordinator = await bench.coordinator({ data, under: SLOW, readyWithinMs: 60_000 });
    const owner = bench.process();
    const holders = Array.from({ length: HOLDERS }, (_, index) => owner.client(`h${index}`, coordinator.url, {}, true));
    await Promise.all(holders.map((holder) => holder.acquire('a', holder.label, { ttlMs: TTL_MS })));
    const writer = bench.process().client('writer', coordinator.url);
    const churning = writer.churn('other-', { workers: 2, pauseMs: 0 }, { ttlMs: 30_000 });
    const writes = holders.slice(0, 2).map((holder) => holder.setState('a', { from: holder.label }));
    await sleep(OBSERVED_MS);
    writer.stop();
    await Promise.all([...writes, churning]);

    const { entries } = bench.log;
    expect(entriesOf(entries, 'lost')).toEqual([]);
    const renewals = renewalTimes(entries);
    expect(renewals.length).toBeGreaterThanOrEqual(HOLDERS * Math.floor(OBSERVED_MS / 2_000 - 1));
    expect(quantile(renewals, 1)).toBeLessThanOrEqual(RENEWAL_MS_MAX);
    // The disk was slow: no grant and no state write was answered in less than one fsync.
    const durable = answerTimes(entries, (what) => what.startsWith('acquire') || what === 'setState');
    expect(quantile(durable, 0)).toBeGreaterThanOrEqual(FSYNC_MS);
    expect(entriesOf(entries, 'held', 'writer').length).toBeGreaterThan(1);
    await bench.finish();
    expect(bench.violations).toEqual([]);
  },
);

function answerTimes(entries: readonly Entry[], wanted: (what: string) => boolean): readonly number[] {
  const calledAt = new Map(entriesOf(entries, 'called').map(({ call, at }) => [call, at]));
  return entriesOf(entries, 'settled')
    .filter(({ ok, what }) => ok && wanted(what))
    .map(({ call, at }) => msBetween(calledAt.get(call) ?? at, at));
}
