import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { COORDINATOR_COMMAND, requireFreshBuild } from '../support/built.ts';
import { eachLine, exitOf, startChild } from '../support/children.ts';
import { CoordinatorProcess } from '../support/coordinator-process.ts';
import { eventually, within } from '../support/waiting.ts';

beforeAll(requireFreshBuild);

const PAGE = '/examples/tabs/';

describe('the example pages of the built command', () => {
  test('`dev` says where they are in its box, and serves them with all that they load', async () => {
    const child = startChild(process.execPath, [COORDINATOR_COMMAND, 'dev', '--port', '0']);
    let notice = '';
    eachLine(child.stderr, (line) => (notice += `${line}\n`));
    const line = await within(new Promise<string>((resolve) => eachLine(child.stdout, resolve)), 10_000, 'dev listens');
    const url = line.replace('leasehold listening on ', '');
    await eventually(
      () => (notice.includes(`- try it: ${url}${PAGE} in two or three tabs`) ? true : null),
      2_000,
      'it',
    );
    const html = await (await fetch(url + PAGE)).text();
    const loaded = [...html.matchAll(/(?:src|href)="([^":]+)"/g)].map(([, path = '']) => new URL(path, url + PAGE));
    expect(loaded.map(({ pathname }) => pathname)).toEqual(
      expect.arrayContaining([`${PAGE}tabs.js`, `${PAGE}tabs.css`]),
    );
    const statuses = await Promise.all(loaded.map(async (one) => (await fetch(one)).status));
    expect(statuses).toEqual(loaded.map(() => 200));
    child.kill('SIGTERM');
    await within(exitOf(child), 10_000, 'the end');
  });

  test('`serve` has none of them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leasehold-pages-'));
    const serve = await CoordinatorProcess.start({ data: join(folder, 'a.db') });
    const url = `http://127.0.0.1:${serve.port}`;
    expect((await fetch(url + PAGE)).status).toBe(404);
    expect(await (await fetch(url)).text()).not.toContain('examples');
    await serve.stop();
    rmSync(folder, { recursive: true });
  });
});
