import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { staleness } from '../../scripts/support/doors.ts';
import { eventually } from '../real/support/waiting.ts';
import { CHROMIUM, launch } from './support/browser.ts';
import { seenIn, TabsPage, until, writtenAt, type Seen, type Write } from './support/tabs-page.ts';

/** Of the page's window of 4 s, when it has just been renewed. */
const RENEWED_MS = 3_000;

const leads = ({ part }: Seen): boolean => part === 'leads';
const follows = ({ part }: Seen): boolean => part === 'follows';

/** Three tabs: the one that leads, the next in the queue, and the last; and what each of them showed. */
interface Agreed {
  readonly leader: Page;
  readonly next: Page;
  readonly last: Page;
  readonly seen: readonly [Seen, Seen, Seen];
}

const PLACES = ['this tab leads', 'this tab is next', 'this tab is 2nd'];

/** As soon as all show the same leader, token and order. Who came first usually leads; a busy machine may have it otherwise. */
function agreed(tabs: readonly Page[]): Promise<Agreed> {
  return eventually(
    async () => {
      const all = await Promise.all(tabs.map(async (page) => ({ page, seen: await seenIn(page) })));
      const [leader, next, last] = PLACES.map((place) => all.find(({ seen }) => seen.place === place));
      if (leader === undefined || next === undefined || last === undefined) return null;
      if (new Set(all.map(({ seen }) => `${seen.headline} ${seen.token}`)).size > 1) return null;
      return { leader: leader.page, next: next.page, last: last.page, seen: [leader.seen, next.seen, last.seen] };
    },
    20_000,
    'three tabs agree',
  );
}

/** Nobody goes back, nobody counts twice, and an older token never writes behind a newer one. */
function expectOrder(writes: readonly Write[]): void {
  expect(writes.length).toBeGreaterThanOrEqual(2);
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

  /** Plays `scene` with three tabs that agree; at its end nothing was complained of, and all is in order. */
  async function played(scene: (tabs: Agreed, page: TabsPage) => Promise<void>): Promise<void> {
    await using page = await TabsPage.open(browser);
    const tabs = [await page.tab(), await page.tab(), await page.tab()];
    await scene(await agreed(tabs), page);
    expectOrder(page.writes);
    expect(page.complaints).toEqual([]);
  }

  test('three tabs agree on one leader; it is closed, another leads, and the counter goes on', async () => {
    await played(async ({ leader, next, last, seen }, page) => {
      expect(seen.map(({ part }) => part)).toEqual(['leads', 'follows', 'follows']);
      const [{ me }, ...others] = seen;
      expect(seen[0]).toMatchObject({ headline: `${me} leads`, title: `● ${me} leads` });
      for (const other of others) expect(other.title).toBe(`${other.me}, behind ${me}`);
      const { count } = await until(next, (now) => now.count > seen[0].count, 'a follower sees the counter rise');
      await until(leader, ({ leftMs }) => leftMs > RENEWED_MS, 'the lease has just been renewed');
      const closedAt = Date.now();
      await leader.close({ runBeforeUnload: true });
      const now = await until(next, leads, 'the next in the queue leads');
      const tookMs = (await writtenAt(next, 'this tab leads, under')) - closedAt;
      expect(tookMs, 'it was told, and waited out no window').toBeLessThan(RENEWED_MS);
      expect(now.count).toBeGreaterThanOrEqual(count);
      await until(
        last,
        ({ headline, count: later }) => headline === now.headline && later > count,
        'all go on under it',
      );
      expect(new Set(page.writes.map(({ token }) => token)).size).toBeGreaterThan(1);
    });
  });

  test('S8 a leader that resigns stands again at the tail', async () => {
    await played(async ({ leader, next, last }) => {
      await leader.click('#resign');
      const now = await until(next, leads, 'the next in the queue leads');
      const { log } = await until(leader, follows, 'the one that resigned follows');
      expect(log.join('\n')).toMatch(new RegExp(`${now.me} leads[^]*this tab has stepped down[^]*this tab leads`));
      await until(leader, ({ place }) => place === 'this tab is 2nd', 'it stands at the tail');
      await until(last, ({ place }) => place === 'this tab is next', 'the third is next');
      // Nobody resigns what it does not have.
      await last.click('#resign');
      expect(await next.$eval('#resign', (button) => button.ariaDisabled)).toBe('false');
      expect(await last.$eval('#resign', (button) => button.ariaDisabled)).toBe('true');
      expect(await seenIn(next)).toMatchObject({ part: 'leads' });
    });
  });

  test('S6 a leader whose network is cut stops before another leads, and follows once it is mended', async () => {
    await played(async ({ leader, next }, page) => {
      await leader.click('#cut');
      const lost = await until(leader, ({ part }) => part === 'unknown', 'the cut tab leads no more');
      expect(lost).toMatchObject({ connection: 'network cut', headline: 'Not known' });
      expect(lost.log.join('\n')).toMatch(/no more: no renewal was answered in time \(missed-ack\)[^]*at risk/);
      const now = await until(next, leads, 'another leads');
      // Both are written to a tenth of a second; between them lies the stop margin.
      const apartMs = (await writtenAt(next, 'this tab leads, under')) - (await writtenAt(leader, 'leads no more'));
      expect(apartMs).toBeGreaterThan(-100);
      const writes = page.writes.length;
      await until(next, ({ count }) => count > now.count + 1, 'the other counts');
      await leader.click('#cut');
      await until(leader, (seen) => seen.headline === now.headline && follows(seen), 'the mended tab follows');
      // What lay in the cut cable has arrived by then; the order of tokens shows that nothing of it took effect.
      expect(page.writes.length).toBeGreaterThan(writes);
    });
  });

  test('S6 a leader that is blocked for 10 s wakes to find that it has lost, and writes nothing', async () => {
    await played(async ({ leader, next }, page) => {
      const blocked = leader.click('#block');
      const now = await until(next, leads, 'another leads meanwhile');
      const { count } = await until(next, (seen) => seen.count > now.count + 2, 'the other counts');
      const old = page.writes.findLast(({ token }) => token !== page.writes.at(-1)?.token);
      // The browser keeps it for when the page wakes.
      const again = Promise.all([leader.mouse.down(), leader.mouse.up()]);
      await Promise.all([blocked, again]);
      const awake = await until(leader, follows, 'the blocked tab follows');
      expect(awake.log.join('\n')).toMatch(
        /no line ran here for 1\d\.\d s; assertHeld\(\) threw missed-ack: nothing is written/,
      );
      expect(awake.log.filter((line) => line.includes('standing still'))).toHaveLength(1);
      expect(awake.count).toBeGreaterThanOrEqual(count);
      expect(
        page.writes.findLast(({ token }) => token === old?.token),
        'its last write was before',
      ).toBe(old);
    });
  });

  test('with the switch on, the tab in sight takes over from one that is not, and back again', async () => {
    await using page = await TabsPage.open(browser);
    const [one, two] = [await page.tab('tab'), await page.tab('tab')];
    const isOn = (tab: Page): Promise<boolean> => tab.$eval('#prefer', (box) => box.matches(':checked'));
    await two.click('#prefer');
    await eventually(async () => ((await isOn(one)) ? true : null), 5_000, 'the switch is one for both');
    for (const tab of [one, two, one]) {
      await tab.bringToFront();
      await until(tab, leads, 'the tab in sight leads');
    }
    await one.click('#prefer');
    await eventually(async () => ((await isOn(two)) ? null : true), 5_000, 'it is off for both');
    expect(page.complaints).toEqual([]);
  });
});
