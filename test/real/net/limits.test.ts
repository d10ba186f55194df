import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { ANSWER_WITHIN_MS, FRAME_BYTES_MAX, HELLO_BYTES_MAX } from '../../../shared/limits.ts';
import { RawClient } from '../support/raw-client.ts';
import { eventually, sleep } from '../support/waiting.ts';
import { start, stopAll } from './support/coordinators.ts';
import { hello, rawFrame, Stranger, textFrame } from './support/stranger.ts';

afterEach(stopAll);

/** The message with a field that nobody knows, so that its text has exactly these bytes. */
function padded(message: Readonly<Record<string, unknown>>, bytes: number): string {
  const bare = JSON.stringify({ ...message, pad: '' }).length;
  return JSON.stringify({ ...message, pad: 'x'.repeat(bytes - bare) });
}

describe('S11 limits, one below, at and one above', () => {
  test('S11 F18 bytes of a frame', async () => {
    const { url } = await start();
    for (const [bytes, isRead] of [
      [FRAME_BYTES_MAX - 1, true],
      [FRAME_BYTES_MAX, true],
      [FRAME_BYTES_MAX + 1, false],
    ] as const) {
      const { client } = await RawClient.welcome(url);
      client.sendText(padded({ type: 'list', frame: 2, request: 'r' }, bytes));
      const closed = client.closed.then(({ code }) => code);
      expect(await Promise.race([client.take('view').then(() => 'read'), closed]), `${bytes} bytes`).toBe(
        isRead ? 'read' : 1009,
      );
      client.close();
    }
  });

  test('S11 F18 bytes of a hello, and of what comes before welcome', async () => {
    const { port } = await start();
    const message: unknown = JSON.parse(hello());
    for (const [bytes, isRead] of [
      [HELLO_BYTES_MAX - 1, true],
      [HELLO_BYTES_MAX, true],
      [HELLO_BYTES_MAX + 1, false],
    ] as const) {
      const stranger = await Stranger.upgrade(port);
      stranger.send(textFrame(padded(message as Readonly<Record<string, unknown>>, bytes))); // It was made as one.
      const welcomed = stranger.toldOf('"welcome"').then(() => 'read');
      expect(await Promise.any([welcomed, stranger.closeCode()]), `${bytes} bytes`).toBe(isRead ? 'read' : 1009);
      stranger.stream.destroy();
    }
  });

  test('S11 F18 fragments that never end count as they come', async () => {
    const { port, coordinator } = await start();
    const before = await Stranger.upgrade(port);
    before.send(rawFrame(0x01, Buffer.alloc(10_000, 0x20)));
    before.send(rawFrame(0x00, Buffer.alloc(10_000, 0x20)));
    expect(await before.closeCode()).toBe(1009);
    const after = await Stranger.upgrade(port);
    after.send(textFrame(hello()));
    await after.toldOf('"welcome"');
    for (let sent = 0; sent < 6; sent += 1) after.send(rawFrame(sent === 0 ? 0x01 : 0x00, Buffer.alloc(60_000, 0x20)));
    expect(await after.closeCode()).toBe(1009);
    await eventually(() => (coordinator.status.connections === 0 ? true : null), 3_000, 'both are gone');
  });

  test('S11 connections in all, of one address, and not yet welcomed', async () => {
    const limits = [
      { limits: { connectionsMax: 3 }, says: 'connectionsMax' },
      { limits: { connectionsPerAddressMax: 3 }, says: 'connectionsPerAddressMax' },
      { limits: { unauthenticatedMax: 3 }, says: 'unauthenticatedMax' },
    ] as const;
    for (const { limits: given, says } of limits) {
      const { port, coordinator } = await start({ limits: given });
      const within = await Promise.all([Stranger.upgrade(port), Stranger.upgrade(port), Stranger.upgrade(port)]);
      const above = await Stranger.upgrade(port);
      expect(await above.toldOf('"too-many"')).toContain(says);
      expect(await above.closeCode()).toBe(4529);
      expect(coordinator.status.connections).toBe(3);
      // One leaves, one comes.
      within[0].stream.destroy();
      await eventually(() => (coordinator.status.connections === 2 ? true : null), 2_000, 'one has left');
      const next = await Stranger.upgrade(port);
      next.send(textFrame(hello()));
      expect(await next.toldOf('"welcome"')).toBeTruthy();
      for (const stranger of [...within, above, next]) stranger.stream.destroy();
    }
  });

  test('S11 no hello in time is told and closed, and a peer that does not answer is cut 1 s later', async () => {
    const { port, coordinator } = await start({ limits: { helloWithinMs: 200 } });
    const stranger = await Stranger.upgrade(port);
    const from = performance.now();
    expect(await stranger.closeCode()).toBe(4408);
    expect(stranger.told).toContain('"hello-timeout"');
    // It answers no close and ends nothing by itself.
    await eventually(() => (coordinator.status.connections === 0 ? true : null), 3_000, 'it is gone');
    expect(performance.now() - from).toBeLessThan(200 + 1_000 + 500);
  });
});

