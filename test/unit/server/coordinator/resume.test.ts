import { beforeEach, describe, expect, test } from 'vitest';
import { instanceId, requestId, secret, sessionId } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { CoreDriver } from '../../../support/core-driver.ts';
import type { RawClient } from '../../../support/raw-client.ts';

let driver: CoreDriver;
let a: RawClient;

beforeEach(() => {
  driver = new CoreDriver();
  a = driver.client('a').connect();
});

describe('a new session', () => {
  test('hears its id, its secret, the journal and the limits, anchored at its hello', () => {
    expect(a.take('welcome')).toEqual([
      {
        type: 'welcome',
        frame: 1,
        session: 'session-1-1',
        secret: 'secret-1-1',
        resumed: false,
        journal: 'journal-1',
        protocol: 1,
        held: [],
        more: false,
        stateBytesMax: driver.limits.stateBytesMax,
        frameBytesMax: driver.limits.frameBytesMax,
      },
    ]);
  });

  test('what came behind its hello is applied as part of the same frame', () => {
    const b = driver.client('b').dialUp({}, [driver.client('b').acquire('n')]);
    driver.settle();
    expect(b.only('granted')).toMatchObject({ frame: 1, leftMs: 30_000 });
  });
});

describe('resuming', () => {
  test('R8 renews nothing: what is left counts from the new hello', () => {
    const { fencingToken } = a.granted('n');
    driver.pass(4_000.4);
    a.drop();
    driver.pass(6_000);
    a.heard = [];
    a.connect();
    const welcome = a.only('welcome');
    expect(welcome).toMatchObject({ resumed: true, frame: 3, session: 'session-1-1' });
    expect(welcome.held).toEqual([
      { name: 'n', fencingToken, leftMs: 19_999, ttlMs: 30_000, ceilingLeftMs: 86_389_999 },
    ]);
    expect(welcome).not.toHaveProperty('secret');
    driver.pass(20_000);
    expect(driver.core.status.leases).toBe(0);
  });

  test('R8 nothing is concluded from what a hello leaves out', () => {
    a.granted('n');
    a.connect();
    expect(driver.core.status.leases).toBe(1);
    expect(a.take('welcome').at(-1)?.held).toHaveLength(1);
  });

  test('R9 the old socket is told, closed, and not heard any more', () => {
    const lease = a.granted('n');
    const old = a.socket;
    driver.pass(1_000);
    // Both in one turn, the old socket's frame last.
    a.dialUp();
    const neu = a.socket;
    a.socket = old;
    a.push(a.renew(lease), a.acquire('m'));
    a.socket = neu;
    driver.settle();
    expect(a.frames.filter((frame) => frame.socket === old).at(-1)?.messages).toMatchObject([
      { type: 'error', code: 'replaced' },
    ]);
    expect(old !== null && a.closed.get(old)).toBe('replaced');
    expect(a.take('renewed')).toEqual([]);
    expect(a.take('granted')).toEqual([]);
    expect(driver.core.status).toMatchObject({ leases: 1, claims: 0, sockets: 1 });
  });

  test('R9 a late hello of an abandoned socket is turned away, and the newer socket lives on', () => {
    a.connect({ dial: 7 });
    const neu = a.socket;
    a.heard = [];
    a.connect({ dial: 7 });
    expect(a.only('error')).toMatchObject({ code: 'replaced', retryable: false });
    expect(a.take('welcome')).toEqual([]);
    a.socket = neu;
    a.send(a.acquire('n'));
    expect(a.take('granted')).toHaveLength(1);
  });

  test('S11 a hello whose frame number does not rise is refused', () => {
    a.granted('n');
    a.drop();
    a.heard = [];
    a.frame = 0;
    a.connect();
    expect(a.only('error')).toMatchObject({ code: 'bad-request', param: 'frame' });
    expect(driver.core.status).toMatchObject({ sockets: 0, leases: 1 });
  });

  test('a welcome of many leases comes in frames of at most 64 KiB', () => {
    const names = Array.from({ length: 400 }, (_, index) => `${index}`.padEnd(250, '"'));
    a.send(...names.map((name) => a.acquire(name)));
    a.heard = [];
    const before = a.frames.length;
    a.connect();
    const frames = a.frames.slice(before).filter((frame) => frame.socket === a.socket);
    expect(frames.length).toBeGreaterThan(2);
    for (const { messages } of frames) expect(JSON.stringify(messages).length).toBeLessThanOrEqual(65_536);
    const parts = a.take('welcome');
    expect(parts.flatMap((part) => part.held.map((lease) => lease.name))).toEqual(names);
    expect(parts.map((part) => part.more)).toEqual(parts.map((_, index) => index < parts.length - 1));
  });

  test('five times in a row each resume is like the first', () => {
    a.heard = [];
    for (let round = 0; round < 5; round += 1) a.connect();
    expect(a.take('welcome').map((welcome) => welcome.resumed)).toEqual([true, true, true, true, true]);
    expect(driver.core.status).toMatchObject({ sessions: 1, sockets: 1 });
  });

  test('pushes go to the new socket, anchored in its frames', () => {
    const b = driver.client('b').connect();
    const lease = b.granted('n');
    a.send(a.acquire('n'));
    a.connect();
    driver.pass(100);
    b.send(b.release(lease));
    const last = a.frames.at(-1);
    expect(last?.socket).toBe(a.socket);
    expect(last?.messages).toMatchObject([{ type: 'granted', frame: a.frame, leftMs: 30_100 }]);
  });
});

