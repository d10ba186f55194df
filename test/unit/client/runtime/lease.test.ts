import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import type { Lease } from '../../../../client/runtime/public-lease.ts';
import type { Effect, Outcome } from '../../../../client/core/types.ts';
import { JSON_DEPTH_MAX, VALUE_DEPTH_MAX } from '../../../../shared/limits.ts';
import { failure, news, overByTheClock, rig, snapshot, tick, type Rig } from './support.ts';

async function held(): Promise<Rig & { readonly lease: Lease; readonly key: never }> {
  const made = rig();
  const lease = await made.client.acquire('printer');
  // Branded by the client; the scripted core takes any.
  return { ...made, lease, key: made.core.heard('acquire')[0]?.key as never };
}

const lost = {
  kind: 'lost',
  code: 'missed-ack',
  attempts: [
    { agoMs: 900.4, outcome: 'unanswered' },
    { agoMs: 400, outcome: 'no-connection' },
  ],
} as const;
const settle =
  (outcome: Outcome) =>
  (event: { readonly reference: unknown }): readonly Effect[] => [
    { kind: 'settle', reference: event.reference as never, outcome },
  ];

describe('F34 the handle never goes stale', () => {
  it('what it says is what the core says at each reading', async () => {
    const { core, lease, key } = await held();
    expect(lease).toMatchObject({ status: 'held', remainingMs: 27_000, ceilingLeftMs: 86_400_000, state: undefined });
    core.leases.set(
      key,
      snapshot({
        status: 'at-risk',
        ttlMs: 2_000,
        remainingMs: 5,
        ceilingLeftMs: 6,
        state: { value: { a: 1 }, version: 2, fencingToken: 7 as never },
      }),
    );
    expect(lease).toMatchObject({
      status: 'at-risk',
      ttlMs: 2_000,
      remainingMs: 5,
      ceilingLeftMs: 6,
      state: { a: 1 },
      fencingToken: 7,
    });
  });

  it('S6 R18 every reading is answered by the clocks at once, and only whoever listens waits for the end of the turn', async () => {
    const { core, lease, key } = await held();
    const order: string[] = [];
    lease.signal.addEventListener('abort', () => order.push('signal'));
    lease.subscribe(() => order.push(`change ${lease.getSnapshot().status}`));
    lease.on('lost', () => void order.push('lost'));
    overByTheClock(core, key);
    const wakes = core.heard('wake').length;
    const seen = lease.getSnapshot();
    expect(seen).toMatchObject({ status: 'lost', error: { code: 'missed-ack' } });
    expect(lease).toMatchObject({ status: 'lost', remainingMs: 0, ceilingLeftMs: 0, state: undefined });
    expect([order, core.heard('wake').length]).toEqual([[], wakes]);
    await tick();
    expect(order).toEqual(['signal', 'change lost', 'lost']);
    expect(lease.getSnapshot()).toBe(seen);
    expect(lease.signal.reason).toBe(seen.error);
  });

  it.each([
    ['signal', (lease: Lease) => expect(lease.signal.aborted).toBe(true)],
    ['assertHeld', (lease: Lease) => expect(() => lease.assertHeld()).toThrow('missed-ack')],
  ])('F31 S6 %s looks at the clocks and tells what is over before it returns', async (_, read) => {
    const { core, lease, key } = await held();
    const order: string[] = [];
    lease.signal.addEventListener('abort', () => order.push('signal'));
    lease.on('lost', () => void order.push('lost'));
    overByTheClock(core, key);
    read(lease);
    expect(order).toEqual(['signal', 'lost']);
  });

  it('S6 a loss is seen by a reading inside a listener that runs before it, and told once', async () => {
    const { client, core, lease, key, turn } = await held();
    const seen: unknown[] = [];
    client.on('status', () => seen.push(lease.status, lease.getSnapshot().error, lease.signal.aborted));
    lease.on('lost', (error) => void seen.push(error));
    const attempts = [{ agoMs: 5, outcome: 'unanswered' }] as const;
    core.leases.set(key, snapshot({ status: 'lost', lossCode: 'missed-ack', attempts }));
    turn({ kind: 'status', status: 'backing-off', failure: null }, { kind: 'lease', key, news: { ...lost, attempts } });
    const { error } = lease.getSnapshot();
    expect(error).toMatchObject({ code: 'missed-ack', attempts });
    expect(seen).toEqual([error, 'lost', error, true]);
  });

  it('S6 a release is seen so, too, before it is told', async () => {
    const { client, core, lease, key, turn } = await held();
    const seen: unknown[] = [];
    client.on('status', () => seen.push(lease.getSnapshot().error));
    core.leases.set(key, snapshot({ status: 'released' }));
    turn({ kind: 'status', status: 'backing-off', failure: null }, { kind: 'lease', key, news: { kind: 'released' } });
    expect(seen).toEqual([lease.signal.reason]);
    expect(seen).toMatchObject([{ code: 'released' }]);
  });
});

