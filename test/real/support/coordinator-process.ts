import { readFileSync } from 'node:fs';
import { COORDINATOR_COMMAND } from './built.ts';
import { eachLine, exitOf, startChild, type Child, type Exit } from './children.ts';
import { countsAt, type Coordinating } from './coordinating.ts';
import type { Counts } from './oracles.ts';
import { within } from './waiting.ts';

const READY = /^leasehold listening on (http:\/\/\S+)$/;

/** What is run, unless an option says otherwise. */
export const SERVE: readonly string[] = [process.execPath, COORDINATOR_COMMAND, 'serve'];

export interface CoordinatorOptions {
  readonly data: string;
  readonly port?: number;
  readonly args?: readonly string[];
  /** A program that runs it, and its arguments: `strace ...`. */
  readonly under?: readonly string[];
  /** Instead of the built command: `npm start --`. The options of `serve` come behind it. */
  readonly command?: readonly string[];
  /** Added to the environment: `LD_PRELOAD`, `FAKETIME...`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly readyWithinMs?: number;
}

/** `leasehold serve` as its own process: the built command, as an operator would start it. */
export class CoordinatorProcess implements Coordinating {
  readonly exit: Promise<Exit>;
  readonly #child: Child;
  readonly #options: CoordinatorOptions;
  readonly #stdout: string[] = [];
  readonly #stderr: string[] = [];
  #port = 0;

  private constructor(options: CoordinatorOptions) {
    this.#options = options;
    const [command = process.execPath, ...args] = [
      ...(options.under ?? []),
      ...(options.command ?? SERVE),
      '--port',
      String(options.port ?? 0),
      '--data',
      options.data,
      ...(options.args ?? []),
    ];
    this.#child = startChild(command, args, options.env);
    eachLine(this.#child.stderr, (line) => this.#stderr.push(line));
    this.exit = exitOf(this.#child);
  }

  static async start(options: CoordinatorOptions): Promise<CoordinatorProcess> {
    const coordinator = CoordinatorProcess.spawn(options);
    await coordinator.ready();
    return coordinator;
  }

  /** Without waiting until it listens: for starts that are meant to fail. */
  static spawn(options: CoordinatorOptions): CoordinatorProcess {
    return new CoordinatorProcess(options);
  }

  async ready(): Promise<void> {
    const listening = new Promise<string>((resolve) => {
      eachLine(this.#child.stdout, (line) => {
        this.#stdout.push(line);
        const url = READY.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      });
    });
    const failed = this.exit.then(({ code }) => {
      throw new Error(`the coordinator ended with ${code} before it listened: ${this.stderr}`);
    });
    // Whichever of the two comes second must not reject unhandled.
    failed.catch(() => undefined);
    const url = await within(
      Promise.race([listening, failed]),
      this.#options.readyWithinMs ?? 15_000,
      'the coordinator listens',
    );
    this.#port = Number(new URL(url).port);
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get living(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get stderr(): string {
    return this.#stderr.join('\n');
  }

  get stdout(): string {
    return this.#stdout.join('\n');
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    for (const pid of this.inner) process.kill(pid, 'SIGKILL');
    this.#child.kill('SIGKILL');
    await this.exit;
  }

  /** Under a tracer or another program, the coordinator itself: it would outlive one that is killed. */
  get inner(): readonly number[] {
    const { under, command } = this.#options;
    if ((under === undefined && command === undefined) || !this.living) return [];
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8');
    return children.split(' ').filter(Boolean).map(Number);
  }

  async stop(): Promise<Exit> {
    this.#child.kill('SIGTERM');
    return within(this.exit, 15_000, 'the coordinator ends after SIGTERM');
  }

  /** A new process on the same data and port. */
  restart(change: Partial<CoordinatorOptions> = {}): Promise<CoordinatorProcess> {
    return CoordinatorProcess.start({ ...this.#options, port: this.#port, ...change });
  }

  /** What it counts; null while it does not answer. */
  counts(): Promise<Counts | null> {
    return countsAt(this.#port);
  }
}
