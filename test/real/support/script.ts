import type { Json } from '../../../shared/json.ts';
import { eachLine, exitOf, startChild, type Child, type Exit } from './children.ts';
import { now } from './log.ts';
import { eventually } from './waiting.ts';

export interface ScriptLine {
  readonly at: bigint;
  readonly what: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A program of a case as a process of its own: it is told JSON lines and says JSON lines (`say`). */
export class Script implements Disposable {
  readonly lines: ScriptLine[] = [];
  readonly ended: Promise<Exit & { readonly at: bigint }>;
  stderr = '';
  readonly #child: Child;

  constructor(path: string, args: readonly string[]) {
    this.#child = startChild(process.execPath, ['--unhandled-rejections=strict', path, ...args]);
    this.ended = exitOf(this.#child).then((exit) => ({ ...exit, at: now() }));
    eachLine(this.#child.stdout, (line) => {
      const { at, what, ...fields } = JSON.parse(line) as { at: string; what: string }; // Written by `say` of our own program.
      this.lines.push({ at: BigInt(at), what, fields });
    });
    eachLine(this.#child.stderr, (line) => (this.stderr += `${line}\n`));
  }

  tell(order: Readonly<Record<string, Json>>): void {
    this.#child.stdin.write(`${JSON.stringify(order)}\n`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  get living(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  says(what: string, ms = 30_000): Promise<ScriptLine> {
    const found = (): ScriptLine | null => {
      const line = this.lines.find((one) => one.what === what) ?? null;
      if (line === null && this.#child.exitCode !== null) throw new Error(`a script ended: ${this.stderr}`);
      return line;
    };
    return eventually(found, ms, `a script says ${what}`);
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}

/** One line of a script's stdout, with the clock that all processes of a host share. */
export function say(what: string, more: Readonly<Record<string, unknown>> = {}): void {
  const text = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
  process.stdout.write(`${JSON.stringify({ at: process.hrtime.bigint(), what, ...more }, text)}\n`);
}
