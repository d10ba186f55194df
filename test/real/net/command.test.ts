import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { COORDINATOR_COMMAND, requireFreshBuild, ROOT } from '../support/built.ts';
import { eachLine, exitOf, startChild, type Child } from '../support/children.ts';
import { CoordinatorProcess } from '../support/coordinator-process.ts';
import { RawClient } from '../support/raw-client.ts';
import { eventually, within } from '../support/waiting.ts';
import { hello, Stranger, textFrame } from './support/stranger.ts';

beforeAll(requireFreshBuild);

const folder = mkdtempSync(join(tmpdir(), 'leasehold-command-'));
let files = 0;
const newFile = (): string => join(folder, `${(files += 1)}.db`);

/** The system's own, if it is older than the oldest that is supported. */
const SYSTEM_NODE = '/usr/bin/node';
const OLD_NODE =
  existsSync(SYSTEM_NODE) && /^v(1\d|2[01])\./.test(spawnSync(SYSTEM_NODE, ['--version'], { encoding: 'utf8' }).stdout)
    ? SYSTEM_NODE
    : null;

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly ms: number;
}

/** Runs the command to its end; what is meant to fail does so within 2 s on a quiet machine. */
function run(...args: readonly string[]): Ran {
  const from = performance.now();
  const ran = spawnSync(process.execPath, [COORDINATOR_COMMAND, ...args], { encoding: 'utf8', timeout: 15_000 });
  return { code: ran.status, out: ran.stdout, err: ran.stderr, ms: performance.now() - from };
}

async function startDev(): Promise<{ readonly child: Child; readonly port: number; readonly notice: () => string }> {
  const child = startChild(process.execPath, [COORDINATOR_COMMAND, 'dev', '--port', '0']);
  let notice = '';
  eachLine(child.stderr, (line) => (notice += `${line}\n`));
  const line = await within(new Promise<string>((resolve) => eachLine(child.stdout, resolve)), 10_000, 'dev listens');
  const port = /^leasehold listening on http:\/\/127\.0\.0\.1:(\d+)$/.exec(line)?.[1];
  return { child, port: Number(port), notice: () => notice };
}

/** Of a process that runs another one: the other one. */
const childOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());

const oneLine = (text: string): void => expect(text.trimEnd().split('\n')).toHaveLength(1);

describe('the command', () => {
  test('S10 F53 a second coordinator on a file ends with 1 within 2 s, in one line that names the owner', async () => {
    const data = newFile();
    const first = await CoordinatorProcess.start({ data });
    const again = ['serve', '--port', '0', '--data', data];
    const second = run(...again);
    expect(second.code).toBe(1);
    // The quickest of three: other processes may keep this machine busy.
    const tries = [second, run(...again), run(...again)].map(({ ms }) => ms);
    expect(Math.min(...tries)).toBeLessThan(2_000);
    oneLine(second.err);
    expect(second.err).toContain(data);
    expect(second.err).toContain(String(first.pid));
    expect(second.out).toBe('');
    expect((await first.stop()).code).toBe(0);
  });

  test('S10 a port in use, a file that is no journal and an address beyond loopback are one line each', async () => {
    const first = await CoordinatorProcess.start({ data: newFile() });
    const port = run('serve', '--port', String(first.port), '--data', newFile());
    expect([port.code, port.out]).toEqual([1, '']);
    oneLine(port.err);
    expect(port.err).toContain(`Port ${first.port} on 127.0.0.1 is in use`);
    await first.stop();

    const notOne = newFile();
    writeFileSync(notOne, 'this is not a database, but it is long enough to look like one. '.repeat(20));
    const damaged = run('serve', '--port', '0', '--data', notOne);
    expect([damaged.code, damaged.out]).toEqual([1, '']);
    oneLine(damaged.err);
    expect(damaged.err).toContain(notOne);

    const open = run('serve', '--port', '0', '--host', '0.0.0.0', '--data', newFile());
    expect([open.code, open.out]).toEqual([64, '']);
    oneLine(open.err);
    expect(open.err).toContain('--insecure');
  });

  test('serve prints one line on stdout, and dev its box beside it', async () => {
    const serve = await CoordinatorProcess.start({ data: newFile() });
    expect(serve.stdout).toBe(`leasehold listening on http://127.0.0.1:${serve.port}`);
    await serve.stop();
    expect(serve.stdout.split('\n')).toHaveLength(1);
  });

  test('dev listens on both loopback families, in memory, and lets in pages of any loopback origin', async () => {
    const dev = await startDev();
    const { client } = await RawClient.welcome(`ws://[::1]:${dev.port}`);
    client.close();
    const page = await Stranger.upgrade(dev.port, { Origin: 'http://localhost:5173' });
    page.send(textFrame(hello()));
    expect(await page.toldOf('"welcome"')).toBeTruthy();
    page.stream.destroy();
    const foreign = await Stranger.upgrade(dev.port, { Origin: 'https://evil.example' });
    expect(await foreign.closeCode()).toBe(4403);
    foreign.stream.destroy();
    expect(dev.notice()).toContain('┌');
    dev.child.kill('SIGTERM');
    expect((await within(exitOf(dev.child), 5_000, 'the end')).code).toBe(0);
  });

  // A Node before 22 is what it is about; Debian 12 brings one.
  test.skipIf(OLD_NODE === null)(
    'S10 F64 an unsupported Node is told so before the storage module could take the process down',
    () => {
      const ran = spawnSync(OLD_NODE ?? '', [COORDINATOR_COMMAND, 'serve'], { encoding: 'utf8' });
      expect(ran.status).toBe(1);
      oneLine(ran.stderr);
      expect(ran.stderr).toContain('it needs Node 22 or newer');
    },
  );

  test("the client's command names the one that gives a coordinator, and hands over to it where it is installed", () => {
    const client = join(ROOT, 'client/bin/leasehold.js');
    const here = spawnSync(process.execPath, [client, '--version'], { encoding: 'utf8' });
    expect([here.status, here.stdout.trim()]).toEqual([0, run('--version').out.trim()]);
  });
});

