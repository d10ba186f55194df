import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Lease } from '../../../../client/runtime/public-lease.ts';
import { failure, grant, news, rig, type Rig } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

/** Answers each release, as a coordinator would. */
function releasing(options = {}): Rig {
  const made = rig(options);
  const { core } = made;
  const before = core.answer;
  core.answer = (event, now) => {
    if (event.kind !== 'release') return before(event, now);
    if (core.leases.delete(event.key)) {
      return [
        { kind: 'lease', key: event.key, news: { kind: 'released' } },
        { kind: 'settle', reference: event.reference, outcome: { kind: 'released', released: true, code: undefined } },
      ];
    }
    return [
      { kind: 'settle', reference: event.reference, outcome: { kind: 'released', released: false, code: 'expired' } },
    ];
  };
  return made;
}

const lost = { kind: 'lost', code: 'expired', attempts: [] } as const;
const kinds = ({ core }: Rig): string[] => core.events.map(({ kind }) => kind).filter((kind) => kind !== 'wake');

/** A promise and its ends. */
function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => ((resolve = yes), (reject = no)));
  return { promise, resolve, reject };
}

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
