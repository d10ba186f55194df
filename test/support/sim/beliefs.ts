import type { ClientCore } from '../../../client/core/types.ts';
import type { FencingToken, LeaseName, RequestId } from '../../../shared/ids.ts';
import type { History } from './history.ts';
import type { Host } from './host.ts';

interface Believed {
  readonly name: LeaseName;
  readonly token: FencingToken;
  from: number;
  /** Until when a read would say `held` if nothing more happened. */
  until: number;
}

/** What one client would read of its leases, written into the history span by span. */
export class Beliefs {
  readonly #client: string;
  readonly #host: Host;
  readonly #history: History;
  readonly #believed = new Map<RequestId, Believed>();

  constructor(client: string, host: Host, history: History) {
    this.#client = client;
    this.#host = host;
    this.#history = history;
  }

  begins(key: RequestId, name: LeaseName, token: FencingToken): void {
    const { now } = this.#host.world;
    this.#believed.set(key, { name, token, from: now, until: now });
  }

  tokenOf(key: RequestId): FencingToken | undefined {
    return this.#believed.get(key)?.token;
  }

  /** What a read of each lease says now. */
  observe(core: ClientCore): void {
    const { now } = this.#host.world;
    for (const [key, believed] of this.#believed) {
      const lease = core.lease(this.#host.stamp, key);
      const holds = lease?.status === 'held';
      const until = holds ? this.#host.trueAfter(lease.remainingMs) : now;
      if (now > believed.until || !holds) this.#cut(believed, now);
      believed.until = until;
      if (lease === null || lease.status === 'lost' || lease.status === 'released') this.#believed.delete(key);
    }
  }

  /** Nobody reads from here on. */
  cut(): void {
    const { now } = this.#host.world;
    for (const believed of this.#believed.values()) {
      this.#cut(believed, now);
      believed.until = now;
    }
  }

  clear(): void {
    this.#believed.clear();
  }

  #cut(believed: Believed, now: number): void {
    const { name, token, from } = believed;
    const to = Math.min(believed.until, now);
    if (to > from) this.#history.add({ kind: 'believed', client: this.#client, name, token, from, to });
    believed.from = now;
  }
}
