import type { LeaseView } from 'leasehold';
import type { Json } from '../../../../shared/json.ts';
import { sleep } from '../waiting.ts';
import type { Order } from './commands.ts';
import type { DrivenClient } from './driven-client.ts';

type Of<D extends Order['do']> = Extract<Order, { readonly do: D }>;

/** The watches of one client, by key. */
export class DrivenWatches {
  readonly #driven: DrivenClient;
  readonly #ends = new Map<string, AbortController>();

  constructor(driven: DrivenClient) {
    this.#driven = driven;
  }

  obey(order: Of<'watch'> | Of<'unwatch'>): void {
    if (order.do === 'watch') this.#driven.settle(order.call, `watch ${order.name}`, () => this.#watch(order));
    else this.#ends.get(order.key)?.abort();
  }

  async #watch({ key, name, pauseMs = 0, views = Infinity }: Of<'watch'>): Promise<Json> {
    const end = new AbortController();
    this.#ends.set(key, end);
    let seen = 0;
    for await (const view of this.#driven.client.watch(name, { signal: end.signal })) {
      this.#log(key, view);
      seen += 1;
      if (seen >= views) break;
      if (pauseMs > 0) await sleep(pauseMs);
    }
    return seen;
  }

  #log(key: string, { name, holders, state, queue, lastFencingToken: lastToken }: LeaseView): void {
    this.#driven.log({
      event: 'viewed',
      key,
      name,
      version: state?.version ?? null,
      value: state?.value ?? null,
      holder: holders[0]?.fencingToken ?? null,
      writer: state?.fencingToken ?? null,
      lastToken,
      queue,
      remainingMs: holders[0]?.remainingMs ?? null,
    });
  }
}
