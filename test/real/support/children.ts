import { spawn, type ChildProcessByStdio, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** Ends only what it started, and at the latest when this process ends. */
const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

export type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export function startChild(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Child {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  living.add(child);
  child.once('exit', () => living.delete(child));
  // A pipe to a process that was killed reports EPIPE; its end is seen by 'exit'.
  child.stdin.on('error', () => undefined);
  return child;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export const exitOf = (child: ChildProcess): Promise<Exit> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve({ code: child.exitCode, signal: child.signalCode })
    : new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));

/** Calls back with each whole line. */
export function eachLine(stream: Readable, line: (text: string) => void): void {
  let pending = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const parts = (pending + chunk).split('\n');
    pending = parts.pop() ?? '';
    for (const part of parts) line(part);
  });
}
