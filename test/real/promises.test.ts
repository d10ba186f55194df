import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { Bench } from './support/bench.ts';
import { entriesOf, msBetween } from './support/log.ts';
import { RawClient } from './support/raw-client.ts';
import { sleep, within } from './support/waiting.ts';

const TTL_MS = 3_000;

test('S2 tokens rise over restarts by SIGTERM and by SIGKILL, and begin at the floor of the wall clock', async () => {
  await using bench = new Bench();
  // Read before the coordinator reads its own: behind its start, the next second may have begun.
  const floor = Math.floor(Date.now() / 1_000) * 2 ** 20;
  let coordinator = await bench.coordinator();
  const child = bench.process();
  const tokens: number[] = [floor - 1];
  for (let round = 0; round < 4; round += 1) {
    // A client of its own: one whose connections never live for 5 s dials more and more slowly.
    const client = child.client(`A${round}`, coordinator.url);
    const granted = await client.acquire('a', 'job', { ttlMs: 1_000 });
    tokens.push(granted.ok ? Number(granted.value) : Number.NaN);
    await client.release('a');
    await client.close();
    if (round % 2 === 0) await coordinator.stop();
    else await coordinator.kill();
    coordinator = await bench.restart(coordinator);
  }
  expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
  expect(new Set(tokens).size).toBe(tokens.length);
  // A coordinator that ends before a farewell's `keepMs` is over finds the session again: it ends by silence.
  bench.ghosts = 4;
  await bench.finish();
  expect(bench.violations).toEqual([]);
});

test('S3 a renewal, a release and a state write with an old token change nothing, over a real socket', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const raw = await bench.raw(coordinator);
  const acquire = { type: 'acquire', name: 'job', ttlMs: TTL_MS };
  raw.send({ ...acquire, request: 'a1' });
  const old = Number((await raw.take('granted'))['fencingToken']);
  raw.send({ type: 'release', request: 'r1', name: 'job', fencingToken: old });
  expect((await raw.take('released'))['released']).toBe(true);
  raw.send({ ...acquire, request: 'a2' });
  const current = Number((await raw.take('granted'))['fencingToken']);
  expect(current).toBeGreaterThan(old);

  raw.send({ type: 'renew', request: 'n1', leases: [{ name: 'job', fencingToken: old }] });
  expect((await raw.take('renewed'))['leases']).toMatchObject([{ code: 'superseded' }]);
  raw.send({ type: 'release', request: 'r2', name: 'job', fencingToken: old });
  expect(await raw.take('released')).toMatchObject({ released: false, code: 'superseded' });
  raw.send({ type: 'setState', request: 's1', name: 'job', fencingToken: old, value: 'stale' });
  expect(await raw.take('error')).toMatchObject({ request: 's1', code: 'superseded' });

  raw.send({ type: 'list', request: 'l1', name: 'job' });
  const { views } = await raw.take('view');
  expect(views).toMatchObject([{ holders: [{ fencingToken: current }] }]);
  expect(JSON.stringify(views)).not.toContain('stale');
  await bench.finish();
  expect(bench.violations).toEqual([]);
});

test('S5 a coordinator killed and started again keeps a lease whose holder comes back, and grants nobody else meanwhile', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const options = { maxBackoffMs: 500, connectTimeoutMs: 1_000 };
  const holder = bench.process().client('holder', coordinator.url, options);
  const granted = await holder.acquire('a', 'job', { ttlMs: 10_000 });
  const waiter = bench.process().client('waiter', coordinator.url, options);
  const waiting = waiter.acquire('b', 'job', { ttlMs: 10_000 });
  await bench.log.find('queued', ({ client }) => client === 'waiter', 5_000, 'the waiter queues');
  await coordinator.kill();
  await sleep(1_000);
  await bench.restart(coordinator);
  await sleep(12_000);
  const { status, token } = await holder.read('a');
  expect({ status, token }).toEqual({ status: 'held', token: granted.ok ? granted.value : null });
  expect(entriesOf(bench.log.entries, 'held', 'waiter')).toEqual([]);
  await holder.release('a');
  expect((await waiting).ok).toBe(true);
  await bench.finish();
  expect(bench.violations).toEqual([]);
});

test('S7 a socket that is reset ends nothing: the lease is held on and the waiter waits on', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const relay = await bench.relay(() => coordinator);
  const holder = bench.process().client('holder', relay.url);
  const granted = await holder.acquire('a', 'job', { ttlMs: TTL_MS });
  const waiter = bench.process().client('waiter', coordinator.url);
  const waiting = waiter.acquire('b', 'job', { ttlMs: TTL_MS });
  for (let cut = 0; cut < 3; cut += 1) {
    await sleep(700);
    relay.reset();
  }
  await sleep(TTL_MS);
  expect(entriesOf(bench.log.entries, 'held', 'waiter')).toEqual([]);
  expect(await holder.read('a')).toMatchObject({ status: 'held', token: granted.ok ? granted.value : null });
  await holder.release('a');
  await waiting;
  await bench.finish();
  expect(bench.violations).toEqual([]);
});

