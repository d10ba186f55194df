import { connect, type Client } from 'leasehold';
import { afterEach, describe, expect, test } from 'vitest';
import { ANSWER_WITHIN_MS } from '../../../shared/limits.ts';
import { now, type Entry } from '../support/log.ts';
import { beliefsNeverOverlap, lostOnceAndFirst, tokensRise } from '../support/oracles.ts';
import { RawClient } from '../support/raw-client.ts';
import { eventually, sleep } from '../support/waiting.ts';
import { start, stopAll, type Running } from './support/coordinators.ts';
import { SharedSocket } from './support/shared-socket.ts';
import { rawFrame, Stranger, textFrame } from './support/stranger.ts';

const open: SharedSocket[] = [];
const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const socket of open.splice(0)) socket.end();
  await stopAll();
});

async function opened({ url }: Running): Promise<SharedSocket> {
  const socket = await SharedSocket.open(url);
  open.push(socket);
  return socket;
}

const acquire = (request: string, name = 'printer', ttlMs = 5_000): object => ({
  type: 'acquire',
  request,
  name,
  ttlMs,
});
const counted = (running: Running, connections: number): Promise<true> =>
  eventually(
    () => (running.coordinator.status.connections === connections ? true : null),
    3_000,
    `${connections} connections`,
  );

