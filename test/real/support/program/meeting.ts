import type { Json } from '../../../../shared/json.ts';
import { msBetween } from '../log.ts';
import { seeded } from '../seeded.ts';
import { sleep } from '../waiting.ts';
import type { Order } from './commands.ts';
import type { DrivenClient } from './driven-client.ts';

/**
 * One half of many meetings: two processes know from one clock when they meet on which name. The one that `leaves` takes
 * the name half a period before and releases it up to `spreadMs` before or behind that instant; the one that `comes`
 * claims it then, and gives it back once it is granted. Each release and claim is a call of its own in the log,
 * `CALL.LANE.ROUND`.
 */
export async function meet(driven: DrivenClient, order: Extract<Order, { readonly do: 'meet' }>): Promise<Json> {
  const { call, prefix, from, everyMs, rounds, lanes, spreadMs, options } = order;
  const until = (ms: number): Promise<void> => sleep(Math.max(0, ms - msBetween(BigInt(from), driven.now())));
  const leave = async (key: string, name: string, dueMs: number, seed: number): Promise<void> => {
    await until(dueMs - everyMs / 2);
    driven.hold(key, await driven.client.acquire(name, options));
    await until(dueMs + (2 * seeded(seed) - 1) * spreadMs);
    await settled(driven, key, `release ${name}`, () => driven.lease(key).release());
  };
  const come = async (key: string, name: string, dueMs: number): Promise<void> => {
    await until(dueMs);
    await settled(driven, key, `acquire ${name}`, async () => {
      const lease = await driven.client.acquire(name, options);
      driven.hold(key, lease);
      return lease.fencingToken;
    });
    await driven.lease(key).release();
  };
  const lane = async (index: number): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      const key = `${call}.${index}.${round}`;
      const dueMs = everyMs * (round + 1 + index / lanes);
      await (order.part === 'leaves'
        ? leave(key, `${prefix}${index}`, dueMs, index * rounds + round)
        : come(key, `${prefix}${index}`, dueMs));
      driven.forget(key);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  return rounds * lanes;
}

/** Resolves once the call is settled, however it ended; that stands in the log. */
function settled(driven: DrivenClient, call: string, what: string, act: () => Promise<Json>): Promise<void> {
  return new Promise((resolve) => {
    driven.settle(call, what, () => act().finally(resolve));
  });
}
