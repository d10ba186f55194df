import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Socket } from '../../../../client/runtime/socket.ts';
import { Transport } from '../../../../client/runtime/transport.ts';
import type { ConnectOptions } from '../../../../client/runtime/public-options.ts';
import type { ToWorker } from '../../../../client/shared-worker/messages.ts';
import { FakeLocks, FakeSharedWorker } from '../shared-worker/fake-browser.ts';
import { FakeSocket, lastSocket } from './support.ts';

const URL_OF_SOCKET = 'wss://a.test/v1/socket';
const WORKER_LOCK = 'leasehold-worker';
let locks = new FakeLocks();
let endWorker: () => void = () => undefined;

beforeEach(() => {
  FakeSocket.made = [];
  FakeSharedWorker.made = [];
  locks = new FakeLocks();
  endWorker = locks.hold(WORKER_LOCK);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 1_000 });
  vi.stubGlobal('SharedWorker', FakeSharedWorker);
  vi.stubGlobal('navigator', { locks });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function rig(share: ConnectOptions['share'] = 'shared-worker') {
  const over: string[] = [];
  const alone: string[] = [];
  const told: string[] = [];
  const transport = new Transport({
    makeSocket: FakeSocket,
    share,
    goesOver: (name) => over.push(name),
    alone: (problem) => alone.push(problem),
  });
  const dial = (): Socket =>
    transport.open(URL_OF_SOCKET, {
      opened: () => told.push('opened'),
      heard: (messages) => told.push(...messages.map(({ type }) => type)),
      closed: (code, reason) => told.push(`closed ${code} ${reason}`),
      bad: (problem) => told.push(`bad ${problem}`),
    });
  return { over, alone, told, dial };
}

const settled = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0));

async function worker(): Promise<FakeSharedWorker> {
  // The part that talks to the worker is loaded first, which no fake timer hastens.
  return vi.waitFor(() => {
    const made = FakeSharedWorker.made.at(-1);
    if (made === undefined || made.posted.length === 0) throw new Error('no worker was asked');
    return made;
  });
}

/** A dial that the worker has taken, and whose socket is open. */
async function shared() {
  const client = rig();
  const socket = client.dial();
  const made = await worker();
  made.says({ kind: 'taken', lock: WORKER_LOCK });
  await settled();
  made.says({ kind: 'opened' });
  return { ...client, socket, made };
}

describe('with `share`', () => {
  it('a dial asks the worker beside the built file, under a lock that the tab holds', async () => {
    const { dial, over } = rig();
    dial();
    const { script, options, posted } = await worker();
    expect(script).toMatch(/\/shared-worker\.js$/);
    expect(options).toEqual({ name: 'leasehold.v1', type: 'module' });
    const lock = expect.stringMatching(/^leasehold-tab-/) as unknown;
    expect(posted).toEqual([{ kind: 'dial', url: URL_OF_SOCKET, lock }]);
    expect(over).toEqual([]);
    expect(FakeSocket.made).toEqual([]);
  });

  it('the worker is where `{ worker }` says', async () => {
    rig({ worker: '/assets/worker-1f2e.js' }).dial();
    expect((await worker()).script).toBe('/assets/worker-1f2e.js');
  });

  it('a dial that the worker has taken is a socket like any other', async () => {
    const { over, told, socket, made } = await shared();
    socket.send([{ type: 'bye' }]);
    made.says('{"type":"draining","retryAfterMs":5}');
    made.says({ kind: 'closed', code: 1001, reason: 'draining' });
    expect(over).toEqual(['shared-worker']);
    expect(made.posted.slice(1)).toEqual(['{"type":"bye"}']);
    expect(told).toEqual(['opened', 'draining', 'closed 1001 draining']);
  });

  it('one that is closed here says so, and lets go of both locks', async () => {
    const { told, socket, made } = await shared();
    const { lock } = made.posted[0] as Extract<ToWorker, { readonly kind: 'dial' }>;
    expect([locks.waiting(lock), locks.waiting(WORKER_LOCK)]).toEqual([1, 2]);
    socket.close();
    await settled();
    expect(made.posted.at(-1)).toEqual({ kind: 'close' });
    expect(made.portClosed).toBe(true);
    expect([locks.waiting(lock), locks.waiting(WORKER_LOCK)]).toEqual([0, 1]);
    expect(told).toEqual(['opened']);
  });

  it('one that is abandoned before the worker has answered is closed when it does', async () => {
    const { dial, over, told } = rig();
    const socket = dial();
    const made = await worker();
    socket.close();
    made.says({ kind: 'taken', lock: WORKER_LOCK });
    await settled();
    expect(made.posted.at(-1)).toEqual({ kind: 'close' });
    expect([over, told]).toEqual([[], []]);
  });
});

