import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dialNumber } from '../../../../client/core/types.ts';
import { failure, grant, lastSocket, rig } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

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
    core.wake = performance.now() + 10;
    turn();
    await vi.advanceTimersByTimeAsync(10);
    expect(renewWhile).toHaveBeenCalledOnce();
    // Branded by the client; the scripted core takes any.
    turn({
      kind: 'lease',
      key: core.heard('acquire')[0]?.key as never,
      news: { kind: 'lost', code: 'expired', attempts: [] },
    });
    core.wake = performance.now() + 10;
    turn();
    await vi.advanceTimersByTimeAsync(10);
    expect(renewWhile).toHaveBeenCalledOnce();
  });
});
