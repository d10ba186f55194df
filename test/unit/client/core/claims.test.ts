import { describe, expect, test } from 'vitest';
import { fencingToken } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { scripted } from '../../../support/sim/scripted.ts';

const error = (request: string, code: string, retryable: boolean, more: object = {}) =>
  ({ type: 'error', request, code, message: code, retryable, ...more }) as never;

describe('one promise through everything', () => {
  test('F26 S8 a claim outlives drops, an emptied queue and a new session, under one id', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    world.say({ type: 'queued', request: key, position: 2, behind: 'other' });
    world.drop();
    world.until(() => world.core.status === 'connecting');
    world.open();
    world.say({ type: 'queued', request: key, position: 1, behind: 'other' });
    world.say({ type: 'gone', request: key });
    world.drop();
    world.until(() => world.core.status === 'connecting');
    world.open({ resumed: false, secret: 'other' as never, session: 'other' as never, note: 'unknown-session' });
    expect(world.sent('acquire').map(({ request }) => request)).toEqual([key, key, key, key]);
    world.grant(key);
    expect(world.claim(key)).toMatchObject({ kind: 'granted' });
  });

  test('F10 a repeat that meets its grant gets the same token, counted from the repeat (R7)', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    // The grant was swallowed.
    world.drop();
    world.pass(600);
    world.until(() => world.core.status === 'connecting');
    world.open({
      held: [{ name: 'n', fencingToken: 101, leftMs: 29_000, ttlMs: 30_000, ceilingLeftMs: 9e6 }] as never,
    });
    // Awaited, so not given back.
    expect(world.sent('release')).toEqual([]);
    world.grant(key);
    expect(world.claim(key)).toMatchObject({ kind: 'granted', fencingToken: 101 });
    expect(world.lease(key)?.remainingMs).toBe(27_000);
  });

  test('waitMs counts from the call, connecting included: 10 s are 10 s', () => {
    const world = scripted({ connectTimeoutMs: durationMs(500), maxBackoffMs: durationMs(500) });
    const started = world.now();
    const key = world.acquire('n', { waitMs: durationMs(10_000) });
    world.until(() => world.claim(key) !== undefined);
    expect(world.now() - started).toBe(10_000);
    expect(world.claim(key)).toMatchObject({ failure: { code: 'unavailable', retryable: true } });
  });

  test('what the coordinator is told to wait is what is left of the wait', () => {
    const world = scripted();
    world.acquire('n', { waitMs: durationMs(10_000) });
    world.acquire('m');
    world.pass(2_000);
    world.open();
    expect(world.sent('acquire').map(({ waitMs }) => waitMs)).toEqual([8_000, undefined]);
  });

  test('S10 a wait that ends in the queue is a wait-timeout with its place, and is withdrawn', () => {
    const world = scripted();
    const key = world.acquire('n', { waitMs: durationMs(900) });
    world.open();
    world.say({ type: 'queued', request: key, position: 4, behind: 'other' });
    world.pass(900);
    expect(world.claim(key)).toMatchObject({ failure: { code: 'wait-timeout', position: 4, retryable: true } });
    expect(world.sent('cancel')).toMatchObject([{ request: key }]);
    // A grant that crossed it is released by its token.
    world.grant(key, { fencingToken: fencingToken(7) });
    expect(world.sent('release')).toMatchObject([{ fencingToken: 7 }]);
  });

  test('one try: not free is `wait-timeout`; nothing reached in connectTimeoutMs is `unavailable`', () => {
    const world = scripted({ connectTimeoutMs: durationMs(1_000) });
    const never = world.acquire('n', { waitMs: durationMs(0) });
    world.pass(999);
    expect(world.claim(never)).toBeUndefined();
    world.pass(1);
    expect(world.claim(never)).toMatchObject({ failure: { code: 'unavailable' } });
    const taken = world.acquire('n', { waitMs: durationMs(0) });
    world.until(() => world.core.status === 'connecting');
    world.open();
    expect(world.sent('acquire').at(-1)).toMatchObject({ waitMs: 0 });
    world.say(error(taken, 'wait-timeout', true, { position: 1 }));
    expect(world.claim(taken)).toMatchObject({ failure: { code: 'wait-timeout', position: 1 } });
  });

  test('S10 a claim that reached nobody leaves nothing behind, and its failure says where it was tried', () => {
    const world = scripted({ connectTimeoutMs: durationMs(1_000) });
    const key = world.acquire('n', { waitMs: durationMs(0) });
    world.do({ kind: 'credential', dial: 1 as never, credential: undefined });
    world.pass(1_000);
    const message = '"n": not granted within 1000 ms: no answer from ws://one: is it running?';
    expect(world.claim(key)).toMatchObject({ failure: { code: 'unavailable', message } });
    // No `cancel` waits for a coordinator, so nothing keeps the process.
    expect(world.core.idle).toBe(true);
    expect(world.sent('cancel')).toEqual([]);
  });

  test('S10 a wait without an answer is a `wait-timeout` once there was a connection, though it is gone again', () => {
    const world = scripted({ idleMs: durationMs(60_000) });
    world.do({ kind: 'ready', reference: 1 as never });
    world.open();
    const short = world.acquire('n', { waitMs: durationMs(3) });
    world.pass(3);
    const message = '"n": not granted within 3 ms';
    expect(world.claim(short)).toMatchObject({ failure: { code: 'wait-timeout', message } });
    const dropped = world.acquire('n', { waitMs: durationMs(900) });
    world.drop();
    const never = world.acquire('n', { waitMs: durationMs(900) });
    world.pass(900);
    expect(world.claim(dropped)).toMatchObject({ failure: { code: 'wait-timeout' } });
    expect(world.claim(never)).toMatchObject({ failure: { code: 'unavailable' } });
  });

  test('one try without an answer is `unavailable` over an open connection too, and says so', () => {
    const world = scripted({ connectTimeoutMs: durationMs(500) });
    const key = world.acquire('n', { waitMs: durationMs(0) });
    world.connect();
    world.drop();
    world.until(() => world.core.status === 'connecting');
    // What failed before the welcome is no cause of what comes behind it.
    world.open();
    world.pass(500);
    const message = '"n": not granted within 500 ms: no answer from ws://one: is it running?';
    expect(world.claim(key)).toMatchObject({ failure: { code: 'unavailable', message, cause: undefined } });
    // A refusal in words is passed on as it is.
    const refused = world.acquire('n', { waitMs: durationMs(0) });
    world.say(error(refused, 'unavailable', true));
    expect(world.claim(refused)).toMatchObject({ failure: { code: 'unavailable', message: 'unavailable' } });
  });

  test('S10 what failed last is the cause, while the next dial is under way as well', () => {
    const world = scripted({ connectTimeoutMs: durationMs(4_000) });
    const key = world.acquire('n', { waitMs: durationMs(2_000) });
    world.do({ kind: 'credential-failed', dial: 1 as never, cause: new Error('token service down') });
    world.until(() => world.core.status === 'connecting');
    world.do({ kind: 'ready', reference: 1 as never });
    world.do({ kind: 'give-up', reference: 1 as never, afterMs: 700 });
    const cause = { code: 'unavailable', message: 'no credential: Error: token service down' };
    const why = `ws://one: ${cause.message}`;
    const given = `no coordinator answered within 700 ms (status connecting): ${why}`;
    expect(world.outcome(1)).toMatchObject({ failure: { code: 'unavailable', message: given, cause } });
    expect(world.core.status).toBe('connecting');
    world.until(() => world.claim(key) !== undefined);
    const message = `"n": not granted within 2000 ms: ${why}`;
    expect(world.claim(key)).toMatchObject({ failure: { code: 'unavailable', message, cause } });
  });

  test('F26 a coordinator that is back is met within 2 s by whoever waits, and before the end of any wait', () => {
    for (const chance of [0.5, 0.999]) {
      for (const waitMs of [null, durationMs(60_000), durationMs(1_000)]) {
        const world = scripted({ chance: () => chance });
        // Something else is wanted, and has been for long: the pauses are of 8 s.
        world.do({ kind: 'ready', reference: 1 as never });
        const away = world.now() + 100_000;
        const refuse = (): void => {
          if (world.core.status !== 'connecting') return;
          world.connect();
          world.drop();
        };
        for (refuse(); world.now() < away; refuse())
          world.pass(Math.max(10, Number(world.core.nextWake()) - world.now()));
        const key = world.acquire('n', { waitMs });
        const back = world.now() + 900;
        for (refuse(); world.now() < back; refuse()) world.pass(10);
        world.until(() => world.core.status === 'connecting');
        expect(world.now() - back).toBeLessThan(waitMs === 1_000 ? 100 : 2_000);
        world.open();
        expect(world.sent('acquire')).toMatchObject([{ request: key }]);
      }
    }
  });

  test.each(['bad-request', 'forbidden', 'mode-conflict', 'already-held'])(
    '`%s` rejects at once and is not asked again',
    (code) => {
      const world = scripted();
      const key = world.acquire('n');
      world.open();
      world.say(error(key, code, false, { param: 'ttlMs' }));
      expect(world.claim(key)).toMatchObject({ failure: { code, param: 'ttlMs', requestId: key } });
      world.pass(60_000);
      expect(world.sent('acquire')).toHaveLength(1);
      expect(world.sent('cancel')).toEqual([]);
    },
  );

  test('F24 a refusal for now is asked again inside the wait, ever more slowly: at most 8 times a minute', () => {
    const world = scripted({ chance: () => 0 });
    const key = world.acquire('n');
    world.open();
    const until = world.now() + 60_000;
    for (let answered = 0; world.now() < until; world.pass(250)) {
      if (world.sent('acquire').length === answered) continue;
      world.say(error(key, 'queue-full', true));
      answered += 1;
    }
    expect(world.sent('acquire').length).toBeGreaterThan(3);
    expect(world.sent('acquire').length).toBeLessThanOrEqual(8);
    expect(world.claim(key)).toBeUndefined();
  });

  test('R24 a claim that stood in the queue once does not steal when it stands again', () => {
    const world = scripted();
    const key = world.acquire('n', { steal: true });
    world.open();
    world.drop();
    world.until(() => world.core.status === 'connecting');
    world.open();
    world.say({ type: 'queued', request: key, position: 0, behind: 'other' });
    world.say({ type: 'gone', request: key });
    expect(world.sent('acquire').map(({ steal }) => steal)).toEqual([true, true, undefined]);
  });
});

