import { Hono } from 'hono';
import { mount } from 'hono/mount';
import { describe, expect, test } from 'vitest';
import type { Authenticate } from '../../../../server/net/auth-port.ts';
import { makeHttpApp } from '../../../../server/net/http-app.ts';
import type { Reading } from '../../../../server/net/http-leases.ts';
import { fencingToken, leaseName, sessionId } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { handLoop } from './support/hand-loop.ts';

const ORIGIN = 'http://127.0.0.1:7400';
const holder = {
  label: 'tab 42',
  metadata: { page: 1 },
  session: sessionId('s-1'),
  fencingToken: fencingToken(7),
  mode: 'exclusive' as const,
  heldForMs: durationMs(1),
  remainingMs: durationMs(2),
  ceilingLeftMs: durationMs(3),
};
const held = {
  name: leaseName('a/b'),
  holders: [holder],
  queue: 2,
  state: { value: [1], version: 3, fencingToken: fencingToken(6) },
  lastFencingToken: fencingToken(7),
};
const free = { name: leaseName('free'), holders: [], queue: 0 };

function rig(options: { auth?: Authenticate; unread?: boolean; base?: string; reasons?: readonly string[] } = {}) {
  const asked: unknown[] = [];
  const loop = handLoop();
  const reading: Reading = {
    show: (name) => {
      asked.push(name);
      return name === held.name ? held : { ...free, name };
    },
    list: (prefix, after, limit) => {
      asked.push([prefix, after, limit]);
      return { views: [held, free], next: 'free' };
    },
  };
  const app = makeHttpApp({
    version: '1',
    rules: { origins: ['https://app.example'], hosts: [], anyLoopbackOrigin: false },
    base: options.base ?? '',
    reasons: () => options.reasons ?? [],
    details: () => ({}),
    pages: new Map(),
    auth: options.auth ?? null,
    loop,
    reading: () => (options.unread === true ? null : reading),
  });
  const get = async (path: string, init: RequestInit = {}, over: { request: Hono['request'] } = app) => {
    const response = await over.request(`${ORIGIN}${path}`, init);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : (JSON.parse(text) as unknown),
    };
  };
  return { app, get, asked, loop };
}

const refused = (code: string, param?: string) => ({
  error: { code, ...(param === undefined ? {} : { param }), message: expect.stringMatching(/^[A-Z].*\.$/) as unknown },
});

describe('GET /v1/leases/{name}', () => {
  test('shows the name, with null for what is not there', async () => {
    const { get } = rig();
    expect(await get('/v1/leases/a%2Fb')).toMatchObject({ status: 200, body: held });
    expect((await get('/v1/leases/x')).body).toEqual({ ...free, name: 'x', state: null, lastFencingToken: null });
  });

  test.each([
    ['a%2Fb%3F%23', 'a/b?#'],
    ['%E2%82%AC', '€'],
    ['100%25', '100%'],
    ['%252F', '%2F'],
    ['a+b', 'a+b'],
    ['a b', 'a b'],
    ['a:b@c;d', 'a:b@c;d'],
  ])('reads %s as %s, decoded once', async (segment, name) => {
    const { get, asked } = rig();
    expect((await get(`/v1/leases/${segment}`)).status).toBe(200);
    expect(asked).toEqual([name]);
  });

  test.each(['%', '%2', '%zz', '%ff', '%c3%28', 'a%00b', '%0A', '%ed%a0%80', ''])(
    'S10 S11 refuses the name %j',
    async (segment) => {
      const { get, asked } = rig();
      expect(await get(`/v1/leases/${segment}`)).toMatchObject({ status: 400, body: refused('bad-request', 'name') });
      expect(asked).toEqual([]);
    },
  );

  test('S11 a name has 256 bytes, not 257', async () => {
    const { get } = rig();
    expect((await get(`/v1/leases/${'x'.repeat(256)}`)).status).toBe(200);
    expect((await get(`/v1/leases/${'x'.repeat(257)}`)).status).toBe(400);
  });

  test('S10 a further segment is told how a slash is written', async () => {
    const { get, asked } = rig();
    const answer = await get('/v1/leases/jobs/1');
    expect(answer).toMatchObject({ status: 404, body: refused('not-found') });
    expect(JSON.stringify(answer.body)).toContain('/v1/leases/jobs%2F1');
    expect((await get('/v1/leases/jobs/')).status).toBe(404);
    expect(asked).toEqual([]);
  });

  test('S10 refuses every query parameter', async () => {
    const { get } = rig();
    expect(await get('/v1/leases/a?limit=3')).toMatchObject({ status: 400, body: refused('bad-request', 'limit') });
  });
});