describe('a client with `share` goes on by itself, and says why', () => {
  const expectAlone = ({ over, alone, dial }: ReturnType<typeof rig>, problem: string): void => {
    expect(alone).toEqual([problem]);
    const workers = FakeSharedWorker.made.length;
    dial();
    expect(over.at(-1)).toBe('socket');
    expect(lastSocket().url).toBe(URL_OF_SOCKET);
    expect(FakeSharedWorker.made).toHaveLength(workers);
  };

  it('where there is no SharedWorker, without a word', () => {
    vi.stubGlobal('SharedWorker', undefined);
    Reflect.deleteProperty(globalThis, 'SharedWorker');
    const { dial, over, alone } = rig();
    dial();
    expect(over).toEqual(['socket']);
    expect(alone).toEqual([]);
  });

  it('where the worker does not answer within 1 s: within that same dial', async () => {
    const client = rig();
    client.dial();
    await worker();
    // To wait for the worker took a look or two of 50 ms.
    await vi.advanceTimersByTimeAsync(800);
    expect(FakeSocket.made).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(FakeSocket.made).toHaveLength(1);
    expect(client.told).toEqual([]);
    expectAlone(client, 'it has said nothing for 1000 ms');
  });

  it('also where that dial was abandoned before', async () => {
    const client = rig();
    const socket = client.dial();
    await worker();
    socket.close();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(FakeSocket.made).toEqual([]);
    expectAlone(client, 'it has said nothing for 1000 ms');
  });

  it('where its program cannot be loaded', async () => {
    const client = rig();
    client.dial();
    (await worker()).onerror?.();
    await settled();
    expectAlone(client, 'it cannot be loaded');
  });

  it('where the page has no Web Locks', async () => {
    vi.stubGlobal('navigator', {});
    const client = rig();
    client.dial();
    await vi.waitFor(() => expect(FakeSocket.made).toHaveLength(1));
    expectAlone(client, 'the page has no Web Locks');
  });

  it('when the worker ends: the socket is closed at once', async () => {
    const client = await shared();
    endWorker();
    await settled();
    expect(client.told).toEqual(['opened', 'closed 1006 the shared worker: it has ended']);
    expectAlone(client, 'it has ended');
  });

  it('when the worker may not connect', async () => {
    const client = await shared();
    client.made.says({ kind: 'useless', problem: 'its policy does not let it connect' });
    expectAlone(client, 'its policy does not let it connect');
  });

  it('when the worker has not heard a frame within 900 ms', async () => {
    const client = await shared();
    client.socket.send([{ type: 'bye' }]);
    await vi.advanceTimersByTimeAsync(800);
    client.socket.send([{ type: 'bye' }]);
    client.made.says({ kind: 'heard' });
    await vi.advanceTimersByTimeAsync(899);
    expect(client.told).toEqual(['opened']);
    await vi.advanceTimersByTimeAsync(1);
    expect(client.told.at(-1)).toBe('closed 1006 the shared worker: it has said nothing for 900 ms');
    expectAlone(client, 'it has said nothing for 900 ms');
  });

  it('when it has left a frame unheard and does not answer the next dial within 250 ms', async () => {
    const client = await shared();
    client.socket.send([{ type: 'bye' }]);
    await vi.advanceTimersByTimeAsync(300);
    client.socket.close();
    client.dial();
    // The part that talks to the worker is loaded by now.
    for (let turn = 0; turn < 5; turn += 1) await settled();
    expect(FakeSharedWorker.made).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(249);
    expect(client.alone).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expectAlone(client, 'it has said nothing for 250 ms');
  });

  it('not when every frame was heard, however long ago', async () => {
    const client = await shared();
    client.socket.send([{ type: 'bye' }]);
    client.made.says({ kind: 'heard' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(client.told).toEqual(['opened']);
  });

  it.each([1_000, 30_000])(
    'not by a timer that fires late (at %i ms): a page that stood still reads first',
    async (lateMs) => {
      const client = await shared();
      client.socket.send([{ type: 'bye' }]);
      // The clock goes on, and no timer fires: the next one is late.
      vi.setSystemTime(0);
      const real = performance.now();
      vi.spyOn(performance, 'now').mockImplementation(() => real + lateMs);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(client.told).toEqual(['opened']);
      client.made.says({ kind: 'heard' });
      await vi.advanceTimersByTimeAsync(5_000);
      expect(client.told).toEqual(['opened']);
      vi.restoreAllMocks();
    },
  );

  it('250 ms after a timer that fired late, where nothing had come in', async () => {
    const client = await shared();
    client.socket.send([{ type: 'bye' }]);
    vi.setSystemTime(0);
    const real = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => real + 1_000);
    await vi.advanceTimersByTimeAsync(1_149);
    expect(client.told).toEqual(['opened']);
    vi.mocked(performance.now).mockImplementation(() => real + 1_250);
    await vi.advanceTimersByTimeAsync(1);
    expectAlone(client, 'it has said nothing for 900 ms');
    vi.restoreAllMocks();
  });
});
