import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Refusal } from '../../../scripts/support/refusal.ts';
import { keep, readKept, type KeptRun } from '../../chaos/run-file.ts';

const KEPT: KeptRun = {
  run: {
    seed: 3,
    command: 'npm run chaos',
    commit: 'c0ffee',
    date: '2026-01-01T00:00:00.000Z',
    machine: 'one',
    leftOut: ['link-down'],
    from: 12_345_678_901_234_567_890n,
    to: 12_345_678_901_234_567_899n,
    clients: ['a'],
    names: ['n'],
    faults: [{ kind: 'reset', victim: 'a', from: 12_345_678_901_234_567_891n, to: 12_345_678_901_234_567_892n }],
    entries: [
      { at: 12_345_678_901_234_567_893n, client: 'a', event: 'held', key: 'k', name: 'ñ', token: 5 },
      { at: 12_345_678_901_234_567_894n, client: 'a', event: 'killed' },
    ],
  },
  found: ['something'],
};

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'leasehold-chaos-'));
  file = join(folder, 'log.jsonl.gz');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What becomes of the lines of a kept run. */
async function keptBut(change: (lines: readonly string[]) => readonly string[]): Promise<void> {
  await keep(file, KEPT);
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  writeFileSync(file, gzipSync(`${change(lines).join('\n')}\n`));
}

const withHead = (change: (head: Record<string, unknown>) => void) => (lines: readonly string[]) => {
  const head: Record<string, unknown> = JSON.parse(lines[0] ?? '');
  change(head);
  return [JSON.stringify(head), ...lines.slice(1)];
};

describe('a kept run', () => {
  test('is read as it was', async () => {
    await keep(file, KEPT);
    expect(await readKept(file)).toEqual(KEPT);
  });

  test('that is older than the count of its entries is read all the same', async () => {
    await keptBut(
      withHead((head) => {
        delete head['entryCount'];
        delete head['leftOut'];
      }),
    );
    expect((await readKept(file)).run).toEqual({ ...KEPT.run, leftOut: null });
  });
});

describe('no log of a run is refused in one line', () => {
  const why = async (): Promise<string> => {
    const error: unknown = await readKept(file).catch((caught: unknown) => caught);
    if (!(error instanceof Refusal)) throw new Error(`not refused, but: ${String(error)}`);
    expect(error.message.startsWith(`${file} is `)).toBe(true);
    return error.message.slice(file.length + 1);
  };

  test('a file that is not there', async () => {
    expect(await why()).toMatch(/^is no log of a chaos run: ENOENT/);
  });

  test('a file that is not compressed', async () => {
    writeFileSync(file, '# Leasehold\n');
    expect(await why()).toBe('is no log of a chaos run: incorrect header check');
  });

  test.each([
    ['', 'it is empty'],
    ['hello', 'its first line is no JSON'],
    ['[]', 'its first line is no head of a run'],
    ['{}', 'its first line is no head of a run: "seed" is missing or wrong'],
  ])('compressed %j', async (text, told) => {
    writeFileSync(file, gzipSync(text));
    expect(await why()).toBe(`is no log of a chaos run: ${told}`);
  });

  test('one with a fault that has no end', async () => {
    await keptBut(
      withHead((head) => {
        head['faults'] = [{ kind: 'reset', victim: 'a', from: '1' }];
      }),
    );
    expect(await why()).toBe(
      'is no log of a chaos run: its first line is no head of a run: "faults" is missing or wrong',
    );
  });

  test('one with a line that is no entry', async () => {
    await keptBut(([head = '', , ...others]) => [head, '{"at":"1"}', ...others]);
    expect(await why()).toBe('is no log of a chaos run: line 2 is no entry');
  });

  test('one whose bytes are cut off', async () => {
    await keep(file, KEPT);
    writeFileSync(file, readFileSync(file).subarray(0, -20));
    expect(await why()).toBe('is cut off: its compressed stream has no end; half a log cannot be judged');
  });

  test('one whose lines are cut off', async () => {
    await keptBut((lines) => lines.slice(0, 2));
    expect(await why()).toBe('is cut off: it has 1 entries, and its head speaks of 2; half a log cannot be judged');
  });
});