describe('another instance', () => {
  const other = (of: RawClient): RawClient => {
    const copy = driver.client('copy');
    copy.session = of.session;
    copy.secret = of.secret;
    return copy;
  };

  test('R10 gets a session of its own while the first was not told goodbye', () => {
    a.granted('n');
    const copy = other(a).connect();
    expect(copy.only('welcome')).toMatchObject({
      resumed: false,
      note: 'in-use',
      held: [],
      session: 'session-1-2',
      secret: 'secret-1-2',
    });
    a.drop();
    expect(other(a).connect().only('welcome')).toMatchObject({ resumed: false, note: 'in-use' });
  });

  test('R10 takes the leases over after a bye, within keepMs', () => {
    const { fencingToken } = a.granted('n');
    a.send({ type: 'bye', keepMs: durationMs(500) });
    expect([...a.closed.values()]).toEqual(['closed']);
    driver.pass(500);
    const copy = other(a).connect();
    expect(copy.only('welcome')).toMatchObject({
      resumed: true,
      frame: 1,
      held: [{ name: 'n', fencingToken, leftMs: 29_500 }],
    });
    copy.send(copy.renew({ name: 'n', fencingToken }));
    expect(copy.only('renewed')).toMatchObject({ frame: 2, leases: [{ leftMs: 30_000 }] });
    // And now the first one is another instance.
    a.heard = [];
    a.connect();
    expect(a.only('welcome')).toMatchObject({ note: 'in-use', held: [] });
  });

  test('R10 comes too late once keepMs is over; its leases live until their deadlines', () => {
    a.granted('n');
    a.send({ type: 'bye', keepMs: durationMs(500) });
    driver.pass(501);
    expect(other(a).connect().only('welcome')).toMatchObject({ note: 'in-use' });
    expect(driver.core.status.leases).toBe(1);
    driver.pass(29_499);
    expect(driver.core.status.leases).toBe(0);
  });

  test('R10 has 2 s where a bye says nothing of keeping', () => {
    a.granted('n');
    a.send({ type: 'bye' });
    driver.pass(2_000);
    expect(other(a).connect().only('welcome')).toMatchObject({ resumed: true });
  });

  describe('that the first said it would come back as', () => {
    const bye = (of: RawClient): RawClient => of.send({ type: 'bye', keepMs: durationMs(500), comesBack: true });
    const names = (of: RawClient) => of.take('granted').map(({ name }) => name);

    test('finds its claims in their places, passed over until then', () => {
      const b = driver.client('b').connect();
      const lease = b.granted('n');
      a.send(a.acquire('n', 30_000, { request: 'waits' }));
      const c = driver.client('c').connect();
      c.send(c.acquire('n'));
      bye(a);
      expect(driver.core.status.claims).toBe(2);
      const copy = other(a).connect();
      copy.send(copy.acquire('n', 30_000, { request: 'waits' }));
      expect(copy.only('queued')).toMatchObject({ request: 'waits', position: 0 });
      b.send(b.release(lease));
      expect(copy.only('granted')).toMatchObject({ request: 'waits', frame: 2 });
    });

    test('R19 is not waited for by those behind it', () => {
      const b = driver.client('b').connect();
      const lease = b.granted('n');
      a.send(a.acquire('n'));
      const c = driver.client('c').connect();
      c.send(c.acquire('n'));
      bye(a);
      b.send(b.release(lease));
      expect(names(c)).toEqual(['n']);
    });

    test('R7 repeats its acquire, and has the token and a window of its own', () => {
      const { fencingToken, request } = a.granted('n');
      bye(a);
      driver.pass(400);
      const copy = other(a).connect();
      copy.send(copy.acquire('n', 30_000, { request }));
      expect(copy.only('granted')).toMatchObject({ request, fencingToken, frame: 2, leftMs: 30_000 });
      driver.pass(1_000);
      expect(driver.core.status.leases).toBe(1);
    });

    test('has its leases released and its claims withdrawn where it does not come', () => {
      a.granted('n');
      const b = driver.client('b').connect();
      b.granted('m');
      b.send(b.acquire('n'));
      a.send(a.acquire('m'));
      bye(a);
      driver.pass(499);
      expect(names(b)).toEqual([]);
      driver.pass(2);
      expect(names(b)).toEqual(['n']);
      expect(driver.core.status).toMatchObject({ leases: 2, claims: 0 });
      expect(other(a).connect().only('welcome')).toMatchObject({ note: 'unknown-session' });
    });

    test('R15 finds the grant that was on its way to the disk at the bye', () => {
      driver.disk = 'slow';
      a.send(a.acquire('n', 30_000, { request: 'late' }));
      bye(a);
      driver.finishAppend();
      driver.disk = 'ok';
      driver.settle();
      const copy = other(a).connect();
      const [lease] = copy.only('welcome').held;
      copy.send(copy.acquire('n', 30_000, { request: 'late' }));
      expect(copy.only('granted')).toMatchObject({ request: 'late', fencingToken: lease?.fencingToken });
    });

    test('R1 leaves closed what an authority is ending, until its window is over', () => {
      const { fencingToken } = a.granted('n');
      const b = driver.client('b').connect();
      b.send(b.acquire('n', 30_000, { steal: true }));
      expect(a.only('ended')).toMatchObject({ fencingToken });
      bye(a);
      b.answers = true;
      driver.pass(29_999);
      expect(names(b)).toEqual([]);
      driver.pass(1);
      expect(names(b)).toEqual(['n']);
    });
  });

  test('the journal learns which instance has a session now', () => {
    a.granted('n');
    a.send({ type: 'bye' });
    other(a).connect();
    expect(driver.written('session').map((event) => event.session.instance)).toEqual([
      'instance of a',
      'instance of copy',
    ]);
  });
});

