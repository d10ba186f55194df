import { expect, test } from 'vitest';
import { Bench } from './support/bench.ts';
import type { ClientHandle } from './support/client-process.ts';
import { entriesOf, type EntryOf } from './support/log.ts';
import { FULL } from './support/size.ts';
import { sleep } from './support/waiting.ts';

const NAME = 'progress';
const QUICK = { maxBackoffMs: 500, connectTimeoutMs: 500 };
/** Two pings of 15 s, which a watch alone does not shorten, and the dial. */
const SILENCE_MS_MAX = 35_000;

/** The next or a past view of that watch that fits. */
const shows = (
  bench: Bench,
  { label }: ClientHandle,
  fits: (view: EntryOf<'viewed'>) => boolean,
  ms = 15_000,
  key = 'w',
): Promise<EntryOf<'viewed'>> =>
  bench.log.find(
    'viewed',
    (view) => view.client === label && view.key === key && fits(view),
    ms,
    `${label} is shown it`,
  );

/** What of a view only ever rises. */
function fallsOf(views: readonly EntryOf<'viewed'>[]): readonly string[] {
  return views.flatMap((view, index) => {
    const before = views[index - 1];
    const falls = (['version', 'writer', 'lastToken'] as const).filter(
      (field) => (view[field] ?? 0) < (before?.[field] ?? 0),
    );
    return falls.map((field) => `${field}: ${before?.[field]} -> ${view[field]}`);
  });
}

async function finish(bench: Bench): Promise<void> {
  await bench.finish();
  expect(bench.violations).toEqual([]);
}

const tokenOf = (settled: { readonly ok: boolean; readonly value?: unknown }): number =>
  settled.ok ? Number(settled.value) : Number.NaN;

test('a watch over a coordinator that is killed and started again on its file shows what was written meanwhile', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const holder = bench.process().client('holder', coordinator.url, QUICK);
  const watcher = bench.process().client('watcher', coordinator.url, QUICK);
  const token = tokenOf(await holder.acquire('a', NAME));
  watcher.watch('w', NAME);
  await holder.setState('a', { n: 1 });
  await shows(bench, watcher, (view) => view.version === 1 && view.writer === token && view.holder === token);
  await coordinator.kill();
  const writing = holder.setState('a', { n: 2 });
  await bench.restart(coordinator);
  await writing;
  await shows(bench, watcher, (view) => view.version === 2 && view.holder === token, 10_000);
  await holder.release('a');
  await shows(bench, watcher, (view) => view.version === 2 && view.holder === null);
  expect(fallsOf(entriesOf(bench.log.entries, 'viewed', 'watcher'))).toEqual([]);
  await finish(bench);
});

test('a watch over a reset and a black hole shows at the end how it is, and nothing in it ever falls', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const relay = await bench.relay(() => coordinator);
  const [first, second] = ['first', 'second'].map((label) => bench.process().client(label, coordinator.url));
  const watcher = bench.process().client('watcher', relay.url, QUICK);
  if (!first || !second) throw new Error('two holders');
  const before = tokenOf(await first.acquire('a', NAME));
  await first.setState('a', { n: 1 });
  watcher.watch('w', NAME);
  await shows(bench, watcher, (view) => view.version === 1 && view.writer === before);

  // The hand-over and the write fall into the pause before the watcher dials again.
  relay.reset();
  const waiting = second.acquire('b', NAME);
  await first.release('a');
  const after = tokenOf(await waiting);
  await second.setState('b', { n: 2 });
  await shows(bench, watcher, (view) => view.version === 2 && view.writer === after && view.holder === after);

  relay.blackHole();
  await second.setState('b', { n: 3 });
  await sleep(1_000);
  relay.heal();
  // A network resets what is dead sooner or later; a silent one is found out by two pings that do not come.
  if (!FULL) relay.bury();
  await second.setState('b', { n: 4 });
  await shows(bench, watcher, (view) => view.version === 4, FULL ? SILENCE_MS_MAX : 10_000);
  await second.release('b');
  const last = await shows(bench, watcher, (view) => view.version === 4 && view.holder === null);
  expect(last).toMatchObject({ value: { n: 4 }, writer: after, lastToken: after, queue: 0 });
  expect(fallsOf(entriesOf(bench.log.entries, 'viewed', 'watcher'))).toEqual([]);
  await finish(bench);
});

