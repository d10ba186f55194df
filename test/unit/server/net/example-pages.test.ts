import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { builtPages } from '../../../../server/cli/built-pages.ts';
import { devNotice } from '../../../../server/cli/dev-notice.ts';
import { DEFAULTS } from '../../../../server/cli/settings.ts';
import { createCoordinator } from '../../../../server/coordinator.ts';
import { memoryJournal } from '../../../../server/journal/memory.ts';
import { pagesProblem, pathsToOpen } from '../../../../server/net/example-pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasehold-pages-'));
mkdirSync(join(folder, 'tabs'));
writeFileSync(join(folder, 'tabs/index.html'), '<!doctype html><title>Tabs</title>');
writeFileSync(join(folder, 'tabs/tabs.css'), 'body { color: red }');
writeFileSync(join(folder, 'tabs/tabs.js'), 'export {};');
writeFileSync(join(folder, 'tabs/secret.env'), 'not for pages');
writeFileSync(join(folder, 'outside.txt'), 'not for pages');
afterAll(() => rmSync(folder, { recursive: true }));

const pages = builtPages(folder);
const coordinator = createCoordinator({ journal: memoryJournal(), pages });
const bare = createCoordinator({ journal: memoryJournal() });
afterAll(() => Promise.all([coordinator.close({ drainMs: 0 }), bare.close({ drainMs: 0 })]));

const ask = async (path: string, init: RequestInit = {}, app = coordinator.app): Promise<Response> => {
  const headers = new Headers(init.headers);
  if (!headers.has('host')) headers.set('host', '127.0.0.1:7400');
  return app.fetch(new Request(`http://127.0.0.1:7400${path}`, { ...init, headers }));
};

describe('example pages', () => {
  test('a page is served at its folder, its parts beside it, each with its type', async () => {
    expect([...pages.keys()]).toEqual(['examples/tabs/', 'examples/tabs/tabs.css', 'examples/tabs/tabs.js']);
    const page = await ask('/examples/tabs/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('<title>Tabs</title>');
    const types = await Promise.all(['tabs.css', 'tabs.js'].map((part) => ask(`/examples/tabs/${part}`)));
    expect(types.map((part) => part.headers.get('content-type'))).toEqual([
      'text/css; charset=utf-8',
      'text/javascript; charset=utf-8',
    ]);
  });

  test('a page loads from its own origin and connects to it only; nothing in it is inline, and only its own origin frames it', async () => {
    const { headers } = await ask('/examples/tabs/');
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self' ws://127.0.0.1:7400",
      "frame-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-cache');
  });

  test('a page at an IPv6 literal has no address in its policy, which could not name it', async () => {
    const { status, headers } = await ask('/examples/tabs/', { headers: { host: '[::1]:7400' } });
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')?.split('; ')).toContain("connect-src 'self'");
  });

  test('S11 a Host that is not this coordinator’s gets no page, so none is repeated in a policy', async () => {
    const refused = await ask('/examples/tabs/', { headers: { host: 'evil.example; script-src *' } });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('content-security-policy')).toBeNull();
  });

  test('HEAD tells of a page without it; other methods are refused with those that are allowed', async () => {
    const head = await ask('/examples/tabs/', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const post = await ask('/examples/tabs/', { method: 'POST', body: 'x' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('a folder without its slash leads to the one with it, wherever the app is mounted', async () => {
    const moved = await ask('/examples/tabs');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, 'tabs/']);
  });

  test('S11 only what the map has is served: no path leads elsewhere', async () => {
    const paths = [
      '/examples/tabs/secret.env',
      '/examples/tabs/index.html',
      '/examples/tabs/../outside.txt',
      '/examples/tabs/%2e%2e/outside.txt',
      '/examples/tabs/..%2foutside.txt',
      '/examples/tabs//etc/passwd',
      '/examples/tabs/tabs.js/',
      '/examples/',
    ];
    const answers = await Promise.all(paths.map((path) => ask(path)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404));
  });

  test('the first page links to the pages that are served, and to none where there are none', async () => {
    expect(await (await ask('/')).text()).toContain('<a href="examples/tabs/">/examples/tabs/</a>');
    expect(await (await ask('/', {}, bare.app)).text()).not.toContain('examples');
    expect((await ask('/examples/tabs/', {}, bare.app)).status).toBe(404);
  });

  test('the box of `dev` says where to look, on a line of its own', () => {
    const notice = devNotice(DEFAULTS.dev, ['http://127.0.0.1:7400', 'http://[::1]:7400'], pathsToOpen(pages));
    expect(notice).toMatch(/^│ - try it: http:\/\/127\.0\.0\.1:7400\/examples\/tabs\/ in two or three tabs +│$/m);
    expect(devNotice(DEFAULTS.dev, ['http://127.0.0.1:7400'], [])).not.toContain('try it');
  });

  test('without a folder of built pages there are none', () => {
    expect(builtPages(join(folder, 'none')).size).toBe(0);
  });

  test('S10 pages that are no map, and paths that could mean anything else, are refused', () => {
    expect(pagesProblem({})?.problem).toContain('it must be a Map');
    const file = pages.get('examples/tabs/');
    for (const path of ['/examples/', 'v1/leases/', 'a/../b', 'a/:name', 'a/*', 'healthz', '', 'a//b'])
      expect(pagesProblem(new Map([[path, file]]))?.problem, path).toContain('it is a path such as');
    expect(pagesProblem(pages)).toBeNull();
  });
});
