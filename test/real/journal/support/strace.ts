import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

export const needsStrace =
  'making syncs fail or slow needs strace and the right to trace: apt-get install strace, as root';

export const straceWorks = (): boolean => spawnSync('strace', ['-qq', '-e', 'trace=none', 'true']).status === 0;

export interface Injection {
  /** From here on the process's syncs are real again. */
  undo(): Promise<void>;
}

/** Makes the syncs of a living process fail (`error=EIO`) or slow (`delay_enter=2s`), and nothing else. */
export const injectIntoSyncs = (pid: number, what: string): Promise<Injection> =>
  injectInto(pid, 'fsync,fdatasync', what);

/** The same for other system calls: `pwrite64`, with which SQLite writes, and nothing else in a coordinator does. */
export async function injectInto(pid: number, calls: string, what: string): Promise<Injection> {
  const strace = spawn(
    'strace',
    ['-f', '-qq', '-p', String(pid), '-e', `trace=${calls}`, '-e', `inject=${calls}:${what}`, '-o', '/dev/null'],
    {
      stdio: 'ignore',
    },
  );
  const ended = once(strace, 'exit');
  while (!isTraced(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  return {
    async undo() {
      strace.kill('SIGINT');
      await ended;
    },
  };
}

/** Every thread, since strace takes them one after another. */
const isTraced = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every(
    (thread) => !/^TracerPid:\s*0$/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')),
  );
