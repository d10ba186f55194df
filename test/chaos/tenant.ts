import type { Bench } from '../real/support/bench.ts';
import type { ClientHandle, ClientProcess } from '../real/support/client-process.ts';
import type { Order } from '../real/support/program/commands.ts';
import type { Relay } from '../real/support/relay.ts';
import type { OwnNetwork } from './own-network.ts';
import { OWN_SESSION } from './tools.ts';
import { forgetFaketimeOf, type WallClock } from './wall-clock.ts';
import { ending, WORK } from './workload.ts';

const OPTIONS = { connectTimeoutMs: 1_000, maxBackoffMs: 500, idleMs: 60_000 };

/** Of one place for a client process. */
interface Place {
  readonly index: number;
  readonly clock: WallClock;
  /** Between it and the coordinator; null: a network of its own. */
  readonly relay: Relay | null;
  readonly network: OwnNetwork | null;
  readonly url: () => string;
  /** Of the number without a token. */
  readonly loose: string;
}

/** A client process and what its clients do. When it is killed another one takes its place. */
export class Tenant {
  readonly place: Place;
  readonly #bench: Bench;
  #process: ClientProcess;
  #generation = 0;
  /** The orders that began the work of the present process. */
  #orders: { readonly client: ClientHandle; readonly order: Order }[] = [];

  readonly #settled = new Set<string>();

  constructor(bench: Bench, place: Place) {
    this.place = place;
    bench.log.watch((entry) => {
      if (entry.event === 'settled' && entry.call.startsWith(this.name)) this.#settled.add(entry.call);
    });
    this.#bench = bench;
    this.#process = this.#start();
  }

  /** Labels begin with it. */
  get name(): string {
    return `p${this.place.index}`;
  }

  get clients(): readonly ClientHandle[] {
    return this.#process.clients;
  }

  suspend(): void {
    this.#process.suspend();
  }

  resume(): void {
    this.#process.resume();
  }

  kill(): void {
    this.#process.kill();
  }

  /** A fresh process, as one that was deployed anew. */
  replace(): void {
    this.#process = this.#start();
  }

  #start(): ClientProcess {
    const { index, clock, network, url, loose } = this.place;
    const started = this.#bench.process(clock.env, [...OWN_SESSION, ...(network?.under ?? [])]);
    void started.exit.then(() => forgetFaketimeOf(started.pid));
    this.#generation += 1;
    this.#orders = [];
    for (const [at, works] of (WORK[index] ?? []).entries()) {
      const label = `${this.name}${'abc'[at] ?? at}${this.#generation === 1 ? '' : `.${this.#generation}`}`;
      const client = started.client(label, url(), OPTIONS, true);
      for (const [number, work] of works.entries()) {
        const order = work(`${label}!${number}`, loose);
        client.order(order);
        this.#orders.push({ client, order });
      }
    }
    return started;
  }

  /** What was begun comes to its end; what it waits for it still gets. */
  stop(): void {
    for (const { client, order } of this.#orders) {
      client.stop();
      const last = ending(order);
      if (last !== null) client.order(last);
    }
  }

  /** Calls that have not settled yet. */
  unsettled(): readonly string[] {
    return this.#orders.flatMap(({ order }) => ('call' in order && !this.#settled.has(order.call) ? [order.call] : []));
  }
}
