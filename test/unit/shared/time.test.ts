import fc from 'fast-check';
import { expect, it } from 'vitest';
import { between, durationMs, earliest, later, latest, monoMs } from '../../../shared/time.ts';

const instant = fc.integer({ min: 0, max: 2 ** 40 }).map(monoMs);

it('an instant later by what is between two of them is the second', () => {
  fc.assert(fc.property(instant, instant, (from, to) => later(from, between(from, to)) === to));
});

it('the latest and the earliest of two are those two', () => {
  fc.assert(
    fc.property(instant, instant, (a, b) => latest(a, b) === Math.max(a, b) && earliest(a, b) === Math.min(a, b)),
  );
});

it('a brand adds nothing at run time', () => {
  expect([monoMs(5), durationMs(7)]).toEqual([5, 7]);
});
