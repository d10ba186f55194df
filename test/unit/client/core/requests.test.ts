import { describe, expect, test } from 'vitest';
import { reference } from '../../../../client/core/types.ts';
import { requestId } from '../../../../shared/ids.ts';
import type { Json } from '../../../../shared/json.ts';
import { durationMs } from '../../../../shared/time.ts';
import { scripted } from '../../../support/sim/scripted.ts';

function holding(settings: Parameters<typeof scripted>[0] = {}) {
  const world = scripted({ chance: () => 0, ...settings });
  const key = world.acquire('n', { ttlMs: durationMs(3_000) });
  world.open();
  world.grant(key);
  const write = (mine: number, value: Json | undefined) =>
    world.do({ kind: 'set-state', key, reference: reference(mine), value, ifVersion: undefined });
  const release = (mine: number, handOver = false) =>
    world.do({ kind: 'release', key, reference: reference(mine), handOver });
  return { world, key, write, release };
}

describe('setState', () => {
  test('one write of a lease is out at a time; the others follow in the order of the calls', () => {
    const { world, key, write } = holding();
    write(1, 'a');
    write(2, 'b');
    write(3, undefined);
    expect(world.sent('setState').map(({ value }) => value)).toEqual(['a']);
    world.say({ type: 'stateSet', request: requestId('#1'), version: 4 });
    expect(world.lease(key)?.state).toEqual({ value: 'a', version: 4, fencingToken: 101 });
    world.say({ type: 'stateSet', request: requestId('#2'), version: 5 });
    world.say({ type: 'stateSet', request: requestId('#3'), version: 6 });
    expect(world.sent('setState').map(({ value }) => value)).toEqual(['a', 'b', undefined]);
    expect([1, 2, 3].map((one) => world.outcome(one))).toMatchObject([{ version: 4 }, { version: 5 }, { version: 6 }]);
    expect(world.lease(key)?.state).toBeUndefined();
  });

  test('S10 it settles with the loss when that comes first, those that wait as well', () => {
    const { world, key, write } = holding();
    write(1, 'a');
    write(2, 'b');
    world.say({ type: 'ended', name: 'n' as never, fencingToken: 101 as never, code: 'revoked' });
    expect([1, 2].map((one) => world.outcome(one))).toMatchObject([
      { failure: { code: 'revoked' } },
      { failure: { code: 'revoked' } },
    ]);
    write(3, 'c');
    expect(world.outcome(3)).toMatchObject({ failure: { code: 'revoked' } });
    expect(world.news(key)).toEqual(['lost revoked']);
  });

  test('too large a state is refused with its size and the limit; the lease is untouched and nothing is sent', () => {
    const { world, key, write } = holding();
    write(1, 'ü'.repeat(40_000));
    expect(world.outcome(1)).toMatchObject({
      failure: { code: 'state-too-large', message: expect.stringMatching(/80002.*65536/) },
    });
    expect(world.sent('setState')).toEqual([]);
    expect(world.lease(key)?.status).toBe('held');
  });

  test('a refusal of the coordinator rejects that write alone', () => {
    const { world, write } = holding();
    write(1, 'a');
    write(2, 'b');
    world.say({ type: 'error', request: requestId('#1'), code: 'unavailable', message: 'disk', retryable: true });
    expect(world.outcome(1)).toMatchObject({ failure: { code: 'unavailable', retryable: true } });
    expect(world.sent('setState')).toHaveLength(2);
  });
});

test('an answer to a request that is over is no news; an error without a request is a warning', () => {
  const { world, key } = holding();
  const claim = world.acquire('m');
  world.do({ kind: 'withdraw', key: claim });
  const word = { type: 'error', code: 'cancelled', message: 'withdrawn', retryable: false } as const;
  world.say({ ...word, request: claim }, { ...word, request: claim }, { ...word, request: key });
  expect(world.of('warning')).toEqual([]);
  world.say({ ...word, code: 'rate-limited', message: 'slower' });
  expect(world.of('warning')).toEqual([{ kind: 'warning', code: 'rate-limited', text: 'slower' }]);
});

