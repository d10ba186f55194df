import { describe, expect, test } from 'vitest';
import type { ConnectOptions } from '../real/support/program/commands.ts';
import { entriesOf, msBetween, now, type EntryOf } from '../real/support/log.ts';
import { eventually, sleep } from '../real/support/waiting.ts';
import { CHROMIUM } from './support/browser.ts';
import { grantOf, KEY, OFFICE, stand, standing } from './support/scenes.ts';
import { endSharedWorker, goesOver, hangSharedWorker } from './support/shared-worker.ts';
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
      const [first, second, third, fourth] = await standingTabs(stage, 4, LONG_TTL_MS);
      expect(stage.relay.accepted).toBe(1);
      expect(await stage.coordinator.counts()).toMatchObject({ sessions: 4, leases: 1 });

      const closing = now();
      await first?.close();
      const next = await grantOf(stage.log, clientOf(second), closing, LONG_TTL_MS);
      expect(msBetween(closing, next.at)).toBeLessThanOrEqual(FAREWELL_MS + SLACK_MS);

      const killing = now();
      second?.kill();
      const last = await grantOf(stage.log, clientOf(third), killing, 2 * LONG_TTL_MS);
      expect(msBetween(killing, last.at)).toBeLessThanOrEqual(LONG_TTL_MS + SLACK_MS);

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
      await goOnAlone(stage, tabs, ended, /^not-shared: a socket of its own: it has ended$/);
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
      await goOnAlone(stage, others, killing, /^not-shared: a socket of its own: it has ended$/);
      const next = await grantOf(stage.log, clientOf(others[0]), killing, 3 * TTL_MS);
      expect(msBetween(killing, next.at)).toBeLessThanOrEqual(TTL_MS + SLACK_MS);
    }, PLAN);
  });

  test('go on by themselves without a lost lease when the worker hangs, as soon as one has something to say', async () => {
    await staged(async (stage) => {
      const tabs = await standingTabs(stage, 1, LONG_TTL_MS);
      const hung = now();
      await hangSharedWorker(tabs);
      // It hears no ping any more, or has no answer to a renewal; then no worker answers.
      await goOnAlone(
        stage,
        tabs,
        hung,
        /^not-shared: .* it has said nothing for \d+ ms$/,
        (2 / 3) * LONG_TTL_MS + 1_000 + GOES_ON_MS,
      );
      expect(await tabs[0]?.client.read(KEY)).toMatchObject({ status: 'held' });
      expect(entriesOf(stage.log.entries, 'lost')).toEqual([]);
    }, PLAN);
  });

  test('one that is frozen, or left and kept for the way back, hands over at once, and stands again over the worker', async () => {
    await staged(async (stage) => {
      const [first, second] = await standingTabs(stage, 2, LONG_TTL_MS);
      if (first === undefined || second === undefined) throw new Error('there are not two tabs');
      // What hides a tab opens in the window that came last.
      const resigned = now();
      await first.client.resign(KEY);
      await grantOf(stage.log, second.client, resigned, LONG_TTL_MS);
      await second.hide();
      const { at } = await second.freeze();
      const handOver = await grantOf(stage.log, first.client, at, LONG_TTL_MS);
      expect(msBetween(at, handOver.at)).toBeLessThanOrEqual(FAREWELL_MS);
      await second.thaw();
      await standing(stage.log, second.client, handOver.at);

      const leaving = now();
      await first.leave();
      const next = await grantOf(stage.log, second.client, leaving, LONG_TTL_MS);
      await first.back();
      const { at: left } = await first.told('pagehide persisted', leaving);
      expect(msBetween(left, next.at)).toBeLessThanOrEqual(FAREWELL_MS);
      await standing(stage.log, first.client, next.at);
      expect(stage.relay.accepted).toBe(1);
      expect(entriesOf(stage.log.entries, 'warning')).toEqual([]);
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
async function goOnAlone(
  stage: Stage,
  tabs: readonly Tab[],
  since: bigint,
  why: RegExp,
  ms = GOES_ON_MS,
): Promise<void> {
  for (const tab of tabs) {
    const at = await goesOver(stage.log, tab, 'socket', since);
    expect(msBetween(since, at)).toBeLessThanOrEqual(ms + SLACK_MS);
    const opens = (told: EntryOf<'status'>): boolean =>
      told.client === tab.label && told.at >= at && told.status === 'open';
    await stage.log.find('status', opens, 10_000, `${tab.label} is connected again`);
  }
  const warned = entriesOf(stage.log.entries, 'warning').map(({ text }) => text);
  expect(warned).toEqual(tabs.map(() => expect.stringMatching(why) as unknown));
}

function connectedAre(stage: Stage, sockets: number): Promise<true> {
  const reached = async (): Promise<true | null> =>
    (await stage.coordinator.counts())?.sockets === sockets ? true : null;
  return eventually(reached, 5_000, `${sockets} sessions are connected`);
}
