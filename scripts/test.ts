/**
 * Everything that must hold, in an order that fails fast: one line for each step with its seconds, and as last line
 * `N passed, N failed, N skipped`. A step that is not a set of tests counts as one test where it fails.
 * `LEASEHOLD_SKIP_NOTHING=1` makes a skipped test a failure.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './support/files.ts';
import { addTotals, lastLine, totalsOf, type Totals } from './support/totals.ts';

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Where the step leaves its results, when it is a set of tests. */
  readonly results?: string;
}

const tests = (project: string): Step => ({
  name: `${project} tests`,
  command: [
    'vitest',
    'run',
    '--project',
    project,
    '--passWithNoTests',
    `--outputFile.json=build/tests.${project}.json`,
  ],
  results: `build/tests.${project}.json`,
});

const STEPS: readonly Step[] = [
  { name: 'system', command: ['node', 'scripts/setup.ts'] },
  { name: 'types', command: ['tsc', '-b'] },
  { name: 'lint', command: ['oxlint'] },
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'build', command: ['node', 'scripts/build.ts'] },
  tests('pure'),
  tests('mocked'),
  tests('sim'),
  tests('model'),
  tests('tidy'),
  tests('real'),
  tests('conformance'),
  tests('browser'),
  tests('packed'),
];

function run(step: Step): boolean {
  const [program = '', ...args] = step.command;
  const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  const ran = spawnSync(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, PATH: path } });
  if (ran.error !== undefined) console.error(`${step.name}: ${ran.error.message}`);
  return ran.status === 0;
}

function totalsAfter(step: Step, ok: boolean): Totals {
  const failed: Totals = { passed: 0, failed: ok ? 0 : 1, skipped: 0 };
  if (step.results === undefined) return failed;
  const path = join(root, step.results);
  const totals = existsSync(path) ? totalsOf(readFileSync(path, 'utf8')) : failed;
  return !ok && totals.failed === 0 ? { ...totals, failed: 1 } : totals;
}

mkdirSync(join(root, 'build'), { recursive: true });
const LAST = join(root, 'build/tests.txt');
rmSync(LAST, { force: true });

let totals: Totals = { passed: 0, failed: 0, skipped: 0 };
for (const step of STEPS) {
  if (step.results !== undefined) rmSync(join(root, step.results), { force: true });
  const startMs = performance.now();
  const ok = run(step);
  totals = addTotals(totals, totalsAfter(step, ok));
  console.log(`${ok ? 'ok' : 'FAILED'}  ${step.name}  ${((performance.now() - startMs) / 1_000).toFixed(1)} s`);
  if (!ok) break;
}

const skips = process.env['LEASEHOLD_SKIP_NOTHING'] === '1' ? totals.skipped : 0;
if (skips > 0) console.error(`${skips} skipped, and here nothing may be skipped`);
writeFileSync(LAST, `${lastLine(totals)}\n`);
console.log(lastLine(totals));
process.exitCode = totals.failed + skips > 0 ? 1 : 0;
