import { connect as openStream, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { RawClient } from '../support/raw-client.ts';
import { eventually, within } from '../support/waiting.ts';
import { start, stopAll } from './support/coordinators.ts';
import { handshake, hello, Stranger, textFrame } from './support/stranger.ts';

afterEach(stopAll);

/** The status that a request is answered with; 0 when the stream ends without one. */
function statusOf(port: number, request: string, ms = 3_000): Promise<number> {
  const stream = openStream(port, '127.0.0.1');
  const answered = new Promise<number>((resolve) => {
    stream.once('data', (chunk: Buffer) => resolve(Number(/^HTTP\/1\.[01] (\d{3})/.exec(chunk.toString())?.[1] ?? 0)));
    stream.once('close', () => resolve(0));
    stream.once('error', () => resolve(0));
  });
  stream.write(request);
  return within(answered, ms, 'an answer').finally(() => stream.destroy());
}

const many = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 'b']));

describe('S11 hostile handshakes', () => {
  test('S11 F17 each gets its status, and a normal client connects meanwhile', async () => {
    const { port, url } = await start();
    const host = { Host: `127.0.0.1:${port}` };
    const refused: readonly (readonly [name: string, request: string, statuses: readonly number[]])[] = [
      ['2,500 headers', handshake({ ...host, ...many(2_500) }), [400, 431, 0]],
      [
        '2,500 headers and no upgrade',
        handshake({ ...host, ...many(2_500), Upgrade: undefined, Connection: undefined }, 'GET / HTTP/1.1'),
        [431, 0],
      ],
      ['201 headers', handshake({ ...host, ...many(201) }), [431]],
      ['no key', handshake({ ...host, 'Sec-WebSocket-Key': undefined }), [400]],
      ['a short key', handshake({ ...host, 'Sec-WebSocket-Key': 'abc' }), [400]],
      ['version 8', handshake({ ...host, 'Sec-WebSocket-Version': '8' }), [426]],
      ['version 14', handshake({ ...host, 'Sec-WebSocket-Version': '14' }), [426]],
      ['HTTP/1.0', handshake(host, 'GET /v1/socket HTTP/1.0'), [400, 426]],
      ['a wrong path', handshake(host, 'GET /other HTTP/1.1'), [404]],
      ['POST', handshake(host, 'POST /v1/socket HTTP/1.1'), [405]],
      ['another protocol', handshake({ ...host, Upgrade: 'h2c' }), [400]],
      [
        'a Host that is none',
        handshake({ Host: 'a b/c', Upgrade: undefined, Connection: undefined }, 'GET / HTTP/1.1'),
        [400, 403],
      ],
      ['not HTTP', 'hello there\r\n\r\n', [400, 0]],
    ];
    for (const [name, request, statuses] of refused) {
      expect(statuses, `${name}: status`).toContain(await statusOf(port, request));
      const from = performance.now();
      const { client } = await RawClient.welcome(url);
      expect(performance.now() - from, `a normal client beside: ${name}`).toBeLessThan(1_000);
      client.close();
    }
  });

  test('S11 F17 an extension that is a built-in name is ignored, and compression is not accepted', async () => {
    const { port } = await start();
    for (const extensions of ['constructor', '__proto__', 'permessage-deflate; server_no_context_takeover']) {
      const stranger = await Stranger.upgrade(port, { 'Sec-WebSocket-Extensions': extensions });
      stranger.send(textFrame(hello()));
      expect(await stranger.toldOf('"welcome"')).toBeTruthy();
      stranger.stream.destroy();
    }
  });

  test('S11 F17 half a request line, half a header and silence are dropped within 10 s, 200 of them at once', async () => {
    const { port, url } = await start();
    const halves = ['', 'GET /v1/so', 'GET / HTTP/1.1\r\nHost: x\r\nA: '];
    const streams = Array.from({ length: 200 }, (_, index): Socket => {
      const stream = openStream(port, '127.0.0.1');
      stream.on('error', () => undefined);
      stream.write(halves[index % halves.length] ?? '');
      return stream;
    });
    let open = streams.length;
    for (const stream of streams) stream.once('close', () => (open -= 1));
    const { client } = await RawClient.welcome(url);
    client.close();
    for (const stream of streams) stream.resume();
    await eventually(() => (open === 0 ? true : null), 10_000, 'all half-open requests are dropped');
    expect(streams.every((stream) => stream.destroyed)).toBe(true);
  });

  test('S10 a client that does not offer the protocol is told so, and closed with 4426', async () => {
    const { port } = await start();
    const stranger = await Stranger.upgrade(port, { 'Sec-WebSocket-Protocol': 'chat, tok.abc' });
    expect(await stranger.toldOf('"version"')).toContain('leasehold.v1');
    expect(await stranger.closeCode()).toBe(4426);
    stranger.stream.destroy();
  });

  test('S10 F21 a version that is not spoken is told with the range that is, and closed with 4426', async () => {
    const { port } = await start();
    for (const fields of [
      { protocolMin: 0, protocolMax: 0 },
      { protocolMin: 999, protocolMax: 999 },
      { protocolMin: undefined },
      { protocolMax: 'one' },
    ]) {
      const stranger = await Stranger.upgrade(port);
      stranger.send(textFrame(hello(fields)));
      expect(await stranger.toldOf('"version"')).toContain('speaks 1 to 1');
      expect(await stranger.closeCode()).toBe(4426);
      stranger.stream.destroy();
    }
  });
});

