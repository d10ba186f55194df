import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeClient } from '../../../../client/runtime/client.ts';
import type { ConnectOptions } from '../../../../client/runtime/public-options.ts';
import { dialNumber, type Outcome } from '../../../../client/core/types.ts';
import { fencingToken, leaseName } from '../../../../shared/ids.ts';
import { failure, FakeSocket, grant, lastSocket, rig, ScriptedCore } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

describe('connect', () => {
  it('does nothing before the first use: no core, no socket, no timer', () => {
    FakeSocket.made = [];
    const makeCore = vi.fn(() => new ScriptedCore());
    const client = makeClient(makeCore, 'ws://a.test', { WebSocket: FakeSocket });
    client.on('status', () => undefined);
    expect(client.status).toBe('idle');
    expect(makeCore).not.toHaveBeenCalled();
    expect(FakeSocket.made).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives the core what was asked, and defaults for the rest', () => {
    const { core, turn } = rig({
      label: 'tab 42',
      metadata: { host: 'a' },
      connectTimeoutMs: 500,
      maxBackoffMs: 600,
      idleMs: 0,
    });
    turn();
    expect(core.settings).toMatchObject({
      urls: ['ws://coordinator.test'],
      label: 'tab 42',
      metadata: { host: 'a' },
      connectTimeoutMs: 500,
      maxBackoffMs: 600,
      idleMs: 0,
      pingMs: undefined,
    });
    const other = rig();
    other.turn();
    expect(other.core.settings).toMatchObject({
      label: '',
      metadata: undefined,
      connectTimeoutMs: 5_000,
      maxBackoffMs: 8_000,
      idleMs: 1_000,
    });
    expect(other.core.settings?.instance).toMatch(/^[0-9a-f]{32}$/);
    expect(other.core.settings?.instance).not.toBe(core.settings?.instance);
  });

  it.each([
    ['http://a.test:7400/', 'ws://a.test:7400'],
    ['https://a.test/base//', 'wss://a.test/base'],
    ['ws://[::1]:7400', 'ws://[::1]:7400'],
  ])('a URL %s is dialled as %s', (given, dialled) => {
    const core = new ScriptedCore();
    let urls: readonly string[] = [];
    const client = makeClient((settings) => ((urls = settings.urls), core), given, { WebSocket: FakeSocket });
    void client.ready();
    expect(urls).toEqual([dialled]);
  });

  it.each([
    ['localhost:7400', '"localhost:7400"'],
    ['', '""'],
    ['ftp://a.test', '"ftp://a.test"'],
    ['ws://a.test?x=1', '"ws://a.test?x=1"'],
    ['ws://a.test#x', '"ws://a.test#x"'],
    ['ws://user:secret@a.test', '"ws://user:secret@a.test"'],
    ['ws://a.test:99999', '"ws://a.test:99999"'],
    ['ws:// a', '"ws:// a"'],
  ])('S10 a URL that cannot be dialled is refused with its value: %s', (given, shown) => {
    expect(() => makeClient(() => new ScriptedCore(), given, { WebSocket: FakeSocket })).toThrow(
      expect.objectContaining({
        code: 'bad-request',
        param: 'url',
        message: expect.stringContaining(`url is ${shown}; allowed: ws://`) as string,
      }),
    );
  });

  it('an empty list of URLs is refused', () => {
    expect(() => makeClient(() => new ScriptedCore(), [], { WebSocket: FakeSocket })).toThrow(/url is a list; allowed/);
  });

  it('a runtime without WebSocket is told how to get one', () => {
    vi.stubGlobal('WebSocket', undefined);
    expect(() => makeClient(() => new ScriptedCore(), 'ws://a.test', {})).toThrow(/options\.WebSocket, or use Node 22/);
    vi.unstubAllGlobals();
  });
});

