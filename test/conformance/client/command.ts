import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

const LINE = /^(held|lost|released) (\S+) (\d+)\s*$/;

export interface Told {
  readonly word: string;
  readonly name: string;
  readonly token: number;
}

/** The client under test: any command, run by the shell, that prints what it believes. */
export class Command {
  readonly #child: ChildProcess;
  readonly ended: Promise<void>;
  /** The end of what it wrote to stderr. */
  stderr = '';
  living = true;

  constructor(command: string, env: Readonly<Record<string, string>>, told: (line: Told) => void) {
    // A group of its own: the shell is ended with what it started.
    this.#child = spawn(command, {
      shell: true,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    const { stdin, stdout, stderr } = this.#child;
    stdin?.on('error', () => undefined);
    stderr?.on('data', (data: Buffer) => {
      this.stderr = `${this.stderr}${data.toString('utf8')}`.slice(-1_000);
    });
    if (stdout !== null)
      createInterface(stdout).on('line', (line) => {
        const [, word, name, token] = LINE.exec(line) ?? [];
        if (word !== undefined && name !== undefined) told({ word, name, token: Number(token) });
      });
    this.ended = new Promise((resolve) => {
      const over = (): void => {
        this.living = false;
        resolve();
      };
      this.#child.once('error', over);
      this.#child.once('exit', over);
    });
  }

  order(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  async end(): Promise<void> {
    this.#signal('SIGKILL');
    await this.ended;
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined || !this.living) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // It ended between the look and the signal.
      this.#child.kill(signal);
    }
  }
}
