import { describe, expect, test } from 'vitest';
import { entriesOf, msBetween, now, type EntryOf } from '../real/support/log.ts';
import { sleep } from '../real/support/waiting.ts';
import { CHROMIUM } from './support/browser.ts';
import { grantOf, KEY, OFFICE } from './support/scenes.ts';
import { staged, type Stage } from './support/stage.ts';
import type { Tab } from './support/tab.ts';

/** So long that no change of leaders can come of its end. */
const TTL_MS = 10_000;
const MIN_HOLD_MS = 2_000;
/** From the event in the page to the other page's lease: two messages up and two down, and one commit. */
const SLACK_MS = 1_000;
const FAST = 10;

/** Two tabs that stand for the office; the first is in sight, and leads. */
async function pair(stage: Stage): Promise<readonly [Tab, Tab]> {
  const tabs = [await stage.tab('tab-1', TTL_MS), await stage.tab('tab-2', TTL_MS)] as const;
  await tabs[1].hide();
  // The hidden one leads first, until somebody is in sight.
  for (const tab of tabs.toReversed()) {
    await tab.client.elect(KEY, OFFICE, { prefer: 'visible' });
    await grantOf(stage.log, tab.client, 0n, MIN_HOLD_MS + SLACK_MS);
  }
  return tabs;
}

async function turn(from: Tab, to: Tab): Promise<bigint> {
  await from.hide();
  const since = now();
  await to.show();
  return since;
}

const grants = ({ log }: Stage): readonly EntryOf<'held'>[] =>
  entriesOf(log.entries, 'held').filter(({ name }) => name === OFFICE);

/** Nobody lost anything, and each leader came behind the last word of the one before. */
function polite(stage: Stage): void {
  const { entries } = stage.log;
  expect(entriesOf(entries, 'lost')).toEqual([]);
  const held = grants(stage);
  const tokens = held.map(({ token }) => token);
  expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
  const ends = new Map(entriesOf(entries, 'deposed').map((end) => [end.token, end]));
  for (const { token } of held.slice(0, -1)) expect(ends.get(token)).toMatchObject({ code: 'released' });
}

// Without Chromium there is no tab; `npm run setup` installs it.
describe.skipIf(CHROMIUM === null)('an election that prefers the page in sight', () => {
  test('the tab that comes into sight leads, with a larger token, by one change for each turn', async () => {
    await staged(async (stage) => {
      const tabs = await pair(stage);
      const before = grants(stage).length;
      for (const turns of [0, 1, 0]) {
        const [from, to] = turns === 0 ? tabs : [tabs[1], tabs[0]];
        await sleep(MIN_HOLD_MS);
        const since = await turn(from, to);
        const { at } = await grantOf(stage.log, to.client, since, SLACK_MS);
        expect(msBetween(since, at)).toBeLessThan(SLACK_MS);
      }
      await sleep(MIN_HOLD_MS + SLACK_MS);
      expect(grants(stage).length - before).toBe(3);
      polite(stage);
    });
  });

  test(`${FAST} fast turns change the leader at most twice, and whoever is in sight at last leads`, async () => {
    await staged(async (stage) => {
      const tabs = await pair(stage);
      await sleep(MIN_HOLD_MS);
      const before = grants(stage).length;
      const began = now();
      for (let count = 0; count < FAST; count += 1) {
        const [from, to] = count % 2 === 0 ? tabs : [tabs[1], tabs[0]];
        await turn(from, to);
      }
      const tookMs = msBetween(began, now());
      // At least once it changes, and where the machine is slow the turns are not that fast.
      await sleep(MIN_HOLD_MS + SLACK_MS);
      const changes = grants(stage).length - before;
      expect(changes).toBeGreaterThanOrEqual(1);
      expect(changes).toBeLessThanOrEqual(2 + Math.floor(tookMs / MIN_HOLD_MS));
      // An even number of turns brings back the first.
      expect(grants(stage).at(-1)?.client).toBe('tab-1');
      polite(stage);
    });
  });
});
