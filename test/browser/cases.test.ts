import { describe, expect, test } from 'vitest';
import { play } from '../real/support/field-case.ts';
import { BROWSER_CASES } from './cases/registry.ts';
import { CHROMIUM } from './support/browser.ts';

const CI_MS_MAX = 90_000;

/** What broke for people in their tabs, in short; `npm run cases -- --full F40` plays such a case as it was written. */
// Without Chromium there is no tab; `npm run setup` installs it.
describe.skipIf(CHROMIUM === null)('cases in tabs', () => {
  for (const fieldCase of BROWSER_CASES) {
    test(`${fieldCase.title} (${fieldCase.id})`, { timeout: CI_MS_MAX }, async () => {
      const { wrong, measured } = await play(fieldCase, 'ci');
      expect(wrong).toEqual([]);
      expect(measured.length).toBeGreaterThan(0);
    });
  }
});
