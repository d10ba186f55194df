import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { axisOf, placeOn, ticksOf } from '../../../examples/tabs/timeline/axis.ts';
import { headOf } from '../../../examples/tabs/timeline/head.ts';
import { timelineOf } from '../../../examples/tabs/timeline/model.ts';
import { rowsOf, summaryOf } from '../../../examples/tabs/timeline/say.ts';
import type { Happening, What } from '../../../examples/tabs/together/happenings.ts';

/** A tab that writes: at which second, what. */
function tab(label: string): (atS: number, what: What) => Happening {
  let number = 0;
  return (atS, what) => {
    number += 1;
    return { ...what, tab: `tab ${label}`, label, number, atMs: atS * 1_000 };
  };
}

const led = (token: number): What => ({ kind: 'led', token });
const ended = (token: number, why: string, knownAtS: number): What => ({
  kind: 'ended',
  token,
  why,
  knownAtMs: knownAtS * 1_000,
});
const heard = (token: number | null, by = '', sinceS = 0): What => ({
  kind: 'heard',
  token,
  by,
  sinceMs: sinceS * 1_000,
});

/** `Ash 7: 1-5 given-back`, in seconds. */
const barsOf = (happenings: readonly Happening[]): readonly string[] =>
  timelineOf(happenings).reigns.map(({ label, token, fromMs, toMs, end }) => {
    const to = toMs === null ? '' : toMs / 1_000;
    return `${label} ${token}: ${fromMs / 1_000}-${to}${end === null ? '' : ` ${end.kind}`}`;
  });

