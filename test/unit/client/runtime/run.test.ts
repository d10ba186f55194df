import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Lease } from '../../../../client/runtime/public-lease.ts';
import { deferred, kinds, lost, releasing } from './run-support.ts';
import { failure, news, rig } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

describe('run', () => {
  it('acquires, calls, releases when the work has settled, and resolves with its value', async () => {
    const rigged = releasing();
    const work = deferred<string>();
    const given: Lease[] = [];
    const result = rigged.client.run('report', (lease) => (given.push(lease), work.promise));
    await vi.waitFor(() => expect(given).toHaveLength(1));
    expect(given[0]).toMatchObject({ fencingToken: 7, protected: true });
    expect(kinds(rigged)).toEqual(['acquire']);
    work.resolve('done');
    await expect(result).resolves.toBe('done');
    expect(kinds(rigged)).toEqual(['acquire', 'release']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes options before the work, and a work that is not asynchronous', async () => {
    const rigged = releasing();
    await expect(rigged.client.run('report', { ttlMs: 10_000, drainMs: 0 }, () => 5)).resolves.toBe(5);
    expect(rigged.core.heard('acquire')[0]?.terms).toMatchObject({ ttlMs: 10_000, waitMs: null });
  });

  it('F38 a work that throws, or rejects, is released at once, with its error unchanged', async () => {
    const cause = new Error('mine');
    for (const work of [
      () => Promise.reject(cause),
      () => {
        throw cause;
      },
    ]) {
      const rigged = releasing();
      await expect(rigged.client.run('report', work)).rejects.toBe(cause);
      expect(kinds(rigged)).toEqual(['acquire', 'release']);
    }
  });

  it('rejects as the claim does, and does not call', async () => {
    const { core, client } = releasing();
    core.once('acquire', ({ key }) => [
      { kind: 'claim', key, outcome: { kind: 'failed', failure: failure({ code: 'forbidden' }) } },
    ]);
    const work = vi.fn();
    await expect(client.run('report', work)).rejects.toMatchObject({ code: 'forbidden' });
    expect(work).not.toHaveBeenCalled();
  });

  it('a work may release by itself', async () => {
    const rigged = releasing();
    await expect(rigged.client.run('report', async (lease) => lease.release())).resolves.toBe(true);
    expect(kinds(rigged)).toEqual(['acquire', 'release']);
  });

  it.each([
    [undefined, {}, 'work'],
    ['text', {}, 'work'],
    [() => 1, { drainMs: 1.5 }, 'drainMs'],
    [() => 1, { ifUnavailable: 'wait' }, 'ifUnavailable'],
    [() => 1, { drain: 5 }, 'drain'],
  ])('S10 odd arguments are refused before anything is asked: %s %j', async (work, options, param) => {
    const { core, client } = rig();
    await expect(client.run('report', options as never, work as never)).rejects.toMatchObject({
      code: 'bad-request',
      param,
    });
    expect(core.events).toEqual([]);
  });
});

describe('run: signal', () => {
  it('aborted before the grant, the work never starts', async () => {
    const { core, client } = rig();
    core.answer = () => [];
    const controller = new AbortController();
    const work = vi.fn();
    const result = client.run('report', { signal: controller.signal }, work);
    controller.abort('enough');
    await expect(result).rejects.toBe('enough');
    expect(work).not.toHaveBeenCalled();
  });

  it('aborted between the grant and the start, the lease is given back and the work never starts', async () => {
    const rigged = releasing();
    const work = vi.fn();
    const controller = new AbortController();
    const result = rigged.client.run('report', { signal: controller.signal }, work);
    controller.abort('enough');
    await expect(result).rejects.toBe('enough');
    expect(kinds(rigged)).toEqual(['acquire', 'release']);
    expect(work).not.toHaveBeenCalled();
  });

  it('aborted later, it is the business of the work', async () => {
    const { client } = releasing();
    const controller = new AbortController();
    const result = client.run('report', { signal: controller.signal }, async (lease) => {
      controller.abort();
      return lease.signal.aborted;
    });
    await expect(result).resolves.toBe(false);
  });
});

describe('run: loss', () => {
  async function losing(options = {}) {
    const rigged = releasing();
    const work = deferred<string>();
    const leases: Lease[] = [];
    const result = rigged.client.run('report', options, (lease) => (leases.push(lease), work.promise));
    result.catch(() => undefined);
    await vi.waitFor(() => expect(leases).toHaveLength(1));
    const lease = leases[0] as Lease;
    news(rigged, lost);
    return { ...rigged, work, lease, result };
  }

  it('the signal aborts; a work that then resolves was lost all the same', async () => {
    const { lease, result, work, core } = await losing();
    expect(lease.signal.aborted).toBe(true);
    work.resolve('too late');
    await expect(result).rejects.toBe(lease.signal.reason);
    expect(core.heard('release')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('what the work threw is the cause', async () => {
    const { lease, result, work } = await losing();
    const mine = new Error('aborted');
    work.reject(mine);
    await expect(result).rejects.toBe(lease.signal.reason);
    expect((lease.signal.reason as Error).cause).toBe(mine);
  });

  it('a work that throws the loss itself does not become its own cause', async () => {
    const { lease, result, work } = await losing();
    work.reject(lease.signal.reason);
    await expect(result).rejects.toBe(lease.signal.reason);
    expect((lease.signal.reason as Error).cause).toBeUndefined();
  });

  it.each([
    [undefined, 5_000],
    [200, 200],
  ])('with drainMs %s the work has %s ms, and what it does then is its own', async (drainMs, ms) => {
    const { lease, result, work } = await losing({ drainMs });
    const settled = vi.fn();
    result.catch(settled);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toHaveBeenCalledExactlyOnceWith(lease.signal.reason);
    work.reject(new Error('later'));
    await vi.advanceTimersByTimeAsync(0);
  });
});

describe('run: ifUnavailable', () => {
  const unreachable = () => {
    const made = rig();
    made.core.answer = () => [];
    return made;
  };

  it('reject, the default, waits on', async () => {
    const { client } = unreachable();
    const settled = vi.fn();
    void client.run('report', () => 1).then(settled, settled);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(settled).not.toHaveBeenCalled();
  });

  it('skip withdraws after connectTimeoutMs and resolves with undefined', async () => {
    const { core, client } = unreachable();
    const work = vi.fn();
    const result = client.run('report', { ifUnavailable: 'skip' }, work);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(core.heard('withdraw')).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await expect(result).resolves.toBeUndefined();
    expect(core.heard('withdraw')).toHaveLength(1);
    expect(work).not.toHaveBeenCalled();
  });

  it('a wait with a limit is the limit, and nothing else gives it up', async () => {
    const { core, client } = unreachable();
    void client.run('report', { ifUnavailable: 'skip', waitMs: 60_000 }, () => 1);
    await vi.advanceTimersByTimeAsync(30_000);
    expect([core.heard('ready'), core.heard('withdraw')]).toEqual([[], []]);
  });

  it('run calls the work without protection', async () => {
    const { core, client } = unreachable();
    core.once('acquire', ({ key }) => [{ kind: 'claim', key, outcome: { kind: 'failed', failure: failure() } }]);
    const result = client.run('report', { ifUnavailable: 'run', waitMs: 100 }, (lease) => [
      lease.protected,
      lease.fencingToken,
      lease.name,
      lease.signal.aborted,
    ]);
    await expect(result).resolves.toEqual([false, null, 'report', false]);
  });

  it('another refusal rejects all the same', async () => {
    const { core, client } = unreachable();
    core.once('acquire', ({ key }) => [
      { kind: 'claim', key, outcome: { kind: 'failed', failure: failure({ code: 'forbidden' }) } },
    ]);
    await expect(client.run('report', { ifUnavailable: 'run' }, () => 1)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('an unavailable that the work itself throws is no reason to start it again', async () => {
    const { client } = releasing();
    const work = vi.fn(async (lease: { readonly protected: boolean }) => {
      if (lease.protected) await client.ready({ timeoutMs: 1 });
    });
    const result = client.run('report', { ifUnavailable: 'run' }, work);
    result.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(1);
    await expect(result).rejects.toMatchObject({ code: 'unavailable' });
    expect(work).toHaveBeenCalledOnce();
  });

  it('with protection once the coordinator answers', async () => {
    const { core, client } = releasing();
    const work = vi.fn((lease: { readonly protected: boolean }) => lease.protected);
    await expect(client.run('report', { ifUnavailable: 'run' }, work)).resolves.toBe(true);
    expect(core.heard('withdraw')).toEqual([]);
  });

  it('the own signal still withdraws', async () => {
    const { client } = unreachable();
    const controller = new AbortController();
    const result = client.run('report', { ifUnavailable: 'skip', signal: controller.signal }, () => 1);
    controller.abort('enough');
    await expect(result).rejects.toBe('enough');
  });
});
