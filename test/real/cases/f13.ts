import type { FieldCase } from '../support/field-case.ts';
import { processorOf, tellProcessor } from '../support/processor.ts';
import { resumedAmidReleases } from './f13/resumed.ts';
import { releasedAtEnqueue } from './f13/released.ts';

export const F13: FieldCase = {
  id: 'F13',
  title:
    'S8 whoever comes as the name is released, or comes back, is granted at once and never sleeps beside a free name',
  async run(bench, size) {
    const coordinator = await bench.coordinator();
    const since = processorOf(coordinator);
    await releasedAtEnqueue(bench, coordinator, size === 'full' ? 2_000 : 100);
    await resumedAmidReleases(bench, coordinator, size === 'full' ? 100 : 12);
    tellProcessor(bench, coordinator, since);
  },
};
