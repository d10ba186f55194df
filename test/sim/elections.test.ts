import { describe, expect, test } from 'vitest';
import { simulateElections } from '../support/sim/elections.ts';

/** `SIM_SEEDS=5000 SIM_FROM=1000` for a longer look. */
const SEEDS = Number(process.env['SIM_SEEDS'] ?? 40);
const FROM = Number(process.env['SIM_FROM'] ?? 1);
const seeds = Array.from({ length: SEEDS }, (_, index) => FROM + index);

describe('elections in the simulated world', { timeout: 600_000 }, () => {
  test('S1 two candidates never lead at once; once the faults are over each leads in its turn, and all know who', () => {
    const runs = seeds.map((seed) => ({ seed, run: simulateElections(seed) }));
    expect(
      runs.filter(({ run }) => run.problems.length > 0).map(({ seed, run }) => ({ seed, problems: run.problems })),
    ).toEqual([]);
    const sums: Record<string, number> = {};
    for (const { run } of runs) {
      const { losses, restarts, revoked, putAway, contested } = run.history.counts;
      for (const [name, count] of Object.entries({ ...run.counts, losses, restarts, revoked, putAway, contested }))
        sums[name] = (sums[name] ?? 0) + count;
    }
    process.stdout.write(`${SEEDS} seeds of elections: ${JSON.stringify(sums)}\n`);
    expect(Object.entries(sums).filter(([, count]) => count === 0)).toEqual([]);
  });

  test('one seed is one history', () => {
    expect(simulateElections(FROM)).toEqual(simulateElections(FROM));
  });
});
