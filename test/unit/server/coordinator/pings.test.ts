import { beforeEach, describe, expect, test } from 'vitest';
import { durationMs } from '../../../../shared/time.ts';
import { CoreDriver } from '../../../support/core-driver.ts';
import type { RawClient } from '../../../support/raw-client.ts';

let driver: CoreDriver;
let a: RawClient;
let b: RawClient;

beforeEach(() => {
  driver = new CoreDriver();
  a = driver.client('a').connect();
  b = driver.client('b').connect();
  for (const client of [a, b]) {
    client.heard = [];
    client.answers = true;
  }
});

/** When, after now, a client hears pings. */
function pingsWithin(client: RawClient, ms: number): readonly number[] {
  const from = driver.now;
  const heard: number[] = [];
  client.take('ping');
  while (driver.now < from + ms) {
    driver.pass(Math.min(50, from + ms - driver.now));
    for (const _ of client.take('ping')) heard.push(driver.now - from);
  }
  return heard;
}

describe('pings', () => {
  test('every 15 s to one that only stands by', () => {
    expect(pingsWithin(a, 45_000)).toEqual([15_000, 30_000, 45_000]);
  });

  test('at the pace that hello asked for', () => {
    a.connect({ pingMs: durationMs(2_000) });
    expect(pingsWithin(a, 6_000)).toEqual([2_000, 4_000, 6_000]);
  });

  test.each([
    [30_000, 5_000],
    [1_000, 500],
    [6_000, 1_000],
    [600_000, 15_000],
  ])('a claim of %i ms that waits: every %i ms', (ttlMs, everyMs) => {
    a.granted('n', 24 * 3_600_000);
    b.send(b.acquire('n', ttlMs));
    expect(pingsWithin(b, 3 * everyMs)).toEqual([everyMs, 2 * everyMs, 3 * everyMs]);
  });

  test('any frame counts as an answer: the next ping comes a period after it', () => {
    driver.pass(10_000);
    b.send(b.acquire('m'));
    expect(pingsWithin(b, 20_000)).toEqual([15_000]);
  });

  test('each says when the next comes, which frame was read, and where the claims stand', () => {
    a.granted('n', 24 * 3_600_000);
    b.send(b.acquire('n'), b.acquire('n'));
    driver.pass(5_000);
    expect(b.only('ping')).toEqual({
      type: 'ping',
      ping: 1,
      nextMs: 5_000,
      frame: 2,
      queue: [
        { request: 'b-1', position: 0 },
        { request: 'b-2', position: 1 },
      ],
    });
    driver.pass(5_000);
    expect(b.only('ping')).toMatchObject({ ping: 2, frame: 3 });
  });

  test('where the pace becomes slower, the ping that was promised still comes', () => {
    const lease = a.granted('n');
    b.send(b.acquire('n', 3_000));
    driver.pass(500);
    expect(b.only('ping')).toMatchObject({ nextMs: 500 });
    a.send(a.release(lease));
    driver.pass(500);
    expect(b.only('ping')).toMatchObject({ nextMs: 15_000 });
    expect(pingsWithin(b, 2_000)).toEqual([]);
  });

  test('on a new socket the first ping comes a period after the hello', () => {
    driver.pass(14_000);
    a.connect();
    expect(pingsWithin(a, 15_000)).toEqual([15_000]);
  });

  test('one without a socket is not pinged, and costs no wake of its own', () => {
    a.granted('n');
    driver.pass(1_000);
    for (const client of [a, b]) client.drop();
    // The end of b, which holds nothing; then that of the lease.
    expect(driver.core.nextWake()).toBe(30_000);
  });

  test('R27 a client clock that runs at another rate is noted once', () => {
    a.answers = false;
    for (let round = 0; round < 10; round += 1) {
      driver.pass(15_000);
      a.send(a.pong(driver.now * 0.998));
    }
    expect(driver.notes.map((note) => note.code)).toEqual(['clock-rate']);
    expect(driver.notes[0]?.text).toMatch(/session-1-1 \(a\) .* -0\.2\d\d %/);
  });

  test('R27 an answer to an older ping says nothing of the rate', () => {
    a.answers = false;
    driver.pass(15_000);
    driver.pass(10_000);
    a.send(a.acquire('n'));
    driver.pass(14_900);
    // Read by the client 100 ms before the second ping went out, and by us behind it.
    const late = a.pong(driver.now);
    driver.pass(100);
    expect(a.only('ping')).toMatchObject({ ping: 2 });
    a.send(late, { type: 'pong', ping: 2, clockMs: driver.now });
    for (let round = 0; round < 4; round += 1) {
      driver.pass(15_000);
      a.send(a.pong(driver.now));
    }
    expect(driver.notes).toEqual([]);
  });
});

