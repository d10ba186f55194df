import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hunt, isAsSaid } from '../support/sim/mutants/hunt.ts';
import { MUTANTS } from '../support/sim/mutants/mutants.ts';
import { patched, REPOSITORY } from '../support/sim/mutants/patch.ts';

/** Those that need few seeds; `npm run sim -- --mutants` plays all. */
const CHEAP_SEEDS = 100;
const cheap = MUTANTS.filter(({ within }) => within <= CHEAP_SEEDS);

describe('planted bugs', { timeout: 120_000 }, () => {
  test.each(MUTANTS)('the text that $name replaces stands in the product', ({ patches }) => {
    for (const patch of patches) {
      const source = readFileSync(`${REPOSITORY}${patch.file}`, 'utf8');
      expect(patched(source, patch)).not.toBe(source);
    }
  });

  test('a patch whose text is gone, or stands there twice, fails', () => {
    const patch = { file: 'a.ts', find: 'now', put: 'later' };
    expect(() => patched('then', patch)).toThrow('0 times');
    expect(() => patched('now, now', patch)).toThrow('2 times');
    expect(patched('now', patch)).toBe('later');
  });

  test('each has a name of its own', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });

  test.each(cheap)('$name is found by $by', async (mutant) => {
    const hunted = await hunt(mutant, { from: 1, workers: 1, seeds: null });
    expect(hunted.found?.problems.map(({ by }) => by)).toContain(mutant.by);
    expect(isAsSaid(hunted)).toBe(true);
  });
});
