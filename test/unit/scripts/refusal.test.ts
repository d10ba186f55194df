import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { presentCommit } from '../../../scripts/support/commit.ts';
import { openOut } from '../../../scripts/support/out-folder.ts';
import { Refusal, refusalIn } from '../../../scripts/support/refusal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'leasehold-out-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const thrownBy = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return null;
};

describe('a refusal', () => {
  test('is told in one line', () => {
    expect(refusalIn(new Refusal('no such case:\n  F999'))).toBe('no such case: F999');
  });

  test('of a flag leaves out the advice', () => {
    const error = thrownBy(() => parseArgs({ args: ['--nonsense'], options: {}, allowPositionals: true }));
    expect(refusalIn(error)).toBe("Unknown option '--nonsense'; --help says what there is");
  });

  test('is not what is a fault of the script', () => {
    expect(refusalIn(new TypeError('x is undefined'))).toBeNull();
    expect(refusalIn('x')).toBeNull();
  });
});

describe('the folder of a report', () => {
  test('is made with those above it, and left empty', () => {
    const out = join(folder, 'a/b');
    openOut(out);
    openOut(out);
    expect(readdirSync(out)).toEqual([]);
  });

  test('is refused where a file is, or is above it', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const out of [file, join(file, 'x')]) expect(thrownBy(() => openOut(out))).toBeInstanceOf(Refusal);
  });

  test('is refused where no folder can be made', () => {
    expect(thrownBy(() => openOut('/proc/none/of/it'))).toBeInstanceOf(Refusal);
  });
});

test('a folder that is no clone has an unknown commit', () => {
  expect(presentCommit(folder)).toBe('unknown');
});
