import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onPath } from '../../scripts/support/system.ts';

const MODEL = fileURLToPath(new URL('lease.pml', import.meta.url));
const MEMORY_MB_MAX = 1_900;
const DEPTH_MAX = 10_000;

export const missing: readonly string[] = ['spin', 'gcc'].filter((command) => onPath(command) === null);

export interface Verdict {
  /** Every reachable state was visited, each stored in full. */
  readonly exhausted: boolean;
  readonly errors: number;
  readonly states: number;
  readonly depth: number;
  readonly memoryMb: number;
  /** The claim that is broken. */
  readonly broken: 'S1' | 'S2' | 'S9' | 'other' | null;
  /** Statements that no state ever comes to, the ends of the endless processes apart: each is a rule not tried. */
  readonly unreached: readonly string[];
  /** The shortest way there, one line for each step. */
  readonly story: readonly string[];
  readonly output: string;
}

/** How large a table of states to begin with: `search` for what is found soon, `exhaust` for every state. */
export type Aim = 'search' | 'exhaust';

/** Breadth first: the depth has no limit in practice, and the first counter-example is a shortest one. */
export function check(flags: readonly string[], aim: Aim): Verdict {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-model-'));
  try {
    const defines = flags.map((flag) => `-D${flag}`);
    run(folder, 'spin', ['-a', ...defines, MODEL]);
    run(folder, 'gcc', [
      // A higher level takes longer to compile than it saves.
      '-O1',
      '-w',
      '-DSAFETY',
      '-DBFS',
      '-DNOREDUCE',
      `-DMEMLIM=${MEMORY_MB_MAX}`,
      '-o',
      'pan',
      'pan.c',
    ]);
    const output = run(folder, './pan', [aim === 'exhaust' ? '-w22' : '-w20', `-m${DEPTH_MAX}`]);
    const read = verdictOf(output);
    return read.errors === 0 ? read : { ...read, story: storyOf(folder, defines) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(folder: string, command: string, args: readonly string[]): string {
  const ran = spawnSync(command, args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1_024 * 1_024 });
  if (ran.error) throw ran.error;
  const said = `${ran.stdout}${ran.stderr}`;
  // pan ends with 0 whether it found something or not. A trail ends at the assertion that fails.
  if (ran.status !== 0 && !args.includes('-t')) throw new Error(`${command} ended with ${ran.status}:\n${said}`);
  return said;
}

const TRUNCATED = /Search not completed|max search depth too small|MEMLIM|out of memory|hint:/;

export function verdictOf(output: string): Verdict {
  const number = (pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? Number.NaN);
  return {
    exhausted: output.includes('Full statespace search') && !TRUNCATED.test(output),
    errors: number(/errors: (\d+)/),
    states: number(/^\s*(\d+) states, stored/m),
    depth: number(/depth reached (\d+)/),
    memoryMb: number(/([\d.]+)\s+total actual memory usage/),
    broken: brokenBy(/assertion violated (.*) \(at depth/.exec(output)?.[1]),
    unreached: [...output.matchAll(/^\t(\S+\.pml:\d+, state \d+, "(?!-end-).*)$/gm)].map(([, where = '']) => where),
    story: [],
    output,
  };
}

function brokenBy(assertion: string | undefined): Verdict['broken'] {
  if (assertion === undefined) return null;
  if (/readings|inTime/.test(assertion)) return 'S9';
  if (assertion.includes('newest')) return 'S2';
  return /^\s*!\(\(\(client\[0\]\.is==\d+\)&&\(client\[1\]\.is==\d+\)\)\)$/.test(assertion) ? 'S1' : 'other';
}

/** The trail in words, each step behind the tick of real time at which it happens. */
function storyOf(folder: string, defines: readonly string[]): readonly string[] {
  let ticks = 0;
  return run(folder, 'spin', ['-T', '-t', '-k', 'lease.pml.trail', ...defines, MODEL])
    .split('\n')
    .flatMap((line) => {
      const said = /^\s*@(.*)$/.exec(line)?.[1];
      if (said === 'tick') ticks += 1;
      return said === undefined || said === 'tick' ? [] : [`${String(ticks).padStart(3)}  ${said}`];
    });
}
