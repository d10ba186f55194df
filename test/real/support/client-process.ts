import { fileURLToPath } from 'node:url';
import type { Json } from '../../../shared/json.ts';
import { eachLine, exitOf, startChild, type Child, type Exit } from './children.ts';
import { fromLine, now, type EntryOf, type What } from './log.ts';
import type {
  AcquireOptions,
  Command,
  ConnectOptions,
  ElectOptions,
  OnceOptions,
  Order,
  WorkOptions,
} from './program/commands.ts';
import type { RunLog } from './run-log.ts';
import { within } from './waiting.ts';

const PROGRAM = fileURLToPath(new URL('./program/main.ts', import.meta.url));

export type Settled = EntryOf<'settled'>;

/** A process with any number of clients in it. */
export class ClientProcess {
  readonly log: RunLog;
  readonly clients: ClientHandle[] = [];
  readonly exit: Promise<Exit>;
  readonly #child: Child;
  #living = true;
  #stderr = '';

  /**
   * `env` is added to the environment: `LD_PRELOAD`, `FAKETIME...`. `under`: a program that becomes the client's
   * (`ip netns exec NAME`), so that signals still reach it.
   */
  constructor(log: RunLog, env: Readonly<Record<string, string>> = {}, under: readonly string[] = []) {
    this.log = log;
    const [command, ...args] = [...under, process.execPath, '--unhandled-rejections=strict', PROGRAM];
    this.#child = startChild(command, args, env);
    eachLine(this.#child.stdout, (line) => log.add(fromLine(line)));
    eachLine(this.#child.stderr, (line) => {
      this.#stderr += `${line}\n`;
    });
    this.exit = exitOf(this.#child).then((exit) => {
      this.#living = false;
      this.#tell({ event: 'exited', ...exit });
      return exit;
    });
  }

  /** What the process itself wrote to stderr: warnings of the runtime, for one. */
  get stderr(): string {
    return this.#stderr;
  }

  get living(): boolean {
    return this.#living;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  client(label: string, url: string, options: ConnectOptions = {}, record = false): ClientHandle {
    const client = new ClientHandle(this, label);
    this.clients.push(client);
    this.write({ client: label, do: 'connect', url, options, record });
    return client;
  }

  write(command: Command): void {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /** SIGKILL. The instant in the log lies before the signal. */
  kill(): void {
    this.#tell({ event: 'killed' });
    this.#child.kill('SIGKILL');
  }

  suspend(): void {
    this.#tell({ event: 'suspended' });
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#tell({ event: 'continued' });
    this.#child.kill('SIGCONT');
  }

  /** Waits for the end of the process without closing its clients; one that something keeps alive ends with 17 after 5 s. */
  leave(): Promise<Exit> {
    this.#child.stdin.end();
    return within(this.exit, 10_000, 'a client program that is left ends');
  }

  /** Closes every client, then waits until the process ends by itself. */
  async end(): Promise<void> {
    if (this.#living) {
      const closed = this.clients.filter((client) => !client.closed).map((client) => client.close());
      await Promise.allSettled(closed);
      this.#child.stdin.end();
    }
    await within(this.exit, 10_000, 'a client program that ends by itself').catch(() => this.#child.kill('SIGKILL'));
    await this.exit;
  }

  #tell(what: What): void {
    const at = now();
    for (const client of this.clients) this.log.add({ at, client: client.label, ...what });
  }
}

/** Of a `churn`. */
interface Pace {
  readonly workers: number;
  readonly holdMs?: number;
  readonly pauseMs: number;
}

interface Meeting {
  readonly call: string;
  readonly settled: Promise<Settled>;
}

/** How a watch is read. */
interface Reading {
  readonly pauseMs?: number;
  /** Breaks off after that many. */
  readonly views?: number;
}

/** The program that a client lives in: a process or a page. */
export interface Owner {
  readonly log: RunLog;
  write(command: Command): void;
}

let calls = 0;

/** One client, as the harness speaks to it. Each method resolves when the client's own promise has settled. */
export class ClientHandle {
  readonly label: string;
  closed = false;
  readonly #owner: Owner;

  constructor(owner: Owner, label: string) {
    this.#owner = owner;
    this.label = label;
  }

  order(order: Order): void {
    this.#owner.write({ client: this.label, ...order });
  }

  ready(timeoutMs = 5_000): Promise<Settled> {
    return this.#call(timeoutMs + 5_000, (call) => ({ do: 'ready', call, timeoutMs }));
  }

  /** `limitMs` bounds the test's own waiting; `options.waitMs` is the client's. */
  acquire(key: string, name: string, options: AcquireOptions = {}, limitMs = 30_000): Promise<Settled> {
    return this.#call(limitMs, (call) => ({ do: 'acquire', call, key, name, options, ...bound(options.waitMs) }));
  }

  tryAcquire(key: string, name: string, options: AcquireOptions = {}, withinMs = 5_000): Promise<Settled> {
    return this.#call(withinMs + 5_000, (call) => ({ do: 'try', call, key, name, options, withinMs }));
  }

  release(key: string): Promise<Settled> {
    return this.#call(30_000, (call) => ({ do: 'release', call, key }));
  }

  renew(key: string): Promise<Settled> {
    return this.#call(30_000, (call) => ({ do: 'renew', call, key }));
  }

  setState(key: string, value: Json, limitMs = 30_000): Promise<Settled> {
    return this.#call(limitMs, (call) => ({ do: 'set-state', call, key, value }));
  }

  inspect(name: string): Promise<Settled> {
    return this.#call(10_000, (call) => ({ do: 'inspect', call, name }));
  }

  wall(): Promise<Settled> {
    return this.#call(10_000, (call) => ({ do: 'wall', call }));
  }

