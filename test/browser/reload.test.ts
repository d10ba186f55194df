import { describe, expect, test } from 'vitest';
import type { ClientHandle } from '../real/support/client-process.ts';
import { entriesOf, msBetween, now } from '../real/support/log.ts';
import { CHROMIUM } from './support/browser.ts';
import { grantOf, KEY, OFFICE, stand, standing } from './support/scenes.ts';
import { staged, type Stage } from './support/stage.ts';
import type { Tab } from './support/tab.ts';

const TTL_MS = 3_000;
const FAREWELL_MS = 300;
const LOADS_MS = 10_000;
const RELOADS = { resumeOnReload: true };

// Without Chromium there is no page; `npm run setup` installs it.
describe.skipIf(CHROMIUM === null)('a page that is loaded again', () => {
  test('S2 keeps its leadership and its token with `resumeOnReload`, and nobody else leads in between', async () => {
    await staged(async (stage) => {
      const { tab, other, token } = await leaderAndNext(stage);
      for (const label of ['second', 'third']) {
        await tab.reload();
        const next = await stands(stage, tab, label);
        const { token: kept, at } = await grantOf(stage.log, next, 0n, LOADS_MS);
        expect(kept).toBe(token);
        // It renews what it has, as ever, and gives nothing back.
        await stage.log.next('received', ({ client }) => client === label, TTL_MS, `${label} hears more`);
        expect(entriesOf(stage.log.entries, 'lost', label)).toEqual([]);
        expect(at).toBeGreaterThan(0n);
      }
      expect(entriesOf(stage.log.entries, 'held', other.label)).toEqual([]);
    });
  });

  test('keeps its place in the queue', async () => {
    await staged(async (stage) => {
      const leader = stage.process('leader', TTL_MS).client;
      await stand(stage.log, leader);
      const tab = await stage.tab('tab', TTL_MS, RELOADS);
      await stand(stage.log, tab.client);
      const behind = stage.process('behind', TTL_MS).client;
      await stand(stage.log, behind);
      await tab.reload();
      const next = await stands(stage, tab, 'second');
      await standing(stage.log, next);
      const resigned = now();
      await leader.resign(KEY);
      await grantOf(stage.log, next, resigned, TTL_MS);
      expect(entriesOf(stage.log.entries, 'held', behind.label)).toEqual([]);
    });
  });

  test('that takes longer than its window stands anew: the next in line leads by then', async () => {
    await staged(async (stage) => {
      const { tab, other, token } = await leaderAndNext(stage);
      const leaving = now();
      await tab.reload();
      const { at, token: others } = await grantOf(stage.log, other, leaving, 2 * TTL_MS);
      expect(msBetween(leaving, at)).toBeLessThanOrEqual(TTL_MS + FAREWELL_MS + RELOAD_MS);
      expect(others).toBeGreaterThan(token);
      const next = await stands(stage, tab, 'second');
      await standing(stage.log, next);
      const resigned = now();
      await other.resign(KEY);
      const held = await grantOf(stage.log, next, resigned, TTL_MS);
      expect(held.token).toBeGreaterThan(others);
    });
  });

  test('leaves its record when it goes and no earlier, and the next page takes it away', async () => {
    await staged(async (stage) => {
      const { tab } = await leaderAndNext(stage);
      expect(await stored(tab)).toEqual({});
      await tab.reload();
      expect(Object.keys(await stored(tab))).toHaveLength(1);
      const next = await stands(stage, tab, 'second');
      await grantOf(stage.log, next, 0n, LOADS_MS);
      expect(await stored(tab)).toEqual({});
    });
  });

  test('S1 of several pages that have the record one goes on with the lease, the others have sessions of their own', async () => {
    await staged(async (stage) => {
      const { tab, other, token } = await leaderAndNext(stage);
      const [copy, copyOfCopy] = [await stage.blank('copy'), await stage.blank('copy-of-copy')];
      await tab.reload();
      const record = await stored(tab);
      for (const one of [copy, copyOfCopy]) await store(one, record);
      const clients = await Promise.all([
        stands(stage, copy, 'copied'),
        stands(stage, tab, 'reloaded'),
        stands(stage, copyOfCopy, 'copied-again'),
      ]);
      await Promise.all(clients.map((client) => standing(stage.log, client)));
      const holders = clients.filter(({ label }) => entriesOf(stage.log.entries, 'held', label).length > 0);
      expect(holders).toHaveLength(1);
      expect(entriesOf(stage.log.entries, 'held', holders[0]?.label ?? '')).toMatchObject([{ token }]);
      expect(entriesOf(stage.log.entries, 'held', other.label)).toEqual([]);
      const sessions = clients.map(({ label }) =>
        entriesOf(stage.log.entries, 'received', label)
          .flatMap(({ messages }) => messages)
          .find(({ type }) => type === 'welcome'),
      );
      expect(new Set(sessions.map((welcome) => welcome?.['session'] ?? '')).size).toBe(3);
    });
  });

  test.each(['{', '"text"', 'null', '{"at":1}', '[]'])(
    'ignores what it finds instead of a record: %s',
    async (garbage) => {
      await staged(async (stage) => {
        const { tab } = await leaderAndNext(stage);
        await tab.reload();
        const [key = ''] = Object.keys(await stored(tab));
        await store(tab, { [key]: garbage });
        const next = await stands(stage, tab, 'second');
        await standing(stage.log, next);
        expect(await stored(tab)).toEqual({});
      });
    },
  );

  test('that is closed leaves its names to the next in line when its window is over, at the latest', async () => {
    await staged(async (stage) => {
      const { tab, other } = await leaderAndNext(stage);
      const closing = now();
      await tab.close();
      const { at } = await grantOf(stage.log, other, closing, 2 * TTL_MS);
      expect(msBetween(closing, at)).toBeLessThanOrEqual(TTL_MS + FAREWELL_MS);
      // That is the price: it is waited for.
      expect(msBetween(closing, at)).toBeGreaterThan(TTL_MS / 2);
    });
  });

  test('that a person leaves and comes back to takes its record away, and stands again', async () => {
    await staged(async (stage) => {
      const { tab, other } = await leaderAndNext(stage);
      const leaving = now();
      await tab.leave();
      expect(await tab.back()).toBe('restored');
      expect(await stored(tab)).toEqual({});
      await standing(stage.log, tab.client, leaving);
      const holders = [tab.client, other].filter(({ label }) =>
        entriesOf(stage.log.entries, 'held', label).some(({ at }) => at > leaving),
      );
      expect(holders.length).toBeLessThanOrEqual(1);
    });
  });

  test('without the option leaves no record, and the next in line leads within 300 ms', async () => {
    await staged(async (stage) => {
      const { tab, other } = await leaderAndNext(stage, {});
      const leaving = now();
      await tab.reload();
      const { at } = await grantOf(stage.log, other, leaving, TTL_MS);
      expect(msBetween(leaving, at)).toBeLessThanOrEqual(FAREWELL_MS);
      expect(await stored(tab)).toEqual({});
    });
  });
});

