import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cellReport, type CellReport } from '../../test/support/sim/cells/tables.ts';
import { playSeeds } from '../../test/support/sim/pool.ts';
import { missing, type Tally } from '../../test/support/sim/tally.ts';
import { printShrunk } from './sim-seed.ts';
import { playedHere, simulationPage } from './sim-page.ts';

export interface RunOptions {
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
  readonly twice: boolean;
  /** Whether docs/SIMULATION-RUN.md is written. */
  readonly page: boolean;
}

const PROGRESS_EVERY_MS = 2_000;
/** So many seeds visit every cell that is within reach. */
const ALL_CELLS_SEEDS = 20_000;

/** Plays, and says what was found. False where that is anything, or where something that should have happened did not. */
export async function playMany(options: RunOptions): Promise<boolean> {
  const { from, seeds, workers, twice } = options;
  const startMs = performance.now();
  const tally = await playSeeds({ from, seeds, workers, twice, onProgress: progress(seeds, startMs) });
  const seconds = (performance.now() - startMs) / 1_000;
  const rate = (seeds / seconds).toFixed(1);
  console.log(`${seeds} seeds from ${from} in ${seconds.toFixed(1)} s on ${workers} threads, ${rate} a second`);
  for (const [name, count] of Object.entries(tally.counts)) console.log(`  ${String(count).padStart(10)}  ${name}`);
  const cells = cellReport(tally.cells);
  printCells(cells);
  printFound(tally);
  const [first] = tally.failed;
  if (first !== undefined) await printShrunk(first.seed, []);
  const wrong = wrongOf(tally, cells, seeds);
  for (const line of wrong) console.log(line);
  console.log(tally.failed.length === 0 ? 'no violation' : `${tally.failed.length} seeds with a violation`);
  if (options.page) writePage(options, { tally, cells, seconds, wrong });
  return tally.failed.length === 0 && wrong.length === 0;
}

/** How far it is, for how long it will go on, and each seed that fails as soon as it has. */
function progress(seeds: number, startMs: number): (tally: Tally) => void {
  let [shownMs, named] = [startMs, 0];
  return ({ seeds: done, failed }) => {
    for (const { seed, problems } of failed.slice(named))
      process.stderr.write(`seed ${seed} failed: ${[...new Set(problems.map(({ by }) => by))].join(', ')}\n`);
    named = failed.length;
    const nowMs = performance.now();
    if (nowMs - shownMs < PROGRESS_EVERY_MS) return;
    shownMs = nowMs;
    const perSecond = (done / (nowMs - startMs)) * 1_000;
    const left = inWords((seeds - done) / perSecond);
    process.stderr.write(`${done} of ${seeds}, ${perSecond.toFixed(1)}/s, ${left} to go, ${named} failed\n`);
  };
}

const inWords = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;

function printCells({ tables }: CellReport): void {
  console.log('cells of the state tables, visited of reachable:');
  for (const { table, visited, reachable, all, open, seldom } of tables) {
    console.log(`  ${`${visited} of ${reachable}`.padStart(10)}  ${table} (${all - reachable} of ${all} out of reach)`);
    for (const cell of open) console.log(`              not visited: ${cell}`);
    if (seldom.length > 0) console.log(`              not visited, and seldom is: ${seldom.length}`);
  }
}

function printFound({ failed }: Tally): void {
  for (const { seed, problems } of failed)
    for (const { by, text } of problems) console.log(`FOUND in seed ${seed} by ${by}: ${text}`);
}

/** What makes a run fail that no checker found anything in. */
function wrongOf(tally: Tally, { tables, wrong }: CellReport, seeds: number): readonly string[] {
  const empty = missing(tally);
  const open = tables.flatMap((table) => table.open);
  return [
    ...(empty.length > 0 ? [`EMPTY: nothing of ${empty.join(', ')} happened: the run shows nothing about it`] : []),
    ...wrong.map((text) => `WRONG ${text}`),
    ...(seeds >= ALL_CELLS_SEEDS && open.length > 0
      ? [`UNVISITED: ${open.length} cells, and test/support/sim/unreachable.ts does not say why`]
      : []),
  ];
}

interface Found {
  readonly tally: Tally;
  readonly cells: CellReport;
  readonly seconds: number;
  readonly wrong: readonly string[];
}

function writePage(options: RunOptions, found: Found): void {
  const { root, ...here } = playedHere();
  writeFileSync(join(root, 'docs/SIMULATION-RUN.md'), simulationPage({ ...options, ...found, ...here }));
  console.log('written: docs/SIMULATION-RUN.md');
}
