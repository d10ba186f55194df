import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeClientCore } from '../../../../client/core/client-core.ts';
import { makeClient } from '../../../../client/runtime/client.ts';
import type { Client } from '../../../../client/runtime/public-client.ts';
import type { ConnectOptions } from '../../../../client/runtime/public-options.ts';
import { FakeSocket, lastSocket, rig, tick } from './support.ts';

/** A page's window and document: their events, and who listens to them. */
class Target extends EventTarget {
  readonly listening: string[] = [];
  override addEventListener(...given: Parameters<EventTarget['addEventListener']>): void {
    const [type, , options] = given;
    this.listening.push(type);
    if (typeof options === 'object')
      options.signal?.addEventListener('abort', () => this.listening.splice(this.listening.indexOf(type), 1));
    super.addEventListener(...given);
  }
}
let page = new Target();
let frame = new Target();
/** Of the last grant. */
let token = 6;

beforeEach(() => {
  FakeSocket.made = [];
  token = 6;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: Date.UTC(2026, 11, 1) });
  page = new Target();
  frame = new Target();
  vi.stubGlobal('document', page);
  vi.stubGlobal('addEventListener', frame.addEventListener.bind(frame));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

interface Sent {
  readonly type: string;
  readonly frame?: number;
  readonly request?: string;
  readonly pingMs?: number;
}

const client = (options: ConnectOptions = {}): Client =>
  makeClient(makeClientCore, 'ws://a.test', { WebSocket: FakeSocket, ...options });
const sent = (socket = lastSocket()): Sent[][] =>
  // What the client sends is JSON of this shape; the expectations say the rest.
  socket.frames().map((one) => (Array.isArray(one) ? one : [one]) as Sent[]);
const types = (socket = lastSocket()): string[][] => sent(socket).map((one) => one.map(({ type }) => type));
const say = (message: object): void => lastSocket().say('message', { data: JSON.stringify(message) });

async function welcome(fields: object = {}): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
  lastSocket().say('open');
  await tick();
  const ids = { session: `s${FakeSocket.made.length}`, secret: 'secret', journal: 'j1' };
  const limits = { stateBytesMax: 65_536, frameBytesMax: 262_144 };
  const of = sent()[0]?.[0]?.frame;
  say({ type: 'welcome', frame: of, resumed: false, protocol: 1, held: [], more: false, ...ids, ...limits, ...fields });
  await tick();
}

function grant(): void {
  const one = sent().at(-1) ?? [];
  const request = one.find(({ type }) => type === 'acquire')?.request;
  const window = { leftMs: 30_000, ttlMs: 30_000, ceilingLeftMs: 86_400_000 };
  say({ type: 'granted', request, name: 'n', fencingToken: (token += 1), frame: one[0]?.frame, ...window });
}

async function holding() {
  const made = client();
  const claim = made.acquire('n');
  await welcome();
  grant();
  return { made, lease: await claim };
}

