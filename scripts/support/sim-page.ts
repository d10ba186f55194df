import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { CellReport } from '../../test/support/sim/cells/tables.ts';
import type { Tally } from '../../test/support/sim/tally.ts';
import { SELDOM, UNREACHABLE } from '../../test/support/sim/unreachable.ts';
import { presentCommit } from './commit.ts';

export interface PlayedSeeds {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
  readonly twice: boolean;
  readonly seconds: number;
  readonly tally: Tally;
  readonly cells: CellReport;
  /** What made the run fail beside what checkers found. */
  readonly wrong: readonly string[];
}

/** Where and when this is played. */
export function playedHere(): Pick<PlayedSeeds, 'date' | 'commit' | 'machine'> & { readonly root: string } {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const changed = spawnSync('git', ['status', '--porcelain', '--', 'client', 'server', 'shared', 'test/support'], {
    cwd: root,
    encoding: 'utf8',
  });
  const model = cpus()[0]?.model ?? 'an unknown processor';
  return {
    root,
    date: new Date().toISOString().slice(0, 10),
    commit: `${presentCommit(root)}${changed.stdout ? ', with changes that are not committed' : ''}`,
    machine: `Linux, ${availableParallelism()} cores (${model}), Node ${process.versions.node}`,
  };
}

/** docs/SIMULATION-RUN.md: one long run, with all that it contained. */
export function simulationPage(played: PlayedSeeds): string {
  const { tally, cells, wrong } = played;
  const failures = tally.failed.flatMap(({ seed, problems }) => problems.map(({ by, text }) => ({ seed, by, text })));
  return `${[
    '# A run of the simulation',
    '',
    'Written by `npm run sim -- --page`; [SIMULATION.md](SIMULATION.md) says what is played, and how this is read.',
    '',
    ...facts(played),
    '',
    '## Violations',
    '',
    ...(failures.length === 0
      ? ['None.']
      : failures.map(({ seed, by, text }) => `- seed ${seed}, ${by}: ${text.split('\n')[0] ?? ''}`)),
    ...(wrong.length === 0 ? [] : ['', 'The run itself failed:', '', ...wrong.map((line) => `- ${line}`)]),
    '',
    '## What it contained',
    '',
    '| | |',
    '| --- | ---: |',
    ...Object.entries(tally.counts).map(([name, count]) => `| ${name} | ${count.toLocaleString('en')} |`),
    '',
    ...cellLines(cells),
  ].join('\n')}\n`;
}

function facts({ date, commit, machine, from, seeds, workers, twice, seconds, tally }: PlayedSeeds): readonly string[] {
  const command = `npm run sim -- --from ${from} --seeds ${seeds}${twice ? ' --twice' : ''} --workers ${workers} --page`;
  return [
    '| | |',
    '| --- | --- |',
    `| date | ${date} |`,
    `| commit | ${commit} |`,
    `| machine | ${machine} |`,
    `| command | \`${command}\` |`,
    `| seeds | ${seeds.toLocaleString('en')}, from ${from}${twice ? ', each twice and compared to the byte' : ''} |`,
    `| seconds | ${seconds.toFixed(0)} |`,
    `| seeds a second | ${(seeds / seconds).toFixed(1)} |`,
    `| seeds with a violation | ${tally.failed.length} |`,
  ];
}

function cellLines({ tables }: CellReport): readonly string[] {
  const open = tables.flatMap((table) => table.open);
  return [
    '## Cells of the state tables',
    '',
    'A state with an event, each condition of the event counted with it.',
    '',
    '| table | cells | reachable | visited |',
    '| --- | ---: | ---: | ---: |',
    ...tables.map(({ table, all, reachable, visited }) => `| ${table} | ${all} | ${reachable} | ${visited} |`),
    '',
    ...(open.length === 0
      ? []
      : ['Not visited, though nothing is said to forbid it:', '', ...open.map((cell) => `- ${cell}`), '']),
    ...seldomLines(tables.flatMap((table) => table.seldom)),
    'Out of reach of the simulation:',
    '',
    ...grouped(UNREACHABLE).map(([why, of]) => `- ${why}: ${of.join('; ')}`),
  ];
}

const seldomLines = (cells: readonly string[]): readonly string[] =>
  cells.length === 0
    ? []
    : [
        'Not visited in this run, since they need a coincidence:',
        '',
        ...cells.map((cell) => `- ${cell}: ${SELDOM.get(cell)}`),
        '',
      ];

function grouped(reasons: ReadonlyMap<string, string>): readonly (readonly [string, readonly string[]])[] {
  const groups = new Map<string, string[]>();
  for (const [cell, why] of reasons) groups.set(why, [...(groups.get(why) ?? []), cell]);
  return [...groups];
}
