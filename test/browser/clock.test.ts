import { describe, expect, test } from 'vitest';
import { now } from '../real/support/log.ts';
import { CHROMIUM } from './support/browser.ts';
import { staged } from './support/stage.ts';

const ROUNDS = 100;
const MS_MAX = 1;

// Without Chromium there is no page; `npm run setup` installs it.
describe.skipIf(CHROMIUM === null)('the log of a page', () => {
  test('is stamped by the clock of all processes, to the millisecond', async () => {
    await staged(async (stage) => {
      const tab = await stage.tab('tab', 30_000);
      let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let round = 0; round < ROUNDS; round += 1) {
        const asked = now();
        const { result } = await tab.cdp.send('Runtime.evaluate', { expression: 'performance.now()' });
        const answered = now();
        const read = tab.origin + BigInt(Math.round(Number(result.value) * 1e6));
        // The page read its clock between the two: by so much it may be ahead at most, and behind at most.
        least = Math.min(least, Number(answered - read) / 1e6);
        most = Math.max(most, Number(asked - read) / 1e6);
      }
      expect(least).toBeGreaterThan(-MS_MAX);
      expect(most).toBeLessThan(MS_MAX);
      // Asked and answered quickly at least once, or nothing was measured.
      expect(least - most).toBeLessThan(2 * MS_MAX);
    });
  });
});
