import { describe, expect, test } from 'vitest';
import { advanced, counterOf, lastSteps, NONE, type Counter } from '../../../examples/tabs/counter.ts';
import { placeOf, spanOf, tokenParts } from '../../../examples/tabs/words.ts';

const after = (steps: number, by: string, token: number, from: Counter): Counter => {
  let counter = from;
  for (let step = 0; step < steps; step += 1) counter = advanced(counter, by, token);
  return counter;
};

describe('the counter of examples/tabs', () => {
  test('goes on where the leader before stopped, and knows who made which step', () => {
    const counter = after(2, 'Ash', 9, after(3, 'Fern', 7, NONE));
    expect(counter).toEqual({
      count: 5,
      reigns: [
        { by: 'Fern', token: 7, to: 3 },
        { by: 'Ash', token: 9, to: 5 },
      ],
    });
    expect(lastSteps(counter, 7)).toEqual([null, null, 'Fern', 'Fern', 'Fern', 'Ash', 'Ash']);
    expect(lastSteps(counter, 3)).toEqual(['Fern', 'Ash', 'Ash']);
  });

  test('keeps a bounded number of reigns', () => {
    let counter = NONE;
    for (let token = 1; token <= 40; token += 1) counter = advanced(counter, `tab ${token}`, token);
    expect(counter.count).toBe(40);
    expect(counter.reigns.map(({ token }) => token)).toEqual([29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40]);
  });

  test('begins at nothing where the state is not of its making', () => {
    for (const state of [undefined, null, 7, 'x', [], {}, { count: 'x' }, { count: 1.5 }])
      expect(counterOf(state), JSON.stringify(state)).toEqual(NONE);
    expect(counterOf({ count: 3, reigns: [{ by: 'Ash' }, 7, null] })).toEqual({ count: 3, reigns: [] });
    const counter = after(2, 'Ash', 9, NONE);
    expect(counterOf(counter)).toEqual(counter);
  });
});

describe('the words of examples/tabs', () => {
  test('a span has its unit, a place its ordinal, a token its last digits apart', () => {
    expect([0, 59_999, 60_000, 3_600_000, 7_620_000].map(spanOf)).toEqual([
      '0 s',
      '59 s',
      '1 min 00 s',
      '1 h 00 min',
      '2 h 07 min',
    ]);
    expect([null, 0, 1, 2, 3, 10, 20].map(placeOf)).toEqual(
      ['not in it', 'next', '2nd', '3rd', '4th', '11th', '21st'].map((place) => `this tab is ${place}`),
    );
    expect(tokenParts(1_883_324_172_730_370)).toEqual({
      head: '1\u2009883\u2009324\u2009172\u2009730\u2009',
      tail: '370',
    });
  });
});
