import { fileURLToPath } from 'node:url';
import type { Limits, RevokeOptions } from 'leasehold-server';
import type { Json } from '../../../shared/json.ts';
import { eachLine, exitOf, startChild, type Child, type Exit } from './children.ts';
import { countsAt, type Coordinating } from './coordinating.ts';
import type { HostLine, HostOrder, HostOutcome, HostStart } from './hosted/lines.ts';
import type { Counts } from './oracles.ts';
import { within } from './waiting.ts';

const PROGRAM = fileURLToPath(new URL('./hosted/main.ts', import.meta.url));

/** How a call ended, with the instants before and behind it in the program that made it. */
export interface Done {
  readonly calledAt: bigint;
  readonly at: bigint;
  readonly outcome: HostOutcome;
}

export interface LogLine {
  readonly at: bigint;
  readonly level: string;
  readonly text: string;
}

type OrderOf<D extends HostOrder['do']> = Omit<Extract<HostOrder, { readonly do: D }>, 'call'>;

/** A program of one's own with a coordinator in it (`createCoordinator`): what only its host can do to it is asked for here. */
export class HostedCoordinator implements Coordinating {
  readonly exit: Promise<Exit>;
  /** What it logged. */
  readonly lines: LogLine[] = [];
  readonly #child: Child;
  readonly #listening: Promise<string>;
  readonly #calls = new Map<string, (done: Done) => void>();
  #port = 0;
  #stderr = '';

  constructor(start: HostStart) {
    this.#child = startChild(process.execPath, [PROGRAM, JSON.stringify(start)]);
    this.exit = exitOf(this.#child);
    eachLine(this.#child.stderr, (line) => {
      this.#stderr += `${line}\n`;
    });
    this.#listening = new Promise((resolve) => {
      eachLine(this.#child.stdout, (text) => {
        const line = JSON.parse(text) as HostLine; // Written by our own program.
        if (line.what === 'listening') resolve(line.url);
        else this.#take(line);
      });
    });
  }

  async ready(): Promise<void> {
    const failed = this.exit.then(({ code }) => {
      throw new Error(`the program ended with ${code} before its coordinator listened: ${this.#stderr}`);
    });
    failed.catch(() => undefined);
    this.#port = Number(new URL(await within(Promise.race([this.#listening, failed]), 15_000, 'it listens')).port);
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

  /** Whatever is asked for, right or wrong. */
  configure(limits: Partial<Limits> | Readonly<Record<string, Json>>): Promise<Done> {
    return this.#call<'configure'>({ do: 'configure', limits: { ...limits } });
  }

  revoke(name: string, options: RevokeOptions = {}): Promise<Done> {
    return this.#call<'revoke'>({ do: 'revoke', name, options });
  }

  status(): Promise<Done> {
    return this.#call<'status'>({ do: 'status' });
  }

  counts(): Promise<Counts | null> {
    return countsAt(this.#port);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exit;
  }

  #call<D extends HostOrder['do']>(order: OrderOf<D>): Promise<Done> {
    const call = String(this.#calls.size + 1);
    const done = new Promise<Done>((resolve) => this.#calls.set(call, resolve));
    this.#child.stdin.write(`${JSON.stringify({ call, ...order })}\n`);
    return within(done, 10_000, `the host's ${order.do}`);
  }

  #take(line: Exclude<HostLine, { readonly what: 'listening' }>): void {
    const at = BigInt(line.at);
    if (line.what === 'log') this.lines.push({ at, level: line.level, text: line.text });
    else this.#calls.get(line.call)?.({ calledAt: BigInt(line.calledAt), at, outcome: line.outcome });
  }
}
