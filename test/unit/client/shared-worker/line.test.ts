import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Line, type Channel } from '../../../../client/shared-worker/line.ts';
import { FakeLineSocket, hearing, type Heard } from './support.ts';

const HELLO = '{"type":"hello"}';

beforeEach(() => {
  FakeLineSocket.made = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 1_000 });
});
afterEach(() => void vi.useRealTimers());

interface Rig {
  readonly line: Line;
  readonly socket: FakeLineSocket;
  readonly gone: () => number;
}

function lineOf(): Rig {
  let gone = 0;
  const line = new Line(
    'ws://a.test/v1/socket',
    (url, offered) => new FakeLineSocket(url, offered),
    () => void (gone += 1),
  );
  const [socket] = FakeLineSocket.made;
  if (socket === undefined) throw new Error('no socket was made');
  return { line, socket, gone: () => gone };
}

function channelOn(line: Line): Heard & { readonly channel: Channel } {
  const heard = hearing();
  return { ...heard, channel: line.open(heard.events) };
}

describe('the socket of many tabs', () => {
  it('offers channels first; where the coordinator takes the other protocol every channel is told, and it is closed', () => {
    const { line, socket, gone } = lineOf();
    expect(socket).toMatchObject({ url: 'ws://a.test/v1/socket', offered: ['leasehold.v1.channels', 'leasehold.v1'] });
    const heards = [channelOn(line), channelOn(line)];
    socket.protocol = 'leasehold.v1';
    socket.opens();
    expect(heards.map(({ told }) => told[0])).toEqual(['unspoken', 'unspoken']);
    expect([socket.closed, gone(), line.takes]).toEqual([true, 1, false]);
  });

  it('opens for all that waited, and at once for who comes later', () => {
    const { line, socket } = lineOf();
    const first = channelOn(line);
    expect(first.told).toEqual([]);
    socket.opens();
    expect([first.told, channelOn(line).told]).toEqual([['opened'], ['opened']]);
  });

  it('puts each frame into an envelope of its channel, one message or many, as it is', () => {
    const { line, socket } = lineOf();
    const [first, second] = [channelOn(line), channelOn(line)];
    socket.opens();
    first.channel.send(HELLO);
    second.channel.send('[{"type":"hello"},{"type":"acquire", "odd" : 1e3}]');
    expect(socket.sent).toEqual([
      '{"channel":1,"messages":[{"type":"hello"}]}',
      '{"channel":2,"messages":[{"type":"hello"},{"type":"acquire", "odd" : 1e3}]}',
    ]);
  });

  it('P-24 numbers of channels rise in the order of their first frames, whoever came first', () => {
    const { line, socket } = lineOf();
    const [first, second] = [channelOn(line), channelOn(line)];
    socket.opens();
    second.channel.send(HELLO);
    first.channel.send(HELLO);
    first.channel.send('{"type":"list"}');
    const third = channelOn(line);
    third.channel.send(HELLO);
    expect(socket.sent.map((text) => Number(/\d+/.exec(text)?.[0]))).toEqual([2, 3, 3, 4]);
    socket.says({ channel: 3, messages: [] });
    socket.says({ channel: 1, messages: [] });
    first.channel.close();
    expect(first.told).toEqual(['opened', '[]']);
    expect(socket.sent.at(-1)).toContain('"channel":3,"close"');
  });

  it('gives each channel what is in its envelopes, as it came or however its fields are ordered', () => {
    const { line, socket } = lineOf();
    const [first, second] = [channelOn(line), channelOn(line)];
    socket.opens();
    socket.says('{"channel":2,"messages":[{"type":"ping", "t":1.50}]}');
    socket.says('{"messages": [{"type":"ping"}], "channel": 1, "more": true}');
    socket.says({ channel: 9, messages: [] });
    expect(first.told).toEqual(['opened', '[{"type":"ping"}]']);
    expect(second.told).toEqual(['opened', '[{"type":"ping", "t":1.50}]']);
  });

  it('a channel that the coordinator closes is told the code, alone and for the last time', () => {
    const { line, socket } = lineOf();
    const [first, second] = [channelOn(line), channelOn(line)];
    socket.opens();
    socket.says({ channel: 1, close: 4401, reason: 'unauthorized' });
    socket.says({ channel: 1, messages: [] });
    first.channel.send(HELLO);
    first.channel.close();
    expect(first.told).toEqual(['opened', 'closed 4401 unauthorized']);
    expect(second.told).toEqual(['opened']);
    expect(socket.sent).toEqual([]);
  });

  it('P-25 a channel that its tab closes is closed at the coordinator, where that knows it, and told of no more', () => {
    const { line, socket } = lineOf();
    const [first, second] = [channelOn(line), channelOn(line)];
    socket.opens();
    first.channel.send(HELLO);
    socket.says({ channel: 1, messages: [] });
    first.channel.close();
    second.channel.close();
    socket.says({ channel: 1, messages: [{}] });
    expect(socket.sent.slice(1)).toEqual(['{"channel":1,"close":1000,"reason":""}']);
    expect(first.told).toEqual(['opened', '[]']);
  });

  it('P-25 when it closes all its channels are told with what code', () => {
    const { line, socket, gone } = lineOf();
    const heards = [channelOn(line), channelOn(line)];
    socket.opens();
    socket.closes(1001, 'draining');
    expect(heards.map(({ told }) => told.at(-1))).toEqual(['closed 1001 draining', 'closed 1001 draining']);
    expect(gone()).toBe(1);
    expect(line.takes).toBe(false);
  });

  it.each(['no json', '{}', '{"channel":"1","messages":[]}', '{"channel":1,"close":"now"}', 'null'])(
    'an envelope that cannot be read ends it: %s',
    (text) => {
      const { line, socket } = lineOf();
      const { told } = channelOn(line);
      socket.opens();
      socket.says(text);
      expect(told.at(-1)).toMatch(/^closed 1006 /);
      expect(socket.closed).toBe(true);
    },
  );
});

