import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Own {
  readonly url: string;
  stop(): Promise<void>;
}

/** A coordinator of our own: `serve` of the command at that path, on a free port, with a file that goes with it. */
export async function ownCoordinator(path: string): Promise<Own> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-conformance-'));
  const args = [path, 'serve', '--port', '0', '--data', join(folder, 'leases.db'), '--log-level', 'error'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface(child.stdout)) {
    const port = /listening on http:\/\/\S+:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return { url: `ws://127.0.0.1:${port}`, stop };
  }
  await stop();
  throw new Error(`the coordinator at ${path} does not start; npm run build first`);
}