describe('the timeline of examples/tabs', () => {
  test('a reign is a bar from its grant to the end that its tab told; the last one is open', () => {
    const [ash, fern] = [tab('Ash'), tab('Fern')];
    const happenings = [
      ash(0, { kind: 'opened' }),
      ash(1, led(7)),
      fern(2, { kind: 'opened' }),
      ash(5, ended(7, 'released', 5)),
      fern(5.2, led(8)),
    ];
    const { lanes, gaps, doubledMs } = timelineOf(happenings);
    expect(barsOf(happenings)).toEqual(['Ash 7: 1-5 given-back', 'Fern 8: 5.2-']);
    expect(lanes.map(({ label, fromMs, toMs }) => [label, fromMs, toMs])).toEqual([
      ['Ash', 0, null],
      ['Fern', 2_000, null],
    ]);
    expect(gaps).toEqual([{ fromMs: 5_000, toMs: 5_200 }]);
    expect(doubledMs).toBe(0);
  });

  test('a tab that stood still is drawn to the end of its lease, and found out later', () => {
    const [ash, fern] = [tab('Ash'), tab('Fern')];
    const meanwhile = [ash(0, led(7)), fern(6, led(8))];
    // It cannot have told yet: it ended at the latest when the next began.
    expect(barsOf(meanwhile)).toEqual(['Ash 7: 0-6 unheard', 'Fern 8: 6-']);
    const afterwards = [
      ...meanwhile,
      ash(5.5, ended(7, 'missed-ack', 12)),
      ash(2, { kind: 'stopped', how: 'still' }),
      ash(12, { kind: 'went-on', how: 'still' }),
    ];
    expect(barsOf(afterwards)).toEqual(['Ash 7: 0-5.5 lost', 'Fern 8: 6-']);
    const { gaps, pauses } = timelineOf(afterwards);
    expect(gaps).toEqual([{ fromMs: 5_500, toMs: 6_000 }]);
    expect(pauses).toEqual([{ lane: 'tab Ash', how: 'still', fromMs: 2_000, toMs: 12_000 }]);
    expect(rowsOf(timelineOf(afterwards)).map(({ label, what }) => `${label}: ${what}`)).toEqual([
      'Fern: leads still',
      'Ash: stood still: no line of its code ran',
      'Ash: led; lost it: no renewal was answered in time; found out 6.5 s later',
    ]);
  });

  test('a tab that is gone without a word ends where somebody hears that nobody leads', () => {
    const [ash, fern] = [tab('Ash'), tab('Fern')];
    const happenings = [ash(0, led(7)), fern(1, heard(7, 'Ash', 0)), fern(4, heard(null))];
    expect(barsOf(happenings)).toEqual(['Ash 7: 0-4 unheard']);
    expect(timelineOf(happenings).gaps).toEqual([{ fromMs: 4_000, toMs: null }]);
  });

  test('a leader that writes nothing here has a lane of its own, from when it began', () => {
    const fern = tab('Fern');
    const happenings = [fern(10, { kind: 'opened' }), fern(10.1, heard(7, 'a process', 3)), fern(12, led(8))];
    expect(barsOf(happenings)).toEqual(['a process 7: 3-12 unheard', 'Fern 8: 12-']);
    expect(timelineOf(happenings).lanes.map(({ label, isElsewhere }) => [label, isElsewhere])).toEqual([
      ['a process', true],
      ['Fern', false],
    ]);
  });

  test('what others heard of a tab stands in its lane until its own word comes, and never beside it', () => {
    const [ash, fern] = [tab('Ash'), tab('Fern')];
    const early = [ash(0, { kind: 'opened' }), fern(1, { kind: 'opened' }), fern(2.01, heard(7, 'Ash', 2))];
    expect(timelineOf(early).reigns.map(({ lane }) => lane)).toEqual(['tab Ash']);
    expect(barsOf([...early, ash(2, led(7))])).toEqual(['Ash 7: 2-']);
  });

  test('two that led at once are told, for how long', () => {
    const [ash, fern] = [tab('Ash'), tab('Fern')];
    const happenings = [ash(0, led(7)), fern(4, led(8)), ash(4.5, ended(7, 'missed-ack', 4.5))];
    expect(timelineOf(happenings).doubledMs).toBe(500);
    expect(summaryOf(timelineOf(happenings))).toContain('Two at once for 500 ms!');
  });

  test('a tab that is closed ends its lane and its pauses', () => {
    const ash = tab('Ash');
    const { lanes, pauses } = timelineOf([
      ash(0, { kind: 'opened' }),
      ash(1, { kind: 'stopped', how: 'cut' }),
      ash(1, led(7)),
      ash(3, { kind: 'closed' }),
      ash(3, ended(7, 'closed', 3)),
    ]);
    expect(lanes[0]?.toMs).toBe(3_000);
    expect(pauses).toEqual([{ lane: 'tab Ash', how: 'cut', fromMs: 1_000, toMs: 3_000 }]);
  });

  test('bars and gaps fill the time from the first grant to the last end, in whatever order the news came', () => {
    const turn = fc.record({
      who: fc.integer({ min: 0, max: 3 }),
      ledMs: fc.integer({ min: 1, max: 9_000 }),
      gapMs: fc.nat(900),
    });
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 12 }), fc.infiniteStream(fc.nat(1_000)), (turns, keys) => {
        const tabs = ['Ash', 'Fern', 'Moss', 'Reed'].map(tab);
        let nowMs = 0;
        const told = turns.flatMap(({ who, ledMs, gapMs }, token) => {
          const write = tabs[who] ?? tab('?');
          const [fromS, toS] = [nowMs / 1_000, (nowMs + ledMs) / 1_000];
          nowMs += ledMs + gapMs;
          return [write(fromS, led(token)), write(toS, ended(token, 'released', toS))];
        });
        const shuffled = told.map((one) => ({ one, key: keys.next().value })).toSorted((a, b) => a.key - b.key);
        const { reigns, gaps, doubledMs } = timelineOf(shuffled.map(({ one }) => one));
        const lasted = [...reigns, ...gaps].map(({ fromMs, toMs }) => (toMs === null ? 0 : toMs - fromMs));
        const endMs = turns.reduce((sum, { ledMs, gapMs }) => sum + ledMs + gapMs, -(turns.at(-1)?.gapMs ?? 0));
        expect(reigns.map(({ token }) => token)).toEqual(turns.map((_, token) => token));
        expect(lasted.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(endMs, 3);
        expect(doubledMs).toBeCloseTo(0, 3);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the words of the timeline of examples/tabs', () => {
  test('the summary counts reigns, names the longest time without a leader, and says that two never led', () => {
    const [ash, fern] = [tab('Ash'), tab('Fern')];
    expect(summaryOf(timelineOf([]))).toBe('Nobody has led yet.');
    const first = [ash(0, led(7))];
    expect(summaryOf(timelineOf(first))).toBe('One reign so far. No change of hands yet. Never two at once.');
    const quick = [...first, ash(5, ended(7, 'released', 5)), fern(5.03, led(8))];
    expect(summaryOf(timelineOf(quick))).toBe(
      '2 reigns so far. Nobody led for at most 30 ms between two. Never two at once.',
    );
    const slow = [...quick, fern(9, ended(8, 'missed-ack', 9)), ash(9.42, led(9))];
    expect(summaryOf(timelineOf(slow))).toContain('Nobody led for at most 0.4 s between two.');
  });

  test('a head says what its tab is: leads, its place, frozen, silent, closed', () => {
    const [ash, fern] = [tab('Ash'), tab('Fern')];
    const base = [ash(0, led(7)), fern(1, { kind: 'opened' })];
    const wordsOf = (happenings: readonly Happening[], atS: number, mine: string | null = null): readonly string[] => {
      const timeline = timelineOf(happenings);
      const presence = { label: 'Fern', part: 'follows', position: 0, isInSight: true, atMs: 5_000 } as const;
      const signs = new Map([['tab Fern', { ...presence, tab: 'tab Fern' }]]);
      return timeline.lanes.map((lane) => headOf(lane, timeline, signs, mine, atS * 1_000).words);
    };
    expect(wordsOf(base, 6)).toEqual(['leads', 'next in line']);
    expect(wordsOf(base, 17)).toEqual(['leads', 'silent for 12 s']);
    expect(wordsOf(base, 17, 'tab Fern')).toEqual(['leads', 'next in line']);
    expect(wordsOf([...base, fern(5, { kind: 'stopped', how: 'frozen' })], 17)).toEqual(['leads', 'frozen']);
    expect(wordsOf([...base, ash(5, { kind: 'stopped', how: 'cut' })], 6)).toEqual([
      'leads, network cut',
      'next in line',
    ]);
    expect(wordsOf([...base, fern(5, { kind: 'closed' })], 6)).toEqual(['leads', 'closed']);
  });
});

describe('the axis of the timeline of examples/tabs', () => {
  test('it begins with half a minute, grows, and slides from two minutes on', () => {
    const spanOf = (nowS: number): readonly number[] => {
      const { fromMs, toMs } = axisOf(0, nowS * 1_000, 600);
      return [fromMs / 1_000, toMs / 1_000];
    };
    expect([0, 10, 30, 75, 120, 300].map(spanOf)).toEqual([
      [0, 30],
      [0, 30],
      [0, 30],
      [0, 75],
      [0, 120],
      [180, 300],
    ]);
  });

  test('a place is proportional to the time, and never outside', () => {
    const axis = axisOf(0, 60_000, 600);
    expect([-5_000, 0, 15_000, 60_000, 90_000].map((atMs) => placeOn(axis, atMs))).toEqual([0, 0, 150, 600, 600]);
  });

  test('ticks are round moments, as close as their labels allow', () => {
    expect(ticksOf(axisOf(1_000, 1_000, 600), 75)).toEqual([5, 10, 15, 20, 25, 30].map((s) => s * 1_000));
    expect(ticksOf(axisOf(0, 120_000, 300), 75)).toEqual([0, 30, 60, 90, 120].map((s) => s * 1_000));
  });
});
