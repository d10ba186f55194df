import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { staleness } from '../../../scripts/support/doors.ts';
import { root } from '../../../scripts/support/files.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What npm puts into the environment of its scripts would make a nested npm act on this repository. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([key]) => !/^npm_(package|lifecycle|config_local_prefix|execpath|command)|^INIT_CWD$/i.test(key),
  );
  return {
    ...Object.fromEntries(kept),
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
  };
}

export function run(folder: string, command: readonly string[], timeoutMs = 60_000): Ran {
  const [program = '', ...args] = command;
  const ran = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env: environment(), timeout: timeoutMs });
  if (ran.error !== undefined) throw ran.error;
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

/** As `run`, for what has to succeed before anything can be shown. */
export function must(folder: string, command: readonly string[]): string {
  const ran = run(folder, command);
  if (ran.code !== 0)
    throw new Error(`${command.join(' ')} ended with ${ran.code ?? 'a signal'}\n${ran.stdout}\n${ran.stderr}`);
  return ran.stdout;
}

export type Side = 'client' | 'server';

/** Packs what is built, and refuses to pack what is older than its sources. */
export function pack(target: string): Readonly<Record<Side, string>> {
  const stale = staleness();
  if (stale !== null) throw new Error(`${stale}; run "npm run build"`);
  must(root, ['npm', 'pack', '--silent', '--workspaces', '--pack-destination', target]);
  const [client, server] = readdirSync(target)
    .filter((name) => name.endsWith('.tgz'))
    .toSorted();
  if (client === undefined || server === undefined) throw new Error(`two tarballs were to be in ${target}`);
  return { client: join(target, client), server: join(target, server) };
}

const made: string[] = [];

export function emptyFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'leasehold-packed-')));
  made.push(folder);
  return folder;
}

/** A project of a user, with these tarballs installed. */
export function projectWith(tarballs: readonly string[]): string {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  must(folder, ['npm', 'install', '--no-package-lock', ...tarballs]);
  return folder;
}

export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export interface Running {
  /** The first line on standard output. */
  readonly line: string;
  readonly stop: () => Promise<number | null>;
}

/** Starts a program that says in one line that it is ready. */
export async function start(folder: string, command: readonly string[], withinMs = 20_000): Promise<Running> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: folder, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
  let said = '';
  const line = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`${command.join(' ')} said nothing in ${withinMs} ms\n${said}`)),
      withinMs,
    );
    child.stderr.on('data', (part: Buffer) => void (said += part.toString()));
    child.stdout.on('data', (part: Buffer) => {
      said += part.toString();
      const found = /^leasehold listening on .*$/m.exec(said);
      if (found === null) return;
      clearTimeout(late);
      resolve(found[0]);
    });
    ended.then((code) => reject(new Error(`${command.join(' ')} ended with ${code ?? 'a signal'}\n${said}`)), reject);
  });
  const ofLate = (): Promise<never> =>
    new Promise((_, reject) => {
      setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`${program} lives on after SIGTERM`));
      }, withinMs).unref();
    });
  const stop = (): Promise<number | null> => {
    child.kill('SIGTERM');
    return Promise.race([ended, ofLate()]);
  };
  return { line, stop };
}
