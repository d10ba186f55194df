import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Lease } from '../../../../client/runtime/public-lease.ts';
import { deferred, releasing } from './run-support.ts';
import { failure, grant, rig } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

describe('run: close', () => {
  async function closing(drainMs?: number) {
    const rigged = releasing();
    const work = deferred<string>();
    const leases: Lease[] = [];
    const result = rigged.client.run('report', (lease) => (leases.push(lease), work.promise));
    result.catch(() => undefined);
    await vi.waitFor(() => expect(leases).toHaveLength(1));
    const closed = rigged.client.close({ drainMs });
    return { ...rigged, work, lease: leases[0] as Lease, result, closed };
  }

  it('the signal aborts, the lease is kept until the work has settled, and run resolves as the work does', async () => {
    const { core, lease, work, result, closed } = await closing();
    expect(core.heard('close')).toEqual([{ kind: 'close', keep: [core.heard('acquire')[0]?.key] }]);
    expect(lease.signal.reason).toMatchObject({ name: 'LeaseLostError', code: 'closed', retryable: false });
    expect(lease.status).toBe('held');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(core.heard('close-now')).toEqual([]);
    work.resolve('finished');
    await expect(result).resolves.toBe('finished');
    await closed;
    expect(core.heard('release')).toHaveLength(1);
    expect(core.heard('close-now')).toHaveLength(1);
  });

  it('after drainMs it ends whatever goes on, and run rejects with the loss', async () => {
    const { core, lease, result, closed, work } = await closing(300);
    const key = core.heard('acquire')[0]?.key as never;
    core.once(
      'close-now',
      () => (core.leases.delete(key), [{ kind: 'lease', key, news: { kind: 'lost', code: 'closed', attempts: [] } }]),
    );
    await vi.advanceTimersByTimeAsync(299);
    expect(core.heard('close-now')).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    await closed;
    expect(lease.status).toBe('lost');
    work.resolve('late');
    await expect(result).rejects.toMatchObject({ code: 'closed' });
  });

  it('close waits for no longer than its own drainMs: run rejects then, though its own is longer and its function goes on', async () => {
    const { core, result, closed } = await closing(300);
    const key = core.heard('acquire')[0]?.key as never;
    core.once(
      'close-now',
      () => (core.leases.delete(key), [{ kind: 'lease', key, news: { kind: 'lost', code: 'closed', attempts: [] } }]),
    );
    const settled = vi.fn();
    result.catch(settled);
    await vi.advanceTimersByTimeAsync(299);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    await closed;
    expect(settled).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'closed' }));
  });

  it('a work that has settled, and waits only for the answer to its release, resolves with its value', async () => {
    const { core, result, closed, work } = await closing(300);
    let reference: unknown;
    core.once('release', (event) => ((reference = event.reference), []));
    work.resolve('done');
    await vi.advanceTimersByTimeAsync(10);
    core.once('close-now', () => [
      {
        kind: 'settle',
        reference: reference as never,
        outcome: { kind: 'released', released: true, code: undefined },
      },
    ]);
    await vi.advanceTimersByTimeAsync(300);
    await closed;
    await expect(result).resolves.toBe('done');
  });

  it('so does a work without protection that ignores its signal', async () => {
    const { core, client } = rig();
    core.answer = (event) =>
      event.kind === 'acquire'
        ? [{ kind: 'claim', key: event.key, outcome: { kind: 'failed', failure: failure() } }]
        : [];
    const work = vi.fn(() => new Promise(() => undefined));
    const settled = vi.fn();
    client.run('report', { ifUnavailable: 'run', waitMs: 0 }, work).catch(settled);
    await vi.waitFor(() => expect(work).toHaveBeenCalled());
    const closed = client.close({ drainMs: 300 });
    await vi.advanceTimersByTimeAsync(301);
    await closed;
    expect(settled).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'closed' }));
  });

  it('a work without protection gets its signal aborted, and is waited for', async () => {
    const { core, client } = rig();
    core.answer = (event) =>
      event.kind === 'acquire'
        ? [{ kind: 'claim', key: event.key, outcome: { kind: 'failed', failure: failure() } }]
        : [];
    const ended = deferred<void>();
    let signal: AbortSignal | undefined;
    const result = client.run('report', { ifUnavailable: 'run', waitMs: 0 }, async (lease) => {
      signal = lease.signal;
      await ended.promise;
    });
    await vi.waitFor(() => expect(signal).toBeDefined());
    const closed = client.close();
    expect(signal?.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(100);
    expect(core.heard('close-now')).toEqual([]);
    ended.resolve();
    await result;
    await closed;
    expect(core.heard('close-now')).toHaveLength(1);
  });

  it('a lease whose grant crosses the close is not worked under', async () => {
    const rigged = releasing();
    const { core, client } = rigged;
    core.answer = () => [];
    const work = vi.fn();
    const result = client.run('report', work);
    result.catch(() => undefined);
    const key = core.heard('acquire')[0]?.key as never;
    rigged.turn(...grant(core, key), { kind: 'lease', key, news: { kind: 'released' } });
    await expect(result).rejects.toMatchObject({ code: 'released' });
    expect(work).not.toHaveBeenCalled();
  });
});
