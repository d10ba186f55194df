import { expect, test } from 'vitest';
import { CASES } from './cases/registry.ts';
import { play } from './support/field-case.ts';

const CI_MS_MAX = 90_000;

/** What broke for people who run such software, in short; `npm run cases -- --full` plays each as it was written. */
for (const fieldCase of CASES) {
  test(`${fieldCase.title} (${fieldCase.id})`, { timeout: CI_MS_MAX }, async () => {
    const { wrong, measured } = await play(fieldCase, 'ci');
    expect(wrong).toEqual([]);
    expect(measured.length).toBeGreaterThan(0);
  });
}