describe('several sessions on one socket', () => {
  test('S1 two of them contend for a name, and neither sees a frame of the other', async () => {
    const running = await start();
    const socket = await opened(running);
    await Promise.all([socket.welcome(1, { label: 'first' }), socket.welcome(2, { label: 'second' })]);
    socket.say(1, { ...acquire('of-1'), frame: 2 });
    await socket.toldOf(1, '"granted"');
    socket.say(2, { ...acquire('of-2'), frame: 2 });
    expect(await socket.toldOf(2, '"queued"')).not.toContain('"granted"');
    expect(running.coordinator.status).toMatchObject({ connections: 2, sockets: 2, sessions: 2, leases: 1, claims: 1 });
    await running.coordinator.revoke('printer');
    await socket.toldOf(1, '"ended"');
    const token = Number(/"fencingToken":(\d+)/.exec(socket.heard(1))?.[1]);
    socket.say(1, { type: 'endAck', frame: 3, name: 'printer', fencingToken: token });
    await socket.toldOf(2, '"granted"');
    expect(socket.heard(1)).not.toContain('of-2');
    expect(socket.heard(2)).not.toContain('of-1');
    expect(socket.heard(2)).not.toContain('"ended"');
  });

  test('S1 S2 eight clients on two sockets and two with their own never believe at the same time', async () => {
    const running = await start();
    const [first, second] = await Promise.all([opened(running), opened(running)]);
    const classes = [first.Channel, second.Channel, undefined] as const;
    const entries: Entry[] = [];
    const turns = Array.from({ length: 10 }, async (_, index) => {
      const label = `c${index}`;
      const socketClass = classes[index < 4 ? 0 : index < 8 ? 1 : 2];
      const client = connect(running.url, socketClass === undefined ? { label } : { label, WebSocket: socketClass });
      clients.push(client);
      for (let turn = 0; turn < 5; turn += 1) {
        const lease = await client.acquire('printer', { ttlMs: 2_000 });
        const of = { client: label, key: `${turn}`, name: 'printer', token: lease.fencingToken };
        entries.push({ at: now(), event: 'held', ...of });
        await sleep(3);
        expect(lease.status).toBe('held');
        entries.push({ at: now(), event: 'released', ...of });
        await lease.release();
      }
    });
    await Promise.all(turns);
    expect(entries).toHaveLength(100);
    expect([tokensRise, beliefsNeverOverlap, lostOnceAndFirst].flatMap((oracle) => oracle(entries))).toEqual([]);
    // So it was two sockets that carried the eight.
    for (const { told } of [first, second]) expect(new Set(told.map(({ channel }) => channel)).size).toBe(4);
  });

  test('S11 one that says something malformed, or is closed by its client, ends alone', async () => {
    const running = await start();
    const socket = await opened(running);
    await Promise.all([1, 2, 3].map((channel) => socket.welcome(channel)));
    socket.say(1, { type: 'list', request: 'no number' });
    expect(await socket.closeOf(1)).toBe(4400);
    expect(socket.heard(1)).toContain('"bad-request"');
    socket.close(2);
    await counted(running, 1);
    socket.say(3, { ...acquire('r'), frame: 2 });
    await socket.toldOf(3, '"granted"');
    // What has crossed the close on its way is dropped; a number that its client gave up is refused.
    const before = socket.told.length;
    socket.say(1, { type: 'list', frame: 9, request: 'late' });
    socket.say(3, { type: 'list', frame: 3, request: 'l', name: 'printer' });
    await socket.toldOf(3, '"view"');
    expect(socket.told.slice(before).map(({ channel }) => channel)).toEqual([3]);
    socket.hello(2);
    expect(await socket.closeOf(2)).toBe(4400);
    expect(socket.heard(2)).toContain('numbers of channels rise');
  });

  test('S5 a session comes back in another channel, or on a socket of its own, with its lease', async () => {
    const running = await start();
    const socket = await opened(running);
    await socket.welcome(1, { instance: 'wanderer' });
    const welcome = socket.told[0]?.messages?.[0];
    const resume = { session: welcome?.['session'] ?? '', secret: welcome?.['secret'] ?? '' };
    socket.say(1, { ...acquire('r'), frame: 2 });
    await socket.toldOf(1, '"granted"');
    await socket.welcome(2, { instance: 'wanderer', dial: 2, frame: 3, resume });
    expect(await socket.closeOf(1)).toBe(4409);
    expect(socket.heard(2)).toContain('"resumed":true');
    expect(socket.heard(2)).toContain('"printer"');
    const client = await RawClient.open(running.url);
    client.countFrom(4);
    client.send({ type: 'hello', protocolMin: 1, protocolMax: 1, instance: 'wanderer', dial: 3, resume });
    expect(await client.take('welcome')).toMatchObject({ resumed: true, held: [{ name: 'printer' }] });
    expect(await socket.closeOf(2)).toBe(4409);
    client.close();
  });

  test('S1 a socket that breaks off ends its channels, and their leases live to their deadlines', async () => {
    const running = await start();
    const socket = await opened(running);
    for (const channel of [1, 2]) {
      await socket.welcome(channel);
      socket.say(channel, { ...acquire('r', `jobs/${channel}`), frame: 2 });
      await socket.toldOf(channel, '"granted"');
    }
    socket.end();
    await eventually(() => (running.coordinator.status.sockets === 0 ? true : null), 3_000, 'no socket has a session');
    expect(running.coordinator.status).toMatchObject({ connections: 0, sessions: 2, leases: 2 });
  });

  test('S5 a coordinator that stops tells each channel, then the socket', async () => {
    const running = await start();
    const socket = await opened(running);
    await Promise.all([1, 2].map((channel) => socket.welcome(channel)));
    const stopped = running.coordinator.close();
    expect(await Promise.all([1, 2].map((channel) => socket.closeOf(channel)))).toEqual([1001, 1001]);
    for (const channel of [1, 2]) expect(socket.heard(channel)).toContain('"draining"');
    expect((await socket.closed).code).toBe(1001);
    await stopped;
  });

  test('S10 who offers both subprotocols speaks in channels', async () => {
    const running = await start();
    const socket = await SharedSocket.open(running.url, ['leasehold.v1', 'leasehold.v1.channels']);
    open.push(socket);
    expect(socket.socket.protocol).toBe('leasehold.v1.channels');
    await socket.welcome(1);
  });
});

