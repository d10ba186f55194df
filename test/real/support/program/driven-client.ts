import { connect, type Client, type Lease } from 'leasehold';
import type { Json } from '../../../../shared/json.ts';
import { toLine, type Entry, type What } from '../log.ts';
import { add } from './adding.ts';
import { attempts } from './attempts.ts';
import type { Command, Order } from './commands.ts';
import { DrivenElections } from './driven-elections.ts';
import { DrivenWatches } from './driven-watches.ts';
import { codeOf, plain, textOf } from './in-words.ts';
import { meet } from './meeting.ts';
import { burst, churn, contend, loop, once, run, write } from './workloads.ts';
import { recordingSocket } from './recording-socket.ts';
import { spin, stalls } from './stalling.ts';

/** What a process and a page have each of their own. */
export interface Platform {
  /** Nanoseconds of the clock that stamps the entries. */
  readonly now: () => bigint;
  /** Takes whole lines. */
  readonly write: (lines: string) => void;
}

/** One `connect()` of this program, driven by orders of the harness; everything that happens to it is written down. */
export class DrivenClient {
  readonly client: Client;
  stopped = false;
  readonly #label: string;
  readonly #platform: Platform;
  readonly #leases = new Map<string, Lease>();
  readonly #watches = new DrivenWatches(this);
  readonly #elections = new DrivenElections(this);
  /** Entries held back while a tight loop is measured, so that writing them costs it nothing. */
  #held: Entry[] | null = null;

  constructor(label: string, order: Extract<Order, { readonly do: 'connect' }>, platform: Platform) {
    this.#label = label;
    this.#platform = platform;
    const log = (what: What, at?: bigint): void => this.log(what, at);
    const socket = order.record ? { WebSocket: recordingSocket(log, platform.now) } : {};
    this.client = connect(order.url, { label, ...order.options, ...socket });
    this.client.on('status', ({ status, error }) =>
      this.log({ event: 'status', status, ...(error === null ? {} : { code: error.code }) }),
    );
    let over = this.client.transport;
    this.client.subscribe(() => {
      if (over === this.client.transport) return;
      over = this.client.transport;
      this.log({ event: 'transport', over });
    });
    this.client.on('warning', ({ code, message }) => this.log({ event: 'warning', text: `${code}: ${message}` }));
  }

  now(): bigint {
    return this.#platform.now();
  }

