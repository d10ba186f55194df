import { describe, expect, test } from 'vitest';
import type { ClientHandle } from '../real/support/client-process.ts';
import { entriesOf, msBetween, now } from '../real/support/log.ts';
import { CHROMIUM } from './support/browser.ts';
import { listenersOf } from './support/listeners.ts';
import { endOf, grantOf, KEY, renewalOf, stand, standing } from './support/scenes.ts';
import { staged, type Stage } from './support/stage.ts';
import type { Tab } from './support/tab.ts';

/** The least that a page is comfortable with when it is hidden. */
const HIDDEN_TTL_MS = 6_000;
const TTL_MS = 3_000;
const SLACK_MS = 250;
const FAREWELL_MS = 300;

// Without Chromium there is no page; `npm run setup` installs it.
describe.skipIf(CHROMIUM === null)('a page that leads', () => {
  test('hands over within 300 ms when it is frozen, and stands again when it runs again', async () => {
    await staged(async (stage) => {
      const { tab, other } = await leaderAndNext(stage, HIDDEN_TTL_MS);
      await tab.hide();
      const { at } = await tab.freeze();
      const handOver = await grantOf(stage.log, other, at, HIDDEN_TTL_MS);
      expect(msBetween(at, handOver.at)).toBeLessThanOrEqual(FAREWELL_MS);
      await tab.thaw();
      await leadsAgain(stage, tab, other, handOver.at);
    });
  });

  test('hands over within 300 ms when a person goes elsewhere, is kept for the way back, and stands again then', async () => {
    await staged(async (stage) => {
      const { tab, other } = await leaderAndNext(stage, TTL_MS);
      const [{ token } = { token: 0 }] = entriesOf(stage.log.entries, 'held', 'tab');
      const leaving = now();
      await tab.leave();
      const handOver = await grantOf(stage.log, other, leaving, 2 * TTL_MS);
      // What the page told as it was left arrives when it is back.
      await tab.back();
      const { at } = await tab.told('pagehide persisted', leaving);
      const end = endOf(stage.log.entries, tab.client, token);
      expect(msBetween(at, end?.at ?? 0n)).toBeLessThanOrEqual(SLACK_MS);
      expect(msBetween(at, handOver.at)).toBeLessThanOrEqual(FAREWELL_MS);
      await leadsAgain(stage, tab, other, handOver.at);
    });
  });

  test('reads `lost` in the first line that runs after its main thread was blocked for 1.5 windows', async () => {
    await staged(async (stage) => {
      const { tab, other } = await leaderAndNext(stage, TTL_MS);
      const { at } = await renewalOf(stage.log, tab.client, TTL_MS);
      tab.write({ do: 'block', client: 'tab', key: KEY, forMs: 1.5 * TTL_MS });
      const handOver = await grantOf(stage.log, other, at, 2 * TTL_MS);
      expect(msBetween(at, handOver.at)).toBeLessThanOrEqual(TTL_MS + SLACK_MS);
      const read = await stage.log.find('read', ({ client }) => client === 'tab', 2 * TTL_MS, 'the tab reads');
      expect(read).toMatchObject({ status: 'lost', remainingMs: 0, aborted: true });
      expect(read.at).toBeGreaterThan(handOver.at);
      await leadsAgain(stage, tab, other, read.at);
    });
  });

  test('has no listener of the library that keeps it out of the back/forward cache or asks before it closes', async () => {
    await staged(async (stage) => {
      const { tab } = await leaderAndNext(stage, TTL_MS);
      const types = await listenersOf(tab.cdp, '/client/index.js');
      expect(types).toContain('pagehide');
      expect(types).not.toContain('unload');
      expect(types).not.toContain('beforeunload');
    });
  });
});

/** The tab leads; the process stands behind it. */
async function leaderAndNext(
  stage: Stage,
  ttlMs: number,
): Promise<{ readonly tab: Tab; readonly other: ClientHandle }> {
  const tab = await stage.tab('tab', ttlMs);
  const other = stage.process('process', ttlMs).client;
  await stand(stage.log, tab.client);
  await stand(stage.log, other);
  return { tab, other };
}

/** The tab has stood again since then, and leads once the process resigns. */
async function leadsAgain({ log }: Stage, tab: Tab, other: ClientHandle, since: bigint): Promise<void> {
  await standing(log, tab.client, since);
  const resigned = now();
  await other.resign(KEY);
  const held = await grantOf(log, tab.client, resigned, FAREWELL_MS + SLACK_MS);
  expect(held.token).toBeGreaterThan(entriesOf(log.entries, 'held', other.label).at(-1)?.token ?? 0);
}
