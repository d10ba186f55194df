import { describe, expect, test } from 'vitest';
import { addTo, emptyTally, join, missing } from '../support/sim/tally.ts';
import { runSeed } from '../support/sim/seed.ts';

const { counts } = runSeed(1, false);
const full = Object.fromEntries(Object.keys(counts).map((name) => [name, 1]));

describe('what a run of seeds has to contain', () => {
  test.each(Object.keys(counts))('%s is needed: a zero of it fails the run, and so does its absence', (name) => {
    expect(missing({ counts: full })).toEqual([]);
    expect(missing({ counts: { ...full, [name]: 0 } })).toEqual([name]);
    const { [name]: _, ...without } = full;
    expect(missing({ counts: without })).toEqual([name]);
  });

  test('a run of no seeds lacks all of it', () => {
    expect(missing(emptyTally())).toEqual(Object.keys(counts));
  });

  test('tallies of two threads add up', () => {
    const [tally, other] = [emptyTally(), emptyTally()];
    for (const one of [tally, other]) addTo(one, { seed: 1, problems: [], counts });
    join(tally, other);
    expect([tally.seeds, tally.counts['grants']]).toEqual([2, counts.grants * 2]);
  });
});
