import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { nextRun } from '../../../../../server/core/journal-fold.ts';
import { anyBatches } from './any-events.ts';
import { batchesContract } from './batches.ts';
import { endsContract } from './ends.ts';
import { makeGround, type Ground, type Place } from './ground.ts';
import { kinds } from './kinds.ts';
import { runsContract } from './runs.ts';
import { tokensContract } from './tokens.ts';

/** What every journal keeps to; run over each of them. */
export function journalContract(title: string, makePlace: () => Promise<Place>): void {
  describe(title, () => {
    const ground = makeGround(makePlace);
    beforeEach(() => ground.anew());
    afterEach(() => ground.leave());

    eventsContract(ground);
    runsContract(ground);
    tokensContract(ground);
    batchesContract(ground);
    endsContract(ground);
  });
}

function eventsContract(ground: Ground): void {
  for (const [kind, { batches, then }] of Object.entries(kinds)) {
    test(`${kind} is found by the next run as it was meant`, async () => {
      await ground.run(...batches);
      const contents = await ground.run();
      expect(contents.sequence).toBe(batches.length);
      then(contents);
    });
  }

  test('any batches are found by the next run as the fold has them', async () => {
    await fc.assert(
      fc.asyncProperty(anyBatches, async (batches) => {
        await ground.anew();
        const before = await ground.run(...batches);
        const numbered = batches.map((events, index) => ({ sequence: index + 1, events }));
        expect(await ground.run()).toEqual(nextRun(before, numbered));
      }),
      { numRuns: 25 },
    );
  });
}
