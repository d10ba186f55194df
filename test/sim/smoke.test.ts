import { describe, expect, test } from 'vitest';
import { simulate, type Simulated } from '../support/sim/simulation.ts';

/** `SIM_SEEDS=5000 SIM_FROM=1000` for a longer look. */
const SEEDS = Number(process.env['SIM_SEEDS'] ?? 100);
const FROM = Number(process.env['SIM_FROM'] ?? 1);
/** Of a planted bug at most so many seeds are needed. */
const SEEDS_TO_FIND = 30;

const seeds = Array.from({ length: SEEDS }, (_, index) => FROM + index);

function totals(runs: readonly Simulated[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { history } of runs) {
    for (const [name, count] of Object.entries(history.counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

describe('the simulated world', { timeout: 600_000 }, () => {
  test('S1 S2 S4 S10 hold under faults, and all goes on once they are over', () => {
    const runs = seeds.map((seed) => ({ seed, run: simulate(seed) }));
    expect(
      runs.filter(({ run }) => run.problems.length > 0).map(({ seed, run }) => ({ seed, problems: run.problems })),
    ).toEqual([]);
    const sums = totals(runs.map(({ run }) => run));
    process.stdout.write(
      `simulated ${SEEDS} seeds: ${Object.entries(sums)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ')}\n`,
    );
    // A simulation in which nothing happened has shown nothing.
    expect(Object.entries(sums).filter(([, count]) => count === 0)).toEqual([]);
  });

  test('one seed is one history: the same again, to the last line', () => {
    for (const seed of seeds.slice(0, 5)) {
      const [first, second] = [simulate(seed), simulate(seed)];
      expect(first.history.lines.length).toBeGreaterThan(20);
      expect(second).toEqual(first);
    }
    expect(simulate(FROM).history.lines).not.toEqual(simulate(FROM + 1).history.lines);
  });

  test('S1 a client that counts its window from the receipt is found', () => {
    const found = seeds
      .slice(0, SEEDS_TO_FIND)
      .find((seed) => simulate(seed, { mutant: 'count-from-receipt' }).problems.some((one) => one.startsWith('S1')));
    expect(found).toBeDefined();
  });
});