describe('release', () => {
  test('R13 belief ends before the word leaves, and it settles with the answer', () => {
    const { world, key, release } = holding();
    const effects = release(1);
    expect(effects.map(({ kind }) => kind)).toEqual(['lease', 'send']);
    expect(world.lease(key)?.status).toBe('released');
    world.say({ type: 'released', request: requestId('#1'), released: true });
    expect(world.outcome(1)).toEqual({ kind: 'released', released: true, code: undefined });
  });

  test('it never fails: without an answer it settles at the local deadline', () => {
    const { world, release } = holding();
    world.pass(1_000);
    world.drop();
    release(1);
    world.pass(1_699);
    expect(world.outcome(1)).toBeUndefined();
    world.pass(1);
    expect(world.outcome(1)).toEqual({ kind: 'released', released: true, code: undefined });
  });

  test('F34 the second release is a harmless no-op that says so', () => {
    const { world, release } = holding();
    release(1);
    release(2);
    expect(world.sent('release')).toHaveLength(1);
    expect(world.outcome(2)).toEqual({ kind: 'released', released: false, code: undefined });
  });

  test('an answer that was lost on the way does not make a release untrue', () => {
    const { world, release } = holding();
    release(1);
    world.drop();
    world.until(() => world.core.status === 'connecting');
    world.open();
    world.say({ type: 'released', request: requestId('#1'), released: false, code: 'expired' });
    expect(world.outcome(1)).toEqual({ kind: 'released', released: true, code: undefined });
  });

  test('writes called before it go first', () => {
    const { world, write, release } = holding();
    write(1, 'a');
    write(2, 'b');
    release(3);
    const order = (): string[] =>
      world
        .of('send')
        .flatMap(({ messages }) => messages.map(({ type }) => type))
        .slice(2);
    expect(order()).toEqual(['setState']);
    world.say({ type: 'stateSet', request: requestId('#1'), version: 1 });
    world.say({ type: 'stateSet', request: requestId('#2'), version: 2 });
    expect(order()).toEqual(['setState', 'setState', 'release']);
    expect(world.outcome(2)).toMatchObject({ version: 2 });
  });

  test('F08 a release and the next claim leave in one frame, in that order', () => {
    const { world, key } = holding();
    world.do({ kind: 'release', key, reference: reference(1), handOver: false }, true);
    world.acquire('n');
    expect(
      world
        .of('send')
        .at(-1)
        ?.messages.map(({ type }) => type),
    ).toEqual(['release', 'acquire']);
  });
});

const REFUSED = { type: 'error', code: 'unavailable', message: 'not now', retryable: true } as const;

describe('handOver', () => {
  test('R13 it is not believed while it is offered, and released once somebody has it', () => {
    const { world, key, release } = holding();
    release(1, true);
    expect(world.lease(key)?.status).toBe('at-risk');
    expect(world.sent('release')).toMatchObject([{ handOver: true }]);
    world.say({ type: 'released', request: requestId('#1'), released: true });
    expect(world.news(key)).toEqual(['released']);
    expect(world.outcome(1)).toMatchObject({ released: true });
  });

  test('nobody waiting: it is kept, and renewed at once', () => {
    const { world, key, release } = holding();
    release(1, true);
    world.say({ type: 'released', request: requestId('#1'), released: false, code: 'nobody-waiting' });
    expect(world.outcome(1)).toEqual({ kind: 'released', released: false, code: 'nobody-waiting' });
    expect(world.lease(key)?.status).toBe('held');
    expect(world.sent('renew')).toHaveLength(1);
  });

  test('S1 offered twice, it comes back only behind the answer to both: the second may have found somebody', () => {
    const { world, key, release } = holding();
    release(1, true);
    release(2, true);
    world.say({ type: 'released', request: requestId('#1'), released: false, code: 'nobody-waiting' });
    expect(world.outcome(1)).toMatchObject({ released: false });
    expect(world.lease(key)?.status).toBe('at-risk');
    world.say({ type: 'released', request: requestId('#2'), released: true });
    expect(world.news(key)).toEqual(['released']);
  });

  test.each([{ type: 'released', released: false, code: 'nobody-waiting' }, REFUSED] as const)(
    'offered twice and taken by nobody, it is kept behind the second $type',
    (answer) => {
      const { world, key, release } = holding();
      release(1, true);
      release(2, true);
      world.say({ ...answer, request: requestId('#1') });
      expect(world.lease(key)?.status).toBe('at-risk');
      world.say({ ...answer, request: requestId('#2') });
      expect(world.lease(key)?.status).toBe('held');
    },
  );

  test('without an answer it ends with the loss', () => {
    const { world, key, release } = holding();
    release(1, true);
    world.drop();
    world.pass(2_700);
    expect(world.news(key)).toEqual(['lost missed-ack']);
    expect(world.outcome(1)).toMatchObject({ failure: { code: 'missed-ack' } });
  });
});

