import type { Json } from '../../../../shared/json.ts';
import { sleep } from '../waiting.ts';
import { codeOf } from './in-words.ts';
import type { Order } from './commands.ts';
import type { DrivenClient } from './driven-client.ts';

/** The number that is added to, and the write that made it; empty for the number that nobody has written. */
export interface Sum {
  readonly n: number;
  readonly by: string;
}

export const NOTHING: Sum = { n: 0, by: '' };

const sumIn = (value: Json | undefined): Sum => (value ?? NOTHING) as unknown as Sum; // Only this program writes it.

/**
 * Read, pause, add one, write: under each grant once, without a look at the lease in between, so that whoever is stopped
 * in the pause writes when it wakes. The number stands twice: in the state of the name, where the token guards it, and
 * at a URL that asks for no token.
 */
export async function add(
  driven: DrivenClient,
  { call, name, holdMs, pauseMs, unfenced, options }: Extract<Order, { readonly do: 'add' }>,
): Promise<Json> {
  let turns = 0;
  for (; !driven.stopped; turns += 1) {
    const by = `${call}.${turns}`;
    const lease = await driven.client.acquire(name, options);
    driven.hold(by, lease);
    const sum = sumIn(lease.state);
    const loose = sumIn((await (await fetch(unfenced)).json()) as Json); // JSON text parses to JSON.
    await sleep(holdMs);
    driven.log({ event: 'adding', by, n: sum.n + 1, after: sum.by });
    const written = lease.setState({ n: sum.n + 1, by }).then(
      () => driven.log({ event: 'added', by, code: null }),
      (error: unknown) => driven.log({ event: 'added', by, code: codeOf(error) }),
    );
    await fetch(unfenced, { method: 'PUT', body: JSON.stringify({ n: loose.n + 1, by }) });
    driven.log({ event: 'added-loose', by, n: loose.n + 1, after: loose.by });
    await written;
    await lease.release();
    driven.forget(by);
    await sleep(pauseMs);
  }
  return turns;
}
