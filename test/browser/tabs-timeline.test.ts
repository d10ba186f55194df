import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { staleness } from '../../scripts/support/doors.ts';
import { eventually, sleep } from '../real/support/waiting.ts';
import { CHROMIUM, launch } from './support/browser.ts';
import { cardsIn, linesIn, seenIn, TabsPage, until, type Card, type Line } from './support/tabs-page.ts';
import { drawnIn, type Drawn, type Row } from './support/timeline.ts';

/** Between the two readings of the clock by which a tab writes its own line and what it tells all. */
const SAME_MS = 100;

/** A reign as its tab told it: from `this tab leads` to the line of its end. */
interface Told {
  readonly token: string;
  readonly fromMs: number;
  readonly toMs: number | null;
}

/** What the lines of one tab say of its reigns, oldest first. */
function toldIn(lines: readonly Line[]): readonly Told[] {
  const told: Told[] = [];
  for (const { atMs, text } of lines.toReversed()) {
    const token = /^this tab leads, under token (…\d+)$/.exec(text)?.[1];
    const last = told.at(-1);
    if (token !== undefined) told.push({ token, fromMs: atMs, toMs: null });
    else if (last !== undefined && /^this tab (?:has stepped down|leads no more)/.test(text))
      told.splice(-1, 1, { ...last, toMs: last.toMs ?? atMs });
  }
  return told;
}

const reignsOf = ({ rows }: Drawn): readonly Row[] => rows.filter(({ token }) => token !== '');

/** Each reign of the lines is a row of the table with the same token and times, and there are no others. */
function expectSame(rows: readonly Row[], told: readonly Told[]): void {
  expect(rows.map(({ token }) => token)).toEqual(told.map(({ token }) => token));
  for (const [index, { token, fromMs, toMs }] of told.entries()) {
    const row = rows[index];
    expect(Math.abs((row?.fromMs ?? 0) - fromMs), `the beginning of ${token}`).toBeLessThan(SAME_MS);
    expect(row?.toMs === null, `${token} lasts`).toBe(toMs === null);
    expect(Math.abs((row?.toMs ?? 0) - (toMs ?? 0)), `the end of ${token}`).toBeLessThan(SAME_MS);
  }
}

/** The picture has one bar for each row, and its places are proportional to the times. */
function expectDrawn({ rows, bars }: Pick<Drawn, 'rows' | 'bars'>): void {
  expect(bars.map(({ token }) => token)).toEqual(rows.map(({ token }) => token));
  const [first, last] = [rows[0], rows.at(-1)];
  const [left, right] = [bars[0]?.left ?? 0, bars.at(-1)?.left ?? 0];
  const pixelsPerMs = (right - left) / ((last?.fromMs ?? 0) - (first?.fromMs ?? 0));
  expect(pixelsPerMs).toBeGreaterThan(0);
  const placeOf = (atMs: number): number => left + (atMs - (first?.fromMs ?? 0)) * pixelsPerMs;
  for (const [index, { fromMs, toMs }] of rows.entries()) {
    const bar = bars[index] ?? { left: Number.NaN, right: Number.NaN };
    expect(Math.abs(bar.left - placeOf(fromMs)), 'where a bar begins').toBeLessThan(1);
    // The last one grows.
    const end = toMs === null ? bar.right : placeOf(toMs);
    expect(Math.abs(bar.right - end), 'where it ends').toBeLessThan(2.5);
  }
}

const leaderOf = (cards: readonly Card[]): Card | null => cards.find(({ part }) => part === 'leads') ?? null;

/** As soon as somebody leads a board who is not `before`. */
const nextLeader = (board: Page, before: string): Promise<Card> =>
  eventually(
    async () => {
      const leader = leaderOf(await cardsIn(board));
      return leader === null || leader.me === before ? null : leader;
    },
    20_000,
    'another candidate leads',
  );

