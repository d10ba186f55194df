import { afterEach, describe, expect, test } from 'vitest';
import { RawClient } from '../support/raw-client.ts';
import { eventually, sleep } from '../support/waiting.ts';
import { start, stopAll } from './support/coordinators.ts';
import { hello, Stranger, textFrame } from './support/stranger.ts';

afterEach(stopAll);

const MIB = 1_048_576;
const LARGE = 'x'.repeat(60_000);

/** The number behind which the state of the last view stands: `"page":17`. */
const pagesIn = (told: string): readonly number[] =>
  [...told.matchAll(/"page":(\d+)/g)].map((found) => Number(found[1]));

describe('watches over real sockets', () => {
  test('S11 a reader that stands still makes little wait, and then sees the newest, not what it missed', async () => {
    const { url, port } = await start();
    const { client: holder } = await RawClient.welcome(url);
    holder.send({ type: 'acquire', request: 'r', name: 'n', ttlMs: 60_000 });
    const { fencingToken } = await holder.take('granted');
    const stranger = await Stranger.upgrade(port);
    stranger.send(textFrame(hello()));
    await stranger.toldOf('"welcome"');
    stranger.send(textFrame(JSON.stringify({ type: 'watch', frame: 2, request: 'w', name: 'n' })));
    await stranger.toldOf('"w"');
    stranger.stream.pause();
    const before = stranger.told.length;
    const pages = 600;
    for (let page = 1; page <= pages; page += 1) {
      const value = { page, text: LARGE };
      holder.send({ type: 'setState', request: `s${page}`, name: 'n', fencingToken: fencingToken ?? 0, value });
      await holder.take('stateSet');
    }
    stranger.stream.resume();
    const told = await eventually(
      () => (pagesIn(stranger.told).at(-1) === pages ? stranger.told : null),
      10_000,
      'the newest view',
    );
    const seen = pagesIn(told);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    // 36 MB were written. All that came had waited, most of it in the buffers of the system.
    expect(told.length - before).toBeLessThan(16 * MIB);
    await sleep(100);
    expect(pagesIn(stranger.told).length).toBe(seen.length);
    stranger.stream.destroy();
    holder.close();
  }, 60_000);

  test('a hundred watchers see each change of a name within a turn, and renewals once a second', async () => {
    const { url, coordinator } = await start();
    const { client: holder } = await RawClient.welcome(url);
    holder.send({ type: 'acquire', request: 'r', name: 'n', ttlMs: 3_000 });
    const { fencingToken } = await holder.take('granted');
    const watchers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => (await RawClient.welcome(url, { label: `w${index}` })).client),
    );
    for (const watcher of watchers) watcher.send({ type: 'watch', request: 'w', name: 'n' });
    for (const watcher of watchers) await watcher.take('view');
    expect(coordinator.status.watches).toBe(100);
    holder.send({ type: 'setState', request: 's', name: 'n', fencingToken: fencingToken ?? 0, value: { page: 1 } });
    for (const watcher of watchers)
      expect(await watcher.take('view', 1_000)).toMatchObject({ views: [{ state: { value: { page: 1 } } }] });
    const from = performance.now();
    const counts = watchers.map((watcher) => watcher.received.length);
    for (let count = 0; count < 30; count += 1) {
      const leases = [{ name: 'n', fencingToken: fencingToken ?? 0 }];
      holder.send({ type: 'renew', request: `renew ${count}`, leases });
      await sleep(80);
    }
    const seconds = (performance.now() - from) / 1_000;
    const views = watchers.map((watcher, index) => watcher.received.length - (counts[index] ?? 0));
    expect(Math.max(...views)).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
    expect(Math.min(...views)).toBeGreaterThanOrEqual(1);
    for (const client of [holder, ...watchers]) client.close();
  }, 30_000);
});