describe('SIGTERM', () => {
  test('S5 S7 F61 drains within 5 s although some do not answer; the same leases stand in the next run', async () => {
    const data = newFile();
    const coordinator = await CoordinatorProcess.start({ data });
    const holders = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const { client, welcome } = await RawClient.welcome(coordinator.url);
        client.send({ type: 'acquire', request: 'r', name: `jobs/${index}`, ttlMs: 30_000 });
        const granted = await client.take('granted');
        return {
          client,
          session: welcome['session'] ?? '',
          secret: welcome['secret'] ?? '',
          fencingToken: granted['fencingToken'] ?? 0,
          index,
        };
      }),
    );
    const waiter = await RawClient.welcome(coordinator.url);
    waiter.client.send({ type: 'acquire', request: 'w', name: 'jobs/0', ttlMs: 30_000 });
    await waiter.client.take('queued');
    // Five that read nothing and answer no close.
    const dead = await Promise.all(Array.from({ length: 5 }, () => Stranger.upgrade(coordinator.port)));
    for (const stranger of dead) {
      stranger.send(textFrame(hello()));
      await stranger.toldOf('"welcome"');
      stranger.stream.pause();
    }

    const from = performance.now();
    coordinator.signal('SIGTERM');
    const off = eventually(
      async () =>
        (await fetch(`http://127.0.0.1:${coordinator.port}/readyz`).catch(() => null))?.status === 503 ? true : null,
      1_000,
      '/readyz says 503',
    );
    const [first] = holders;
    expect(await first?.client.take('draining')).toMatchObject({ type: 'draining' });
    expect(await first?.client.closed).toMatchObject({ code: 1001 });
    await off;
    expect((await within(coordinator.exit, 5_000, 'the end')).code).toBe(0);
    expect(performance.now() - from).toBeLessThan(5_000);
    expect(waiter.client.received.some(({ message }) => message['type'] === 'granted')).toBe(false);
    for (const stranger of dead) stranger.stream.destroy();

    const next = await coordinator.restart();
    expect(await next.counts()).toMatchObject({ leases: 50, claims: 1 });
    for (const { session, secret, fencingToken, index } of holders.slice(0, 5)) {
      const { client, welcome } = await RawClient.welcome(next.url, { resume: { session, secret } });
      // Another instance than the one that held them: not resumed, and nothing taken away.
      expect(welcome['resumed']).toBe(false);
      client.send({ type: 'list', request: 'l', name: `jobs/${index}` });
      expect(await client.take('view')).toMatchObject({ views: [{ holders: [{ fencingToken }] }] });
      client.close();
    }
    await next.stop();
    // Closed as a whole: nothing is left in a log.
    expect(existsSync(`${data}-wal`)).toBe(false);
  });

  // A process namespace of its own is root's to make, on Linux.
  test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
    'F61 as process 1 it ends as well, with 0',
    async () => {
      const coordinator = await CoordinatorProcess.start({
        data: newFile(),
        under: ['unshare', '--pid', '--fork', '--mount-proc'],
      });
      const inner = childOf(coordinator.pid);
      expect(/^NSpid:.*\t1$/m.test(readFileSync(`/proc/${inner}/status`, 'utf8'))).toBe(true);
      process.kill(inner, 'SIGTERM');
      expect((await within(coordinator.exit, 5_000, 'the end')).code).toBe(0);
    },
  );

  test('F61 a second signal ends it at once', async () => {
    const coordinator = await CoordinatorProcess.start({ data: newFile() });
    const stranger = await Stranger.upgrade(coordinator.port);
    stranger.send(textFrame(hello()));
    await stranger.toldOf('"welcome"');
    stranger.stream.pause();
    coordinator.signal('SIGTERM');
    const from = performance.now();
    coordinator.signal('SIGINT');
    const { code } = await within(coordinator.exit, 2_000, 'the end');
    // Both may be handled in one turn of the loop, so that the first was all there was to do.
    expect([0, 128 + 2, 128 + 15]).toContain(code);
    expect(performance.now() - from).toBeLessThan(1_000);
    stranger.stream.destroy();
  });
});