describe('silence', () => {
  beforeEach(() => {
    b.answers = false;
  });

  test('R19 a waiter silent for two pings is passed over, keeps its place, and its next frame is a wake', () => {
    const lease = a.granted('n', 6_000);
    a.answers = true;
    b.send(b.acquire('n', 30_000));
    const c = driver.client('c').connect();
    c.answers = true;
    c.send(c.acquire('n', 30_000));
    driver.pass(5_000);
    a.send(a.renew(lease));
    driver.pass(5_000);
    a.send(a.release(lease));
    expect(c.take('granted')).toHaveLength(1);
    expect(driver.happened.filter((event) => event.kind === 'passed-over')).toEqual([
      { kind: 'passed-over', session: 'session-1-2', name: 'n' },
    ]);
    expect(b.take('granted')).toEqual([]);
    // It stands first still.
    b.send(b.pong());
    c.send(c.release({ name: 'n', fencingToken: driver.image.mark }));
    expect(b.take('granted')).toHaveLength(1);
  });

  test('R19 it is pinged at once when it is passed over, and granted as soon as it answers', () => {
    a.granted('n', 10_500, { renew: false });
    b.send(b.acquire('n', 30_000));
    driver.pass(10_000);
    b.heard = [];
    driver.pass(500);
    // Not at its time, which is 5 s after the last one.
    expect(b.take('ping')).toHaveLength(1);
    expect(b.take('granted')).toEqual([]);
    driver.pass(20);
    b.send({ type: 'pong', ping: 3, clockMs: 0 });
    expect(b.only('granted')).toMatchObject({ frame: b.frame, leftMs: 30_000 });
  });

  test('R19 one that falls silent again is passed over again', () => {
    a.granted('n', 24 * 3_600_000);
    b.send(b.acquire('n', 30_000));
    for (let round = 0; round < 2; round += 1) {
      driver.pass(10_000);
      b.send(b.pong());
    }
    driver.pass(10_000);
    a.send(a.release({ name: 'n', fencingToken: driver.image.mark }));
    expect(b.take('granted')).toEqual([]);
    b.send(b.pong());
    expect(b.take('granted')).toHaveLength(1);
  });

  test('R19 a resume is a wake, too', () => {
    a.granted('n', 10_500, { renew: false });
    b.send(b.acquire('n', 30_000));
    b.drop();
    driver.pass(11_000);
    expect(driver.core.status).toMatchObject({ leases: 0, claims: 1 });
    b.heard = [];
    b.connect();
    expect(b.heard.map((message) => message.type)).toEqual(['welcome', 'granted']);
  });

  test.each([
    [10_000, 10_000],
    [1_000, 3_000],
  ])('S8 claims of %i ms leave the queue after %i ms of silence, and the client hears so', (ttlMs, silentMs) => {
    a.granted('n', 24 * 3_600_000);
    b.send(b.acquire('n', ttlMs), b.acquire('n', 500, { renew: false }));
    driver.pass(silentMs - 1);
    expect(driver.core.status.claims).toBe(2);
    driver.pass(1);
    expect(b.take('gone')).toEqual([
      { type: 'gone', request: 'b-1' },
      { type: 'gone', request: 'b-2' },
    ]);
    expect(driver.core.status.claims).toBe(0);
  });

  test('S8 a claim for longer than a session lives in silence ends with it, and leaves nothing behind', () => {
    a.granted('n', 24 * 3_600_000);
    b.send(b.acquire('n', 60_000));
    driver.pass(59_999);
    expect(driver.core.status).toMatchObject({ claims: 1, sessions: 2 });
    driver.pass(2);
    expect(b.take('gone')).toHaveLength(1);
    expect([...b.closed.values()]).toEqual(['session-ended']);
    expect(driver.core.status).toMatchObject({ claims: 0, sessions: 1 });
    expect(driver.image.claims.size).toBe(0);
  });

  test('S8 one that was away hears it after its welcome, once, and claims again at the tail', () => {
    a.granted('n', 24 * 3_600_000);
    b.send(b.acquire('n', 5_000));
    b.drop();
    const c = driver.client('c').connect();
    c.answers = true;
    c.send(c.acquire('n'));
    driver.pass(5_000);
    b.heard = [];
    b.connect();
    expect(b.heard.map((message) => message.type)).toEqual(['welcome', 'gone']);
    b.send(b.acquire('n', 5_000, { request: 'b-1' }));
    expect(b.only('queued')).toMatchObject({ position: 1 });
    b.drop();
    b.heard = [];
    b.connect();
    expect(b.heard.map((message) => message.type)).toEqual(['welcome']);
  });

  test('what is remembered for one that is away is bounded', () => {
    driver = new CoreDriver({ limits: { perSessionMax: 3 } });
    [a, b] = [driver.client('a').connect(), driver.client('b').connect()];
    a.granted('n', 24 * 3_600_000);
    b.send(...[1, 2, 3].map(() => b.acquire('n', 1_000)));
    b.drop();
    driver.pass(3_000);
    b.connect();
    expect(b.take('gone')).toHaveLength(3);
  });

  test('a bye withdraws the claims, and nobody is told that they are gone', () => {
    const lease = a.granted('n');
    b.send(b.acquire('n'));
    b.heard = [];
    b.send({ type: 'bye' });
    a.send(a.release(lease));
    b.connect();
    expect(b.heard.map((message) => message.type)).toEqual(['welcome']);
    expect(driver.core.status).toMatchObject({ claims: 0, leases: 0 });
  });
});

