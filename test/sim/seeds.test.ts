import { describe, expect, test } from 'vitest';
import { cellReport } from '../support/sim/cells/tables.ts';
import { planFor } from '../support/sim/plan.ts';
import { playSeeds } from '../support/sim/pool.ts';
import { hashOf } from '../support/sim/seed.ts';
import { missing } from '../support/sim/tally.ts';

const SEEDS = 500;
/** The rest of the machine is busy with other files of this project. */
const WORKERS = 2;

/** Cells of the state tables that so many seeds visit, less a few that come by chance. */
const CELLS_AT_LEAST: Readonly<Record<string, number>> = {
  claim: 16,
  connection: 37,
  lease: 46,
  election: 20,
  session: 15,
  name: 115,
};

describe('the simulated world', { timeout: 600_000 }, () => {
  test('S1 S2 S3 S4 S10 hold under faults, and all goes on once they are over', async () => {
    const tally = await playSeeds({ from: 1, seeds: SEEDS, workers: WORKERS });
    process.stdout.write(`simulated ${tally.seeds} seeds: ${JSON.stringify(tally.counts)}\n`);
    expect(tally.failed).toEqual([]);
    expect(tally.seeds).toBe(SEEDS);
    // A simulation in which nothing happened has shown nothing.
    expect(missing(tally)).toEqual([]);
    // Nothing that is said to be out of reach was reached, and most of the rest was.
    const { tables, wrong } = cellReport(tally.cells);
    expect(wrong).toEqual([]);
    for (const { table, visited } of tables)
      expect(visited, table).toBeGreaterThanOrEqual(CELLS_AT_LEAST[table] ?? Infinity);
  });

  test('one seed is one history: the same again, to the last byte', async () => {
    const tally = await playSeeds({ from: 1, seeds: 40, workers: WORKERS, twice: true });
    expect(tally.failed).toEqual([]);
    expect(hashOf(planFor(1))).not.toEqual(hashOf({ ...planFor(1), seed: 2 }));
  });
});
