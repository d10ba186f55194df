import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeClientCore } from '../../../../client/core/client-core.ts';
import { makeClient } from '../../../../client/runtime/client.ts';
import type { Client } from '../../../../client/runtime/public-client.ts';
import type { ConnectOptions } from '../../../../client/runtime/public-options.ts';
import { FakeSocket, lastSocket, tick } from './support.ts';

/** The runtime over the core that people get, with a socket whose other end is this file. */
beforeEach(() => {
  FakeSocket.made = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: Date.UTC(2026, 11, 1) });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

interface Sent {
  readonly type: string;
  readonly frame?: number;
  readonly request?: string;
  readonly dial?: number;
}

const client = (options: ConnectOptions = {}): Client =>
  makeClient(makeClientCore, 'ws://a.test', { WebSocket: FakeSocket, ...options });
const framesOf = (socket: FakeSocket): Sent[][] =>
  // What the client sends is JSON of this shape; the expectations say the rest.
  socket.frames().map((frame) => (Array.isArray(frame) ? frame : [frame]) as Sent[]);
const sent = (): Sent[][] => framesOf(lastSocket());
const say = (...messages: object[]): void => lastSocket().say('message', { data: JSON.stringify(messages) });

async function welcome(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
  lastSocket().say('open');
  await tick();
  const frame = sent()[0]?.[0]?.frame;
  const limits = { stateBytesMax: 65_536, frameBytesMax: 262_144 };
  const session = {
    session: 's1',
    secret: 'secret',
    resumed: false,
    journal: 'j1',
    protocol: 1,
    held: [],
    more: false,
  };
  say({ type: 'welcome', frame, ...session, ...limits });
  await tick();
}

function grantAll(ttlMs = 30_000, firstToken = 7): void {
  const [last = []] = sent().slice(-1);
  const frame = last[0]?.frame;
  const claims = last.filter(({ type }) => type === 'acquire');
  claims.forEach(({ request }, index) =>
    say({
      type: 'granted',
      request,
      name: `n${index}`,
      fencingToken: firstToken + index,
      frame,
      leftMs: ttlMs,
      ttlMs,
      ceilingLeftMs: 86_400_000,
    }),
  );
}

