import { describe, expect, test } from 'vitest';
import type { ConnectOptions } from '../real/support/program/commands.ts';
import { entriesOf, msBetween, now } from '../real/support/log.ts';
import { eventually, sleep } from '../real/support/waiting.ts';
import { CHROMIUM } from './support/browser.ts';
import { grantOf, KEY, OFFICE, stand } from './support/scenes.ts';
import { endSharedWorker, goesOver } from './support/shared-worker.ts';
import { staged, type Stage } from './support/stage.ts';
import type { Tab } from './support/tab.ts';

const TTL_MS = 3_000;
const LONG_TTL_MS = 6_000;
const SLACK_MS = 250;
const FAREWELL_MS = 300;
/** To find out that the worker is dead, and a pause before the next dial. */
const GOES_ON_MS = 1_000;
const SHARED: ConnectOptions = { share: 'shared-worker' };
const PLAN = { relayed: true, together: true };

// Without Chromium there is no page; `npm run setup` installs it.
describe.skipIf(CHROMIUM === null)('tabs with `share`', () => {
  test('have one WebSocket and a session each; one that closes or dies loses its own lease alone, and the next leads', async () => {
    await staged(async (stage) => {
      const [first, second, third, fourth] = await standingTabs(stage, 4, TTL_MS);
      expect(stage.relay.accepted).toBe(1);
      expect(await stage.coordinator.counts()).toMatchObject({ sessions: 4, leases: 1 });

      const closing = now();
      await first?.close();
      const next = await grantOf(stage.log, clientOf(second), closing, 2 * TTL_MS);
      expect(msBetween(closing, next.at)).toBeLessThanOrEqual(FAREWELL_MS + SLACK_MS);

      const killing = now();
      second?.kill();
      const last = await grantOf(stage.log, clientOf(third), killing, 3 * TTL_MS);
      expect(msBetween(killing, last.at)).toBeLessThanOrEqual(TTL_MS + SLACK_MS);

      expect(await fourth?.client.acquire('own', 'job')).toMatchObject({ ok: true });
      await connectedAre(stage, 2);
      for (const label of ['tab3', 'tab4']) expect(entriesOf(stage.log.entries, 'lost', label)).toEqual([]);
      expect(stage.relay.accepted).toBe(1);
    }, PLAN);
  });

  test('go on by themselves without a lost lease when the browser ends the worker', async () => {
    await staged(async (stage) => {
      const tabs = await standingTabs(stage, 3, LONG_TTL_MS);
      const ended = now();
      await endSharedWorker(tabs);
      await goOnAlone(stage, tabs, ended);
      await sleep(1.5 * LONG_TTL_MS);
      // A window and a half later it is the same lease.
      expect(await tabs[0]?.client.read(KEY)).toMatchObject({ status: 'held' });
      expect(entriesOf(stage.log.entries, 'held').filter(({ name }) => name === OFFICE)).toHaveLength(1);
      expect(entriesOf(stage.log.entries, 'lost')).toEqual([]);
    }, PLAN);
  });

  // Chromium runs the worker in the renderer of the tab that started it; it outlives the tab, and not the renderer.
  test('go on by themselves when the renderer dies that the worker runs in, and the next leads in time', async () => {
    await staged(async (stage) => {
      const [first, ...others] = await standingTabs(stage, 3, TTL_MS);
      const killing = now();
      first?.kill();
      await goOnAlone(stage, others, killing);
      const next = await grantOf(stage.log, clientOf(others[0]), killing, 3 * TTL_MS);
      expect(msBetween(killing, next.at)).toBeLessThanOrEqual(TTL_MS + SLACK_MS);
    }, PLAN);
  });

  test('have a socket of their own where there is no SharedWorker, and where its program cannot be loaded', async () => {
    await staged(async (stage) => {
      const without = await stage.blank('without');
      await without.page.evaluate(() => Reflect.deleteProperty(globalThis, 'SharedWorker'));
      without.connect('without', stage.url, { ttlMs: TTL_MS, ...SHARED });
      const misled = await stage.tab('misled', TTL_MS, { share: { worker: '/client/nowhere.js' } });
      for (const tab of [without, misled]) expect(await tab.client.acquire('a', tab.label)).toMatchObject({ ok: true });
      expect(stage.relay.connections).toBe(2);
      expect(entriesOf(stage.log.entries, 'transport')).toEqual([]);
      const warned = entriesOf(stage.log.entries, 'warning').map(({ client, text }) => `${client} ${text}`);
      expect(warned).toEqual(['misled not-shared: a socket of its own: it cannot be loaded']);
    }, PLAN);
  });
});

/** Each stands for the office; the first one leads. */
async function standingTabs(stage: Stage, count: number, ttlMs: number): Promise<readonly Tab[]> {
  const tabs: Tab[] = [];
  for (let number = 1; number <= count; number += 1) {
    const tab = await stage.tab(`tab${number}`, ttlMs, SHARED);
    await stand(stage.log, tab.client);
    await goesOver(stage.log, tab, 'shared-worker');
    tabs.push(tab);
  }
  return tabs;
}

function clientOf(tab: Tab | undefined): Tab['client'] {
  if (tab === undefined) throw new Error('there is no such tab');
  return tab.client;
}

/** Each of them dials anew within a second, and says why. */
async function goOnAlone(stage: Stage, tabs: readonly Tab[], since: bigint): Promise<void> {
  for (const tab of tabs) {
    const at = await goesOver(stage.log, tab, 'socket', since);
    expect(msBetween(since, at)).toBeLessThanOrEqual(GOES_ON_MS + SLACK_MS);
  }
  await connectedAre(stage, tabs.length);
  expect(stage.relay.connections).toBe(tabs.length);
  expect(entriesOf(stage.log.entries, 'warning').map(({ text }) => text)).toEqual(
    tabs.map(() => 'not-shared: a socket of its own: it has ended'),
  );
}

function connectedAre(stage: Stage, sockets: number): Promise<true> {
  const reached = async (): Promise<true | null> =>
    (await stage.coordinator.counts())?.sockets === sockets ? true : null;
  return eventually(reached, 5_000, `${sockets} sessions are connected`);
}
