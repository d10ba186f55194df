import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { Relay, type Passing } from './relay.ts';
import { FrameSplitter, textFrame } from './web-socket-frames.ts';
import { within } from './waiting.ts';

/** A server that echoes, and a relay in front of it. */
async function echoThroughRelay(): Promise<Relay> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (socket) => socket.on('message', (data: Buffer) => socket.send(data.toString('utf8'))));
  const relay = await Relay.open(() => (server.address() as AddressInfo).port); // A TCP server's address is never a path.
  onTestFinished(() => {
    relay.close();
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return relay;
}

async function opened(relay: Relay): Promise<WebSocket> {
  const socket = new WebSocket(relay.url);
  await within(
    new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject)),
    2_000,
    'a socket opens',
  );
  socket.on('error', () => undefined);
  return socket;
}

const reply = (socket: WebSocket, ms = 1_000): Promise<unknown> =>
  within(
    new Promise((resolve) => socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString('utf8'))))),
    ms,
    'an echo',
  );

const closing = (socket: WebSocket): Promise<number> =>
  within(new Promise((resolve) => socket.once('close', resolve)), 2_000, 'a close');

describe('the relay', () => {
  test('frames of every length pass unchanged and are seen both ways', async () => {
    const relay = await echoThroughRelay();
    const seen: Passing[] = [];
    relay.watch((passing) => {
      seen.push(passing);
    });
    const socket = await opened(relay);
    for (const size of [1, 125, 126, 65_535, 65_536, 200_000]) {
      const echoed = reply(socket);
      socket.send(JSON.stringify({ type: 'x', text: 'y'.repeat(size) }));
      expect(await echoed).toEqual({ type: 'x', text: 'y'.repeat(size) });
    }
    expect(seen.map(({ direction }) => direction)).toEqual(Array.from({ length: 6 }, () => ['up', 'down']).flat());
    socket.close();
  });

  test('one frame is swallowed, the next one passes', async () => {
    const relay = await echoThroughRelay();
    const socket = await opened(relay);
    const swallowed = relay.next(
      'up',
      (message) => message['type'] === 'a',
      () => 'swallow',
    );
    const echoed = reply(socket);
    socket.send(JSON.stringify({ type: 'a' }));
    socket.send(JSON.stringify([{ type: 'b' }]));
    expect(await echoed).toEqual([{ type: 'b' }]);
    expect((await swallowed).messages).toEqual([{ type: 'a' }]);
    socket.close();
  });

  test('a delay keeps the order', async () => {
    const relay = await echoThroughRelay();
    const socket = await opened(relay);
    relay.delayMs.up = 60;
    const startedAt = performance.now();
    const first = reply(socket);
    socket.send(JSON.stringify({ number: 1 }));
    expect(await first).toEqual({ number: 1 });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(59);
    const numbers: unknown[] = [];
    const third = new Promise((resolve) => {
      socket.on('message', (data: Buffer) => {
        numbers.push(JSON.parse(data.toString('utf8')));
        if (numbers.length === 2) resolve(numbers);
      });
    });
    socket.send(JSON.stringify({ number: 2 }));
    // Told without delay, but behind one that is still on its way.
    await relay.next('up', () => true);
    relay.delayMs.up = 0;
    socket.send(JSON.stringify({ number: 3 }));
    expect(await within(third, 1_000, 'two echoes')).toEqual([{ number: 2 }, { number: 3 }]);
    socket.close();
  });

  test('a dropped direction is silent one way only', async () => {
    const relay = await echoThroughRelay();
    const socket = await opened(relay);
    relay.drop('down');
    const up = relay.next('up', () => true);
    const answer = reply(socket, 200);
    socket.send(JSON.stringify({ type: 'a' }));
    await within(up, 1_000, 'the frame goes up');
    await expect(answer).rejects.toThrow('not within');
    relay.heal();
    const echoed = reply(socket);
    socket.send(JSON.stringify({ type: 'b' }));
    expect(await echoed).toEqual({ type: 'b' });
    socket.close();
  });

  test('a black hole tells nobody; after healing only new connections pass', async () => {
    const relay = await echoThroughRelay();
    const socket = await opened(relay);
    relay.blackHole();
    const silent = reply(socket, 200);
    socket.send(JSON.stringify({ type: 'a' }));
    await expect(silent).rejects.toThrow('not within');
    expect(socket.readyState).toBe(WebSocket.OPEN);
    const mute = new WebSocket(relay.url);
    mute.on('error', () => undefined);
    await expect(within(new Promise((resolve) => mute.once('open', resolve)), 200, 'open')).rejects.toThrow(
      'not within',
    );
    relay.heal();
    const fresh = await opened(relay);
    const echoed = reply(fresh);
    fresh.send(JSON.stringify({ type: 'b' }));
    expect(await echoed).toEqual({ type: 'b' });
    for (const left of [socket, mute, fresh]) left.terminate();
  });

  test('a reset reaches the client at once, and a refusal ends after its time', async () => {
    const relay = await echoThroughRelay();
    const socket = await opened(relay);
    const closed = closing(socket);
    relay.reset();
    const refused = relay.refuse(150);
    expect(await closed).toBe(1006);
    await expect(opened(relay)).rejects.toThrow('ECONNREFUSED');
    await refused;
    (await opened(relay)).close();
  });
});

describe('the splitter', () => {
  test('a stream cut at any byte gives the same frames', () => {
    const stream = Buffer.concat([
      Buffer.from('HTTP/1.1 101 X\r\n\r\n'),
      textFrame('{"a":1}', true),
      textFrame('z'.repeat(300), false),
    ]);
    for (let cut = 1; cut < stream.length; cut += 7) {
      const splitter = new FrameSplitter();
      const frames = [...splitter.push(stream.subarray(0, cut)), ...splitter.push(stream.subarray(cut))];
      expect(frames.map(({ text }) => text)).toEqual([null, '{"a":1}', 'z'.repeat(300)]);
      expect(Buffer.concat(frames.map(({ raw }) => raw)).equals(stream)).toBe(true);
    }
  });
});

test('the port that a relay refuses on is really free', async () => {
  const relay = await echoThroughRelay();
  const refused = relay.refuse(100);
  const other = createServer();
  await new Promise<void>((resolve, reject) => other.once('error', reject).listen(relay.port, '127.0.0.1', resolve));
  await new Promise((resolve) => other.close(resolve));
  await refused;
  expect((await opened(relay)).readyState).toBe(WebSocket.OPEN);
});
