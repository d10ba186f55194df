import type { FencingToken, LeaseName } from '../../../shared/ids.ts';
import type { SimulatedClient } from './client.ts';
import type { Stage } from './faults.ts';

type Kind = 'fenced' | 'open';

interface Counter {
  readonly kind: Kind;
  value: number;
  largest: number;
}

/** Who counts, on what, and what its lease says at the moment. */
export interface Counting {
  readonly client: SimulatedClient;
  readonly name: LeaseName;
  readonly token: FencingToken;
  readonly holds: () => boolean;
}

/**
 * A store outside, behind the same kind of network, with two counters a name: one refuses tokens below the largest that
 * it has seen, one looks at none. A holder reads, checks its lease, and writes one more than it read.
 */
export class Counters {
  readonly #stage: Stage;
  readonly #counters = new Map<string, Counter>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** One after the other, `times` times, as long as the lease is held. */
  count(counting: Counting, times: number): void {
    for (const kind of ['fenced', 'open'] as const) this.#count(kind, counting, times);
  }

  #count(kind: Kind, counting: Counting, times: number): void {
    const { client, name, token, holds } = counting;
    const counter = this.#counter(kind, name);
    if (times === 0 || !holds()) return;
    // There and back, and what comes back waits for the loop.
    this.#travels(client, () => {
      // To read shows the token too: a write on its way under an earlier one comes too late from here on.
      if (this.#isRefused(counter, token)) return;
      const read = counter.value;
      this.#travelsBack(client, () => {
        if (!holds()) return;
        this.#travels(client, () => {
          this.#write(counter, counting, read);
          this.#travelsBack(client, () => this.#count(kind, counting, times - 1));
        });
      });
    });
  }

  #write(counter: Counter, { client, name, token }: Counting, read: number): void {
    const { history, world } = this.#stage;
    if (this.#isRefused(counter, token)) return;
    history.add({ kind: 'counted', at: world.now, counter: counter.kind, name, client: client.id, token, read });
    counter.value = read + 1;
  }

  #isRefused(counter: Counter, token: FencingToken): boolean {
    if (counter.kind === 'open') return false;
    if (token < counter.largest) this.#stage.history.counts.fenced += 1;
    else counter.largest = token;
    return token < counter.largest;
  }

  #counter(kind: Kind, name: LeaseName): Counter {
    const key = `${kind} ${name}`;
    const counter = this.#counters.get(key) ?? { kind, value: 0, largest: 0 };
    this.#counters.set(key, counter);
    return counter;
  }

  #travels({ id }: SimulatedClient, job: () => void): void {
    const { world, network } = this.#stage;
    world.plan(world.now + network.delayMs(id), job);
  }

  #travelsBack(client: SimulatedClient, job: () => void): void {
    this.#travels(client, () => client.host.do(job));
  }
}