describe('what a claim says meanwhile', () => {
  test('S10 one that waits without limit says what it waits for, once, after 10 s', () => {
    const world = scripted({ connectTimeoutMs: durationMs(500) });
    world.acquire('n');
    world.acquire('m', { waitMs: durationMs(60_000) });
    world.pass(9_999);
    expect(world.of('warning')).toEqual([]);
    world.pass(30_000);
    expect(world.of('warning')).toEqual([
      {
        kind: 'warning',
        code: 'waiting',
        text: expect.stringMatching(/^"n" waits: no connection \([a-z-]+\): ws:..one: no credential in time$/),
      },
    ]);
  });

  test('S10 a wait that is over names whoever held it by then, as far as it was told', () => {
    const world = scripted();
    const key = world.acquire('n', { waitMs: durationMs(1_000) });
    world.open();
    const place = { position: 0, behind: 'other', holder: 'job 7', heldForMs: durationMs(500) } as const;
    world.say({ type: 'queued', request: key, ...place });
    world.pass(1_000);
    const message = '"n": not granted within 1000 ms: held by "job 7" for 1500 ms, position 0';
    expect(world.claim(key)).toMatchObject({ failure: { code: 'wait-timeout', message, position: 0 } });
  });

  test('S10 it names the holder and the place when it knows them', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    world.say({
      type: 'queued',
      request: key,
      position: 3,
      behind: 'other',
      holder: 'job 7',
      heldForMs: durationMs(500),
    });
    for (let count = 0; count < 4; count += 1) {
      world.pass(2_600);
      world.say({
        type: 'ping',
        ping: count,
        nextMs: durationMs(5_000),
        frame: (2 + count) as never,
        queue: [{ request: key, position: 3 - count }],
      });
    }
    expect(world.of('warning')).toMatchObject([{ text: '"n" waits: held by "job 7" for 10500 ms, position 1' }]);
    expect(world.of('queued').map(({ position }) => position)).toEqual([3, 2, 1, 0]);
  });

  test.each([
    [{ position: 0, behind: 'nobody' }, 'not free yet, position 0'],
    [{ position: 2, behind: 'nobody', quietMs: durationMs(900) }, 'quiet time of 900 ms'],
    ['has 1000 leases, claims and open requests', 'has 1000 leases, claims and open requests'],
  ] as const)('S10 its reason is one sentence: %o', (word, reason) => {
    const world = scripted();
    const key = world.acquire('n', { ttlMs: durationMs(60_000) });
    world.open();
    const refusal = error(key, 'too-many-requests', true, {
      message: typeof word === 'string' ? word : '',
      retryAfterMs: 20_000,
    });
    world.say(typeof word === 'string' ? refusal : { type: 'queued', request: key, ...word });
    world.pass(10_000);
    expect(world.of('warning')).toMatchObject([{ code: 'waiting', text: `"n" waits: ${reason}` }]);
  });

  test('a claim behind its own client is warned of after 1 s, once', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    world.grant(key);
    const second = world.acquire('n');
    world.say({
      type: 'queued',
      request: second,
      position: 0,
      behind: 'self',
      holder: 'tab',
      heldForMs: durationMs(5),
      remainingMs: durationMs(9),
    });
    expect(world.of('queued')).toEqual([
      { kind: 'queued', key: second, position: 0, behind: 'self', holder: 'tab', heldForMs: 5, remainingMs: 9 },
    ]);
    world.pass(999);
    expect(world.of('warning')).toEqual([]);
    world.pass(1);
    expect(world.of('warning')).toMatchObject([{ code: 'behind-self' }]);
    world.say({ type: 'queued', request: second, position: 0, behind: 'self' });
    world.pass(3_000);
    expect(world.of('warning')).toHaveLength(1);
  });
});

describe('withdrawing', () => {
  test('a withdrawn claim says nothing to its caller; a grant that crosses it is released', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    world.do({ kind: 'withdraw', key });
    world.grant(key);
    expect(world.claim(key)).toBeUndefined();
    expect(world.sent('cancel')).toMatchObject([{ request: key }]);
    expect(world.sent('release')).toMatchObject([{ fencingToken: 101 }]);
    expect(world.lease(key)).toBeNull();
  });

  test('a withdrawal survives a drop: it is said on the next socket', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    world.drop();
    world.do({ kind: 'withdraw', key });
    world.until(() => world.core.status === 'connecting');
    world.open();
    expect(world.sent('cancel')).toMatchObject([{ request: key }]);
    expect(world.sent('acquire')).toHaveLength(1);
    world.say(error(key, 'cancelled', false));
    expect(world.core.idle).toBe(true);
  });

  test('a withdrawal that meets a lease gives it back', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    world.grant(key);
    world.do({ kind: 'withdraw', key });
    expect(world.news(key)).toEqual(['released']);
    expect(world.sent('release')).toMatchObject([{ fencingToken: 101 }]);
  });
});
