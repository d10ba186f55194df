import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { onPath } from '../../../../scripts/support/system.ts';
import type { Entry } from '../../../real/support/log.ts';
import type { FaultSpan } from '../../../chaos/run.ts';
import { coloursOf } from '../../../chaos/report/colours.ts';
import { eventfulMinutes } from '../../../chaos/report/minutes.ts';
import { pictureOf } from '../../../chaos/report/model.ts';
import { PLOT_LEFT, PLOT_WIDTH } from '../../../chaos/report/style.ts';
import { timelineOf } from '../../../chaos/report/timeline.ts';
import { entry, fault, held, lost, released, runOf } from '../histories.ts';

const MINUTE = 60_000;
const draw = (
  entries: readonly Entry[],
  faults: readonly FaultSpan[] = [],
  lastMs = MINUTE,
  violations: readonly string[] = [],
): string => timelineOf(runOf(entries, faults, lastMs), { violations, counts: {} });

/** Where an instant of the first minute lies. */
const xOf = (ms: number): string => String(Math.round((PLOT_LEFT + (ms / MINUTE) * PLOT_WIDTH) * 10) / 10);
const SMALL = [held(6_000, 'A', 11), released(12_000, 'A', 11), held(15_000, 'B', 12), lost(30_000, 'B', 12)];

/** The attributes of each rectangle that has all of `attributes`. */
const rectangles = (svg: string, ...attributes: readonly string[]): readonly string[] =>
  (svg.match(/<rect [^>]*>/g) ?? []).filter((one) => attributes.every((attribute) => one.includes(attribute)));

describe('a small run', () => {
  const svg = draw(SMALL);
  const colours = coloursOf(['A', 'B', 'C']);

  test('has one bar for each belief, in the colour of its client, where its time is', () => {
    expect(rectangles(svg, `fill="${colours.get('A')}"`, `x="${xOf(6_000)}"`)).toHaveLength(1);
    expect(rectangles(svg, `fill="${colours.get('B')}"`, `x="${xOf(15_000)}"`)).toHaveLength(1);
    const bars = pictureOf(runOf(SMALL, [], MINUTE)).bars.map(({ client, fromMs, toMs }) => [client, fromMs, toMs]);
    expect(bars).toEqual([
      ['A', 6_000, 12_000],
      ['B', 15_000, 30_000],
    ]);
  });

  test('has the number of the token on its bar, and all of it for a pointer', () => {
    expect(svg).toContain('>A 1</text>');
    expect(svg).toContain('<title>job: B with 2 (token 12), 0:15.000 to 0:30.000</title>');
  });

  test('has a mark where a belief ended by a loss, though its process was told later', () => {
    expect(svg).toContain(`d="M${xOf(30_000)} `);
    const still = [entry(20_000, 'B', { event: 'suspended' }), entry(29_000, 'B', { event: 'continued' })];
    const later = draw([...SMALL, ...still]);
    expect(later).toContain(`d="M${xOf(20_000)} `);
    expect(later).toContain('B believes no more at 0:20.000; it is lost, missed-ack, at 0:30.000');
  });

  test('says that nothing was violated, or how much', () => {
    expect(svg).toContain('>no violation</text>');
    expect(draw(SMALL, [], MINUTE, ['x', 'y'])).toContain('>2 violations</text>');
  });
});

test('a process that stands still has no bar meanwhile', () => {
  const still = [entry(8_000, 'A', { event: 'suspended' }), entry(10_000, 'A', { event: 'continued' })];
  const says = entry(10_500, 'A', {
    event: 'read',
    key: 'k11',
    name: 'job',
    token: 11,
    status: 'held',
    remainingMs: 1,
    aborted: false,
  });
  const bars = pictureOf(runOf([...SMALL, ...still, says], [], MINUTE)).bars.filter(({ client }) => client === 'A');
  expect(bars.map(({ fromMs, toMs, number }) => [fromMs, toMs, number])).toEqual([
    [6_000, 8_000, 1],
    [10_500, 12_000, 1],
  ]);
});

describe('two that believe at once', () => {
  const both = [held(6_000, 'A', 11), held(7_000, 'B', 12), released(9_000, 'A', 11), released(12_000, 'B', 12)];

  test('are framed and named, however short it was', () => {
    const words = 'job: A (1) and B (2) both believed for 2000.000 ms at 0:07.000';
    expect(draw(both)).toContain(`>${words}</text>`);
    expect(rectangles(draw(both), 'class="alarm"', `x="${xOf(7_000)}"`)).toHaveLength(1);
    const short = [held(6_000, 'A', 11), { ...held(0, 'B', 12), at: both[2]?.at ?? 0n }, released(12_000, 'B', 12)];
    const brief = draw([...short, { ...released(9_000, 'A', 11), at: (both[2]?.at ?? 0n) + 1_000n }]);
    expect(brief).toContain('both believed for 0.001 ms');
    expect(rectangles(brief, 'class="alarm"', 'width="8"')).toHaveLength(1);
  });

  test('are in one of the minutes at large, whatever else happened', () => {
    const busy = Array.from({ length: 200 }, (_, index) => fault('reset', 'A', index * 300, index * 300 + 1));
    const late = [held(1_000_000, 'A', 11), held(1_000_500, 'B', 12), released(1_001_000, 'A', 11)];
    const { minutes } = pictureOf(runOf([...late, released(1_002_000, 'B', 12)], busy, 3_600_000));
    expect(minutes.some((from) => from <= 1_000_500 && 1_000_500 < from + MINUTE)).toBe(true);
  });

  test('nobody is framed where one begins in the instant in which the other ends', () => {
    const after = [held(6_000, 'A', 11), released(9_000, 'A', 11), held(9_000, 'B', 12), released(12_000, 'B', 12)];
    // The one of the legend.
    expect(rectangles(draw(after), 'class="alarm"')).toHaveLength(1);
  });
});