describe('S11 limits of a socket with channels', () => {
  test('S11 channelsPerSocketMax, one below, at and one above; one leaves, one comes', async () => {
    const running = await start({ limits: { channelsPerSocketMax: 3 } });
    const socket = await opened(running);
    for (const channel of [1, 2, 3]) await socket.welcome(channel);
    socket.hello(4);
    expect(await socket.closeOf(4)).toBe(4529);
    expect(socket.heard(4)).toContain('"too-many"');
    expect(socket.heard(4)).toContain('channelsPerSocketMax');
    socket.close(1);
    await socket.welcome(5);
    expect(running.coordinator.status.connections).toBe(3);
  });

  test('S11 the socket counts once for its address, each channel without a hello as a socket of its own', async () => {
    const one = await start({ limits: { connectionsPerAddressMax: 1 } });
    const socket = await opened(one);
    await Promise.all([1, 2, 3].map((channel) => socket.welcome(channel)));
    const other = await opened(one);
    expect((await other.closed).reason).toContain('connectionsPerAddressMax');

    const running = await start({ limits: { unauthenticatedMax: 2 } });
    const [first, second] = [await opened(running), await opened(running)];
    // Each of the two counts for the hello that it waits for, and is not welcomed by this.
    for (const { text } of [first, second].map((each) => ({ text: (): void => each.say(1) }))) text();
    expect(await Promise.all([first.closeOf(1), second.closeOf(1)])).toEqual([4400, 4400]);
    await first.welcome(2);
    const third = await opened(running);
    third.hello(1);
    await third.toldOf(1, '"welcome"');
    expect(running.coordinator.status.sessions).toBe(2);
  });

  test('S11 a channel without a hello is closed alone; a socket without a channel for that time is closed', async () => {
    const running = await start({ limits: { helloWithinMs: 300 } });
    const socket = await opened(running);
    await socket.welcome(1);
    socket.say(2, { type: 'hello', frame: 1 });
    expect(await socket.closeOf(2)).toBe(4426);
    const stranger = await Stranger.upgrade(running.port, { 'Sec-WebSocket-Protocol': 'leasehold.v1.channels' });
    expect(await stranger.closeCode()).toBe(4408);
    stranger.stream.destroy();
    await sleep(400);
    socket.close(1);
    const from = performance.now();
    expect((await socket.closed).code).toBe(4408);
    expect(performance.now() - from).toBeGreaterThan(250);
  });

  test('S11 F18 bytes of a frame and of a hello, one below, at and one above, in the smallest envelope', async () => {
    const running = await start();
    const socket = await opened(running);
    const padded = (channel: number, message: object, bytes: number): string => {
      const bare = JSON.stringify({ channel, messages: [{ ...message, pad: '' }] }).length;
      return JSON.stringify({ channel, messages: [{ ...message, pad: 'x'.repeat(bytes - bare) }] });
    };
    const hello = { type: 'hello', frame: 1, protocolMin: 1, protocolMax: 1, dial: 1 };
    for (const [channel, bytes, isRead] of [
      [1, 16_384 + 63, true],
      [2, 16_384 + 64, true],
      [3, 16_384 + 65, false],
    ] as const) {
      socket.text(padded(channel, { ...hello, instance: `i${channel}` }, bytes));
      const welcomed = socket.toldOf(channel, '"welcome"').then(() => 'read');
      expect(await Promise.any([welcomed, socket.closeOf(channel)]), `${bytes} bytes`).toBe(isRead ? 'read' : 1009);
    }
    socket.text(padded(1, { type: 'list', frame: 2, request: 'below' }, 262_144 + 63));
    await socket.toldOf(1, '"below"');
    socket.text(padded(1, { type: 'list', frame: 3, request: 'at' }, 262_144 + 64));
    await socket.toldOf(1, '"at"');
    // More than any envelope has: there is no telling whose it is.
    socket.text(padded(1, { type: 'list', frame: 4, request: 'above' }, 262_144 + 65));
    expect((await socket.closed).code).toBe(1009);
  });

  test('S11 F18 fragments that never end count as they come', async () => {
    const { port, coordinator } = await start();
    const stranger = await Stranger.upgrade(port, { 'Sec-WebSocket-Protocol': 'leasehold.v1.channels' });
    for (let sent = 0; sent < 2; sent += 1) stranger.send(rawFrame(sent === 0 ? 0x01 : 0, Buffer.alloc(10_000, 0x20)));
    expect(await stranger.closeCode()).toBe(1009);
    stranger.stream.destroy();
    expect(coordinator.status.connections).toBe(0);
  });
});

/** What a stranger sends, and the code that the whole socket is closed with. */
const OFFENCES: Readonly<Record<string, readonly [bytes: Buffer, code: number]>> = {
  'a frame without an envelope': [textFrame('{"type":"list","frame":2,"request":"r"}'), 4400],
  'broken JSON': [textFrame('{"channel":1,'), 4400],
  null: [textFrame('null'), 4400],
  'an empty list': [textFrame('[]'), 4400],
  'a list of envelopes': [textFrame('[{"channel":1,"messages":[]}]'), 4400],
  'channel 0': [textFrame('{"channel":0,"messages":[]}'), 4400],
  'a channel that is a text': [textFrame('{"channel":"1","messages":[]}'), 4400],
  'neither messages nor close': [textFrame('{"channel":1}'), 4400],
  'both messages and close': [textFrame('{"channel":1,"messages":[],"close":1000}'), 4400],
  'messages that are no list': [textFrame('{"channel":1,"messages":{}}'), 4400],
  'a close code that is none': [textFrame('{"channel":1,"close":5}'), 4400],
  'a reason that is none': [textFrame('{"channel":1,"close":1000,"reason":5}'), 4400],
  '200-deep nesting': [textFrame(`{"channel":1,"messages":[${'['.repeat(200)}${']'.repeat(200)}]}`), 4400],
  binary: [rawFrame(0x82, Buffer.of(1, 2, 3)), 1003],
  'invalid UTF-8': [rawFrame(0x81, Buffer.of(0xc3, 0x28)), 1007],
};