/** Presses a button of the candidate of that name. */
const press = (board: Page, label: string, id: string): Promise<void> =>
  board.evaluate(
    (me, button) => {
      const frames = [...document.querySelectorAll('iframe')].map(({ contentDocument }) => contentDocument);
      frames
        .find((frame) => frame?.getElementById('me')?.textContent === me)
        ?.getElementById(button)
        ?.click();
    },
    label,
    id,
  );

// Without Chromium there is no page; `npm run setup` installs it.
describe.skipIf(CHROMIUM === null)('the timeline of examples/tabs', () => {
  let browser: Browser;

  beforeAll(async () => {
    const stale = staleness();
    if (stale !== null) throw new Error(`${stale}: run \`npm run build\` first`);
    browser = await launch();
  });
  afterAll(() => browser.close());

  test('its bars are the reigns that the tabs tell of, in every tab, also in one that is opened later', async () => {
    await using page = await TabsPage.open(browser);
    const tabs = [await page.tab(), await page.tab()];
    const leaderNow = (): Promise<Page> =>
      eventually(
        async () => {
          for (const tab of tabs) if ((await seenIn(tab)).part === 'leads') return tab;
          return null;
        },
        20_000,
        'one leads',
      );
    const first = await leaderNow();
    const other = tabs.find((tab) => tab !== first) ?? first;
    await first.click('#resign');
    await until(other, ({ part }) => part === 'leads', 'the other leads');
    await other.click('#cut');
    await until(first, ({ part }) => part === 'leads', 'the first leads again');
    await other.click('#cut');
    await until(other, ({ part }) => part === 'follows', 'the other follows');
    const late = await page.tab();
    const told = (await Promise.all(tabs.map(linesIn))).flatMap(toldIn).toSorted((a, b) => a.fromMs - b.fromMs);
    expect(told.length).toBeGreaterThanOrEqual(3);
    for (const tab of [...tabs, late]) {
      await tab.bringToFront();
      const drawn = await eventually(
        async () => {
          const now = await drawnIn(tab);
          return now.bars.length === told.length && now.heads.length === 3 ? now : null;
        },
        10_000,
        'the tab has drawn all of them',
      );
      expectSame(reignsOf(drawn), told);
      expectDrawn({ rows: reignsOf(drawn), bars: drawn.bars });
      expect(drawn.bars.map(({ mark }) => mark)).toEqual(['given-back', 'lost', null]);
      expect(drawn.rows.some(({ what }) => what === 'had its network cut')).toBe(true);
      expect(drawn.story).toMatch(/^3 reigns so far\. .* Never two at once\.$/);
    }
    expect(page.complaints).toEqual([]);
  });

  test('S6 a tab that stood still is drawn to the end of its lease, not to when it woke', async () => {
    await using page = await TabsPage.open(browser);
    const leader = await page.tab();
    const { me } = await until(leader, ({ part }) => part === 'leads', 'the first leads');
    const next = await page.tab();
    await leader.click('#block');
    await until(leader, ({ part }) => part === 'follows', 'the blocked tab follows');
    const { rows, story } = await eventually(
      async () => {
        const now = await drawnIn(next);
        return now.rows.some(({ what }) => what.includes('stood still')) ? now : null;
      },
      10_000,
      'the other tab has drawn it',
    );
    const [lost, now] = rows.filter(({ token }) => token !== '');
    const still = rows.find(({ what }) => what === 'stood still: no line of its code ran');
    expect(lost).toMatchObject({
      label: me,
      what: expect.stringMatching(/^led; lost it: .*; found out \d\.\d s later$/),
    });
    expect(lost?.toMs).toBeLessThan(now?.fromMs ?? 0);
    expect(still).toMatchObject({ label: me });
    expect(still?.toMs, 'it woke when another led').toBeGreaterThan(now?.fromMs ?? 0);
    expect(story).toContain('Never two at once.');
  });

  test('a tab that is frozen steps down first, and reads so when it is thawed', async () => {
    await using page = await TabsPage.open(browser);
    const leader = await page.tab();
    const { me } = await until(leader, ({ part }) => part === 'leads', 'the first leads');
    const next = await page.tab();
    const cdp = await leader.createCDPSession();
    await cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
    await until(next, ({ part }) => part === 'leads', 'the next leads');
    const { heads, bars } = await eventually(
      async () => {
        const now = await drawnIn(next);
        return now.bars.length === 2 ? now : null;
      },
      5_000,
      'the other tab has drawn it',
    );
    expect(heads[0]).toBe(`${me}: frozen`);
    expect(bars.map(({ mark }) => mark)).toEqual(['given-back', null]);
    await sleep(4_500);
    await cdp.send('Page.setWebLifecycleState', { state: 'active' });
    const { log } = await until(leader, ({ part }) => part === 'follows', 'the thawed tab follows');
    expect(log.join('\n')).toMatch(/thawed after \d+\.\d s; assertHeld\(\) threw closed: nothing is written/);
    expect((await drawnIn(next)).rows.map(({ what }) => what)).toContain('was frozen by the browser');
  });

  test('four candidates in one page: exactly one leads, it hands over, is cut off or closed, and the next leads', async () => {
    await using page = await TabsPage.open(browser);
    const board = await page.board(4);
    const first = await nextLeader(board, '');
    const mostAtOnce = countLeaders(board);
    await press(board, first.me, 'resign');
    const second = await nextLeader(board, first.me);
    await press(board, second.me, 'cut');
    const third = await nextLeader(board, second.me);
    await board.evaluate((me) => {
      const frames = [...document.querySelectorAll('iframe')];
      const frame = frames.find((one) => one.contentDocument?.getElementById('me')?.textContent === me);
      frame?.parentElement?.querySelector('button')?.click();
    }, third.me);
    await nextLeader(board, third.me);
    expect(await (await mostAtOnce)()).toBe(1);
    const drawn = await eventually(
      async () => {
        const now = await drawnIn(board);
        return now.bars.length === 4 && now.heads.some((head) => head.endsWith(': leads')) ? now : null;
      },
      10_000,
      'the board has drawn it',
    );
    expectDrawn({ rows: reignsOf(drawn), bars: drawn.bars });
    expect(drawn.bars.map(({ mark }) => mark).slice(0, 2)).toEqual(['given-back', 'lost']);
    expect(drawn.heads).toHaveLength(4);
    expect(drawn.heads.filter((head) => head.endsWith(': leads'))).toHaveLength(1);
    expect(drawn.heads).toContain(`${third.me}: closed`);
    expect(drawn.story).toMatch(/^4 reigns so far\. .* Never two at once\.$/);
    expect(page.complaints).toEqual([]);
  });

  test('a note tells what happens to a tab that is frozen, how to try it, and what no lease promises', async () => {
    await using page = await TabsPage.open(browser);
    const tab = await page.tab();
    const note = await tab.$eval('#note', (section) => section.textContent ?? '');
    for (const words of ['chrome://discards', 'Block this tab', 'assertHeld()', 'fencing token', 'cannot promise'])
      expect(note).toContain(words);
    expect(page.complaints).toEqual([]);
  });
});

/** Counts in each frame that is drawn who leads at the same moment; what it returns ends that, and says how many at most. */
async function countLeaders(board: Page): Promise<() => Promise<number>> {
  await board.evaluate(() => {
    const seen = { most: 0 };
    Object.assign(globalThis, { seen });
    const look = (): void => {
      const cards = [...document.querySelectorAll('iframe')].map((one) => one.contentDocument?.getElementById('card'));
      seen.most = Math.max(seen.most, cards.filter((card) => card?.dataset['part'] === 'leads').length);
      requestAnimationFrame(look);
    };
    look();
  });
  return () => board.evaluate(() => Number(Reflect.get(Reflect.get(globalThis, 'seen'), 'most')));
}
