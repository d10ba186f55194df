import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cellReport, type CellReport } from '../../test/support/sim/cells/tables.ts';
import { playSeeds } from '../../test/support/sim/pool.ts';
import { emptyTally, missing, type Tally } from '../../test/support/sim/tally.ts';
import { onInterrupt } from './sim-interrupt.ts';
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
  const secondsSoFar = (): number => (performance.now() - startMs) / 1_000;
  const show = progress(seeds, startMs);
  let [tally, played]: [Tally, number] = [emptyTally(), from];
  const forget = onInterrupt(() => printInterrupted({ options, tally, played, seconds: secondsSoFar() }));
  tally = await playSeeds({
    from,
    seeds,
    workers,
    twice,
    onProgress: (soFar, before) => {
      [tally, played] = [soFar, before];
      show(soFar);
    },
  });
  const seconds = secondsSoFar();
  const rate = (seeds / seconds).toFixed(1);
  console.log(`${seeds} seeds from ${from} in ${seconds.toFixed(1)} s on ${workers} threads, ${rate} a second`);
  printCounts(tally);
  const cells = cellReport(tally.cells);
  printCells(cells);
  printFound(tally);
  const [first] = tally.failed;
  if (first !== undefined) await printShrunk(first.seed, []);
  const wrong = wrongOf(tally, cells, seeds);
  for (const line of wrong) console.log(line);
  if (options.page) writePage(options, { tally, cells, seconds, wrong });
  console.log(verdict(tally, wrong));
  forget();
  return tally.failed.length === 0 && wrong.length === 0;
}

/** The last line: what it came to, and of what kind it is where it failed. */
export function verdict({ failed }: Pick<Tally, 'failed'>, wrong: readonly string[]): string {
  const violations = failed.length === 0 ? [] : [`${failed.length} seeds with a violation`];
  const why = [...violations, ...wrong.map((line) => line.slice(0, line.indexOf(':')))];
  return why.length === 0 ? 'no violation' : `FAILED: ${why.join('; ')}`;
}

interface Interrupted {
  readonly options: RunOptions;
  readonly tally: Tally;
  /** All seeds before this one were played. */
  readonly played: number;
  readonly seconds: number;
}

function printInterrupted({ options: { from, seeds }, tally, played, seconds }: Interrupted): void {
  const range = played > from ? `all from ${from} to ${played - 1}` : `not all from ${from} on`;
  console.log(`${tally.seeds} of ${seeds} seeds in ${seconds.toFixed(1)} s: ${range}`);
  printCounts(tally);
  printFound(tally);
  const found = tally.failed.length === 0 ? 'no violation so far' : `${tally.failed.length} seeds with a violation`;
  console.log(`INTERRUPTED: ${found}`);
}

function printCounts({ counts }: Tally): void {
  for (const [name, count] of Object.entries(counts)) console.log(`  ${String(count).padStart(10)}  ${name}`);
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
    ...(empty.length > 0 ? [emptyLine(empty, seeds)] : []),
    ...wrong.map((text) => `WRONG CELL: ${text}`),
    ...(seeds >= ALL_CELLS_SEEDS && open.length > 0
      ? [`UNVISITED: ${open.length} cells, and test/support/sim/unreachable.ts does not say why`]
      : []),
  ];
}

/** So many seeds contain all that a run has to. */
const ALL_COUNTS_SEEDS = 500;

const emptyLine = (empty: readonly string[], seeds: number): string =>
  `EMPTY: nothing of ${empty.join(', ')} happened, so the run shows nothing about it` +
  (seeds < ALL_COUNTS_SEEDS ? `; ${seeds} seeds are too few to contain everything, ${ALL_COUNTS_SEEDS} do` : '');

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