  loop(name: string, times: number, holdMs: number, options: AcquireOptions = {}, limitMs = 120_000): Promise<Settled> {
    return this.#call(limitMs, (call) => ({ do: 'loop', call, name, times, holdMs, options }));
  }

  burst(
    prefix: string,
    count: number,
    spreadMs: number,
    options: AcquireOptions = {},
    limitMs = 60_000,
  ): Promise<Settled> {
    return this.#call(limitMs, (call) => ({ do: 'burst', call, prefix, count, spreadMs, options }));
  }

  /** Resolves after `stop()`. */
  churn(
    prefix: string,
    { workers, holdMs = 0, pauseMs }: Pace,
    options: AcquireOptions = {},
    limitMs = 600_000,
  ): Promise<Settled> {
    return this.#call(limitMs, (call) => ({ do: 'churn', call, prefix, workers, holdMs, pauseMs, options }));
  }

  write(key: string, count: number, everyMs: number, limitMs = 60_000): Promise<Settled> {
    return this.#call(limitMs, (call) => ({ do: 'write', call, key, count, everyMs }));
  }

  /** The log tells what is seen, and, under the call that is returned, how the iteration ends. */
  watch(key: string, name: string, reading: Reading = {}): string {
    const call = this.#nextCall();
    this.order({ do: 'watch', call, key, name, ...reading });
    return call;
  }

  unwatch(key: string): void {
    this.order({ do: 'unwatch', key });
  }

  list(prefix: string): Promise<Settled> {
    return this.#call(10_000, (call) => ({ do: 'list', call, prefix }));
  }

  /** `workMs`: how often its worker logs `worked` while it leads. */
  elect(key: string, name: string, options: ElectOptions = {}, workMs?: number): Promise<Settled> {
    const work = workMs === undefined ? {} : { workMs };
    return this.#call(30_000, (call) => ({ do: 'elect', call, key, name, options, ...work }));
  }

  /** `times` calls in one turn. */
  resign(key: string, times = 1, limitMs = 30_000): Promise<Settled> {
    return this.#call(limitMs, (call) => ({ do: 'resign', call, key, times }));
  }

  stopElection(key: string, limitMs = 30_000): Promise<Settled> {
    return this.#call(limitMs, (call) => ({ do: 'stop-election', call, key }));
  }

  /** The work holds for `holdMs` and gives `value`. */
  once(
    key: string,
    name: string,
    options: OnceOptions,
    { holdMs = 0, value = null }: { readonly holdMs?: number; readonly value?: Json } = {},
    limitMs = 30_000,
  ): Promise<Settled> {
    return this.#call(limitMs, (call) => ({ do: 'once', call, key, name, options, holdMs, value }));
  }

  run(key: string, name: string, options: WorkOptions = {}, limitMs = 60_000): Promise<Settled> {
    return this.#call(limitMs, (call) => ({ do: 'run', call, key, name, options }));
  }

  /** In the turn that ends the stall the lease is read, `value` is written under it, and a renewal is asked for. */
  spin(key: string, forMs: number, value: Json): Promise<Settled> {
    return this.#call(forMs + 10_000, (call) => ({ do: 'spin', call, key, forMs, value }));
  }

  stalls(
    key: string,
    stall: { readonly forMs: number; readonly everyMs: number; readonly times: number },
  ): Promise<Settled> {
    return this.#call(stall.everyMs * stall.times + 10_000, (call) => ({ do: 'stalls', call, key, ...stall }));
  }

  /** Resolves after `stop()`. */
  add(
    name: string,
    pace: { readonly holdMs: number; readonly pauseMs: number; readonly unfenced: string },
    options: AcquireOptions = {},
    limitMs = 600_000,
  ): Promise<Settled> {
    return this.#call(limitMs, (call) => ({ do: 'add', call, name, options, ...pace }));
  }

  /** Settles with `{ ended: { CODE: count }, slowestMs }`. */
  attempts(
    name: string,
    many: { readonly times: number; readonly lanes: number },
    options: AcquireOptions,
    limitMs = 120_000,
  ): Promise<Settled> {
    return this.#call(limitMs, (call) => ({ do: 'attempts', call, name, options, ...many }));
  }

  /** The call in whose name the log tells each meeting, and its end. */
  meet(meetings: Omit<Extract<Order, { readonly do: 'meet' }>, 'do' | 'call'>, limitMs: number): Meeting {
    let call = '';
    const settled = this.#call(limitMs, (made) => {
      call = made;
      return { do: 'meet', call, ...meetings };
    });
    return { call, settled };
  }

  stop(): void {
    this.order({ do: 'stop' });
  }

  async read(key: string): Promise<EntryOf<'read'>> {
    const entry = this.#owner.log.next(
      'read',
      (read) => read.client === this.label && read.key === key,
      10_000,
      `${this.label} reads ${key}`,
    );
    this.order({ do: 'read', key });
    return entry;
  }

  async close(): Promise<Settled> {
    this.closed = true;
    return this.#call(10_000, (call) => ({ do: 'close', call }));
  }

  #call(limitMs: number, order: (call: string) => Order): Promise<Settled> {
    const call = this.#nextCall();
    const made = order(call);
    const settled = this.#owner.log.next(
      'settled',
      (entry) => entry.call === call,
      limitMs,
      `${this.label} ${made.do} settles`,
    );
    this.order(made);
    return settled;
  }

  #nextCall(): string {
    calls += 1;
    return `${this.label}#${calls}`;
  }
}

const bound = (waitMs: number | undefined): { readonly withinMs?: number } =>
  waitMs === undefined ? {} : { withinMs: waitMs };
