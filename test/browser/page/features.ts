import { fromLine, toLine } from '../../real/support/log.ts';
import { DrivenClient, type Platform } from '../../real/support/program/driven-client.ts';
import type { Command } from '../../real/support/program/commands.ts';
import type { Effect, FeatureOrder } from './orders.ts';
import type { FromWorker } from './worker.ts';

type Of<D extends FeatureOrder['do']> = Extract<FeatureOrder, { readonly do: D }>;

/** What parts of a page do with its clients: effects that come and go, claims that are withdrawn, clients in workers. */
export class Features {
  readonly #clients: Map<string, DrivenClient>;
  readonly #platform: Platform;
  readonly #workers = new Map<string, Worker>();
  readonly #claims = new Map<string, AbortController>();
  readonly #probes: (() => void)[] = [];

  constructor(clients: Map<string, DrivenClient>, platform: Platform) {
    this.#clients = clients;
    this.#platform = platform;
  }

  obey(order: FeatureOrder): void {
    switch (order.do) {
      case 'probe':
        return this.#probe(order);
      case 'elect-browser':
        return this.#electInBrowser(order);
      case 'in-worker':
        return this.#inWorker(order);
      case 'mount':
        return this.#mount(order);
      case 'claim':
        return this.#claim(order);
      case 'withdraw':
        return this.#claims.get(order.key)?.abort();
      case 'stop-in-hook':
        return this.#stopInHook(order);
      default:
        order satisfies never;
    }
  }

  /** Whether the client lives in a worker, which is told. */
  passOn(command: Command): boolean {
    const worker = this.#workers.get(command.client);
    worker?.postMessage(command);
    return worker !== undefined;
  }

  /** Every lease that is probed is read now. */
  look(): void {
    for (const probe of this.#probes) probe();
  }

  #probe({ client, key, everyMs }: Of<'probe'>): void {
    this.#probes.push(() => void this.#clients.get(client)?.read(key));
    const tick = (): void => {
      this.look();
      setTimeout(tick, everyMs);
    };
    tick();
  }

  #inWorker({ client, url, options }: Of<'in-worker'>): void {
    const worker = new Worker('/worker.js', { type: 'module' });
    this.#workers.set(client, worker);
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      const shift = BigInt(Math.round((data.origin - performance.timeOrigin) * 1e6));
      for (const line of data.lines.split('\n').filter(Boolean)) {
        const entry = fromLine(line);
        this.#platform.write(toLine({ ...entry, at: entry.at + shift }));
      }
    });
    this.passOn({ do: 'connect', client, url, options, record: true });
  }

  #electInBrowser({ client, call, key, name }: Of<'elect-browser'>): void {
    const driven = this.#driven(client);
    driven.settle(call, `elect ${name} in this browser`, async () => {
      const election = driven.client.elect(name, { scope: 'browser' });
      const say = (): void => {
        const { status, isLeader, position } = election.getSnapshot();
        driven.log({ event: 'election', key, name, status, isLeader, position, leads: null });
      };
      election.subscribe(say);
      say();
      return null;
    });
  }

  #mount(order: Of<'mount'>): void {
    let cleanUp = (): void => undefined;
    for (let n = 0; n < 2 * order.times; n += 1) {
      cleanUp();
      cleanUp = this.#start(order, order.effect, `${order.call}.${n}`);
    }
  }

  /** Returns the clean-up. */
  #start(order: Of<'mount'>, effect: Effect, call: string): () => void {
    const { client, key, name } = order;
    if (effect.starts === 'claim') {
      this.#claim({ ...order, do: 'claim', call, options: {} });
      return () => this.#claims.get(key)?.abort();
    }
    if (effect.starts === 'client') {
      const connecting = { do: 'connect', url: effect.url, options: effect.options, record: true } as const;
      this.#clients.set(client, new DrivenClient(client, connecting, this.#platform));
    }
    const driven = this.#driven(client);
    driven.obey({ do: 'elect', client, call, key, name, options: {} });
    return effect.starts === 'client'
      ? () => driven.obey({ do: 'close', client, call: `${call} close` })
      : () => driven.obey({ do: 'stop-election', client, call: `${call} stop`, key });
  }

  #claim({ client, call, key, name, options }: Of<'claim'>): void {
    const controller = new AbortController();
    this.#claims.set(key, controller);
    const { signal } = controller;
    this.#driven(client).obey({ do: 'acquire', client, call, key, name, options: { ...options, signal } });
  }

  #stopInHook({ client, call, key, name }: Of<'stop-in-hook'>): void {
    const driven = this.#driven(client);
    driven.settle(call, 'elect, and stop when elected', () => {
      const election = driven.client.elect(name);
      const say = (): void => {
        const { status, isLeader, position, lease } = election.getSnapshot();
        driven.log({ event: 'election', key, name, status, isLeader, position, leads: lease?.fencingToken ?? null });
      };
      return new Promise((resolve, reject) => {
        election.on('elected', (lease) => {
          driven.hold(key, lease);
          const stopped = election.stop();
          // Whoever looks from here on sees none that leads.
          say();
          election.subscribe(say);
          stopped.then(() => resolve(lease.fencingToken), reject);
        });
      });
    });
  }

  #driven(client: string): DrivenClient {
    const driven = this.#clients.get(client);
    if (driven === undefined) throw new Error(`no client ${client}`);
    return driven;
  }
}