describe('a page that is put away', () => {
  it.each([
    ['pagehide', () => frame.dispatchEvent(new Event('pagehide'))],
    ['freeze', () => page.dispatchEvent(new Event('freeze'))],
  ])('F30 R13 at %s its leases are lost `closed`, and given back before the handler returns', async (_, stop) => {
    const { made, lease } = await holding();
    const order: string[] = [];
    lease.on('lost', ({ code }) => order.push(code));
    stop();
    expect(types().at(-1)).toEqual(['release', 'bye']);
    expect(lastSocket().closedWith).toEqual([1000]);
    expect(order).toEqual(['closed']);
    expect([lease.status, lease.signal.aborted, made.status]).toEqual(['lost', true, 'idle']);
  });

  it('what is lost says that the client goes on; where the client itself is closed it says nothing of a page', async () => {
    const { made, lease } = await holding();
    const lost = vi.fn();
    lease.on('lost', lost);
    frame.dispatchEvent(new Event('pagehide'));
    const text = /is lost: closed; the page was put away, and the client connects again when it is shown\. Stop/;
    const message = expect.stringMatching(text) as string;
    expect(lost).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'closed', retryable: true, message }));
    frame.dispatchEvent(new Event('pageshow'));
    const signals: AbortSignal[] = [];
    const closed = vi.fn();
    const result = made.run('n', ({ signal, on }) => {
      signals.push(signal);
      on('lost', closed);
      return new Promise(() => undefined);
    });
    result.catch(() => undefined);
    await welcome();
    grant();
    await tick();
    await vi.advanceTimersByTimeAsync(0);
    const over = made.close({ drainMs: 0 });
    await vi.advanceTimersByTimeAsync(1_000);
    await over;
    const final = { code: 'closed', retryable: false, message: expect.not.stringContaining('page') as string };
    expect(signals.map(({ reason }): unknown => reason)).toMatchObject([final]);
    expect(closed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(final));
  });

  it('hidden, then frozen, it says so once', async () => {
    await holding();
    frame.dispatchEvent(new Event('pagehide'));
    page.dispatchEvent(new Event('freeze'));
    expect(types().filter((one) => one.includes('bye'))).toHaveLength(1);
  });

  it('what was asked in the same tick leaves with it', async () => {
    const { made } = await holding();
    void made.inspect('a');
    frame.dispatchEvent(new Event('pagehide'));
    expect(types().at(-1)).toEqual(['list', 'release', 'bye']);
  });

  it('no timer and no late event makes it dial, whatever is asked meanwhile', async () => {
    const { made } = await holding();
    frame.dispatchEvent(new Event('pagehide'));
    lastSocket().say('close', { code: 1006 });
    void made.acquire('n');
    void made.inspect('n', { timeoutMs: 500 }).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(FakeSocket.made).toHaveLength(1);
    expect(made.status).toBe('idle');
  });

  it.each([
    ['pageshow', () => frame.dispatchEvent(new Event('pageshow'))],
    ['resume', () => page.dispatchEvent(new Event('resume'))],
  ])('after %s what stayed asked stands again on a new socket: claims under one promise, watches', async (_, goOn) => {
    const { made } = await holding();
    const claim = made.acquire('n');
    const views = made.watch('n');
    const view = views.next();
    await tick();
    frame.dispatchEvent(new Event('pagehide'));
    await vi.advanceTimersByTimeAsync(60_000);
    goOn();
    await welcome();
    expect(FakeSocket.made).toHaveLength(2);
    expect(types()[1]).toEqual(expect.arrayContaining(['acquire', 'watch']));
    const request = sent()[1]?.find(({ type }) => type === 'watch')?.request;
    grant();
    say({ type: 'view', request, views: [{ name: 'n', holders: [], queue: 0 }] });
    expect(await view).toMatchObject({ value: { name: 'n' } });
    expect((await claim).status).toBe('held');
    await views.return?.();
  });

  it('in the back/forward cache the socket of before is not waited for: its late close is no news', async () => {
    const { made } = await holding();
    const [first] = FakeSocket.made;
    frame.dispatchEvent(new Event('pagehide'));
    page.dispatchEvent(new Event('freeze'));
    page.dispatchEvent(new Event('resume'));
    frame.dispatchEvent(new Event('pageshow'));
    await welcome();
    first?.say('close', { code: 1006 });
    await tick();
    expect(FakeSocket.made).toHaveLength(2);
    expect(made.status).toBe('open');
  });

  it('pageshow at the first load does nothing', async () => {
    const made = client();
    void made.acquire('n');
    frame.dispatchEvent(new Event('pageshow'));
    await welcome();
    expect(FakeSocket.made).toHaveLength(1);
    expect(types()).toEqual([['hello'], ['acquire']]);
  });
});

describe('its listeners', () => {
  it('are added at the first use, and taken away at the close; never `unload` or `beforeunload`', async () => {
    const made = client();
    made.subscribe(() => undefined);
    expect([...frame.listening, ...page.listening]).toEqual([]);
    void made.ready();
    expect(frame.listening).toEqual(['pagehide', 'pageshow']);
    expect(page.listening).toEqual(['freeze', 'resume']);
    await welcome();
    await made.close();
    expect([...frame.listening, ...page.listening]).toEqual([]);
    frame.dispatchEvent(new Event('pagehide'));
    expect(made.status).toBe('closed');
  });

  it('there are none in a worker or a process', async () => {
    vi.stubGlobal('document', undefined);
    // `undefined` is still there; what counts is whether the runtime has it at all.
    Reflect.deleteProperty(globalThis, 'document');
    const made = client();
    void made.ready();
    await vi.advanceTimersByTimeAsync(0);
    expect(frame.listening).toEqual([]);
    void made.close();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(made.status).toBe('closed');
  });
});

const { process } = globalThis;

describe('a page', () => {
  it.each([
    [undefined, 5_000],
    [3_000, 500],
    [1_000, 500],
    [86_400_000, 15_000],
  ])('with a window of %s asks for pings every %s ms', async (ttlMs, pingMs) => {
    const made = client(ttlMs === undefined ? {} : { ttlMs });
    void made.ready();
    await welcome();
    expect(sent()[0]).toMatchObject([{ type: 'hello', pingMs }]);
    await made.close();
  });

  it.each([
    ['a page', undefined, 60_000],
    ['a process', process, 1_000],
  ])('%s, unless told otherwise, keeps an idle connection: a page for the next click', (_, here, idleMs) => {
    vi.stubGlobal('process', here);
    const { core, turn } = rig();
    turn();
    vi.stubGlobal('process', process);
    expect(core.settings?.idleMs).toBe(idleMs);
  });
});