describe('credential', () => {
  const asked = async (credential: ConnectOptions['credential']): Promise<unknown> => {
    const { core, turn } = rig({ credential });
    turn({ kind: 'ask-credential', dial: dialNumber(3) });
    await vi.waitFor(() => expect(core.events.at(-1)?.kind).toMatch(/^credential/));
    return core.events.at(-1);
  };

  it.each([
    ['none', undefined, undefined],
    ['a text', 'secret', 'secret'],
    ['a function', () => 'made', 'made'],
    ['a function that takes time', async () => 'fetched', 'fetched'],
  ])('%s', async (_title, credential, text) => {
    expect(await asked(credential)).toEqual({ kind: 'credential', dial: 3, credential: text });
  });

  it('a function that throws is a credential that failed, with its cause', async () => {
    const cause = new Error('no network');
    expect(await asked(() => Promise.reject(cause))).toEqual({ kind: 'credential-failed', dial: 3, cause });
    expect(
      await asked(() => {
        throw cause;
      }),
    ).toEqual({ kind: 'credential-failed', dial: 3, cause });
  });

  it('one that is no text, or over 8 KiB, has failed in words', async () => {
    expect(await asked(() => 'x'.repeat(8_193))).toMatchObject({
      kind: 'credential-failed',
      cause: { code: 'bad-request', param: 'credential' },
    });
    expect(await asked(() => null as never)).toMatchObject({
      kind: 'credential-failed',
      cause: { code: 'bad-request' },
    });
    expect(await asked(() => 'x'.repeat(8_192))).toMatchObject({ kind: 'credential' });
  });
});

describe('questions', () => {
  const settleWith = (outcome: Outcome) => (event: { readonly reference: never } | { readonly reference: unknown }) =>
    [{ kind: 'settle', reference: event.reference as never, outcome }] as const;

  it('ready resolves when the core says so', async () => {
    const { core, client } = rig();
    core.once('ready', settleWith({ kind: 'done' }));
    await expect(client.ready()).resolves.toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [undefined, 5_000],
    [250, 250],
  ])('S10 ready with timeoutMs %s rejects unavailable after %s ms, and the core is told', async (timeoutMs, ms) => {
    const { core, client } = rig();
    core.status = 'backing-off';
    core.once('give-up', () => ((core.status = 'idle'), []));
    const ready = client.ready({ timeoutMs });
    vi.advanceTimersByTime(ms - 1);
    expect(core.heard('give-up')).toEqual([]);
    vi.advanceTimersByTime(1);
    await expect(ready).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
      message: expect.stringMatching(new RegExp(`${ms} ms \\(status backing-off\\)`)) as string,
    });
    expect(core.heard('give-up')).toEqual([{ kind: 'give-up', reference: core.heard('ready')[0]?.reference }]);
  });

  it('ready rejects with what the core refuses, its cause included', async () => {
    const { core, client } = rig();
    core.once(
      'ready',
      settleWith({
        kind: 'failed',
        failure: failure({
          code: 'refused',
          message: 'for good',
          retryable: false,
          cause: failure({ code: 'unauthorized' }),
        }),
      }),
    );
    await expect(client.ready()).rejects.toMatchObject({ code: 'refused', cause: { code: 'unauthorized' } });
  });

  it('inspect asks for exactly one name and fills in what the wire leaves out', async () => {
    const { core, client } = rig();
    core.once(
      'list',
      settleWith({ kind: 'views', views: [{ name: leaseName('printer'), holders: [], queue: 2 }], next: undefined }),
    );
    await expect(client.inspect('printer')).resolves.toEqual({
      name: 'printer',
      holders: [],
      queue: 2,
      state: null,
      lastFencingToken: null,
    });
    expect(core.heard('list')).toMatchObject([{ name: 'printer', limit: 1 }]);
  });

  it('inspect passes on what the wire has', async () => {
    const { core, client } = rig();
    const view = {
      name: leaseName('printer'),
      holders: [],
      queue: 0,
      state: { value: 1, version: 4, fencingToken: fencingToken(9) },
      lastFencingToken: fencingToken(9),
    };
    core.once('list', settleWith({ kind: 'views', views: [view], next: undefined }));
    await expect(client.inspect('printer')).resolves.toEqual(view);
  });

  it.each<[object]>([[{ timeoutMs: 0 }], [{ timeoutMs: 1.5 }], [{ timeout: 5 }]])(
    'S10 odd options of ready and inspect are refused: %j',
    async (given) => {
      const { client, core } = rig();
      await expect(client.ready(given)).rejects.toMatchObject({ code: 'bad-request' });
      await expect(client.inspect('printer', given)).rejects.toMatchObject({ code: 'bad-request' });
      await expect(client.inspect('..')).rejects.toMatchObject({ code: 'bad-request', param: 'name' });
      expect(core.events).toEqual([]);
    },
  );
});