test('a watch that is read slowly shows the newest at each reading and skips the rest', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const holder = bench.process().client('holder', coordinator.url);
  const watcher = bench.process().client('watcher', coordinator.url);
  await holder.acquire('a', NAME);
  watcher.watch('fast', NAME);
  watcher.watch('slow', NAME, { pauseMs: 300 });
  await shows(bench, watcher, () => true, 5_000, 'slow');
  await holder.write('a', 500, 3);
  const last = await shows(bench, watcher, ({ version }) => version === 500, 1_000, 'slow');
  const views = entriesOf(bench.log.entries, 'viewed', 'watcher');
  const slow = views.filter(({ key }) => key === 'slow');
  const fast = views.filter(({ key }) => key === 'fast');
  // Both watches belong to one client, so what it knew at each reading is what the fast one had shown just before.
  const behind = slow.map(({ at, version }) => (fast.findLast((view) => view.at < at)?.version ?? 0) - (version ?? 0));
  expect(Math.max(...behind)).toBeLessThanOrEqual(1);
  expect(slow.length).toBeGreaterThan(3);
  expect(slow.length).toBeLessThan(20);
  expect(fast.length).toBeGreaterThan(100);
  expect(last.value).toEqual({ n: 500 });
  expect(fallsOf(slow)).toEqual([]);
  await finish(bench);
});

test('a watch of a name that nobody ever held shows it free, and then the first who holds it', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const watcher = bench.process().client('watcher', coordinator.url);
  watcher.watch('w', 'unheard-of');
  const free = await shows(bench, watcher, () => true);
  expect(free).toMatchObject({ name: 'unheard-of', version: null, value: null, holder: null, writer: null, queue: 0 });
  expect(free.lastToken).toBeNull();
  const holder = bench.process().client('holder', coordinator.url);
  const token = tokenOf(await holder.acquire('a', 'unheard-of'));
  const held = await shows(bench, watcher, (view) => view.holder !== null);
  expect(held).toMatchObject({ holder: token, lastToken: token, version: null });
  await finish(bench);
});

test('of two watches of one client on one name each shows every change of the holder, and one goes on without the other', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const watcher = bench.process().client('watcher', coordinator.url);
  const holder = bench.process().client('holder', coordinator.url);
  const ended = watcher.watch('one', NAME);
  watcher.watch('two', NAME);
  for (const key of ['one', 'two']) await shows(bench, watcher, () => true, 5_000, key);
  await holder.acquire('a', NAME);
  for (const key of ['one', 'two']) await shows(bench, watcher, (view) => view.holder !== null, 5_000, key);
  watcher.unwatch('one');
  const end = await bench.log.find('settled', ({ call }) => call === ended, 5_000, 'the first watch ends');
  expect(end.ok).toBe(true);
  const seen = entriesOf(bench.log.entries, 'viewed').filter(({ key }) => key === 'one').length;
  await holder.setState('a', { n: 1 });
  await holder.release('a');
  await shows(bench, watcher, ({ version, holder: token }) => version === 1 && token === null, 5_000, 'two');
  expect(entriesOf(bench.log.entries, 'viewed').filter(({ key }) => key === 'one')).toHaveLength(seen);
  await finish(bench);
});

test('a watch keeps its process alive, also without a coordinator; one that was broken off or aborted does not', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const [going, lonely, broken, aborted] = ['going', 'lonely', 'broken', 'aborted'].map((label) => {
    const owner = bench.process();
    // Nothing listens at port 9.
    const client = owner.client(label, label === 'lonely' ? 'ws://127.0.0.1:9' : coordinator.url);
    client.watch('w', NAME, label === 'broken' ? { views: 1 } : {});
    return { owner, client };
  });
  if (!going || !lonely || !broken || !aborted) throw new Error('four programs');
  for (const { client } of [going, broken, aborted]) await shows(bench, client, () => true);
  aborted.client.unwatch('w');
  const exits = await Promise.all([going, lonely, broken, aborted].map(({ owner }) => owner.leave()));
  // 17: the program itself gave up on what kept it alive for 5 s.
  expect(exits.map(({ code }) => code)).toEqual([17, 17, 0, 0]);
});