describe('how long it lasts', () => {
  it('without a channel it closes after 1 s, and not where one comes before', () => {
    const { line, socket, gone } = lineOf();
    const { channel } = channelOn(line);
    socket.opens();
    channel.close();
    vi.advanceTimersByTime(999);
    const next = channelOn(line);
    vi.advanceTimersByTime(60_000);
    expect(socket.closed).toBe(false);
    next.channel.close();
    vi.advanceTimersByTime(999);
    expect(socket.closed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(socket.closed).toBe(true);
    expect(gone()).toBe(1);
  });

  it('takes 32 channels, and less where the coordinator says `too-many`', () => {
    const { line, socket } = lineOf();
    socket.opens();
    const channels = Array.from({ length: 32 }, () => channelOn(line).channel);
    expect(line.takes).toBe(false);
    for (const channel of channels.slice(0, 29)) channel.close();
    expect(line.takes).toBe(true);
    socket.says({ channel: 32, close: 4429, reason: 'too-many: There are 2 channels.' });
    expect(line.takes).toBe(false);
    channels[30]?.close();
    expect(line.takes).toBe(true);
  });
});

describe('a socket that is dead though nobody says so', () => {
  it('takes no more channels once a first frame went unanswered for 1 s; the others stay', () => {
    const { line, socket } = lineOf();
    const [first, second] = [channelOn(line), channelOn(line)];
    socket.opens();
    first.channel.send(HELLO);
    socket.says({ channel: 1, messages: [] });
    vi.advanceTimersByTime(5_000);
    second.channel.send(HELLO);
    vi.advanceTimersByTime(999);
    expect(second.told).toEqual(['opened']);
    vi.advanceTimersByTime(1);
    expect(second.told).toEqual(['opened', 'closed 1006 ']);
    expect(line.takes).toBe(false);
    expect(first.told.at(-1)).toBe('[]');
    socket.says({ channel: 1, messages: [] });
    expect(line.takes).toBe(true);
  });

  it('takes no more once a tab has left it behind 250 ms without a word, and all again when it speaks', () => {
    const { line, socket } = lineOf();
    const [first, second] = [channelOn(line), channelOn(line)];
    socket.opens();
    first.channel.send(HELLO);
    second.channel.send(HELLO);
    socket.says({ channel: 1, messages: [] });
    socket.says({ channel: 2, messages: [] });
    vi.advanceTimersByTime(5_000);
    first.channel.send('{"type":"renew"}');
    vi.advanceTimersByTime(250);
    // Its renewal was not answered, so that it dials anew: not into the same silence.
    first.channel.close();
    expect(line.takes).toBe(false);
    socket.says({ channel: 2, messages: [] });
    expect(line.takes).toBe(true);
  });

  it('a tab that leaves one that answered it, or has not had the time to, casts no doubt on it', () => {
    const { line, socket } = lineOf();
    const [first, second] = [channelOn(line), channelOn(line)];
    socket.opens();
    first.channel.send(HELLO);
    second.channel.send(HELLO);
    socket.says({ channel: 1, messages: [] });
    socket.says({ channel: 2, messages: [] });
    vi.advanceTimersByTime(5_000);
    first.channel.close();
    expect(line.takes).toBe(true);
    second.channel.send('{"type":"bye"}');
    vi.advanceTimersByTime(249);
    second.channel.close();
    expect(line.takes).toBe(true);
  });

  it('one that has just opened lives: who is let in there may take its time to look at a credential', () => {
    const { line, socket } = lineOf();
    const { channel, told } = channelOn(line);
    socket.opens();
    channel.send(HELLO);
    vi.advanceTimersByTime(4_000);
    expect(told).toEqual(['opened']);
    channel.close();
    expect(line.takes).toBe(false);
  });

  it('one that was answered stays, however long nothing is said', () => {
    const { line, socket } = lineOf();
    const { channel, told } = channelOn(line);
    socket.opens();
    channel.send(HELLO);
    socket.says({ channel: 1, messages: [] });
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual(['opened', '[]']);
    expect(line.takes).toBe(true);
  });

  it('a tab that gives up before it opened leaves it to nobody else, unless it opens after all', () => {
    const { line, socket } = lineOf();
    channelOn(line).channel.close();
    expect(line.takes).toBe(false);
    socket.opens();
    expect(line.takes).toBe(true);
  });
});
