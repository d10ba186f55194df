import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf } from '../tidy/rules/markdown.ts';
import { ROOT, requireFreshBuild } from './support/built.ts';
import { exitOf } from './support/children.ts';
import { CoordinatorProcess } from './support/coordinator-process.ts';
import { within } from './support/waiting.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
/** Beside node_modules, so that `leasehold` is found as a reader's program finds it. */
const FOLDER = join(ROOT, 'build/readme');
const URL_IN_README = 'ws://127.0.0.1:7400';

let coordinator: CoordinatorProcess;
const data = mkdtempSync(join(tmpdir(), 'leasehold-readme-'));

beforeAll(async () => {
  requireFreshBuild();
  mkdirSync(FOLDER, { recursive: true });
  coordinator = await CoordinatorProcess.start({ data: join(data, 'leases.db') });
});

afterAll(async () => {
  await coordinator.stop();
  rmSync(data, { recursive: true, force: true });
});

/** Runs a program of the README against this test's coordinator; what it printed, once it has ended by itself. */
function outputOf(name: string, code: string): string {
  expect(code).toContain(URL_IN_README);
  const path = join(FOLDER, name);
  writeFileSync(path, code.replaceAll(URL_IN_README, coordinator.url));
  const ran = spawnSync(process.execPath, [path], { encoding: 'utf8', timeout: 20_000 });
  expect(ran.stderr).toBe('');
  expect(ran.status).toBe(0);
  return ran.stdout;
}

describe('README.md', () => {
  test('its first program runs, and ends by itself', () => {
    const [first] = blocksOf(README).filter((block) => block.language === 'ts');
    expect(first?.code.trim().split('\n').length).toBeLessThanOrEqual(18);
    expect(outputOf('first.ts', first?.code ?? '')).toMatch(/^nightly-report is held under token \d+\n$/);
  });

  test('its program of an election, a watch and a slot runs, and ends by itself', () => {
    const second = blocksOf(README).filter((block) => block.language === 'ts')[1];
    const told = outputOf('election.ts', second?.code ?? '');
    expect(told).toMatch(/^leads under token \d+$/m);
    expect(told).toMatch(/holds it, 0 wait, its state is undefined$/m);
    expect(told).toMatch(/^sent under token \d+$/m);
    expect(told).toMatch(/^leads no more: released$/m);
    // The slot is done: another program at the same hour skips it.
    expect(outputOf('election.ts', second?.code ?? '')).toMatch(/ did it at \d{4}-/m);
  });

  test('its program of a tab runs in a process too, over a socket of its own', () => {
    const third = blocksOf(README).filter((block) => block.language === 'ts')[2];
    expect(outputOf('tab.ts', third?.code ?? '')).toMatch(/^leads under token \d+, over a socket\n$/);
  });

  test('the five lines of its second terminal take a lease', () => {
    const shell = blocksOf(README).find((block) => block.code.includes("<<'END'"))?.code ?? '';
    const [, five = ''] = /<<'END'\n([\s\S]*?)END\n/.exec(shell) ?? [];
    expect(five.trim().split('\n')).toHaveLength(5);
    expect(outputOf('second.mjs', five)).toMatch(/^token \d+, \d+ ms left/);
  });

  test('npm start becomes the coordinator, which SIGTERM ends without an orphan', async () => {
    const manifest: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const { scripts } = manifest as { scripts: { start: string } }; // This repository's own file.
    const start = scripts.start.replace('./leasehold.db', join(data, 'start.db')).replace('--port 7400', '--port 0');
    expect(start).not.toBe(scripts.start);
    const path = `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`;
    const shell = spawn('sh', ['-c', start], {
      cwd: ROOT,
      env: { ...process.env, PATH: path },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    const listening = new Promise<void>((resolve) => {
      shell.stdout.on('data', (part: Buffer) => {
        said += part.toString();
        if (/^leasehold listening on http/m.test(said)) resolve();
      });
    });
    await within(listening, 30_000, 'npm start listens');
    const url = /listening on (http:\S+)/.exec(said)?.[1] ?? '';
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const ended = exitOf(shell);
    shell.kill('SIGTERM');
    expect(await within(ended, 10_000, 'the coordinator ends')).toEqual({ code: 0, signal: null });
    await expect(fetch(`${url}/readyz`)).rejects.toThrow('fetch failed');
  });
});
