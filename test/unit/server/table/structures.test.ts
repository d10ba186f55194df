import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareBytes } from '../../../../server/core/table/byte-order.ts';
import { Deadlines, newTimer, type Timed } from '../../../../server/core/table/deadlines.ts';
import { Lifetimes } from '../../../../server/core/table/lifetimes.ts';
import { SortedList } from '../../../../server/core/table/sorted-list.ts';
import { listeningMs } from '../../../../shared/time.ts';

/** The same cases in every run. */
const FIXED = { seed: 1 };

const units = fc.string({
  unit: fc.constantFrom('a', 'b', '\u00e9', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{1f600}', '\u{10ffff}'),
});

test('compareBytes orders as the bytes of UTF-8 do', () => {
  fc.assert(
    fc.property(units, units, (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    FIXED,
  );
});

describe('SortedList', () => {
  const edits = fc.array(fc.tuple(fc.boolean(), fc.nat(400)), { maxLength: 2_000, size: 'max' });

  test('holds what a sorted array would, with its indices, whatever is put in and taken out', () => {
    fc.assert(
      fc.property(edits, fc.nat(400), (ops, probe) => {
        const list = new SortedList<number>((a, b) => a - b);
        const model = new Set<number>();
        for (const [insert, item] of ops) {
          if (insert && !model.has(item)) list.insert(item);
          const removed = !insert && list.remove(item);
          expect(removed).toBe(!insert && model.has(item));
          if (insert) model.add(item);
          else model.delete(item);
        }
        const sorted = [...model].toSorted((a, b) => a - b);
        expect([...list]).toEqual(sorted);
        expect(list.size).toBe(sorted.length);
        expect(list.first).toBe(sorted[0] ?? null);
        expect(list.countBefore(probe)).toBe(sorted.filter((item) => item < probe).length);
        expect([...list.from(probe)]).toEqual(sorted.filter((item) => item >= probe));
      }),
      { ...FIXED, numRuns: 60 },
    );
  });

  test('finds its way among 10,000 by few comparisons, from the front, the tail and within', () => {
    let comparisons = 0;
    const list = new SortedList<number>((a, b) => {
      comparisons += 1;
      return a - b;
    });
    for (let item = 0; item < 10_000; item += 1) list.insert(item);
    comparisons = 0;
    for (const item of [0, 9_999, 5_000, 1, 9_998]) {
      list.countBefore(item);
      list.remove(item);
    }
    expect(comparisons).toBeLessThan(5 * 2 * 20);
  });
});

class Due implements Timed {
  readonly timer = newTimer(listeningMs(0));
  readonly id: number;
  constructor(id: number) {
    this.id = id;
  }
}

describe('Deadlines', () => {
  const moves = fc.array(fc.tuple(fc.nat(30), fc.oneof(fc.nat(100), fc.constant(null))), { maxLength: 300 });

  test('fire when they are due, the earliest first, each once, wherever they were moved', () => {
    fc.assert(
      fc.property(moves, fc.nat(100), (sets, now) => {
        const deadlines = new Deadlines<Due>();
        const items = Array.from({ length: 31 }, (_, id) => new Due(id));
        const model = new Map<number, number>();
        for (const [id, at] of sets) {
          const item = items[id] ?? new Due(-1);
          if (at === null) deadlines.clear(item);
          else deadlines.set(item, listeningMs(at));
          if (at === null) model.delete(id);
          else model.set(id, at);
        }
        expect(deadlines.size).toBe(model.size);
        expect(deadlines.next).toBe(model.size === 0 ? null : Math.min(...model.values()));
        const fired: number[] = [];
        for (let due = deadlines.takeDue(listeningMs(now)); due !== null; due = deadlines.takeDue(listeningMs(now))) {
          expect(model.get(due.id)).toBe(due.timer.due);
          fired.push(due.timer.due);
          model.delete(due.id);
        }
        expect(fired).toEqual(fired.toSorted((a, b) => a - b));
        expect([...model.values()].every((at) => at > now)).toBe(true);
      }),
      FIXED,
    );
  });

  test('that are due at the same instant fire in the order in which they were set', () => {
    const deadlines = new Deadlines<Due>();
    for (let id = 0; id < 20; id += 1) deadlines.set(new Due(id), listeningMs(5));
    expect(Array.from({ length: 20 }, () => deadlines.takeDue(listeningMs(5))?.id)).toEqual(
      Array.from({ length: 20 }, (_, id) => id),
    );
  });
});

describe('Lifetimes', () => {
  test('know the least of what they have', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(8))), (edits) => {
        const lifetimes = new Lifetimes();
        const model: number[] = [];
        for (const [add, life] of edits) {
          if (add) lifetimes.add(life);
          if (add) model.push(life);
          else if (model.includes(life)) {
            lifetimes.remove(life);
            model.splice(model.indexOf(life), 1);
          }
          expect(lifetimes.least).toBe(model.length === 0 ? null : Math.min(...model));
        }
      }),
      FIXED,
    );
  });

  test('throw where one is taken away that was never there', () => {
    expect(() => new Lifetimes().remove(5)).toThrow('5 ms');
  });
});