describe('a session that cannot be resumed', () => {
  const unknown = { session: sessionId('nobody'), secret: secret('secret-1-1') };

  test('a wrong secret is answered as an unknown session is', () => {
    const b = driver.client('b').connect({ resume: unknown });
    const c = driver
      .client('c')
      .connect({ resume: { session: a.session ?? unknown.session, secret: secret('guessed') } });
    const [first, second] = [b.only('welcome'), c.only('welcome')];
    expect(first).toMatchObject({ resumed: false, note: 'unknown-session' });
    expect({ ...second, session: '', secret: '' }).toEqual({ ...first, session: '', secret: '' });
  });

  test('a wrong secret leaves the session and its socket alone', () => {
    driver.client('c').connect({
      resume: { session: a.session ?? unknown.session, secret: secret('guessed') },
      instance: instanceId(a.instance),
      dial: 99,
    });
    expect([...a.closed]).toEqual([]);
    a.send(a.acquire('n'));
    expect(a.take('granted')).toHaveLength(1);
  });
});

describe('a hello that is refused', () => {
  test.each([
    [2, 3],
    [0, 0],
  ])('S10 versions %i to %i are not ours: both ranges are named', (protocolMin, protocolMax) => {
    const b = driver.client('b').connect({ protocolMin, protocolMax });
    expect(b.only('error')).toMatchObject({ code: 'version', retryable: false });
    expect([...b.closed.values()]).toEqual(['version']);
    expect(driver.core.status.sessions).toBe(1);
  });

  test('S10 one session more than the limit is refused, and may try again', () => {
    driver = new CoreDriver({ limits: { sessionsMax: 1 } });
    a = driver.client('a').connect();
    const b = driver.client('b').connect();
    expect(b.only('error')).toMatchObject({ code: 'too-many', retryable: true });
    expect([...b.closed.values()]).toEqual(['too-many']);
    a.heard = [];
    a.connect();
    expect(a.only('welcome').resumed).toBe(true);
  });

  test('a second hello on a socket is an error, and the session goes on', () => {
    a.push({ ...helloAgain(), frame: a.nextFrame() }, a.acquire('n'));
    driver.settle();
    expect(a.only('error')).toMatchObject({ code: 'bad-request', param: 'type' });
    expect(a.take('granted')).toHaveLength(1);
  });
});

const helloAgain = () => ({
  type: 'hello' as const,
  protocolMin: 1,
  protocolMax: 1,
  instance: instanceId('x'),
  dial: 9,
});

describe('frames', () => {
  test('S11 a frame whose number does not rise is not applied, and its socket is closed', () => {
    const lease = a.granted('n');
    a.frame -= 1;
    a.send(a.release(lease), a.acquire('m'));
    expect(a.only('error')).toMatchObject({ code: 'bad-request', param: 'frame', retryable: false });
    expect([...a.closed.values()]).toEqual(['bad-request']);
    expect(driver.core.status).toMatchObject({ leases: 1, claims: 0, sockets: 0 });
  });

  test('S11 a session of another client is not touched by it', () => {
    const b = driver.client('b').connect();
    b.granted('n');
    a.frame -= 1;
    a.send({ type: 'cancel', request: requestId('x') });
    expect([...b.closed]).toEqual([]);
    b.send(b.acquire('m'));
    expect(b.take('granted')).toHaveLength(1);
  });

  test('frames of a socket that nobody said hello on are not answered', () => {
    const b = driver.client('b').connect();
    b.send({ type: 'bye' });
    b.heard = [];
    b.socket = [...b.closed.keys()][0] ?? null;
    b.send(b.acquire('n'));
    expect(b.heard).toEqual([]);
    expect(driver.core.status.leases).toBe(0);
  });

  test('nothing is heard behind a bye in the same frame', () => {
    a.send({ type: 'bye' }, a.acquire('n'));
    expect(driver.core.status).toMatchObject({ leases: 0, claims: 0 });
  });
});
