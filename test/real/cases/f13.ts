import type { Bench } from '../support/bench.ts';
import type { FieldCase } from '../support/field-case.ts';
import { resumedAmidReleases } from './f13/resumed.ts';
import { releasedAtEnqueue } from './f13/released.ts';

export const F13: FieldCase = {
  id: 'F13',
  title:
    'S8 whoever comes as the name is released, or comes back, is granted at once and never sleeps beside a free name',
  async run(bench: Bench, size) {
    await releasedAtEnqueue(bench, size === 'full' ? 2_000 : 200);
    await resumedAmidReleases(bench, size === 'full' ? 100 : 12);
  },
};