describe('over the real core', () => {
  it('hello goes alone and first; what was asked before follows the welcome in one numbered frame', async () => {
    const one = client();
    const claims = [one.acquire('n0'), one.acquire('n1')];
    await welcome();
    expect(sent().map((frame) => frame.map(({ type }) => type))).toEqual([['hello'], ['acquire', 'acquire']]);
    expect(sent().map((frame) => frame.map(({ frame: number }) => number))).toEqual([[1], [2, undefined]]);
    grantAll();
    const leases = await Promise.all(claims);
    expect(leases.map(({ fencingToken, status }) => [fencingToken, status])).toEqual([
      [7, 'held'],
      [8, 'held'],
    ]);
  });

  it('calls of one tick leave as one frame', async () => {
    const one = client();
    void one.acquire('n0');
    await welcome();
    grantAll();
    void one.inspect('a');
    void one.inspect('b');
    void one.acquire('c');
    await tick();
    expect(
      sent()
        .at(-1)
        ?.map(({ type, frame }) => [type, frame]),
    ).toEqual([
      ['list', 3],
      ['list', undefined],
      ['acquire', undefined],
    ]);
  });

  it('F31 S6 a lease is lost at a reading, though no timer has run since its window was over', async () => {
    const one = client();
    const claim = one.acquire('n0', { ttlMs: 3_000 });
    await welcome();
    grantAll(3_000);
    const lease = await claim;
    const { signal } = lease;
    const stalledUntil = performance.now() + 4_500;
    const clock = vi.spyOn(performance, 'now').mockReturnValue(stalledUntil);
    const seen = lease.getSnapshot();
    expect(seen).toMatchObject({ status: 'lost', error: { code: 'missed-ack', attempts: [] } });
    expect([lease.status, lease.remainingMs, signal.aborted]).toEqual(['lost', 0, false]);
    await tick();
    expect(signal.reason).toBe(seen.error);
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'missed-ack' }));
    clock.mockRestore();
  });

  it('S10 an election at a dead address says so once, after 10 s, and whoever asks is told where it was tried', async () => {
    const one = client({ connectTimeoutMs: 500, namespace: 'acme' });
    const warnings: string[] = [];
    one.on('warning', ({ code, message }) => void warnings.push(`${code} ${message}`));
    const election = one.elect('jobs');
    const where = 'no answer from ws://a.test: is it running?';
    const asked = one.inspect('jobs', { timeoutMs: 700 }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(9_000);
    const message = expect.stringMatching(
      /^no coordinator answered within 700 ms \(status [a-z-]+\): no answer from ws:/,
    );
    expect(await asked).toMatchObject({ code: 'unavailable', retryable: true, message });
    expect(warnings).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('waiting "jobs" waits for its first view: no connection (');
    expect(warnings[0]).toContain(where);
    await election.stop();
  });

  it('F32 what was lost is acquired anew and renewed like the first', async () => {
    const one = client();
    const first = one.acquire('n0', { ttlMs: 3_000 });
    await welcome();
    grantAll(3_000);
    await first;
    await vi.advanceTimersByTimeAsync(3_000);
    expect((await first).status).toBe('lost');
    const second = one.acquire('n0', { ttlMs: 3_000 });
    lastSocket().say('close', { code: 1006 });
    await vi.advanceTimersByTimeAsync(8_000);
    await welcome();
    grantAll(3_000, 8);
    expect((await second).status).toBe('held');
    await vi.advanceTimersByTimeAsync(2_100);
    expect(
      sent()
        .at(-1)
        ?.map(({ type }) => type),
    ).toEqual(['renew']);
  });

  it('close gives back what is held, says bye, and closes the socket behind that', async () => {
    const one = client();
    const claim = one.acquire('n0');
    await welcome();
    grantAll();
    const lease = await claim;
    const closed = one.close();
    await tick();
    expect(lease.status).toBe('released');
    const release = sent().at(-1)?.[0];
    expect(release?.type).toBe('release');
    say({ type: 'released', request: release?.request, released: true });
    await closed;
    expect(sent().flat().at(-1)?.type).toBe('bye');
    expect(lastSocket().closedWith).toEqual([1000]);
    expect(one.status).toBe('closed');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(vi.getTimerCount()).toBe(0);
    expect(FakeSocket.made).toHaveLength(1);
  });

  it('F30 with nothing held the socket is closed after idleMs, no timer is left, and the next use dials again', async () => {
    const one = client({ idleMs: 1_000 });
    const ready = one.ready();
    await welcome();
    await ready;
    await vi.advanceTimersByTimeAsync(999);
    expect(lastSocket().closedWith).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(lastSocket().closedWith).toEqual([1000]);
    expect([one.status, vi.getTimerCount()]).toEqual(['idle', 0]);
    void one.acquire('n0');
    await vi.advanceTimersByTimeAsync(0);
    expect(FakeSocket.made).toHaveLength(2);
  });

  it('F30 a claim that waits keeps a timer, so that its process stays', async () => {
    void client().acquire('n0');
    await vi.advanceTimersByTimeAsync(0);
    lastSocket().say('error');
    await tick();
    expect(vi.getTimerCount()).toBe(1);
  });

  it('S10 tryAcquire rejects unavailable within connectTimeoutMs when nobody answers', async () => {
    const outcome = client({ connectTimeoutMs: 500 }).tryAcquire('n0');
    const settled = vi.fn();
    outcome.catch(settled);
    await vi.advanceTimersByTimeAsync(501);
    expect(settled).toHaveBeenCalledWith(expect.objectContaining({ code: 'unavailable' }));
  });

  it.each([
    ['Chrome/156.0.0.0 Safari/537.36', 10, 30],
    ['Firefox/153.0', 50, 130],
  ])(
    'Chromium holds dials back as failures add up, and there each is left alone longer: %s',
    async (name, least, most) => {
      vi.stubGlobal('navigator', { userAgent: `Mozilla/5.0 (X11; Linux x86_64) ${name}` });
      const one = client({ connectTimeoutMs: 500, maxBackoffMs: 500 });
      const claim = one.acquire('n0').catch(() => undefined);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(FakeSocket.made.length).toBeGreaterThan(least);
      expect(FakeSocket.made.length).toBeLessThan(most);
      await Promise.all([one.close({ drainMs: 0 }), vi.advanceTimersByTimeAsync(5_000), claim]);
    },
  );
});
