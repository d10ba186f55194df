import type { FieldCase } from '../support/field-case.ts';
import { atItsMaximum, heedless } from './f07/at-its-maximum.ts';
import { brokenByHand } from './f07/broken-by-hand.ts';

export const F07: FieldCase = {
  id: 'F07',
  title: 'S7 a wedged holder is out at the longest total life of its lease, and an operator can end it at any time',
  async run(bench, size) {
    const coordinator = await bench.hosted();
    const place = {
      bench,
      coordinator,
      waiters: bench.process(),
      // As long as it was written; or short.
      maxLifetimeMs: size === 'full' ? 10_000 : 4_500,
    };
    await Promise.all([atItsMaximum(place), heedless(place), brokenByHand(place)]);
  },
};
