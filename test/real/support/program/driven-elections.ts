import type { Election, Lease, LeaseView } from 'leasehold';
import type { Order } from './commands.ts';
import type { DrivenClient } from './driven-client.ts';
import { codeOf } from './in-words.ts';

type Of<D extends Order['do']> = Extract<Order, { readonly do: D }>;

/** The elections of one client, by key. The lease of the one that leads has the same key. */
export class DrivenElections {
  readonly #driven: DrivenClient;
  readonly #elections = new Map<string, Election>();
  #workers = 0;

  constructor(driven: DrivenClient) {
    this.#driven = driven;
  }

  obey(order: Of<'elect'> | Of<'resign'> | Of<'stop-election'>): void {
    const { call, key } = order;
    switch (order.do) {
      case 'elect':
        return this.#driven.settle(call, `elect ${order.name}`, async () => {
          this.#elect(order);
          return null;
        });
      case 'resign':
        return this.#driven.settle(call, 'resign', async () => {
          const election = this.#election(key);
          await Promise.all(Array.from({ length: order.times }, () => election.resign()));
          return null;
        });
      case 'stop-election':
        return this.#driven.settle(call, 'stop', () =>
          this.#election(key)
            .stop()
            .then(() => null),
        );
      default:
        order satisfies never;
    }
  }

  #elect({ key, name, options, workMs }: Of<'elect'>): void {
    const election = this.#driven.client.elect(name, options);
    this.#elections.set(key, election);
    let last: Lease | null = null;
    election.on('elected', (lease) => {
      last = lease;
      this.#driven.hold(key, lease);
      if (workMs !== undefined) this.#work(key, lease, workMs);
    });
    election.on('deposed', (error) => {
      this.#driven.log({ event: 'deposed', key, name, token: last?.fencingToken ?? 0, code: codeOf(error) });
    });
    election.on('leader', (view) => this.#driven.log({ event: 'leader', key, name, leader: leaderOf(view) }));
    this.#logChanges(key, election);
  }

  #logChanges(key: string, election: Election): void {
    const { name } = election;
    let said = '';
    const say = (): void => {
      const { status, isLeader, position, lease } = election.getSnapshot();
      const news = { status, isLeader, position, leads: lease?.fencingToken ?? null };
      // Another leader elsewhere is a change, too, and told by 'leader'.
      if (JSON.stringify(news) === said) return;
      said = JSON.stringify(news);
      this.#driven.log({ event: 'election', key, name, ...news });
    };
    election.subscribe(say);
    say();
  }

  /** As work under an election is meant to be written: it ends with the lease of the win that started it. */
  #work(key: string, lease: Lease, everyMs: number): void {
    this.#workers += 1;
    const of = { key, name: lease.name, token: lease.fencingToken, worker: this.#workers };
    const step = (): void => {
      if (lease.signal.aborted) return;
      this.#driven.log({ event: 'worked', ...of });
      setTimeout(step, everyMs);
    };
    step();
  }

  #election(key: string): Election {
    const election = this.#elections.get(key);
    if (election === undefined) throw new Error(`no election ${key}`);
    return election;
  }
}

const leaderOf = (view: LeaseView | null): { readonly label: string; readonly token: number } | null => {
  const holder = view?.holders[0];
  return holder === undefined ? null : { label: holder.label, token: holder.fencingToken };
};