describe('GET /v1/leases', () => {
  test('lists, with null for what is not there', async () => {
    const { get, asked } = rig();
    expect((await get('/v1/leases')).body).toEqual({
      leases: [held, { ...free, state: null, lastFencingToken: null }],
      next: 'free',
    });
    expect(asked).toEqual([['', '', null]]);
  });

  test('reads its parameters, decoded once; an empty one is none', async () => {
    const { get, asked } = rig();
    await get('/v1/leases?prefix=jobs%2F&after=jobs%2F1%2B2&limit=1');
    await get('/v1/leases?after=a+b%2526&limit=1000&prefix=');
    await get('/v1/leases?');
    expect(asked).toEqual([
      ['jobs/', 'jobs/1+2', 1],
      ['', 'a b%26', 1_000],
      ['', '', null],
    ]);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=', 'limit'],
    ['limit', 'limit'],
    ['limit=5&limit=6', 'limit'],
    ['prefix=a&prefix=', 'prefix'],
    ['prefix=%ff', 'prefix'],
    ['perfix=a', 'perfix'],
    ['__proto__=a', '__proto__'],
  ])('S10 S11 refuses ?%s', async (query, param) => {
    const { get, asked } = rig();
    expect(await get(`/v1/leases?${query}`)).toMatchObject({ status: 400, body: refused('bad-request', param) });
    expect(asked).toEqual([]);
  });

  test('S11 a prefix, and what to go on after, have 256 bytes, not 257', async () => {
    const { get } = rig();
    for (const param of ['prefix', 'after']) {
      expect((await get(`/v1/leases?${param}=${'%E2%82%AC'.repeat(85)}x`)).status).toBe(200);
      const answer = await get(`/v1/leases?${param}=${'%E2%82%AC'.repeat(85)}xx`);
      expect(answer).toMatchObject({ status: 400, body: refused('bad-request', param) });
    }
  });

  test('S10 a parameter that is misspelt is told the nearest one, a wrong limit its range', async () => {
    const { get } = rig();
    expect(JSON.stringify((await get('/v1/leases?perfix=a')).body)).toContain('did you mean \\"prefix\\"?');
    expect(JSON.stringify((await get('/v1/leases?limit=9999')).body)).toMatch(/9999.*from 1 to 1000/);
  });
});

describe('both', () => {
  const paths = ['/v1/leases', '/v1/leases/a'];

  test.each(paths)('%s answers HEAD without a body, other methods with 405, and is not stored', async (path) => {
    const { get } = rig();
    const head = await get(path, { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, null]);
    expect(head.headers.get('cache-control')).toBe('no-store');
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await get(path, { method });
      expect(answer).toMatchObject({ status: 405, body: refused('bad-request') });
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    }
  });

  test.each(paths)('S11 %s is told to pages of listed origins, and under names that lead here', async (path) => {
    const { get } = rig();
    const from = (origin: string) => get(path, { headers: { origin } });
    expect(await from('https://evil.example')).toMatchObject({ status: 403, body: refused('origin-not-allowed') });
    const allowed = await from('https://app.example');
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, 'https://app.example']);
    expect(await get(path, { headers: { host: 'evil.example' } })).toMatchObject({ status: 403 });
  });

  test.each(paths)('S11 %s asks for the credential where one is asked for', async (path) => {
    const seen: (string | undefined)[] = [];
    const auth: Authenticate = (credential) => {
      seen.push(credential);
      return credential === 'down' ? Promise.reject(new Error('no')) : Promise.resolve({ ok: credential === 'right' });
    };
    const { get, asked } = rig({ auth });
    const as = (authorization: string) => get(path, { headers: { authorization } });
    const without = await get(path);
    expect(without).toMatchObject({ status: 401, body: refused('unauthorized') });
    expect(without.headers.get('www-authenticate')).toBe('Bearer');
    expect((await as('Bearer wrong')).status).toBe(401);
    expect((await as('Basic right')).status).toBe(401);
    expect(await as('Bearer down')).toMatchObject({ status: 503, body: refused('unavailable') });
    expect(asked).toEqual([]);
    expect((await as('bearer right')).status).toBe(200);
    expect(seen).toEqual([undefined, 'wrong', undefined, 'down', 'right']);
  });

  test('S10 a credential that nobody looks at is answered after 10 s', async () => {
    const { get, loop } = rig({ auth: () => new Promise(() => undefined) });
    const asked = get('/v1/leases');
    // The request is on its way through the router.
    await new Promise((resolve) => setImmediate(resolve));
    loop.turn(10_000);
    expect(await asked).toMatchObject({ status: 503, body: refused('unavailable') });
    expect(loop.timers).toBe(0);
  });

  test('a coordinator that is not ready answers; one that has not read its journal says so', async () => {
    const { get } = rig({ reasons: ['it is draining'] });
    expect((await get('/v1/leases')).status).toBe(200);
    const unread = rig({ unread: true });
    for (const path of paths)
      expect(await unread.get(path)).toMatchObject({ status: 503, body: refused('unavailable') });
  });

  test('where the app is mounted in another one, also under a path with parameters, a name is the same', async () => {
    const { app, asked, get } = rig({ base: '/locks' });
    const mounts = {
      routed: new Hono().route('/locks', app),
      deep: new Hono().route('/t/:tenant', new Hono().route('/locks', app)),
      mounted: new Hono().all(
        '/locks/*',
        mount((request: Request) => app.fetch(request)),
      ),
    };
    expect((await get('/locks/v1/leases/a%2Fb', {}, mounts.routed)).body).toEqual(held);
    expect((await get('/t/x%2Fy/locks/v1/leases/a%2Fb', {}, mounts.deep)).body).toEqual(held);
    expect((await get('/locks/v1/leases/a%2Fb', {}, mounts.mounted)).body).toEqual(held);
    expect((await get('/locks/v1/leases/v1/leases', {}, mounts.routed)).status).toBe(404);
    expect(await get('/locks/v1/leases?limit=2', {}, mounts.routed)).toMatchObject({ body: { next: 'free' } });
    expect(asked).toEqual(['a/b', 'a/b', 'a/b', ['', '', 2]]);
  });
});