describe('acquire', () => {
  it('hands the core the terms and resolves with the lease of its grant', async () => {
    const { core, client } = rig();
    const lease = await client.acquire('printer', { ttlMs: 10_000, waitMs: 5_000 });
    expect(core.heard('acquire')[0]?.terms).toMatchObject({
      name: 'printer',
      ttlMs: 10_000,
      waitMs: 5_000,
      renew: true,
      whenOwn: 'queue',
      steal: false,
    });
    expect(lease).toMatchObject({
      name: 'printer',
      fencingToken: 7,
      ttlMs: 30_000,
      mode: 'exclusive',
      protected: true,
    });
  });

  it('waits without limit by default, with the TTL of the client', async () => {
    const { core, client } = rig({ ttlMs: 12_000 });
    await client.acquire('printer');
    expect(core.heard('acquire')[0]?.terms).toMatchObject({ ttlMs: 12_000, waitMs: null });
  });

  it('every claim has a key of its own', async () => {
    const { core, client } = rig();
    for (let count = 0; count < 3; count += 1) await client.acquire('printer');
    const keys = core.heard('acquire').map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).not.toMatch(/^#/);
  });

  it('S10 a wait that times out rejects with its place', async () => {
    const { core, client } = rig();
    core.once('acquire', ({ key }) => [
      { kind: 'claim', key, outcome: { kind: 'failed', failure: failure({ code: 'wait-timeout', position: 3 }) } },
    ]);
    await expect(client.acquire('printer', { waitMs: 10 })).rejects.toMatchObject({
      name: 'WaitTimeoutError',
      code: 'wait-timeout',
      queue: { position: 3 },
    });
  });

  it('tells the place in the queue, and a callback that throws is a warning', async () => {
    const { core, client } = rig();
    const warnings: string[] = [];
    client.on('warning', ({ code }) => void warnings.push(code));
    const info = { position: 2, behind: 'other', holder: 'b', heldForMs: 10, remainingMs: 20 } as const;
    core.once('acquire', ({ key }) => [{ kind: 'queued', key, ...info }, ...grant(core, key)]);
    const onQueued = vi.fn(() => {
      throw new Error('broken');
    });
    await client.acquire('printer', { onQueued });
    expect(onQueued).toHaveBeenCalledWith(expect.objectContaining(info));
    expect(warnings).toEqual(['listener']);
  });

  it('an abort withdraws the claim and rejects with the reason of the signal', async () => {
    const { core, client } = rig();
    core.answer = () => [];
    const controller = new AbortController();
    const claim = client.acquire('printer', { signal: controller.signal });
    controller.abort('enough');
    await expect(claim).rejects.toBe('enough');
    expect(core.heard('withdraw')).toEqual([{ kind: 'withdraw', key: core.heard('acquire')[0]?.key }]);
  });

  it('a signal that is aborted already asks nobody', async () => {
    const { core, client } = rig();
    await expect(client.acquire('printer', { signal: AbortSignal.abort('no') })).rejects.toBe('no');
    expect(core.events).toEqual([]);
  });

  it('an abort after the grant does nothing', async () => {
    const { core, client } = rig();
    const controller = new AbortController();
    const lease = await client.acquire('printer', { signal: controller.signal });
    controller.abort();
    expect(core.heard('withdraw')).toEqual([]);
    expect(lease.signal.aborted).toBe(false);
  });

  it('tryAcquire is null only when the coordinator said that the name is not free', async () => {
    const { core, client } = rig();
    core.once('acquire', ({ key }) => [
      { kind: 'claim', key, outcome: { kind: 'failed', failure: failure({ code: 'wait-timeout' }) } },
    ]);
    await expect(client.tryAcquire('printer')).resolves.toBeNull();
    expect(core.heard('acquire')[0]?.terms.waitMs).toBe(0);
    core.once('acquire', ({ key }) => [{ kind: 'claim', key, outcome: { kind: 'failed', failure: failure() } }]);
    await expect(client.tryAcquire('printer')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(client.tryAcquire('printer')).resolves.toMatchObject({ fencingToken: 7 });
  });

  it('F29 a rejection that nobody awaits is not reported as unhandled', async () => {
    const { core, client } = rig();
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    core.answer = (event) => {
      if (event.kind === 'acquire')
        return [{ kind: 'claim', key: event.key, outcome: { kind: 'failed', failure: failure() } }];
      return 'reference' in event
        ? [{ kind: 'settle', reference: event.reference, outcome: { kind: 'failed', failure: failure() } }]
        : [];
    };
    void client.acquire('printer');
    void client.tryAcquire('printer');
    void client.inspect('printer');
    void client.ready();
    void client.acquire('', {});
    vi.useRealTimers();
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('warnings and status', () => {
  it('status changes carry why', () => {
    const { client, turn } = rig();
    const heard: unknown[] = [];
    client.on('status', (change) => heard.push(change));
    turn(
      { kind: 'status', status: 'open', failure: null },
      { kind: 'status', status: 'backing-off', failure: failure() },
    );
    expect(heard).toEqual([
      { status: 'open', error: null },
      { status: 'backing-off', error: expect.objectContaining({ code: 'unavailable' }) as unknown },
    ]);
  });

  it('the status is that of the core at the moment of reading', () => {
    const { core, client, turn } = rig();
    turn();
    core.status = 'backing-off';
    expect(client.status).toBe('backing-off');
  });

  it('warnings reach listeners and the logger', () => {
    const warn = vi.fn();
    const { client, turn } = rig({ logger: { warn } });
    const heard: unknown[] = [];
    client.on('warning', (warning) => heard.push(warning));
    turn({ kind: 'warning', code: 'stalled', text: 'stalled for 4,500 ms' });
    expect(heard).toEqual([{ code: 'stalled', message: 'stalled for 4,500 ms' }]);
    expect(warn).toHaveBeenCalledWith({ code: 'stalled' }, 'stalled for 4,500 ms');
  });

  it('a listener that throws, or rejects, goes to warning and stops no other', async () => {
    const { client, turn } = rig();
    const cause = new Error('mine');
    const warnings: unknown[] = [];
    const after = vi.fn();
    client.on('warning', (warning) => warnings.push(warning.cause));
    client.on('status', () => {
      throw cause;
    });
    // People do this, though the type says that nobody waits for it.
    const asynchronous: () => unknown = () => Promise.reject(cause);
    client.on('status', asynchronous);
    client.on('status', after);
    turn({ kind: 'status', status: 'open', failure: null });
    expect(after).toHaveBeenCalledOnce();
    await vi.waitFor(() => expect(warnings).toEqual([cause, cause]));
  });

  it('a listener of warnings that throws goes to the logger alone, and a logger that throws nowhere', async () => {
    const warn = vi.fn(() => {
      throw new Error('disk full');
    });
    const { client, turn } = rig({ logger: { warn } });
    const listener = vi.fn(() => {
      throw new Error('mine');
    });
    client.on('warning', listener);
    turn({ kind: 'warning', code: 'waiting', text: 'w' });
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(2));
    expect(listener).toHaveBeenCalledOnce();
  });

  it('a listener that was taken away is not called, not even by the event in which another takes it away', () => {
    const { client, turn } = rig();
    const second = vi.fn();
    client.on('status', () => off());
    const off = client.on('status', second);
    turn({ kind: 'status', status: 'open', failure: null });
    expect(second).not.toHaveBeenCalled();
  });

  it('bad frames are warned of at the 1st, 2nd, 4th, 8th', () => {
    const { client, turn } = rig();
    const messages: string[] = [];
    client.on('warning', ({ code, message }) => void (code === 'bad-frame' && messages.push(message)));
    turn({ kind: 'dial', dial: dialNumber(1), url: 'ws://a.test' });
    lastSocket().say('open');
    for (let count = 0; count < 9; count += 1) lastSocket().say('message', { data: 'garbage' });
    expect(messages.map((text) => text.split(' ')[0])).toEqual(['1', '2', '4', '8']);
  });
});

describe('renewWhile', () => {
  it('is asked before each turn that could renew; after a no the lease is renewed no more, and nobody asks again', async () => {
    const { core, client, turn } = rig();
    let go = true;
    const renewWhile = vi.fn(() => go);
    await client.acquire('printer', { renewWhile });
    turn({ kind: 'dial', dial: dialNumber(1), url: 'ws://a.test' });
    lastSocket().say('open');
    expect(core.heard('stop-renewing')).toEqual([]);
    go = false;
    lastSocket().say('message', { data: '{"type":"draining","retryAfterMs":1}' });
    expect(core.events.slice(-2).map(({ kind }) => kind)).toEqual(['stop-renewing', 'socket-frame']);
    lastSocket().say('message', { data: '{"type":"draining","retryAfterMs":1}' });
    expect(core.heard('stop-renewing')).toHaveLength(1);
    expect(renewWhile).toHaveBeenCalledTimes(2);
  });

  it('one that throws has said no', async () => {
    const { core, client } = rig();
    core.wake = performance.now() + 10;
    await client.acquire('printer', {
      renewWhile: () => {
        throw new Error('broken');
      },
    });
    core.wake = null;
    vi.advanceTimersByTime(10);
    expect(core.heard('stop-renewing')).toHaveLength(1);
  });

  it('F38 is not asked of a lease that is over', async () => {
    const { core, client, turn } = rig();
    const renewWhile = vi.fn(() => true);
    await client.acquire('printer', { renewWhile });
    turn({
      kind: 'lease',
      key: core.heard('acquire')[0]?.key as never,
      news: { kind: 'lost', code: 'expired', attempts: [] },
    });
    core.wake = performance.now();
    turn();
    core.wake = null;
    vi.advanceTimersByTime(1);
    expect(renewWhile).not.toHaveBeenCalled();
  });
});

describe('close', () => {
  it('says close, waits for nothing where nothing is held, and then close-now', async () => {
    const { core, client } = rig();
    await client.close();
    expect(core.events).toEqual([{ kind: 'close', keep: [] }, { kind: 'close-now' }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is the same promise each time', async () => {
    const { core, client } = rig();
    const first = client.close();
    expect(client.close({ drainMs: 1 })).toBe(first);
    await first;
    expect(client.close()).toBe(first);
    expect(core.heard('close-now')).toHaveLength(1);
  });

  it('is what await using does', async () => {
    const { core, client } = rig();
    await client[Symbol.asyncDispose]();
    expect(core.heard('close-now')).toHaveLength(1);
  });

  it('waits for the answers to its releases, at most 500 ms', async () => {
    const { core, client } = rig();
    core.idle = false;
    const closed = vi.fn();
    void client.close().then(closed);
    await vi.advanceTimersByTimeAsync(499);
    expect(core.heard('close-now')).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(core.heard('close-now')).toHaveLength(1);
    expect(closed).toHaveBeenCalledOnce();
  });

  it('goes on as soon as the last answer has come', async () => {
    const { core, client, turn } = rig();
    core.idle = false;
    const closed = client.close();
    await vi.advanceTimersByTimeAsync(10);
    core.idle = true;
    turn();
    await closed;
    expect(core.heard('close-now')).toHaveLength(1);
  });

  it('S10 a drain that is out of range is refused, and nothing is closed', async () => {
    const { core, client } = rig();
    await expect(client.close({ drainMs: -1 })).rejects.toMatchObject({ code: 'bad-request', param: 'drainMs' });
    expect(core.events).toEqual([]);
    await client.close({ drainMs: 0 });
    expect(core.heard('close')).toHaveLength(1);
  });

  it('leaves bare leases out of what is kept', async () => {
    const { core, client } = rig();
    await client.acquire('printer');
    await client.close();
    expect(core.heard('close')).toEqual([{ kind: 'close', keep: [] }]);
  });
});
