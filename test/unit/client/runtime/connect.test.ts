import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeClient } from '../../../../client/runtime/client.ts';
import type { ConnectOptions } from '../../../../client/runtime/public-options.ts';
import { dialNumber } from '../../../../client/core/types.ts';
import { FakeSocket, rig, ScriptedCore } from './support.ts';

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
      label: expect.stringContaining(`:${process.pid}`) as string,
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
    [new URL('http://a.test:7400'), 'ws://a.test:7400'],
    [[new URL('ws://a.test/base')], 'ws://a.test/base'],
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

  it.each([
    'ws://a.test?pw',
    'ws://a.test#pw',
    'ws://user:pw@a.test',
    'ws://pw@a.test/?pw',
    'ws://us/er:p?w@pw@a.test#pw',
    'user:pw@a.test',
    new URL('ws://user:pw@a.test?pw'),
    ['ws://user:pw@a.test'],
  ])('S10 user info, query and fragment of a URL are refused and not shown: %s', (given) => {
    const attempt = () => makeClient(() => new ScriptedCore(), given, { WebSocket: FakeSocket });
    expect(attempt).toThrow(
      /^url is "(ws:\/\/)?(\*\*\*@)?a\.test\/?([?#]\*\*\*)?"; allowed: .*host, port and path alone \(a secret is a credential\)/,
    );
    expect(attempt).not.toThrow(/pw/);
  });

  it('S10 of a credential that is refused nothing is shown but its type or length', () => {
    expect(() => rig({ credential: 'pw'.repeat(5_000) })).toThrow(/^credential is 10000 bytes; allowed: at most 8192$/);
    expect(() => rig({ credential: 4711 as never })).toThrow(/^credential is number; allowed: string or function$/);
  });

  it('an empty list of URLs is refused', () => {
    expect(() => makeClient(() => new ScriptedCore(), [], { WebSocket: FakeSocket })).toThrow(
      /^url is an empty list; allowed/,
    );
  });

  it('what the caller does to its options afterwards changes nothing', () => {
    const metadata = { host: 'a' };
    const options = { metadata, label: 'one' };
    const { core, turn } = rig(options);
    metadata.host = 'b';
    options.label = 'two';
    turn();
    expect(core.settings).toMatchObject({ metadata: { host: 'a' }, label: 'one' });
  });

  it('S10 a listener that is none, and an event that nobody tells, are refused with the nearest', () => {
    const { client } = rig();
    expect(() => client.on('warn' as never, () => undefined)).toThrow(
      expect.objectContaining({ code: 'bad-request', message: 'no such event "warn"; did you mean "warning"?' }),
    );
    expect(() => client.subscribe(undefined as never)).toThrow(/^listener is undefined; allowed: function$/);
    expect(() => client.on('status', undefined as never)).toThrow(/^listener is undefined; allowed: function$/);
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
