import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dialNumber, type ClientEvent, type Effect } from '../../../../client/core/types.ts';
import { requestId } from '../../../../shared/ids.ts';
import { FakeSocket, lastSocket, rig, tick } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const dial = (number: number): Effect => ({ kind: 'dial', dial: dialNumber(number), url: 'wss://a.test/base' });
const wakes = (events: readonly ClientEvent[]): number => events.filter(({ kind }) => kind === 'wake').length;

describe('timers', () => {
  it('one timer follows the core; it fires at the instant asked for and not before', async () => {
    const { core, turn } = rig();
    core.wake = performance.now() + 700.4;
    turn();
    await tick();
    await vi.advanceTimersByTimeAsync(700);
    expect(wakes(core.events)).toBe(0);
    core.wake = null;
    await vi.advanceTimersByTimeAsync(1);
    expect(wakes(core.events)).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a changed instant replaces the timer', async () => {
    const { core, turn } = rig();
    core.wake = performance.now() + 5_000;
    turn();
    await tick();
    core.wake = performance.now() + 10;
    turn();
    await tick();
    expect(vi.getTimerCount()).toBe(1);
    core.wake = null;
    await vi.advanceTimersByTimeAsync(10);
    expect(wakes(core.events)).toBe(1);
  });

  it('an instant beyond 2^31-1 ms does not fire at once: the longest timer wakes and the rest is set anew', async () => {
    const { core, turn } = rig();
    const far = performance.now() + 2 ** 31 + 5_000;
    core.wake = far;
    turn();
    await tick();
    await vi.advanceTimersByTimeAsync(2 ** 31 - 2);
    expect(wakes(core.events)).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(wakes(core.events)).toBe(1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(wakes(core.events)).toBe(1);
    core.wake = null;
    await vi.advanceTimersByTimeAsync(1);
    expect(wakes(core.events)).toBe(2);
  });

  it('an instant that is over wakes in the next turn', async () => {
    const { core, turn } = rig();
    core.wake = performance.now() - 1_000;
    turn();
    await tick();
    core.wake = null;
    await vi.advanceTimersByTimeAsync(0);
    expect(wakes(core.events)).toBe(1);
  });
});

describe('sockets', () => {
  it('the path under the URL is always the same, since proxies match it', () => {
    const { turn } = rig();
    turn(dial(1));
    lastSocket().say('close', { code: 1006, reason: '' });
    turn(dial(2), dial(3));
    expect(FakeSocket.made.map(({ url }) => url)).toEqual(Array(3).fill('wss://a.test/base/v1/socket'));
  });

  it('Firefox delays a path that has failed: there each dial behind one that did not open has a segment of its own', () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0' });
    const { turn } = rig();
    const plain = /^wss:\/\/a\.test\/base\/v1\/socket$/;
    const fresh = /^wss:\/\/a\.test\/base\/v1\/socket\/[\da-f]{32}$/;
    turn(dial(1));
    lastSocket().say('close', { code: 1006, reason: '' });
    turn(dial(2), { kind: 'abandon', dial: dialNumber(2) }, dial(3));
    lastSocket().say('open');
    turn(dial(4));
    const urls = FakeSocket.made.map(({ url }) => url);
    expect(urls.map((url) => (plain.test(url) ? 'plain' : fresh.test(url) ? 'fresh' : url))).toEqual([
      'plain',
      'fresh',
      'fresh',
      'plain',
    ]);
    expect(new Set(urls.slice(1, 3)).size).toBe(2);
  });

  it('what a socket does reaches the core under the number of its dial', () => {
    const { core, turn } = rig();
    turn(dial(4));
    const socket = lastSocket();
    socket.say('open');
    socket.say('message', { data: '{"type":"draining","retryAfterMs":5}' });
    socket.say('close', { code: 1001, reason: 'draining' });
    expect(core.events.slice(-3)).toEqual([
      { kind: 'socket-opened', dial: 4 },
      { kind: 'socket-frame', dial: 4, messages: [{ type: 'draining', retryAfterMs: 5 }] },
      { kind: 'socket-closed', dial: 4, closeCode: 1001, reason: 'draining' },
    ]);
  });

  it('an abandoned socket is closed and not heard of again, after what was sent before', () => {
    const { core, turn } = rig();
    turn(dial(1));
    const socket = lastSocket();
    socket.say('open');
    turn({ kind: 'send', dial: dialNumber(1), messages: [{ type: 'bye' }] }, { kind: 'abandon', dial: dialNumber(1) });
    const before = core.events.length;
    socket.say('close', { code: 1000, reason: '' });
    expect(socket.sent).toEqual(['{"type":"bye"}']);
    expect(socket.closedWith).toEqual([1000]);
    expect(core.events).toHaveLength(before);
  });

  it('a WebSocket that throws at its construction is a dial that failed, in a turn of its own', async () => {
    class Refusing extends FakeSocket {
      constructor(url: string, protocols: readonly string[]) {
        super(url, protocols);
        throw new SyntaxError('mixed content');
      }
    }
    const { core, turn } = rig({ WebSocket: Refusing });
    turn(dial(1));
    expect(core.heard('socket-closed')).toEqual([]);
    await tick();
    expect(core.heard('socket-closed')).toEqual([
      { kind: 'socket-closed', dial: 1, closeCode: 0, reason: 'SyntaxError: mixed content' },
    ]);
  });

  it('what goes to a socket that is no more is dropped', () => {
    const { turn } = rig();
    expect(() =>
      turn(
        { kind: 'send', dial: dialNumber(9), messages: [{ type: 'bye' }] },
        { kind: 'abandon', dial: dialNumber(9) },
      ),
    ).not.toThrow();
  });
});

