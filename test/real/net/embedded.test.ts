import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Hono } from 'hono';
import { afterEach, describe, expect, test } from 'vitest';
import { createCoordinator } from '../../../server/coordinator.ts';
import { memoryJournal } from '../../../server/journal/memory.ts';
import { answer } from '../../../server/net/fetch-listener.ts';
import { RawClient } from '../support/raw-client.ts';
import { eventually, sleep } from '../support/waiting.ts';
import { start, stopAll } from './support/coordinators.ts';
import { hello, Stranger, textFrame } from './support/stranger.ts';

afterEach(stopAll);

describe('a coordinator in a program of one’s own', () => {
  test('takes its own path of a server, leaves the others to whoever listens, and its app can be mounted', async () => {
    const coordinator = createCoordinator({ journal: memoryJournal(), base: '/locks' });
    const app = new Hono().route('/locks', coordinator.app);
    const server = createServer((request, response) => void answer((given) => app.fetch(given), request, response));
    const others: (string | undefined)[] = [];
    server.on('upgrade', (request, stream) => {
      if (request.url?.startsWith('/locks/') === true) return;
      others.push(request.url);
      stream.end('HTTP/1.1 418 Teapot\r\n\r\n');
    });
    coordinator.attach(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // It listens on TCP.

    const { client, welcome } = await RawClient.welcome(`ws://127.0.0.1:${port}/locks`);
    expect(welcome['protocol']).toBe(1);
    expect(await (await fetch(`http://127.0.0.1:${port}/locks/readyz`)).json()).toMatchObject({
      status: 'ready',
      sockets: 1,
    });
    expect(await (await fetch(`http://127.0.0.1:${port}/locks/none`)).json()).toMatchObject({
      error: { code: 'not-found' },
    });
    await expect(RawClient.open(`ws://127.0.0.1:${port}`)).rejects.toThrow('418');
    expect(others).toEqual(['/v1/socket']);

    client.close();
    await coordinator.close({ drainMs: 500 });
    await new Promise((resolve) => server.close(resolve));
  });

  test('S11 a credential is held against `auth`, and a wrong one is closed with 4401', async () => {
    const seen: (string | undefined)[] = [];
    const { port } = await start({
      auth: (credential) => {
        seen.push(credential);
        return Promise.resolve({ ok: credential === 'right' });
      },
    });
    const right = await Stranger.upgrade(port);
    right.send(textFrame(hello({ credential: 'right' })));
    expect(await right.toldOf('"welcome"')).toBeTruthy();
    for (const fields of [{ credential: 'wrong' }, {}]) {
      const stranger = await Stranger.upgrade(port);
      stranger.send(textFrame(hello(fields)));
      expect(await stranger.closeCode()).toBe(4401);
      expect(stranger.told).toContain('"unauthorized"');
      stranger.stream.destroy();
    }
    expect(seen).toEqual(['right', 'wrong', undefined]);
    right.stream.destroy();
  });

  test('S7 an operator revokes a lease: its holder is told, and the answer names the token', async () => {
    const { url, coordinator } = await start();
    const { client } = await RawClient.welcome(url);
    client.send({ type: 'acquire', request: 'r', name: 'printer', ttlMs: 30_000 });
    const granted = await client.take('granted');
    const revoked = coordinator.revoke('printer', { by: 'ops' });
    expect(await client.take('ended')).toMatchObject({ name: 'printer', code: 'revoked' });
    expect(await revoked).toEqual([granted['fencingToken']]);
    expect(await coordinator.revoke('nobody-holds-this')).toEqual([]);
    await expect(coordinator.revoke('')).rejects.toMatchObject({ code: 'bad-request', param: 'name' });
    client.close();
  });

  test('S10 limits given while it runs hold from then on, and wrong ones change nothing', async () => {
    const { url, coordinator } = await start();
    coordinator.configure({ connectionsMax: 1 });
    expect(() => coordinator.configure({ connectionsMax: 0 })).toThrow('connectionsMax is 0');
    const { client } = await RawClient.welcome(url);
    const second = await RawClient.open(url);
    expect(await second.closed).toMatchObject({ code: 4529 });
    client.close();
    await eventually(() => (coordinator.status.connections === 0 ? true : null), 2_000, 'the first has left');
  });

  test('S10 close is one promise; what comes later is refused in words', async () => {
    const { coordinator, url } = await start();
    const { client } = await RawClient.welcome(url);
    const closing = coordinator.close({ drainMs: 1_000 });
    expect(coordinator.close()).toBe(closing);
    expect(coordinator.status).toMatchObject({ phase: 'draining', notReady: ['it is draining'] });
    expect(await client.closed).toMatchObject({ code: 1001 });
    await closing;
    expect(coordinator.status.phase).toBe('closed');
    await expect(coordinator.listen({ port: 0 })).rejects.toMatchObject({ code: 'draining' });
    await expect(coordinator.revoke('a')).rejects.toMatchObject({ code: 'draining' });
  });

  test('S10 a later close can shorten the drain, and never lengthens it', async () => {
    const { coordinator, url } = await start();
    const { client } = await RawClient.welcome(url);
    // It reads no close, and so answers none: the drain waits for it.
    client.hush();
    const closing = coordinator.close({ drainMs: 60_000 });
    const isOpen = await Promise.race([closing.then(() => false), sleep(100).then(() => true)]);
    expect(isOpen).toBe(true);
    const from = performance.now();
    expect(coordinator.close({ drainMs: 0 })).toBe(closing);
    expect(coordinator.close({ drainMs: 60_000 })).toBe(closing);
    await closing;
    // Less than the second after which a socket that answers no close is cut.
    expect(performance.now() - from).toBeLessThan(700);
    client.cut();
  });

  test('S10 without authentication only loopback is listened on, unless that is accepted', async () => {
    const coordinator = createCoordinator({ journal: memoryJournal() });
    await expect(coordinator.listen({ port: 0, host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'unauthorized',
      param: 'host',
    });
    await coordinator.close({ drainMs: 0 });
    const open = createCoordinator({ journal: memoryJournal(), insecure: true });
    expect((await open.listen({ port: 0, host: '0.0.0.0' })).url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
    await open.close({ drainMs: 0 });
  });

  test('S10 a journal that cannot be read is told by ready and by listen', async () => {
    const journal = { ...memoryJournal(), load: () => Promise.reject(new Error('damaged')) };
    const coordinator = createCoordinator({ journal });
    await expect(coordinator.ready).rejects.toThrow('damaged');
    await expect(coordinator.listen({ port: 0 })).rejects.toThrow('damaged');
    expect(coordinator.status.notReady).toEqual(['the journal could not be read']);
    await coordinator.close({ drainMs: 0 });
  });
});