describe('S11 pages of other origins', () => {
  const origins = ['https://app.example'];

  test('S10 S11 F20 a refused origin is upgraded, told what cures it, and closed with 4403', async () => {
    const { port, coordinator } = await start({ origins });
    for (const origin of [
      'https://app.example.evil.io',
      'http://app.example',
      'https://app.example:8443',
      'http://1.2.3.4',
    ]) {
      const stranger = await Stranger.upgrade(port, { Origin: origin });
      const told = await stranger.toldOf('"origin-not-allowed"');
      expect(told).toContain(`--origin ${origin}`);
      expect(told).toContain('"retryable":false');
      expect(await stranger.closeCode()).toBe(4403);
      stranger.stream.destroy();
    }
    const opaque = await Stranger.upgrade(port, { Origin: 'null' });
    expect(await opaque.closeCode()).toBe(4403);
    opaque.stream.destroy();
    expect(coordinator.status.connections).toBe(0);
  });

  test('S11 F20 the listed origin, the same origin, and what is not a browser are let in', async () => {
    const { port } = await start({ origins });
    for (const headers of [{ Origin: 'https://app.example' }, { Origin: `http://127.0.0.1:${port}` }, {}]) {
      const stranger = await Stranger.upgrade(port, headers);
      stranger.send(textFrame(hello()));
      expect(await stranger.toldOf('"welcome"')).toBeTruthy();
      stranger.stream.destroy();
    }
  });

  test('S11 F20 a foreign Host is told and closed with 4404', async () => {
    const { port } = await start();
    const stranger = await Stranger.upgrade(port, {
      Host: `evil.example:${port}`,
      Origin: `http://evil.example:${port}`,
    });
    expect(await stranger.toldOf('"host-not-allowed"')).toContain('--allow-host evil.example');
    expect(await stranger.closeCode()).toBe(4404);
    stranger.stream.destroy();
  });

  test('S11 F20 HTTP answers by the same rules, with CORS for listed origins only', async () => {
    const { http } = await start({ origins });
    const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Response> =>
      fetch(`${http}${path}`, { method, headers });
    const listed = await get('/readyz', { origin: 'https://app.example' });
    expect([listed.status, listed.headers.get('access-control-allow-origin'), listed.headers.get('vary')]).toEqual([
      200,
      'https://app.example',
      'Origin',
    ]);
    const preflight = await get(
      '/readyz',
      { origin: 'https://app.example', 'access-control-request-method': 'GET' },
      'OPTIONS',
    );
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET']);
    for (const origin of ['https://app.example.evil.io', 'null', 'http://app.example']) {
      const foreign = await get('/readyz', { origin });
      expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
      expect(await foreign.json()).toMatchObject({ error: { code: 'origin-not-allowed', retryable: false } });
    }
  });
});

describe('S10 the HTTP side', () => {
  test('S10 probes, the page and everything else', async () => {
    const { http, coordinator } = await start();
    expect(await (await fetch(`${http}/healthz`)).json()).toMatchObject({ status: 'ok' });
    const ready = await fetch(`${http}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      { status: 'ready', reasons: [], sessions: 0, leases: 0 },
    ]);
    const page = await fetch(http);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    expect(html).toContain(`connect('${http.replace('http', 'ws')}')`);
    const missing = await fetch(`${http}/nothing/<b>`, { headers: { 'idempotency-key': 'mine' } });
    expect([missing.status, await missing.json()]).toMatchObject([
      404,
      { error: { code: 'not-found', retryable: false, requestId: 'mine' } },
    ]);
    expect((await fetch(`${http}/readyz`, { method: 'HEAD' })).status).toBe(200);
    for (const path of ['/healthz', '/readyz', '/']) {
      const posted = await fetch(`${http}${path}`, { method: 'POST' });
      expect([posted.status, posted.headers.get('allow'), await posted.json()], path).toMatchObject([
        405,
        'GET, HEAD',
        { error: { code: 'bad-request', message: 'The method is POST; allowed are GET and HEAD.' } },
      ]);
    }
    for (const path of ['/v1/socket', '/v1/socket/2']) {
      const plain = await fetch(`${http}${path}`);
      expect([plain.status, plain.headers.get('upgrade'), await plain.json()], path).toMatchObject([
        426,
        'websocket',
        { error: { code: 'bad-request', message: expect.stringContaining('leasehold.v1') as unknown } },
      ]);
    }
    expect((await fetch(`${http}/x`, { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(404);
    expect(coordinator.status.phase).toBe('serving');
  });
});