describe('how a lease ends', () => {
  it('lost: the signal aborts with the loss, its code and its last renewals, and stays so', async () => {
    const rigged = await held();
    const { lease } = rigged;
    const heard = vi.fn();
    lease.on('lost', heard);
    news(rigged, lost);
    news(rigged, lost);
    const reason: unknown = lease.signal.reason;
    expect(reason).toMatchObject({
      name: 'LeaseLostError',
      code: 'missed-ack',
      retryable: true,
      attempts: lost.attempts,
    });
    expect(String(reason)).toContain(
      'lease "printer" with token 7 is lost: missed-ack; last renewals: unanswered 900 ms before, no-connection 400 ms before',
    );
    expect(heard).toHaveBeenCalledExactlyOnceWith(reason);
    expect(lease).toMatchObject({ status: 'lost', remainingMs: 0, fencingToken: 7 });
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'missed-ack' }));
  });

  it('keeps what was last known of it, though nobody had looked since', async () => {
    const { core, lease, key, turn } = await held();
    core.leases.set(
      key,
      snapshot({ status: 'lost', ceilingLeftMs: 9, state: { value: 'last', version: 3, fencingToken: 7 as never } }),
    );
    turn({ kind: 'lease', key, news: lost });
    core.leases.delete(key);
    expect(lease).toMatchObject({ status: 'lost', remainingMs: 0, ceilingLeftMs: 0, state: 'last' });
  });

  it('released: the signal aborts with that', async () => {
    const rigged = await held();
    news(rigged, { kind: 'released' });
    expect(rigged.lease).toMatchObject({ status: 'released', remainingMs: 0 });
    expect(rigged.lease.signal.reason).toMatchObject({ name: 'LeaseReleasedError', code: 'released' });
    expect(() => rigged.lease.assertHeld()).toThrow(expect.objectContaining({ code: 'released' }));
  });

  it('a lease that is over asks the core nothing more, and refuses with the reason of its end', async () => {
    const rigged = await held();
    news(rigged, lost);
    const { lease, core } = rigged;
    const before = core.events.length;
    await expect(lease.release()).resolves.toBe(false);
    await expect(lease.renew()).rejects.toBe(lease.signal.reason);
    await expect(lease.setState(1)).rejects.toBe(lease.signal.reason);
    await expect(lease.handOver()).rejects.toBe(lease.signal.reason);
    expect(core.events).toHaveLength(before);
  });

  it('what was asked before a loss rejects with the loss', async () => {
    const rigged = await held();
    const { core, key, lease, turn } = rigged;
    const write = lease.setState(1);
    const reference = core.heard('set-state')[0]?.reference as never;
    turn(
      { kind: 'settle', reference, outcome: { kind: 'failed', failure: failure({ code: 'missed-ack' }) } },
      { kind: 'lease', key, news: lost },
    );
    await expect(write).rejects.toBe(lease.signal.reason);
  });

  it('at risk still counts as held for the signal, and is refused to new work', async () => {
    const rigged = await held();
    const { lease } = rigged;
    const heard = vi.fn();
    lease.on('at-risk', heard);
    news(rigged, { kind: 'at-risk', why: 'silent' }, { status: 'at-risk' });
    expect(heard).toHaveBeenCalledWith({ kind: 'at-risk', why: 'silent' });
    expect(lease.signal.aborted).toBe(false);
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'at-risk', retryable: true }));
  });

  it.each([
    { kind: 'renewed', leftMs: 30_000 },
    { kind: 'recovered' },
    { kind: 'ceiling-near', ceilingLeftMs: 100 },
  ] as const)('listeners hear of %j', async (told) => {
    const rigged = await held();
    const heard = vi.fn();
    const off = rigged.lease.on(told.kind, heard);
    news(rigged, told);
    off();
    news(rigged, told);
    expect(heard).toHaveBeenCalledExactlyOnceWith(told);
  });
});