describe('the life of a session', () => {
  beforeEach(() => {
    for (const client of [a, b]) client.answers = false;
  });

  test('R25 one that holds nothing ends after 30 s of silence; its socket is closed', () => {
    driver.pass(29_999);
    expect(driver.core.status.sessions).toBe(2);
    driver.pass(1);
    expect(driver.core.status).toMatchObject({ sessions: 0, sockets: 0 });
    expect([...a.closed.values()]).toEqual(['session-ended']);
    a.heard = [];
    a.connect();
    expect(a.only('welcome')).toMatchObject({ resumed: false, note: 'unknown-session' });
  });

  test('R25 one that claimed for longer lives as long as its longest window', () => {
    const lease = a.granted('n', 60_000);
    a.send(a.release(lease));
    a.drop();
    driver.pass(59_999);
    expect(driver.core.status.sessions).toBe(1);
    driver.pass(1);
    expect(driver.core.status.sessions).toBe(0);
    expect(driver.image.sessions.size).toBe(0);
  });

  test('S7 a closed socket ends nothing: the lease lives to its deadline, its session with it', () => {
    a.granted('n', 40_000);
    a.drop();
    driver.pass(39_999);
    expect(driver.core.status).toMatchObject({ leases: 1, sessions: 1 });
    driver.pass(1);
    expect(driver.core.status.leases).toBe(0);
    driver.pass(1);
    expect(driver.core.status.sessions).toBe(0);
  });

  test('one that is held by renewals alone is never ended', () => {
    const lease = a.granted('n', 3_000);
    for (let round = 0; round < 60; round += 1) {
      driver.pass(2_000);
      a.send(a.renew(lease));
    }
    expect(driver.core.status).toMatchObject({ leases: 1, sessions: 1 });
  });

  test('after a bye it ends with keepMs, where it holds nothing', () => {
    a.send({ type: 'bye', keepMs: durationMs(700) });
    driver.pass(699);
    expect(driver.core.status.sessions).toBe(2);
    driver.pass(1);
    expect(driver.core.status.sessions).toBe(1);
  });

  test('S9 a frame that lay in its socket is read before its session ends', () => {
    driver.now += 30_100;
    a.push(a.acquire('n'));
    driver.settle();
    expect(a.take('granted')).toHaveLength(1);
    expect(driver.core.status.sessions).toBe(1);
  });

  test('without sessions and names nothing is waited for', () => {
    expect(driver.core.mustListen).toBe(true);
    driver.pass(30_000);
    expect(driver.core.mustListen).toBe(false);
    expect(driver.core.nextWake()).toBeNull();
  });
});