/** Of the request to reload, until the page hears of it. */
const RELOAD_MS = 500;

/** The tab leads; a process stands behind it. */
async function leaderAndNext(stage: Stage, options: object = RELOADS) {
  const tab = await stage.tab('tab', TTL_MS, options);
  await stand(stage.log, tab.client);
  const other = stage.process('process', TTL_MS).client;
  await stand(stage.log, other);
  const [{ token } = { token: 0 }] = entriesOf(stage.log.entries, 'held', 'tab');
  return { tab, other, token };
}

/** The client that was connected last: of copies any may go on with its lease. */
const latest = new WeakMap<Stage, string>();

/** The page that is there now connects, and stands for the office. */
async function stands(stage: Stage, tab: Tab, label: string): Promise<ClientHandle> {
  stage.log.add({ at: now(), client: label, event: 'descends', from: latest.get(stage) ?? 'tab' });
  latest.set(stage, label);
  const client = tab.connect(label, stage.url, { ttlMs: TTL_MS, ...RELOADS });
  await client.elect(KEY, OFFICE);
  return client;
}

const stored = async (tab: Tab): Promise<Record<string, string>> =>
  // Of the session storage, which has texts alone.
  JSON.parse(String(await tab.page.evaluate('JSON.stringify({ ...sessionStorage })'))) as Record<string, string>;

const store = async (tab: Tab, record: Record<string, string>): Promise<void> => {
  await tab.page.evaluate(`Object.assign(sessionStorage, ${JSON.stringify(record)})`);
};