describe('S11 malformed envelopes', () => {
  test('S11 F16 each closes its socket with a code and, where it is ours, a sentence; no other socket notices', async () => {
    const running = await start();
    const healthy = await opened(running);
    await healthy.welcome(1);
    healthy.say(1, { ...acquire('r', 'job', 60_000), frame: 2 });
    await healthy.toldOf(1, '"granted"');
    for (const [offence, [bytes, code]] of Object.entries(OFFENCES)) {
      const stranger = await Stranger.upgrade(running.port, { 'Sec-WebSocket-Protocol': 'leasehold.v1.channels' });
      stranger.send(textFrame('{"channel":1,"messages":[{"type":"hello","frame":1}]}'));
      stranger.send(bytes);
      expect(await stranger.closeCode(), offence).toBe(code);
      stranger.stream.destroy();
    }
    const told = await opened(running);
    told.text('{"channel":1}');
    expect(await told.closed).toEqual({
      code: 4400,
      reason: 'bad-request: An envelope has either "messages" or "close"; given are none.',
    });
    await counted(running, 1);
    healthy.say(1, { type: 'list', frame: 3, request: 'l', name: 'job' });
    expect(await healthy.toldOf(1, '"view"')).not.toContain('"ended"');
  });
});

describe('S11 a channel that sends or asks too much', () => {
  test('S11 one that floods is closed alone, and the others are served meanwhile', async () => {
    const running = await start({ limits: { messagesPerSecond: 1_000, messagesBurst: 1_000 } });
    const socket = await opened(running);
    await Promise.all([socket.welcome(1), socket.welcome(2)]);
    let frame = 1;
    const flood = setInterval(() => {
      if (socket.heard(1).includes('"close"')) return;
      for (let count = 0; count < 200; count += 1) {
        frame += 1;
        socket.say(1, { type: 'pong', frame, ping: 1, clockMs: 1, pad: 'x'.repeat(500) });
      }
    }, 5);
    let slowestMs = 0;
    for (let asked = 2; asked < 22; asked += 1) {
      const from = performance.now();
      socket.say(2, { type: 'list', frame: asked, request: `r${asked}.`, name: 'a' });
      await socket.toldOf(2, `"r${asked}."`);
      slowestMs = Math.max(slowestMs, performance.now() - from);
      await sleep(30);
    }
    expect(await socket.closeOf(1, 10_000)).toBe(4429);
    expect(socket.heard(1)).toContain('came faster than they are read');
    clearInterval(flood);
    expect(slowestMs).toBeLessThan(ANSWER_WITHIN_MS);
    expect(socket.heard(2)).not.toContain('"close"');
  });

  test('S11 answers by the megabyte to one leave room for those of another', async () => {
    const running = await start();
    const holder = await RawClient.welcome(running.url);
    for (let index = 0; index < 40; index += 1) {
      holder.client.send({ type: 'acquire', request: `a${index}`, name: `jobs/${index}`, ttlMs: 60_000 });
      const granted = await holder.client.take('granted');
      const fencingToken = granted['fencingToken'] ?? 0;
      const value = 'x'.repeat(60_000);
      holder.client.send({ type: 'setState', request: `s${index}`, name: `jobs/${index}`, fencingToken, value });
      await holder.client.take('stateSet');
    }
    const socket = await opened(running);
    await Promise.all([socket.welcome(1), socket.welcome(2)]);
    const lists = Array.from({ length: 400 }, (_, index) => ({
      type: 'list',
      request: `l${index}`,
      name: `jobs/${index % 40}`,
    }));
    // 24 MB of answers.
    socket.say(1, { ...lists[0], frame: 2 }, ...lists.slice(1));
    socket.say(2, { type: 'list', frame: 2, request: 'small', name: 'nobody' });
    await socket.toldOf(2, '"small"');
    const answered = (): number => socket.told.filter(({ channel }) => channel === 1).length - 1;
    expect(answered()).toBeLessThan(200);
    await eventually(() => (answered() >= 400 ? true : null), 20_000, 'all answers of the other');
    holder.client.close();
  });
});
