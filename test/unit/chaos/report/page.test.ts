import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gapsOf, handOversIn } from '../../../chaos/report/hand-overs.ts';
import { keptOf } from '../../../chaos/report/kept.ts';
import { pageOf } from '../../../chaos/report/page.ts';
import { writeReport } from '../../../chaos/report/write-report.ts';
import { entry, fault, held, released, runOf } from '../histories.ts';

const ENTRIES = [
  held(100, 'A', 1),
  released(200, 'A', 1),
  held(205, 'B', 2),
  released(10_000, 'B', 2),
  held(10_700, 'A', 3),
  released(11_000, 'A', 3),
];
const RUN = runOf(
  ENTRIES,
  [fault('reset', 'A', 9_500, 9_501), fault('kill-client', 'B', 9_000, 10_500), fault('reset', 'C', 190, 210)],
  12_000,
);
const GOOD = { violations: [], counts: { grants: 3, lostWithoutToken: 0, longestBeliefMs: 9_795, 'fault reset': 1 } };

describe('hand-overs', () => {
  test('are from the end of one belief to the beginning of the next, with a fault of what takes part or without', () => {
    expect(handOversIn(RUN)).toEqual([
      { name: 'job', gapMs: 5, disturbed: false },
      { name: 'job', gapMs: 700, disturbed: true },
    ]);
  });

  test('a belief that is interrupted is one', () => {
    const still = [entry(500, 'B', { event: 'suspended' }), entry(600, 'B', { event: 'continued' })];
    const says = {
      event: 'read',
      key: 'k2',
      name: 'job',
      token: 2,
      status: 'held',
      remainingMs: 1,
      aborted: false,
    } as const;
    expect(handOversIn(runOf([...ENTRIES, ...still, entry(700, 'B', says)])).map(({ gapMs }) => gapMs)).toEqual([
      5, 700,
    ]);
  });

  test('are told by name as p50, p99 and the longest', () => {
    const of = (name: string, gapMs: number): { name: string; gapMs: number; disturbed: boolean } => ({
      name,
      gapMs,
      disturbed: false,
    });
    expect(gapsOf([of('b', 9), of('a', 1), of('a', 3), of('a', 2)])).toEqual([
      { name: 'a', disturbed: false, count: 3, p50: 2, p99: 3, max: 3 },
      { name: 'b', disturbed: false, count: 1, p50: 9, p99: 9, max: 9 },
    ]);
  });
});

describe('report.md', () => {
  const page = pageOf(RUN, GOOD);

  test('has the command, the commit, the counts, the faults and the picture', () => {
    for (const line of [
      '**No violation** in 0:12 minutes, 3 faults on real processes.',
      '| command | `npm run chaos -- --seed 7` |',
      '| commit | `abc1234` |',
      '| grants | 3 |',
      '| longest belief, ms | 9795 |',
      '| lost without token | **0**: not shown |',
      '| kill-client | 1 | 1.5 | 1.5 |',
      '| `job` | with faults | 1 | 700.0 | 700.0 | 700.0 |',
    ])
      expect(page.split('\n')).toContain(line);
    expect(page).toContain('](timeline.svg)');
    expect(page).not.toContain('fault reset');
  });

  test('says each violation in words that are no markup, and how many are left out', () => {
    const violations = ['O2 <job>: A | B', ...Array.from({ length: 60 }, (_, index) => `number ${index}`)];
    const bad = pageOf(RUN, { ...GOOD, violations });
    expect(bad).toContain('**61 violations**');
    expect(bad).toContain('- O2 \\<job\\>: A \\| B');
    expect(bad).toContain('- and 11 more');
  });
});

describe('run.json', () => {
  test('has the verdict and the faults, with instants since the start', () => {
    const kept: unknown = JSON.parse(keptOf(RUN, GOOD));
    expect(kept).toMatchObject({
      seed: 7,
      lastMs: 12_000,
      entries: 6,
      violations: [],
      counts: GOOD.counts,
      faults: [
        { kind: 'reset', victim: 'A', fromMs: 9_500, toMs: 9_501 },
        { kind: 'kill-client', victim: 'B', fromMs: 9_000, toMs: 10_500 },
        { kind: 'reset', victim: 'C', fromMs: 190, toMs: 210 },
      ],
    });
    expect(JSON.parse(keptOf(runOf([]), GOOD))).toMatchObject({ faults: [] });
  });
});

test('the report is three files in a folder that is made where it is not there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-report-'));
  try {
    writeReport(RUN, GOOD, join(folder, 'kept', 'run'));
    expect(readdirSync(join(folder, 'kept', 'run')).toSorted()).toEqual(['report.md', 'run.json', 'timeline.svg']);
    expect(readFileSync(join(folder, 'kept', 'run', 'timeline.svg'), 'utf8')).toMatch(/^<svg /);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