test('S9 a coordinator stopped for two windows ends no lease whose holder renews after it', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const raw = await bench.raw(coordinator);
  raw.send({ type: 'acquire', request: 'a', name: 'job', ttlMs: TTL_MS });
  const { fencingToken } = await raw.take('granted');
  const waiter = bench.process().client('waiter', coordinator.url);
  const waiting = waiter.acquire('b', 'job', { ttlMs: TTL_MS });
  await sleep(500);
  coordinator.signal('SIGSTOP');
  await sleep(2 * TTL_MS);
  coordinator.signal('SIGCONT');
  // Long after its loop has turned again: a renewal in its very first turn would be read before anything ends anyway.
  await sleep(500);
  raw.send({ type: 'renew', request: 'n', leases: [{ name: 'job', fencingToken: fencingToken ?? 0 }] });
  expect((await raw.take('renewed'))['leases']).toMatchObject([
    { name: 'job', fencingToken, leftMs: expect.any(Number) as number },
  ]);
  expect(entriesOf(bench.log.entries, 'held', 'waiter')).toEqual([]);
  raw.send({ type: 'release', request: 'r', name: 'job', fencingToken: fencingToken ?? 0 });
  await waiting;
  await bench.finish();
  expect(bench.violations).toEqual([]);
});

test('S9 a coordinator stopped for a quarter of a window, while renewals are due, costs no client its lease', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const owner = bench.process();
  const holders = Array.from({ length: 5 }, (_, index) => owner.client(`h${index}`, coordinator.url));
  await Promise.all(holders.map((holder) => holder.acquire('a', holder.label, { ttlMs: 10_000 })));
  // The renewals come at 6.2 to 6.7 s: in the middle of the stop.
  await sleep(5_500);
  coordinator.signal('SIGSTOP');
  await sleep(2_500);
  coordinator.signal('SIGCONT');
  await sleep(3_000);
  for (const holder of holders) expect((await holder.read('a')).status).toBe('held');
  expect(entriesOf(bench.log.entries, 'lost')).toEqual([]);
  await bench.finish();
  expect(bench.violations).toEqual([]);
});

test('S10 one try against nothing rejects unavailable within its connect timeout', async () => {
  await using bench = new Bench();
  const child = bench.process();
  const nobody = child.client('nobody', 'ws://127.0.0.1:9', { connectTimeoutMs: 700 });
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const mute = child.client('mute', `ws://127.0.0.1:${port}`, { connectTimeoutMs: 700 });
  const tried = await Promise.all([nobody.tryAcquire('a', 'job', {}, 700), mute.tryAcquire('a', 'job', {}, 700)]);
  expect(tried).toMatchObject([
    { ok: false, code: 'unavailable' },
    { ok: false, code: 'unavailable' },
  ]);
  await bench.finish();
  silent.close();
  expect(bench.violations).toEqual([]);
});

test('S10 a wait that finds no coordinator for its whole time rejects unavailable on time; one that finds the name held rejects wait-timeout', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const child = bench.process();
  await child.client('holder', coordinator.url).acquire('a', 'job');
  const waiter = child.client('waiter', coordinator.url);
  const nobody = child.client('nobody', 'ws://127.0.0.1:9', { connectTimeoutMs: 300 });
  const settled = await Promise.all([
    waiter.acquire('b', 'job', { waitMs: 1_500 }),
    nobody.acquire('c', 'job', { waitMs: 1_500 }),
  ]);
  expect(settled).toMatchObject([
    { ok: false, code: 'wait-timeout' },
    { ok: false, code: 'unavailable' },
  ]);
  const calls = new Map(entriesOf(bench.log.entries, 'called').map(({ call, at }) => [call, at]));
  for (const { call, at } of settled) expect(msBetween(calls.get(call) ?? at, at)).toBeGreaterThanOrEqual(1_400);
  await bench.finish();
  expect(bench.violations).toEqual([]);
});

test('S11 malformed frames end only their own socket, with a code, and no other session notices', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const holder = bench.process().client('holder', coordinator.url);
  await holder.acquire('a', 'job', { ttlMs: TTL_MS });
  const bad = [
    'null',
    '1',
    '[]',
    '{}',
    ']',
    '{"type":5}',
    '{"type":"nonsense"}',
    '['.repeat(300),
    Buffer.from([0xff, 0xfe]),
  ];
  for (const text of bad) {
    const stranger = await RawClient.open(coordinator.url);
    stranger.sendText(text);
    const shown = String(text).slice(0, 20);
    const { code } = await within(stranger.closed, 2_000, `the socket of ${shown} is closed`);
    expect([1003, 1007, 4400].map((allowed) => `${shown}: ${allowed}`)).toContain(`${shown}: ${code}`);
  }
  const known = await bench.raw(coordinator);
  known.send({ type: 'nonsense', request: 'x1' });
  expect(await known.take('error')).toMatchObject({ request: 'x1', code: 'unknown-type', retryable: false });
  known.send({ type: 'acquire', request: 'x2', name: 'job', ttlMs: 1 });
  expect(await known.take('error')).toMatchObject({ request: 'x2', code: 'bad-request', param: 'ttlMs' });
  await sleep(TTL_MS);
  expect((await holder.read('a')).status).toBe('held');
  await bench.finish();
  expect(bench.violations).toEqual([]);
});
