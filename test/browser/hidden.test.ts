import { describe, expect, test } from 'vitest';
import { entriesOf, msBetween, type EntryOf } from '../real/support/log.ts';
import { FULL } from '../real/support/size.ts';
import { sleep } from '../real/support/waiting.ts';
import { CHROMIUM } from './support/browser.ts';
import { staged } from './support/stage.ts';

const TTL_MS = 6_000;
const HIDDEN_MS = FULL ? 75_000 : 20_000;
const TICK_MS = 250;

/**
 * Chromium lets a hidden page's timers run once a second. Some versions let chains of them run once a minute after a
 * while; Chromium 150 does not within the first 190 s (measured), so this test does not count on it.
 */
const SLOWED_TO_MS = 900;

// Without Chromium there is no page; `npm run setup` installs it.
describe.skipIf(CHROMIUM === null)('a hidden page', () => {
  test(
    `keeps a lease of 6 s for ${HIDDEN_MS / 1_000} s though its timers are slowed down`,
    { timeout: 60_000 + HIDDEN_MS },
    async () => {
      await staged(async (stage) => {
        const tab = await stage.tab('tab', TTL_MS);
        const other = stage.process('process', TTL_MS).client;
        await tab.client.acquire('a', 'job');
        const waiting = other.acquire('b', 'job', {}, 2 * HIDDEN_MS).catch((error: unknown) => error);
        tab.write({ do: 'tick', everyMs: TICK_MS });
        await tab.hide();
        await sleep(HIDDEN_MS);
        const read = await tab.client.read('a');
        expect(read).toMatchObject({ status: 'held', aborted: false });
        const { entries } = stage.log;
        expect(entries.filter(({ event }) => event === 'at-risk' || event === 'lost')).toEqual([]);
        const renewed = entriesOf(entries, 'received', 'tab').filter(isRenewal);
        expect(renewed.length).toBeGreaterThanOrEqual(Math.floor(HIDDEN_MS / TTL_MS));
        // The page was slowed down, or this proves nothing.
        expect(longestGapMs(entriesOf(entries, 'page', 'tab'), read.at)).toBeGreaterThanOrEqual(SLOWED_TO_MS);
        await tab.client.release('a');
        expect(await waiting).toMatchObject({ ok: true });
      });
    },
  );
});

const isRenewal = ({ messages }: EntryOf<'received'>): boolean => messages.some(({ type }) => type === 'renewed');

/** Between two ticks, or from the last one to the end. */
function longestGapMs(entries: readonly EntryOf<'page'>[], end: bigint): number {
  const ticks = entries.filter(({ what, at }) => what === 'tick' && at < end).map(({ at }) => at);
  return Math.max(...ticks.map((at, index) => msBetween(at, ticks[index + 1] ?? end)));
}
