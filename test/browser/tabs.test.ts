import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { staleness } from '../../scripts/support/doors.ts';
import { CHROMIUM, launch } from './support/browser.ts';
import { seenIn, TabsPage, until, writtenAt, type Seen, type Write } from './support/tabs-page.ts';

/** Three tabs, in the order in which they stand: the first one leads. */
type Tabs = readonly [Page, Page, Page];

/** The page's window, and what is left of it at the very least when it has just been renewed or is about to be. */
const TTL_MS = 4_000;
const LEFT_MS_MIN = TTL_MS / 3;

const leads = ({ part }: Seen): boolean => part === 'leads';
const follows = ({ part }: Seen): boolean => part === 'follows';

/** Nobody goes back, nobody counts twice, and an older token never writes behind a newer one. */
function expectOrder(writes: readonly Write[]): void {
  expect(writes.length).toBeGreaterThan(3);
  for (const [index, { count, token }] of writes.entries()) {
    const before = writes[index - 1];
    if (before === undefined) continue;
    expect(count, 'the counter').toBeGreaterThan(before.count);
    expect(token, 'the token').toBeGreaterThanOrEqual(before.token);
  }
}

// Without Chromium there is no page; `npm run setup` installs it.
describe.skipIf(CHROMIUM === null)('examples/tabs', () => {
  let browser: Browser;

  beforeAll(async () => {
    const stale = staleness();
    if (stale !== null) throw new Error(`${stale}: run \`npm run build\` first`);
    browser = await launch();
  });
  afterAll(() => browser.close());

  /** Plays `scene` with three tabs that have counted already; at its end nothing was complained of, and all is in order. */
  async function played(scene: (tabs: Tabs, page: TabsPage) => Promise<void>): Promise<void> {
    await using page = await TabsPage.open(browser);
    const tabs: Tabs = [await page.tab(), await page.tab(), await page.tab()];
    await until(tabs[0], ({ count }) => count >= 2, 'the first tab counts');
    await scene(tabs, page);
    expectOrder(page.writes);
    expect(page.complaints).toEqual([]);
  }

  test('three tabs agree on one leader; it is closed, another leads, and the counter goes on', async () => {
    await played(async ([first, second, third], page) => {
      const leader = await seenIn(first);
      for (const tab of [second, third]) {
        const seen = await until(tab, ({ headline }) => headline === leader.headline, 'a follower knows who leads');
        expect(seen).toMatchObject({ part: 'follows', token: leader.token });
        expect(seen.title).toBe(`${seen.me}, behind ${leader.me}`);
      }
      expect(leader).toMatchObject({ part: 'leads', headline: `${leader.me} leads`, title: `● ${leader.me} leads` });
      const { count } = await until(second, (seen) => seen.count > leader.count, 'a follower sees the counter rise');
      const closedAt = performance.now();
      await first.close({ runBeforeUnload: true });
      const next = await until(second, leads, 'the next in the queue leads');
      expect(performance.now() - closedAt, 'ms: it was told, and waited out no window').toBeLessThan(LEFT_MS_MIN);
      expect(next.count).toBeGreaterThanOrEqual(count);
      await until(third, (seen) => seen.headline === next.headline && seen.count > count, 'all go on under it');
      expect(new Set(page.writes.map(({ token }) => token)).size).toBe(2);
    });
  });

  test('S8 a leader that resigns stands again at the tail', async () => {
    await played(async ([first, second, third]) => {
      await first.click('#resign');
      const next = await until(second, leads, 'the next in the queue leads');
      const seen = await until(first, follows, 'the one that resigned follows');
      expect(seen.log[0]).toContain(`${next.me} leads`);
      expect(seen.log[1]).toContain('this tab has stepped down');
      await until(first, ({ place }) => place === 'this tab is 2nd', 'it stands at the tail');
      await until(third, ({ place }) => place === 'this tab is next', 'the third is next');
      // Nobody resigns what it does not have.
      await third.click('#resign');
      expect(await second.$eval('#resign', (button) => button.ariaDisabled)).toBe('false');
      expect(await third.$eval('#resign', (button) => button.ariaDisabled)).toBe('true');
      expect(await seenIn(second)).toMatchObject({ part: 'leads' });
    });
  });

  test('S6 a leader whose network is cut stops before another leads, and follows once it is mended', async () => {
    await played(async ([first, second], page) => {
      await first.click('#cut');
      const lost = await until(first, ({ part }) => part === 'unknown', 'the cut tab leads no more');
      expect(lost).toMatchObject({ connection: 'network cut', headline: 'Not known' });
      expect(lost.log.join('\n')).toMatch(/no more: no renewal was answered in time \(missed-ack\)[^]*at risk/);
      const next = await until(second, leads, 'another leads');
      // Both are written to a tenth of a second; between them lies the stop margin.
      const apartMs = (await writtenAt(second, 'this tab leads, under')) - (await writtenAt(first, 'leads no more'));
      expect(apartMs).toBeGreaterThan(-100);
      const writes = page.writes.length;
      await until(second, ({ count }) => count > next.count + 1, 'the other counts');
      await first.click('#cut');
      await until(first, (seen) => seen.headline === next.headline && follows(seen), 'the mended tab follows');
      // What lay in the cut cable has arrived by then; the order of tokens shows that nothing of it took effect.
      expect(page.writes.length).toBeGreaterThan(writes);
    });
  });

  test('S6 a leader that is blocked for 10 s wakes to find that it has lost, and writes nothing', async () => {
    await played(async ([first, second], page) => {
      const { me } = await seenIn(first);
      const blocked = first.click('#block');
      const next = await until(second, leads, 'another leads meanwhile');
      const { count } = await until(second, (seen) => seen.count > next.count + 2, 'the other counts');
      await blocked;
      const awake = await until(first, follows, 'the blocked tab follows', 20_000);
      expect(awake.log.join('\n')).toContain('woke up, and assertHeld() threw missed-ack: nothing is written');
      expect(awake.headline).toBe(next.headline);
      expect(awake.count).toBeGreaterThanOrEqual(count);
      // The first and the last token: nobody wrote under the old one again.
      expect(new Set(page.writes.map(({ token }) => token)).size).toBe(2);
      expect(awake.me).toBe(me);
    });
  });
});