describe('S11 a peer that sends or takes too much', () => {
  test('S11 a flood is slowed down to its rate and ends as rate-limited, and others are served meanwhile', async () => {
    const { url, port, coordinator } = await start({
      limits: { messagesPerSecond: 1_000, messagesBurst: 1_000, overRateMsMax: 1_500 },
    });
    const { client } = await RawClient.welcome(url);
    const stranger = await Stranger.upgrade(port);
    stranger.send(textFrame(hello()));
    await stranger.toldOf('"welcome"');
    // Made beforehand, and written as fast as they are taken.
    const pongs = Array.from({ length: 10_000 }, (_, index) =>
      textFrame(`{"type":"pong","frame":${index + 2},"ping":1,"clockMs":1}`),
    );
    const pieces = Array.from({ length: 100 }, (_, index) =>
      Buffer.concat(pongs.slice(index * 100, index * 100 + 100)),
    );
    const flood = pipeline(Readable.from(pieces), stranger.stream, { end: false }).catch(() => undefined);
    let slowestMs = 0;
    for (let asked = 0; asked < 20; asked += 1) {
      const from = performance.now();
      client.send({ type: 'list', request: `r${asked}`, name: 'a' });
      await client.take('view');
      slowestMs = Math.max(slowestMs, performance.now() - from);
      await sleep(50);
    }
    expect(await stranger.closeCode()).toBe(4429);
    await flood;
    // What a client waits for an answer before it dials anew (R21).
    expect(slowestMs).toBeLessThan(ANSWER_WITHIN_MS);
    expect(stranger.told).toContain('"rate-limited"');
    await eventually(() => (coordinator.status.connections === 1 ? true : null), 3_000, 'the flood is over');
    stranger.stream.destroy();
    client.close();
  });

  test('S11 F19 a peer that reads nothing is not read itself, and cut after 10 s; its lease lives to its deadline', async () => {
    const { port, coordinator, url } = await start({ limits: { outgoingBytesMax: 65_536 } });
    const holder = await RawClient.welcome(url, { metadata: { text: 'x'.repeat(900) } });
    for (let index = 0; index < 200; index += 1)
      holder.client.send({ type: 'acquire', request: `r${index}`, name: `jobs/${index}`, ttlMs: 60_000 });
    await eventually(() => (coordinator.status.leases === 200 ? true : null), 5_000, '200 leases');
    const stranger = await Stranger.upgrade(port);
    stranger.send(textFrame(hello()));
    await stranger.toldOf('"welcome"');
    stranger.send(textFrame('{"type":"acquire","frame":2,"request":"a","name":"own","ttlMs":60000}'));
    await stranger.toldOf('"granted"');
    stranger.stream.pause();
    let frame = 2;
    const asking = setInterval(() => {
      frame += 1;
      stranger.stream.write(textFrame(`{"type":"list","frame":${frame},"request":"r${frame}"}`));
    }, 2);
    await eventually(
      () => (coordinator.status.connections === 1 ? true : null),
      30_000,
      'the one who reads nothing is cut',
    );
    clearInterval(asking);
    stranger.stream.destroy();
    expect(coordinator.status.leases).toBe(201);
    holder.client.close();
  });
});
