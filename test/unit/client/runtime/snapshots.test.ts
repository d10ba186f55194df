import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../../../shared/json.ts';
import { failure, news, overByTheClock, rig, snapshot, tick } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

const stateOf = (value: Json, version: number) => ({ value, version, fencingToken: 7 as never });

async function held(first: Parameters<typeof snapshot>[0] = {}) {
  const made = rig();
  made.core.once('acquire', ({ key }) => {
    made.core.leases.set(key, snapshot(first));
    return [{ kind: 'claim', key, outcome: { kind: 'granted', name: 'printer' as never, fencingToken: 7 as never } }];
  });
  const lease = await made.client.acquire('printer');
  const key = made.core.heard('acquire')[0]?.key ?? ('' as never);
  const calls = vi.fn();
  const leave = lease.subscribe(calls);
  return { ...made, lease, key, calls, leave };
}

describe('the snapshot of a client', () => {
  it('is the same object until its status changes, and another one then', () => {
    const { client, turn } = rig();
    const calls = vi.fn();
    const leave = client.subscribe(calls);
    const first = client.getSnapshot();
    expect(first).toEqual({ status: 'idle', error: null, transport: 'socket' });
    turn();
    expect(client.getSnapshot()).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    turn({ kind: 'status', status: 'backing-off', failure: failure() });
    expect(client.getSnapshot()).toMatchObject({ status: 'backing-off', error: { code: 'unavailable' } });
    expect(calls).toHaveBeenCalledTimes(1);
    leave();
    turn({ kind: 'status', status: 'open', failure: null });
    expect(client.getSnapshot()).toEqual({ status: 'open', error: null, transport: 'socket' });
    expect(calls).toHaveBeenCalledTimes(1);
  });

  it('a listener finds the new one there; what it throws becomes a warning and stops no other', async () => {
    const { client, turn } = rig();
    const warnings: unknown[] = [];
    const seen: string[] = [];
    client.on('warning', (warning) => warnings.push(warning));
    client.subscribe(() => {
      throw new Error('mine');
    });
    client.subscribe(() => seen.push(client.getSnapshot().status));
    turn({ kind: 'status', status: 'connecting', failure: null });
    await Promise.resolve();
    expect(seen).toEqual(['connecting']);
    expect(warnings).toMatchObject([{ code: 'listener', cause: new Error('mine') }]);
  });
});

describe('the snapshot of a lease', () => {
  it('is the same object while only time passes, and calls nobody', async () => {
    const { core, lease, key, calls } = await held({ state: stateOf({ a: 1 }, 2) });
    const first = lease.getSnapshot();
    expect(first).toEqual({ status: 'held', ttlMs: 30_000, state: { a: 1 }, error: null });
    core.leases.set(key, { ...snapshot(), state: core.leases.get(key)?.state, remainingMs: 12_000, ceilingLeftMs: 5 });
    expect(lease.getSnapshot()).toBe(first);
    expect(lease.remainingMs).toBe(12_000);
    expect(calls).not.toHaveBeenCalled();
  });

  it('changes with what renewals bring: at risk, recovered, another window', async () => {
    const made = await held();
    const { lease, calls } = made;
    news(made, { kind: 'at-risk', why: 'silent' }, { status: 'at-risk' });
    expect(lease.getSnapshot().status).toBe('at-risk');
    news(made, { kind: 'recovered' }, { status: 'held' });
    news(made, { kind: 'renewed', leftMs: 27_000 });
    news(made, { kind: 'renewed', leftMs: 9_000 }, { ttlMs: 10_000 });
    expect(lease.getSnapshot()).toMatchObject({ status: 'held', ttlMs: 10_000 });
    expect(calls).toHaveBeenCalledTimes(3);
  });

  it('changes with setState, once it is written', async () => {
    const { core, lease, key, calls } = await held();
    core.once('set-state', ({ reference, value }) => {
      core.leases.set(key, snapshot({ state: stateOf(value ?? null, 3) }));
      return [{ kind: 'settle', reference, outcome: { kind: 'state-set', version: 3 } }];
    });
    await lease.setState({ count: 4 });
    expect(calls).toHaveBeenCalledTimes(1);
    const { state } = lease.getSnapshot();
    expect(state).toEqual({ count: 4 });
    expect(lease.getSnapshot().state).toBe(state);
    expect(lease.state).not.toBe(state);
  });

  it('S6 R18 a lease that is over by the clock changes at the reading, though no timer ran', async () => {
    const { core, lease, key, calls } = await held();
    const seen: unknown[] = [];
    lease.subscribe(() => seen.push(lease.getSnapshot()));
    overByTheClock(core, key);
    const first = lease.getSnapshot();
    expect(first).toMatchObject({ status: 'lost', error: { code: 'missed-ack' } });
    expect(lease.getSnapshot()).toBe(first);
    expect(calls).not.toHaveBeenCalled();
    await tick();
    expect(calls).toHaveBeenCalledTimes(1);
    expect(seen).toEqual([first]);
    expect(lease.getSnapshot()).toBe(first);
  });

  it('at its end tells once, behind the abort of its signal and before its events', async () => {
    const made = await held({ state: stateOf([1], 1) });
    const { lease, leave, calls } = made;
    const order: string[] = [];
    lease.signal.addEventListener('abort', () => order.push('abort'));
    lease.subscribe(() => order.push(`change ${lease.getSnapshot().status}`));
    lease.on('released', () => order.push('released'));
    leave();
    news(made, { kind: 'released' });
    expect(order).toEqual(['abort', 'change released', 'released']);
    expect(lease.getSnapshot()).toMatchObject({ status: 'released', state: [1], error: { code: 'released' } });
    expect(calls).not.toHaveBeenCalled();
  });

  it('read by whoever hears the abort of its signal it is the last one already', async () => {
    const made = await held();
    const seen: string[] = [];
    made.lease.signal.addEventListener('abort', () => seen.push(made.lease.getSnapshot().status));
    news(made, { kind: 'lost', code: 'revoked', attempts: [] });
    expect(seen).toEqual(['lost']);
    expect(made.calls).toHaveBeenCalledTimes(1);
  });

  it('what a listener throws becomes a warning', async () => {
    const made = await held();
    const warnings: unknown[] = [];
    made.client.on('warning', (warning) => warnings.push(warning));
    made.lease.subscribe(() => {
      throw new Error('mine');
    });
    news(made, { kind: 'at-risk', why: 'doubt' }, { status: 'at-risk' });
    await Promise.resolve();
    expect(warnings).toMatchObject([{ code: 'listener', cause: new Error('mine') }]);
  });
});
