import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Batch, JournalContents, JournalErrorCode } from '../../../../server/core/journal-port.ts';

export type Question = Asked & {
  /** A journal other than the process's first. */
  readonly path?: string;
};

type Asked =
  | { readonly kind: 'ping' }
  | { readonly kind: 'load' }
  | { readonly kind: 'append'; readonly batch: Batch }
  /** Batch after batch until killed; `#` in the events becomes the batch's number. */
  | { readonly kind: 'append-on'; readonly from: number; readonly events: unknown }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'close' }
  /** Ends the process without closing the journal. */
  | { readonly kind: 'exit' }
  | { readonly kind: 'throw' };

export interface Answer {
  readonly contents?: JournalContents;
  readonly lag?: { readonly tookMs: number; readonly lagMs: number };
  readonly failed?: { readonly code: JournalErrorCode; readonly message: string };
  readonly acknowledged?: number;
  /** The question that this answers, by its number; not on what comes unasked. */
  readonly id?: number;
  readonly warning?: string;
}

export interface JournalProcess {
  readonly pid: number;
  readonly warnings: readonly string[];
  /** The last batch that `append-on` was told is durable. */
  readonly acknowledged: number;
  ask(question: Question): Promise<Answer>;
  /** Asks what has no answer. */
  tell(question: Question): void;
  kill(): Promise<void>;
  readonly exited: Promise<unknown>;
}

const child = fileURLToPath(new URL('./child.ts', import.meta.url));

/** Most of the time in which such a process starts goes to reading the sources; they are the same each time. */
const compileCache = join(tmpdir(), 'leasehold-compile-cache');

/** Starts a process with a journal at `path`; it ends with the test by `kill`, or by itself when this one ends. */
export function journalProcess(path: string, options: Pick<SpawnOptions, 'uid' | 'gid'> = {}): JournalProcess {
  const started: ChildProcess = spawn(process.execPath, [child, path], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    ...options,
  });
  const { stdin, stdout, pid } = started;
  if (stdin === null || stdout === null || pid === undefined) throw new Error('the journal process did not start');
  const exited = once(started, 'exit');
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  const warnings: string[] = [];
  let acknowledged = 0;
  createInterface({ input: stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as Answer;
    if (answer.warning !== undefined) warnings.push(answer.warning);
    else if (answer.acknowledged !== undefined) acknowledged = answer.acknowledged;
    else if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  const tell = (question: Question): void => {
    lastId += 1;
    stdin.write(`${JSON.stringify({ ...question, id: lastId })}\n`);
  };
  return {
    pid,
    warnings,
    get acknowledged() {
      return acknowledged;
    },
    ask(question) {
      return new Promise((resolve) => {
        tell(question);
        waiting.set(lastId, resolve);
      });
    },
    tell,
    async kill() {
      started.kill('SIGKILL');
      await exited;
    },
    exited,
  };
}
