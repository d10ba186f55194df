import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { verdict } from '../../scripts/support/sim-run.ts';
import { REPOSITORY } from '../support/sim/mutants/patch.ts';
import { asTest } from '../support/sim/shrink.ts';

const REFUSED: readonly (readonly [string, string])[] = [
  ['--seeds abc', '--seeds is a whole number from 1, not "abc"'],
  ['--seeds 0', '--seeds is a whole number from 1, not "0"'],
  ['--seeds -5', '--seeds'],
  ['--seeds 1e3', '--seeds is a whole number from 1'],
  ['--seed -1', '--seed'],
  ['--workers 0', '--workers is a whole number from 1'],
  ['--mutant x', 'no bug "x"; there are count-from-receipt'],
  ['--nonsense', '--nonsense'],
  ['foo', 'foo'],
  ['--seed 1 --seeds 5', '--seed and --seeds do not go together'],
  ['--seed 1 --page', '--seed and --page do not go together'],
  ['--mutants --mutant wall-clock', '--mutants and --mutant do not go together'],
  ['--mutants --twice', '--mutants and --twice do not go together'],
];

const SCRIPT = `${REPOSITORY}scripts/sim.ts`;

describe('npm run sim', { timeout: 60_000 }, () => {
  test.each(REFUSED)('"%s" is refused in one line, with 2', (flags, line) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...flags.split(' ')], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(line);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('a run that is too small to contain everything fails, and says so in words', () => {
    const { status, stdout } = spawnSync(process.execPath, [SCRIPT, '--seeds', '1'], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stdout).toContain('1 seeds are too few to contain everything, 500 do');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('FAILED: EMPTY');
  });

  test('Ctrl-C prints what was played, ends with 130 and leaves no bundle', async () => {
    const child = spawn(process.execPath, [SCRIPT, '--seeds', '100000', '--workers', '1']);
    let [told, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
    const ended = once(child, 'close');
    for await (const text of child.stderr.setEncoding('utf8')) {
      said += String(text);
      // The first line of progress: some are played.
      if (/\/s, /.test(said)) child.kill('SIGINT');
    }
    expect((await ended)[0]).toBe(130);
    expect(told).toMatch(/^\d+ of 100000 seeds in .* s: all from 1 to \d+\n/);
    expect(told.trimEnd().split('\n').at(-1)).toBe('INTERRUPTED: no violation so far');
    const folder = `${REPOSITORY}build/sim`;
    const left = existsSync(folder) ? readdirSync(folder) : [];
    expect(left.filter((file) => file.startsWith(`${child.pid}-`))).toEqual([]);
  });

  test('the last line says what it came to', () => {
    expect(verdict({ failed: [] }, [])).toBe('no violation');
    const failed = [{ seed: 7, problems: [] }];
    expect(verdict({ failed }, ['EMPTY: nothing of undone happened'])).toBe('FAILED: 1 seeds with a violation; EMPTY');
    expect(verdict({ failed: [] }, ['UNVISITED: 3 cells', 'WRONG CELL: a'])).toBe('FAILED: UNVISITED; WRONG CELL');
  });

  test('a plan is printed as formatter and linter want it', () => {
    const printed = asTest({
      plan: {
        seed: 1_234_567,
        workload: 'mutex',
        clients: 2,
        names: 1,
        faultyMs: 999,
        calmMs: 20_000,
        faults: [{ at: 1_000, kind: 'step', who: 'a', ms: 0, size: -60_000 }],
      },
      problems: [{ by: 'lock', text: 'two' }],
    });
    expect(printed).toContain('    seed: 1_234_567,\n');
    expect(printed).toContain("    workload: 'mutex',\n");
    expect(printed).toContain('    faultyMs: 999,\n    calmMs: 20_000,\n');
    expect(printed).toContain("{ at: 1_000, kind: 'step', who: 'a', ms: 0, size: -60_000 },");
  });
});
