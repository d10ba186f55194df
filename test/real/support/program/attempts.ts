import type { Json } from '../../../../shared/json.ts';
import type { Order } from './commands.ts';
import type { DrivenClient } from './driven-client.ts';
import { codeOf } from './in-words.ts';

/**
 * Claims that are meant to give up: `lanes` at a time, `times` each. They are not logged one by one, of which there are
 * too many. Settles with how many ended with which code, and how long the slowest one took.
 */
export async function attempts(
  driven: DrivenClient,
  { name, times, lanes, options }: Extract<Order, { readonly do: 'attempts' }>,
): Promise<Json> {
  const ended: Record<string, number> = {};
  let slowestMs = 0;
  const lane = async (): Promise<void> => {
    for (let turn = 0; turn < times; turn += 1) {
      const from = performance.now();
      const code = await driven.client.acquire(name, options).then(() => 'granted', codeOf);
      slowestMs = Math.max(slowestMs, performance.now() - from);
      ended[code] = (ended[code] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { ended, slowestMs };
}
