import { expect, test } from 'vitest';
import * as ids from '../../../../../shared/ids.ts';
import { durationMs } from '../../../../../shared/time.ts';
import type { DurableEvent } from '../../../../../server/core/journal-port.ts';
import { claim, granted, lease, terms } from '../samples.ts';
import type { Ground } from './ground.ts';

/** The order of claims and of batches. */
export function batchesContract(ground: Ground): void {
  test('S8 claims keep the order in which they came, over runs and when they are stored again', async () => {
    await ground.run([claim('c'), claim('a')], [claim('b'), claim('c', { priority: 5 })]);
    await ground.run([claim('d'), { kind: 'claim-ended', session: terms().session, request: ids.requestId('a') }]);
    const { claims } = await ground.run([claim('a')]);
    expect(claims.map((one) => [one.terms.request, one.terms.priority])).toEqual([
      ['c', 5],
      ['b', -7],
      ['d', -7],
    ]);
    expect((await ground.run()).claims.map((one) => one.terms.request)).toEqual(['c', 'b', 'd', 'a']);
  });

  test('a request id belongs to its session: two sessions may use the same', async () => {
    await ground.run([claim('a'), claim('a', { session: ids.sessionId('session-2') })]);
    expect((await ground.run()).claims).toHaveLength(2);
  });

  test('R14 a batch that does not follow the last one is refused, and nothing of it is stored', async () => {
    const journal = ground.open();
    await journal.load();
    await journal.append({ sequence: 1, events: [granted(7)] });
    for (const sequence of [0, 1, 3]) {
      await expect(journal.append({ sequence, events: [granted(8), claim('a')] })).rejects.toThrow(
        `batch ${sequence} does not follow batch 1`,
      );
    }
    await journal.append({ sequence: 2, events: [granted(9)] });
    await journal.close();
    const contents = await ground.run();
    expect(contents.leases.map((one) => one.fencingToken)).toEqual([7, 9]);
    expect(contents).toMatchObject({ mark: 9, sequence: 2, claims: [] });
  });

  test('10,000 events are one batch', async () => {
    const events = Array.from({ length: 10_000 }, (_, index): DurableEvent => {
      const over = { request: ids.requestId(`r${index}`), name: ids.leaseName(`jobs/${index}`) };
      return index % 2 === 0 ? granted(index + 1, { terms: terms(over) }) : claim(`r${index}`, over);
    });
    await ground.run(events);
    const contents = await ground.run();
    expect(contents.sequence).toBe(1);
    expect(contents.leases).toHaveLength(5000);
    expect(contents.claims).toHaveLength(5000);
    expect(contents.leases[4999]).toEqual(
      lease(9999, {
        grantedAtMs: durationMs(0),
        terms: terms({ request: ids.requestId('r9998'), name: ids.leaseName('jobs/9998') }),
      }),
    );
  });
}