  log(what: What, at: bigint = this.now()): void {
    const entry: Entry = { at, client: this.#label, ...what };
    if (this.#held === null) this.#platform.write(`${toLine(entry)}\n`);
    else this.#held.push(entry);
  }

  holdBack(): void {
    this.#held = [];
  }

  writeOut(): void {
    const held = this.#held ?? [];
    this.#held = null;
    this.#platform.write(held.map((entry) => `${toLine(entry)}\n`).join(''));
  }

  obey(command: Command): void {
    switch (command.do) {
      case 'connect':
        return;
      case 'ready':
        return this.settle(
          command.call,
          'ready',
          () => this.client.ready({ timeoutMs: command.timeoutMs }).then(() => null),
          command.timeoutMs,
        );
      case 'acquire':
        return this.settle(command.call, `acquire ${command.name}`, () => this.#acquire(command), command.withinMs);
      case 'try':
        return this.settle(command.call, `tryAcquire ${command.name}`, () => this.#try(command), command.withinMs);
      case 'release':
        return this.settle(command.call, 'release', () => this.lease(command.key).release());
      case 'renew':
        return this.settle(command.call, 'renew', () => this.lease(command.key).renew());
      case 'set-state':
        return this.settle(command.call, 'setState', () => this.lease(command.key).setState(command.value));
      case 'inspect':
        return this.settle(command.call, 'inspect', async () => plain(await this.client.inspect(command.name)));
      case 'read':
        this.read(command.key);
        return;
      case 'wall':
        return this.settle(command.call, 'wall', () => Promise.resolve(Date.now()));
      case 'loop':
        return this.settle(command.call, 'loop', () => loop(this, command));
      case 'burst':
        return this.settle(command.call, 'burst', () => burst(this, command));
      case 'churn':
        return this.settle(command.call, 'churn', () => churn(this, command));
      case 'contend':
        return this.settle(command.call, 'contend', () => contend(this, command));
      case 'add':
        return this.settle(command.call, 'add', () => add(this, command));
      case 'attempts':
        return this.settle(command.call, `attempts ${command.name}`, () => attempts(this, command));
      case 'meet':
        return this.settle(command.call, `meet ${command.part}`, () => meet(this, command));
      case 'spin':
        return this.settle(command.call, 'spin', () => spin(this, command));
      case 'stalls':
        return this.settle(command.call, 'stalls', () => stalls(this, command));
      case 'write':
        return this.settle(command.call, `${command.count} x setState`, () => write(this, command));
      case 'run':
        return this.settle(command.call, `run ${command.name}`, () => run(this, command));
      case 'once':
        return this.settle(command.call, `once ${command.name}`, () => once(this, command));
      case 'list':
        return this.settle(command.call, `list ${command.prefix}`, () => this.#list(command.prefix));
      case 'watch':
      case 'unwatch':
        return this.#watches.obey(command);
      case 'elect':
      case 'resign':
      case 'stop-election':
        return this.#elections.obey(command);
      case 'stop':
        this.stopped = true;
        return;
      case 'close':
        return this.settle(command.call, 'close', () => this.client.close().then(() => null));
      default:
        command satisfies never;
    }
  }

  /** Logs the call, then how it settled. */
  settle(call: string, what: string, act: () => Promise<Json>, withinMs?: number): void {
    this.log({ event: 'called', call, what, ...(withinMs === undefined ? {} : { withinMs }) });
    act().then(
      (value) => this.log({ event: 'settled', call, what, ok: true, value }),
      (error: unknown) =>
        this.log({ event: 'settled', call, what, ok: false, code: codeOf(error), message: textOf(error) }),
    );
  }

  /**
   * Logs `held` first, then whatever happens to the lease; `late` where the process stood still for so long, between the
   * answer and this line, that the lease is over at its first reading. Stamped before that reading: whoever stops the
   * process in between does not make it believe later than it does.
   */
  hold(key: string, lease: Lease): void {
    const of = { key, name: lease.name, token: lease.fencingToken };
    const at = this.now();
    const isOver = lease.status === 'lost' || lease.status === 'released';
    this.log({ event: isOver ? 'late' : 'held', ...of }, at);
    this.#leases.set(key, lease);
    lease.on('at-risk', () => this.log({ event: 'at-risk', ...of }));
    lease.on('recovered', () => this.log({ event: 'recovered', ...of }));
    lease.on('ceiling-near', ({ ceilingLeftMs }) => this.log({ event: 'ceiling-near', ceilingLeftMs, ...of }));
    lease.on('yield-requested', ({ priority }) => this.log({ event: 'yield-requested', priority, ...of }));
    lease.on('released', () => this.log({ event: 'released', ...of }));
    lease.on('lost', (error) => this.log({ event: 'lost', code: codeOf(error), ...of }));
  }

  lease(key: string): Lease {
    const lease = this.#leases.get(key);
    if (lease === undefined) throw new Error(`no lease ${key}`);
    return lease;
  }

  forget(key: string): void {
    this.#leases.delete(key);
  }

  async #acquire({ key, name, options }: Extract<Order, { readonly do: 'acquire' }>): Promise<Json> {
    const onQueued = ({ position }: { readonly position: number }): void =>
      this.log({ event: 'queued', key, name, position });
    const lease = await this.client.acquire(name, { onQueued, ...options });
    this.hold(key, lease);
    return lease.fencingToken;
  }

  async #try({ key, name, options }: Extract<Order, { readonly do: 'try' }>): Promise<Json> {
    const lease = await this.client.tryAcquire(name, options);
    if (lease === null) return null;
    this.hold(key, lease);
    return lease.fencingToken;
  }

  async #list(prefix: string): Promise<Json> {
    const views: Json[] = [];
    for await (const view of this.client.list({ prefix })) views.push(plain(view));
    return views;
  }

  /** Logs what the lease says now. Returns whether it is held, at risk or not. */
  read(key: string): boolean {
    const lease = this.lease(key);
    const { name, fencingToken: token, status, remainingMs, ttlMs } = lease;
    this.log({ event: 'read', key, name, token, status, remainingMs, aborted: lease.signal.aborted, ttlMs });
    return status === 'held' || status === 'at-risk';
  }
}
