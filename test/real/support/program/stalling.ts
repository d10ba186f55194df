import type { Json } from '../../../../shared/json.ts';
import { sleep } from '../waiting.ts';
import type { Order } from './commands.ts';
import type { DrivenClient } from './driven-client.ts';

type Of<D extends Order['do']> = Extract<Order, { readonly do: D }>;

/** Keeps this thread busy, as a long computation does: no timer, no socket, no microtask comes through. */
function block(driven: DrivenClient, forMs: number): void {
  const at = driven.now();
  const until = performance.now() + forMs;
  while (performance.now() < until);
  // Nobody looked at a lease meanwhile. Written as if the process had been stopped, since it comes to the same.
  driven.log({ event: 'stood-still', forMs }, at);
}

/** In the turn in which it comes out of the stall it reads the lease, then writes under it and asks for a renewal. */
export async function spin(driven: DrivenClient, { key, forMs, value, call }: Of<'spin'>): Promise<Json> {
  const lease = driven.lease(key);
  block(driven, forMs);
  driven.read(key);
  const written = lease.setState(value);
  driven.settle(`${call}.renew`, 'renew', () => lease.renew());
  return written;
}

/** Works for `forMs` at a stretch, again and again. What the lease says is read before, in and after each stretch. */
export async function stalls(driven: DrivenClient, { key, forMs, everyMs, times }: Of<'stalls'>): Promise<Json> {
  const from = performance.now();
  let held = 0;
  for (let time = 0; time < times; time += 1) {
    block(driven, forMs);
    if (driven.read(key)) held += 1;
    await sleep(Math.max(0, from + (time + 1) * everyMs - performance.now()));
  }
  return held;
}