describe('release', () => {
  it('true the first time, false the second', async () => {
    const { core, lease, key } = await held();
    core.once('release', ({ reference }) => [
      { kind: 'lease', key, news: { kind: 'released' } },
      { kind: 'settle', reference, outcome: { kind: 'released', released: true, code: undefined } },
    ]);
    await expect(lease.release()).resolves.toBe(true);
    await expect(lease.release()).resolves.toBe(false);
    expect(core.heard('release')).toEqual([expect.objectContaining({ key, handOver: false })]);
  });

  it('the local end is at once', async () => {
    const { core, lease, key } = await held();
    core.once('release', () => (core.leases.delete(key), [{ kind: 'lease', key, news: { kind: 'released' } }]));
    void lease.release();
    expect(lease.status).toBe('released');
  });

  it('never rejects', async () => {
    const { core, lease } = await held();
    core.once('release', settle({ kind: 'failed', failure: failure() }));
    await expect(lease.release()).resolves.toBe(false);
  });

  it('is what await using does', async () => {
    const { core, lease } = await held();
    core.once('release', settle({ kind: 'released', released: true, code: undefined }));
    await expect(lease[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });

  it('handOver to nobody keeps the lease and says so', async () => {
    const { core, lease } = await held();
    core.once('release', settle({ kind: 'released', released: false, code: 'nobody-waiting' }));
    await expect(lease.handOver()).rejects.toMatchObject({ code: 'nobody-waiting' });
    core.once('release', settle({ kind: 'released', released: true, code: undefined }));
    await expect(lease.handOver()).resolves.toBeUndefined();
    expect(core.heard('release').map(({ handOver }) => handOver)).toEqual([true, true]);
  });
});

describe('renew and state', () => {
  it('renew resolves with what is left by then', async () => {
    const { core, lease, key } = await held();
    core.once(
      'renew',
      (event) => (
        core.leases.set(key, snapshot({ remainingMs: 29_000 })),
        settle({ kind: 'renewed', leftMs: 30_000 })(event)
      ),
    );
    await expect(lease.renew()).resolves.toBe(29_000);
  });

  it('setState resolves with the new version; undefined removes', async () => {
    const { core, lease, key } = await held();
    core.once('set-state', settle({ kind: 'state-set', version: 4 }));
    await expect(lease.setState({ step: 1 })).resolves.toBe(4);
    core.once('set-state', settle({ kind: 'state-set', version: 5 }));
    await expect(lease.setState(undefined)).resolves.toBe(5);
    expect(core.heard('set-state').map(({ value }) => value)).toEqual([{ step: 1 }, undefined]);
    expect(core.heard('set-state')[0]?.key).toBe(key);
  });

  it('the state that is sent is that of the call, whatever its caller does to it then', async () => {
    const { core, lease } = await held();
    const value = { step: 1 };
    void lease.setState(value);
    value.step = 2;
    expect(core.heard('set-state')[0]?.value).toEqual({ step: 1 });
  });

  const nested = (levels: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level += 1) value = level % 2 ? [value] : { value };
    return value;
  };

  it('S10 a value nests at most 60 levels; a deeper one is refused before anything is sent', async () => {
    const { core, lease } = await held();
    for (const levels of [59, 60]) {
      void lease.setState(nested(levels) as never);
      expect(core.heard('set-state').at(-1)?.value).toEqual(nested(levels));
      expect(() => rig({ metadata: nested(levels) as never })).not.toThrow();
    }
    for (const levels of [61, 64, 5_000]) {
      const refusal = { code: 'bad-request', param: 'state', message: 'state nests deeper than 60 levels' };
      await expect(lease.setState(nested(levels) as never)).rejects.toMatchObject(refusal);
      expect(() => rig({ metadata: nested(levels) as never })).toThrow(/^metadata nests deeper than 60 levels$/);
    }
    expect(core.heard('set-state')).toHaveLength(2);
  });

  it('a frame has room for a list, a message and a record around the deepest value', () => {
    expect(VALUE_DEPTH_MAX + 3).toBeLessThanOrEqual(JSON_DEPTH_MAX);
  });

  it.each([
    [NaN, 'state is NaN'],
    [{ a: [1, -Infinity] }, 'state["a"]["1"] is -Infinity'],
    [{ a: { 'b\n': () => 1 } }, 'state["a"]["b\\n"] is a function'],
    [[undefined], 'state["0"] is undefined'],
    // A hole.
    [Array(1), 'state["0"] is undefined'],
    [{ at: new Date(0) }, 'state["at"] is an object'],
    [{ at: new Date(NaN) }, 'state["at"] is an object'],
    [new Map([['a', 1]]), 'state is an object'],
    [new Uint8Array(2), 'state is an object'],
    [
      new (class Point {
        x = 1;
      })(),
      'state is an object',
    ],
    [Object(1), 'state is an object'],
    [{ toJSON: () => 1 }, 'state["toJSON"] is a function'],
    [{ a: 1n }, 'state["a"] is 1n'],
    [Symbol('s'), 'state is Symbol(s)'],
  ])('S10 what JSON would lose is refused with its place: %o', async (value, words) => {
    const { core, lease } = await held();
    const message = `${words}; allowed: finite numbers, text, true, false, null, lists and plain objects`;
    await expect(lease.setState(value as never)).rejects.toMatchObject({
      code: 'bad-request',
      param: 'state',
      message,
    });
    expect(core.heard('set-state')).toEqual([]);
  });

  it('keys without a value are dropped as JSON drops them; an object of another realm, or of none, is plain', async () => {
    const { core, lease } = await held();
    const bare: object = Object.assign(Object.create(null) as object, { b: '', c: [null, true, -0.5] });
    void lease.setState({ a: undefined, bare, foreign: runInNewContext('({ d: 1 })') as object } as never);
    expect(core.heard('set-state')[0]?.value).toEqual({ bare: { b: '', c: [null, true, -0.5] }, foreign: { d: 1 } });
    expect(Object.keys(core.heard('set-state')[0]?.value as object)).not.toContain('a');
  });

  it('a state that was read is a copy: what is done to it changes nothing', async () => {
    const { core, lease, key } = await held();
    core.leases.set(key, snapshot({ state: { value: { list: [1] }, version: 2, fencingToken: 7 as never } }));
    (lease.state as { list: number[] }).list.push(2);
    expect(lease.state).toEqual({ list: [1] });
  });

  it('a state that is too large is refused in the words of the core, for the option that people know', async () => {
    const { core, lease } = await held();
    core.once('set-state', settle({ kind: 'failed', failure: failure({ code: 'state-too-large', param: 'value' }) }));
    await expect(lease.setState('x')).rejects.toMatchObject({ code: 'state-too-large', param: 'state' });
  });

  it('S10 an event that no lease tells, and a listener that is none, are refused with the nearest', async () => {
    const { lease } = await held();
    expect(() => lease.on('loss' as never, () => undefined)).toThrow(
      expect.objectContaining({ code: 'bad-request', message: 'no such event "loss"; did you mean "lost"?' }),
    );
    expect(() => lease.on('lost', undefined as never)).toThrow(/^listener is undefined; allowed: function$/);
    expect(() => lease.on('lost', 'f' as never)).toThrow(/^listener is "f"; allowed: function$/);
  });

  it('S10 a state that is a function, a bigint or a cycle is refused', async () => {
    const { core, lease } = await held();
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    for (const value of [() => 1, 1n, cycle]) {
      await expect(lease.setState(value as never)).rejects.toMatchObject({ code: 'bad-request', param: 'state' });
    }
    expect(core.heard('set-state')).toEqual([]);
  });

  it('F29 refusals that nobody awaits are not reported as unhandled', async () => {
    const { core, lease } = await held();
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    core.answer = (event) => ('reference' in event ? settle({ kind: 'failed', failure: failure() })(event) : []);
    void lease.renew();
    void lease.setState(1);
    void lease.handOver();
    void lease.setState((() => 1) as never);
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
