import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { RECORDING } from '../support/sim/cells/recording.ts';
import { cellReport, CELLS } from '../support/sim/cells/tables.ts';
import { patched, REPOSITORY } from '../support/sim/mutants/patch.ts';
import { playSeeds } from '../support/sim/pool.ts';
import { SELDOM, UNREACHABLE } from '../support/sim/unreachable.ts';

const every = new Set([...CELLS.values()].flat());
const [cell = '', other = ''] = every;

describe('cells of the state tables', () => {
  test('a cell that is out of reach, or seldom, is one of the tables, and is one of the two', () => {
    expect([...UNREACHABLE.keys(), ...SELDOM.keys()].filter((one) => !every.has(one))).toEqual([]);
    expect([...UNREACHABLE.keys()].filter((one) => SELDOM.has(one))).toEqual([]);
  });

  test('a visited cell that is said to be out of reach is wrong, and so is one that no table has', () => {
    expect(cellReport(every, new Map(), new Map()).wrong).toEqual([]);
    expect(cellReport(every, new Map([[cell, 'why']]), new Map()).wrong).toEqual([
      `${cell}: visited, and said to be unreachable`,
    ]);
    expect(cellReport(new Set(['claim: nowhere meets nothing']), new Map(), new Map()).wrong).toEqual([
      'claim: nowhere meets nothing: no such cell',
    ]);
  });

  test('a cell that is not visited is open, unless it is said to be out of reach or seldom', () => {
    const visited = new Set([...every].filter((one) => one !== cell && one !== other));
    const openOf = (reasons: ReadonlyMap<string, string>, rare: ReadonlyMap<string, string>): readonly string[] =>
      cellReport(visited, reasons, rare).tables.flatMap(({ open }) => open);
    expect(openOf(new Map(), new Map())).toEqual([cell, other]);
    expect(openOf(new Map([[cell, 'why']]), new Map())).toEqual([other]);
    expect(openOf(new Map([[cell, 'why']]), new Map([[other, 'why']]))).toEqual([]);
  });

  test.each(RECORDING)('the text behind which a visit is noted stands in $file', (patch) => {
    const source = readFileSync(`${REPOSITORY}${patch.file}`, 'utf8');
    expect(patched(source, patch)).not.toBe(source);
  });

  test('every table is visited by a handful of seeds', { timeout: 120_000 }, async () => {
    const { cells } = await playSeeds({ from: 1, seeds: 2, workers: 1 });
    expect(new Set([...cells].map((one) => one.split(':')[0]))).toEqual(new Set(CELLS.keys()));
  });
});