describe('faults', () => {
  test('lie in a lane of what they hit, with their kind, one under the other where they come at once', () => {
    const faults = [
      fault('kill-coordinator', 'coordinator', 5_000, 15_000),
      fault('stop-client', 'p0', 20_000, 30_000),
      fault('black-hole', 'p1', 25_000, 35_000),
    ];
    const svg = draw(SMALL, faults);
    for (const words of ['>kill-coordinator</text>', '>stop-client p0</text>', '>black-hole p1</text>'])
      expect(svg).toContain(words);
    expect(rectangles(svg, 'class="down"', `x="${xOf(5_000)}"`)).toHaveLength(1);
    expect(rectangles(svg, 'class="shadow"', `x="${xOf(5_000)}"`)).toHaveLength(1);
    expect(pictureOf(runOf(SMALL, faults)).faults.map(({ part, line }) => [part, line])).toEqual([
      ['coordinator', 0],
      ['clients', 0],
      ['clients', 1],
    ]);
  });

  test('a coordinator that stands still is hatched', () => {
    const svg = draw(SMALL, [fault('stop-coordinator', 'coordinator', 5_000, 15_000)]);
    expect(rectangles(svg, 'class="stopped"', `x="${xOf(5_000)}"`)).toHaveLength(1);
  });
});

describe('minutes at large', () => {
  const calm = { lastMs: 3_600_000, losses: [], faults: [], overlaps: [] };

  test('are those in which most happened, none of them in two', () => {
    const losses = [100_000, 101_000, 130_000, 131_000, 2_000_000].map((atMs) => ({ atMs }));
    const chosen = eventfulMinutes({ ...calm, losses }, 3);
    expect(chosen).toHaveLength(2);
    for (const { atMs } of losses) expect(chosen.some((from) => from <= atMs && atMs < from + MINUTE)).toBe(true);
    expect(eventfulMinutes(calm, 3)).toEqual([]);
  });

  test('a run of up to five minutes is shown at large as a whole', () => {
    expect(pictureOf(runOf(SMALL, [], 150_000)).minutes).toEqual([0, MINUTE, 2 * MINUTE]);
  });
});

describe('colours', () => {
  test('clients of one process share a hue, and one that is started again keeps its own', () => {
    const colours = coloursOf(['p0a', 'p0b', 'p1a', 'p0a.2']);
    expect(colours.get('p0a')).toBe(colours.get('p0'));
    expect(new Set(['p0a', 'p0b', 'p1a'].map((client) => colours.get(client))).size).toBe(3);
    expect(colours.has('p0a.2')).toBe(false);
    const again = draw([held(6_000, 'A.3', 11), released(12_000, 'A.3', 11)]);
    expect(rectangles(again, `fill="${coloursOf(['A', 'B', 'C']).get('A')}"`, `x="${xOf(6_000)}"`)).toHaveLength(1);
  });
});

describe('the file', () => {
  const NASTY = '<job> & "co" \u0007]]>';
  const nasty = [held(1_000, 'A', 11, { name: NASTY }), released(50_000, 'A', 11, { name: NASTY })];

  test('escapes text', () => {
    const svg = draw(nasty);
    expect(svg).toContain('&lt;job&gt; &amp; ');
    expect(svg).not.toContain('<job>');
    expect(svg).not.toContain('\u0007');
  });

  // Without python3 there is no parser that is not our own.
  test.skipIf(onPath('python3') === null)('is XML', () => {
    const svgs = [draw(nasty), draw([]), draw(SMALL, [fault('reset', 'A', 0, 0)], 3_600_000)];
    // Of a list that another parser reads, so that one start is enough.
    const parse = `import json, sys
from xml.parsers import expat
for text in json.load(sys.stdin): expat.ParserCreate().Parse(text, True)`;
    const { status, stderr } = spawnSync('python3', ['-c', parse], { input: JSON.stringify(svgs), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test('stays below a megabyte for an hour of turns, and draws each of their beliefs', () => {
    const turns = Array.from({ length: 6 * 2_400 }, (_, index) => {
      const [name, from] = [`lock-${index % 6}`, Math.floor(index / 6) * 1_500];
      const client = ['A', 'B', 'C'][index % 3] ?? 'A';
      return [
        held(from, client, index + 1, { name }),
        released(from + (index % 2 === 0 ? 300 : 1_400), client, index + 1, { name }),
      ];
    }).flat();
    const faults = Array.from({ length: 1_000 }, (_, index) =>
      fault('black-hole', 'A', index * 3_500, index * 3_500 + 3_000),
    );
    const svg = draw(turns, faults, 3_600_000);
    expect(svg.length).toBeLessThan(1_000_000);
    expect(svg.match(/M[\d.]+ [\d.]+h[\d.]+(?=[M"])/g)).toHaveLength(turns.length / 2);
  });
});