describe('renew, list, ready', () => {
  test('F34 a renewal by hand is sent at once and settles with what is left', () => {
    const { world, key } = holding();
    world.pass(500);
    world.do({ kind: 'renew', key, reference: reference(1) });
    expect(world.sent('renew')).toHaveLength(1);
    world.renewed({ leftMs: durationMs(3_000), ttlMs: durationMs(3_000) });
    expect(world.outcome(1)).toEqual({ kind: 'renewed', leftMs: 2_700 });
    expect(world.lease(key)?.remainingMs).toBe(2_700);
  });

  test('S10 a renewal by hand of a lease that is lost meanwhile settles with the loss', () => {
    const { world, key } = holding();
    world.do({ kind: 'renew', key, reference: reference(1) });
    world.drop();
    world.pass(2_700);
    expect(world.outcome(1)).toMatchObject({ failure: { code: 'missed-ack' } });
  });

  test('stop-renewing lets the window run out', () => {
    const { world, key } = holding();
    world.do({ kind: 'stop-renewing', key });
    world.pass(2_700);
    expect(world.sent('renew')).toEqual([]);
    expect(world.news(key)).toEqual(['lost expired']);
  });

  test('ready settles at the next open, or when it is given up', () => {
    const world = scripted();
    world.do({ kind: 'ready', reference: reference(1) });
    world.do({ kind: 'ready', reference: reference(2) });
    expect(world.core.status).toBe('connecting');
    world.do({ kind: 'give-up', reference: reference(2), afterMs: 5 });
    expect(world.outcome(2)).toMatchObject({ failure: { code: 'unavailable' } });
    world.open();
    expect(world.outcome(1)).toEqual({ kind: 'done' });
    world.do({ kind: 'ready', reference: reference(3) });
    expect(world.outcome(3)).toEqual({ kind: 'done' });
  });

  test('a list is answered with its page', () => {
    const world = scripted();
    world.do({ kind: 'list', reference: reference(1), name: undefined, prefix: 'jobs/', after: '', limit: 2 });
    world.open();
    expect(world.sent('list')).toMatchObject([{ prefix: 'jobs/', limit: 2 }]);
    world.say({ type: 'view', request: requestId('#1'), views: [], next: 'jobs/b' });
    expect(world.outcome(1)).toEqual({ kind: 'views', views: [], next: 'jobs/b' });
  });
});

describe('an authority', () => {
  test('R1 R13 `ended`: belief first, then the word; nothing later revives the token (R2)', () => {
    const { world, key } = holding();
    const effects = world.say({ type: 'ended', name: 'n' as never, fencingToken: 101 as never, code: 'stolen' });
    expect(effects.map((effect) => (effect.kind === 'send' ? effect.messages[0]?.type : effect.kind))).toEqual([
      'lease',
      'endAck',
    ]);
    world.grant(key);
    expect(world.lease(key)?.status).toBe('lost');
    world.drop();
    world.pass(60_000);
    world.do({ kind: 'ready', reference: reference(1) });
    world.until(() => world.core.status === 'connecting');
    world.open({ held: [{ name: 'n', fencingToken: 101, leftMs: 2_000, ttlMs: 3_000, ceilingLeftMs: 9e6 }] as never });
    expect(world.sent('release')).toMatchObject([{ fencingToken: 101 }]);
    expect(world.news(key)).toEqual(['lost stolen']);
  });

  test('R2 an end of a grant that was never heard of is acknowledged, and the claim is said anew behind it', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    world.say({ type: 'ended', name: 'n' as never, fencingToken: 55 as never, code: 'revoked' });
    expect(
      world
        .of('send')
        .at(-1)
        ?.messages.map(({ type }) => type),
    ).toEqual(['endAck', 'acquire']);
    world.grant(key);
    expect(world.claim(key)?.kind).toBe('granted');
  });

  test('a ceiling that comes near is news', () => {
    const { world, key } = holding();
    world.say({ type: 'ceilingNear', name: 'n' as never, fencingToken: 101 as never, ceilingLeftMs: durationMs(900) });
    expect(world.news(key)).toEqual(['ceiling-near']);
  });
});

describe('frames', () => {
  test('what one call produces leaves as one frame, what calls on hold produce as one as well', () => {
    const { world } = holding();
    const before = world.of('send').length;
    world.do({ kind: 'list', reference: reference(1), name: undefined, prefix: '', after: '', limit: 1 }, true);
    world.do({ kind: 'list', reference: reference(2), name: undefined, prefix: '', after: '', limit: 2 }, true);
    expect(world.of('send')).toHaveLength(before);
    expect(world.core.nextWake()).toBe(world.now());
    world.do({ kind: 'wake' });
    expect(world.of('send')).toHaveLength(before + 1);
    expect(
      world
        .of('send')
        .at(-1)
        ?.messages.map((message) => 'frame' in message),
    ).toEqual([true, false]);
  });

  test('a frame stays below the size that the coordinator reads', () => {
    const world = scripted();
    for (let count = 0; count < 1_500; count += 1) world.acquire(`${'x'.repeat(200)}${count}`);
    world.open({ frameBytesMax: 100_000 });
    const frames = world.of('send').slice(1);
    expect(frames.flatMap(({ messages }) => messages)).toHaveLength(1_500);
    expect(frames.length).toBeGreaterThan(3);
    for (const { messages } of frames) expect(JSON.stringify(messages).length).toBeLessThanOrEqual(100_000);
    expect(new Set(frames.map(({ messages: [first] }) => first && 'frame' in first && first.frame)).size).toBe(
      frames.length,
    );
  });
});
