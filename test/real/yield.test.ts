import { connect } from 'leasehold';
import { expect, test, vi } from 'vitest';
import { Bench } from './support/bench.ts';
import { entriesOf, msBetween, type EntryOf } from './support/log.ts';
import { eventually } from './support/waiting.ts';

const NAME = 'job';
/** So long that nothing here comes of its end. */
const TTL_MS = 30_000;
const AT_ONCE_MS = 1_000;

test('S8 a higher claim asks the holder to yield, in another process; what that gives back goes by priority', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const [holder, low, high] = (['holder', 'low', 'high'] as const).map((label) =>
    bench.process().client(label, coordinator.url, { ttlMs: TTL_MS, idleMs: 60_000 }),
  );
  if (holder === undefined || low === undefined || high === undefined) throw new Error('three clients');
  const asked = (count: number): Promise<EntryOf<'yield-requested'>> =>
    bench.log.find(
      'yield-requested',
      () => entriesOf(bench.log.entries, 'yield-requested').length >= count,
      5_000,
      `the holder is asked ${count} times`,
    );

  await holder.acquire('a', NAME);
  const claims = [low.acquire('b', NAME, { priority: 1 }, 60_000)];
  await asked(1);
  claims.push(high.acquire('c', NAME, { priority: 2 }, 60_000));
  await asked(2);
  await holder.release('a');
  await claims[1];
  await high.release('c');
  await claims[0];
  // Nothing of an equal or lower priority asks.
  await holder.acquire('d', NAME, { priority: 1, waitMs: 200 });
  await low.release('b');

  const told = entriesOf(bench.log.entries, 'yield-requested');
  expect(told.map(({ client, key, priority }) => [client, key, priority])).toEqual([
    ['holder', 'a', 1],
    ['holder', 'a', 2],
  ]);
  const held = entriesOf(bench.log.entries, 'held').toSorted((a, b) => a.token - b.token);
  expect(held.map(({ client }) => client)).toEqual(['holder', 'high', 'low']);
  const released = entriesOf(bench.log.entries, 'released')[0]?.at ?? 0n;
  expect(msBetween(released, held[1]?.at ?? 0n)).toBeLessThan(AT_ONCE_MS);
  await bench.finish();
  expect(bench.violations).toEqual([]);
});

test('a holder that answers by handing over is followed at once, and hears of it again behind a reconnect', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const relay = await bench.relay(() => coordinator);
  await using client = connect(relay.url, { ttlMs: TTL_MS });
  const lease = await client.acquire(NAME);
  const yields = vi.fn();
  lease.on('yield-requested', yields);
  const other = bench.process().client('other', coordinator.url, { ttlMs: TTL_MS, idleMs: 60_000 });
  const claim = other.acquire('b', NAME, { priority: 7 }, 60_000);
  const asked = (count: number) =>
    eventually(() => (yields.mock.calls.length === count ? true : null), 5_000, `asked ${count} times`);
  await asked(1);
  expect(yields).toHaveBeenLastCalledWith({ kind: 'yield-requested', priority: 7 });
  expect(lease.status).toBe('held');
  relay.reset();
  await asked(2);
  await lease.handOver();
  expect(lease.status).toBe('released');
  expect(await claim).toMatchObject({ ok: true });
  await other.release('b');
  await bench.finish();
});