describe('ticks', () => {
  it('the core is told of the end of a tick once, after all the calls of it, and what it then says leaves', async () => {
    const { core, turn, client } = rig();
    turn(dial(1));
    lastSocket().say('open');
    await tick();
    const before = core.ticks;
    core.atEndOfTick = () => [{ kind: 'send', dial: dialNumber(1), messages: [{ type: 'bye' }, { type: 'bye' }] }];
    void client.acquire('a');
    void client.acquire('b');
    expect(lastSocket().sent).toEqual([]);
    await tick();
    expect(core.ticks).toBe(before + 1);
    expect(lastSocket().sent).toEqual(['[{"type":"bye"},{"type":"bye"}]']);
  });
});

describe('order', () => {
  it('R13 people hear first, then the platform does its part, in order, also when a listener makes a turn of its own', () => {
    const { core, client, turn } = rig();
    const heard: string[] = [];
    client.on('status', ({ status }) => {
      heard.push(status, `${FakeSocket.made.length} sockets`);
      if (status === 'connecting') {
        core.once('list', () => [{ kind: 'status', status: 'backing-off', failure: null }]);
        void client.inspect('inner');
        heard.push('inner call over');
      }
    });
    turn({ kind: 'status', status: 'connecting', failure: null }, dial(1), {
      kind: 'status',
      status: 'open',
      failure: null,
    });
    expect(heard).toEqual([
      'connecting',
      '0 sockets',
      'open',
      '0 sockets',
      'backing-off',
      '0 sockets',
      'inner call over',
    ]);
    expect(FakeSocket.made).toHaveLength(1);
  });

  it('what an inner call sends goes behind what the outer one had to send', () => {
    const { core, client, turn } = rig();
    turn(dial(1));
    lastSocket().say('open');
    const sends = (request: string): Effect => ({
      kind: 'send',
      dial: dialNumber(1),
      messages: [{ type: 'cancel', request: requestId(request) }],
    });
    client.on('status', () => {
      core.once('list', () => [sends('inner')]);
      void client.inspect('x');
    });
    turn({ kind: 'status', status: 'open', failure: null }, sends('outer'));
    expect(lastSocket().sent).toEqual([expect.stringContaining('outer'), expect.stringContaining('inner')]);
  });

  it('an event of a claim that nobody knows is ignored', () => {
    const { turn } = rig();
    expect(() => turn({ kind: 'lease', key: requestId('nobody'), news: { kind: 'recovered' } })).not.toThrow();
  });
});
