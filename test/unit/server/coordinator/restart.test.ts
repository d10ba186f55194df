import { beforeEach, describe, expect, test } from 'vitest';
import { durationMs } from '../../../../shared/time.ts';
import { CoreDriver } from '../../../support/core-driver.ts';
import type { RawClient } from '../../../support/raw-client.ts';
import { shownNow } from './support/watching.ts';

let driver: CoreDriver;
let a: RawClient;
let b: RawClient;

beforeEach(() => {
  driver = new CoreDriver();
  [a, b] = [driver.client('a').connect(), driver.client('b').connect()];
  for (const client of [a, b]) client.answers = true;
});

function restart(options: Parameters<CoreDriver['restart']>[0] = {}): void {
  driver = driver.restart(options);
  for (const client of [a, b]) client.heard = [];
}

describe('a restart', () => {
  test('S5 drops no lease whose holder comes back in time: token and window are as they were', () => {
    const lease = a.granted('n');
    driver.pass(20_000);
    restart();
    driver.pass(25_000);
    a.connect();
    expect(a.only('welcome')).toMatchObject({
      resumed: true,
      held: [{ name: 'n', fencingToken: lease.fencingToken, leftMs: 5_000, ttlMs: 30_000 }],
    });
    a.send(a.renew(lease));
    // What is left of the old window, until it is durable that the holder was heard.
    expect(a.only('renewed').leases).toMatchObject([{ leftMs: 5_000 }]);
    driver.pass(4_000);
    a.send(a.renew(lease));
    expect(a.only('renewed').leases).toMatchObject([{ leftMs: 30_000 }]);
  });

  test('S5 grants nobody else earlier, and then at once', () => {
    a.granted('n');
    b.send(b.acquire('n'));
    restart();
    b.connect();
    expect(b.take('granted')).toEqual([]);
    driver.pass(29_999);
    expect(b.take('granted')).toEqual([]);
    driver.pass(1);
    expect(b.take('granted')).toHaveLength(1);
  });

  test('S5 no number of restarts keeps a dead lease alive', () => {
    a.granted('n', 10_000);
    b.send(b.acquire('n', 60_000));
    let runs = 0;
    let listenedMs = 0;
    while (driver.core.status.leases > 0 && runs < 30) {
      restart();
      runs += 1;
      listenedMs += 3_000;
      driver.pass(3_000);
    }
    expect(runs).toBeGreaterThan(3);
    // At most the silence of less than a second is lost with each run.
    expect(listenedMs).toBeLessThanOrEqual(10_000 + runs * 1_000 + 3_000);
  });

  test('S5 not even runs of less than a second do', () => {
    a.granted('n', 2_000);
    let runs = 0;
    for (; driver.core.status.leases > 0 && runs < 100; runs += 1) {
      restart();
      driver.pass(600);
    }
    expect(runs).toBeLessThan(15);
  });

  test('S5 ten restarts in a row cost a living holder nothing', () => {
    const lease = a.granted('n', 6_000);
    for (let runs = 0; runs < 10; runs += 1) {
      restart();
      driver.pass(3_000);
      a.connect();
      a.send(a.renew(lease));
      driver.pass(500);
      a.send(a.renew(lease));
      expect(a.take('renewed').at(-1)?.leases).toMatchObject([{ leftMs: 6_000 }]);
    }
  });

  test('R3 the first renewal before any silence was stored writes nothing', () => {
    const lease = a.granted('n');
    restart();
    driver.pass(100);
    a.connect().send(a.renew(lease));
    expect(a.only('renewed').leases).toMatchObject([{ leftMs: 30_000 }]);
    driver.pass(5_000);
    expect(driver.written('heard')).toEqual([]);
    expect(driver.written('silent')).toEqual([]);
  });

  test('R3 silence is stored at most once a second, and no more once all were heard from', () => {
    const lease = a.granted('n');
    restart();
    const { length } = driver.appends;
    driver.pass(4_250);
    expect(driver.written('silent').map((event) => event.leases[0]?.silentMs)).toEqual([
      250, 1_250, 2_250, 3_250, 4_250,
    ]);
    a.connect().send(a.renew(lease));
    driver.pass(5_000);
    expect(driver.written('silent')).toHaveLength(5);
    expect(driver.written('heard')).toHaveLength(1);
    expect(driver.appends.length - length).toBeLessThan(8);
    expect(
      driver
        .written('listened')
        .slice(0, 5)
        .map((event) => event.listeningMs),
    ).toEqual([250, 1_250, 2_250, 3_250, 4_250]);
  });

  test('R3 nothing waits for the silence: a slow disk stores one, the newest, when it can', () => {
    a.granted('n');
    restart();
    driver.disk = 'slow';
    driver.pass(5_000);
    expect(driver.written('silent').map((event) => event.leases[0]?.silentMs)).toEqual([250]);
    // Its end is an input of its own: nothing is to be done before the lease is over.
    expect(driver.core.nextWake()).toBe(30_000);
    driver.finishAppend().settle();
    expect(driver.written('silent').map((event) => event.leases[0]?.silentMs)).toEqual([250, 5_000]);
  });

  test('a silence that could not be stored is stored with the next try', () => {
    a.granted('n');
    restart();
    driver.disk = 'full';
    driver.pass(250);
    driver.disk = 'ok';
    driver.pass(250);
    expect([...driver.image.leases.values()].map((lease) => lease.silentMs)).toEqual([500]);
  });

  test('S5 ceilings count listening time over runs', () => {
    const lease = a.granted('n', 10_000, { maxLifetimeMs: durationMs(20_000) });
    driver.pass(8_000);
    restart();
    a.connect().send(a.renew(lease));
    expect(a.take('renewed').at(-1)?.leases[0]?.ceilingLeftMs).toBeLessThanOrEqual(12_000);
    driver.pass(9_000);
    a.send(a.renew(lease));
    driver.pass(3_000);
    expect(a.take('ended')).toMatchObject([{ code: 'ceiling' }]);
  });

  test('listening time is journaled at a twentieth of the least ceiling, while anything is held', () => {
    const lease = a.granted('n', 30_000, { maxLifetimeMs: durationMs(100_000) });
    for (let round = 0; round < 5; round += 1) {
      driver.pass(10_000);
      a.send(a.renew(lease));
    }
    expect(driver.written('listened').map((event) => event.listeningMs)).toEqual(
      [5, 10, 15, 20, 25, 30, 35, 40, 45, 50].map((s) => s * 1_000),
    );
    a.send(a.release(lease));
    const { length } = driver.appends;
    driver.pass(600_000);
    expect(driver.appends).toHaveLength(length);
  });
});

describe('sessions of an earlier run', () => {
  test('R10 resume with the right secret and the stored instance; another instance gets its own', () => {
    a.granted('n');
    restart();
    const copy = driver.client('copy');
    [copy.session, copy.secret] = [a.session, a.secret];
    copy.connect();
    expect(copy.only('welcome')).toMatchObject({ resumed: false, note: 'in-use', held: [] });
    a.connect();
    expect(a.only('welcome')).toMatchObject({ resumed: true, held: [{ name: 'n' }] });
  });

  test('ones that never claimed are unknown', () => {
    restart();
    a.connect();
    expect(a.only('welcome')).toMatchObject({ resumed: false, note: 'unknown-session' });
  });

  test('R19 their claims stand in stored order, and are passed over until they are heard from', () => {
    a.granted('n', 8_000);
    b.send(b.acquire('n', 20_000));
    const c = driver.client('c').connect();
    c.answers = true;
    c.send(c.acquire('n', 20_000));
    restart();
    c.connect();
    driver.pass(8_000);
    // c was heard from, b was not.
    expect(c.take('granted')).toHaveLength(1);
    b.connect();
    b.send(b.acquire('n', 20_000, { request: 'b-1' }));
    expect(b.only('queued')).toMatchObject({ position: 0 });
  });

  test('S8 their claims leave the queue when nobody comes back for them', () => {
    a.granted('n', 60_000);
    b.send(b.acquire('n', 10_000));
    restart();
    driver.pass(9_999);
    expect(driver.core.status.claims).toBe(1);
    driver.pass(1);
    expect(driver.core.status.claims).toBe(0);
    b.connect();
    expect(b.take('gone')).toMatchObject([{ request: 'b-1' }]);
  });

  test('R25 they end with their last window, and so do their rows', () => {
    a.granted('n', 40_000);
    restart();
    driver.pass(40_001);
    driver.pass(1);
    expect(driver.core.status).toMatchObject({ sessions: 0, leases: 0 });
    expect(driver.image.sessions.size).toBe(0);
    expect(driver.core.mustListen).toBe(false);
  });

  test('R25 one whose lease is taken away lives on as long as its longest window', () => {
    a.granted('n', 60_000);
    restart();
    driver.pass(5_000);
    driver.input({ kind: 'revoke', reference: 1, name: a.acquire('n').name, fencingToken: null, now: true, by: 'x' });
    driver.pass(54_999);
    expect(driver.core.status).toMatchObject({ leases: 0, sessions: 1 });
    driver.pass(1);
    expect(driver.core.status.sessions).toBe(0);
  });

  test('a holder of an earlier run is shown with its stored label', () => {
    a.granted('n');
    restart();
    b.connect();
    b.send({ type: 'list', request: b.acquire('x').request, name: b.acquire('n').name });
    expect(b.only('view').views[0]?.holders).toMatchObject([{ label: 'a', metadata: null }]);
  });
});

describe('a crash', () => {
  beforeEach(() => {
    driver.disk = 'slow';
  });

  test('S4 a grant whose append was lost was told to nobody, and the name is free', () => {
    a.send(a.acquire('n'));
    expect(a.take('granted')).toEqual([]);
    restart({ stored: false });
    b.connect();
    b.send(b.acquire('n'));
    expect(b.take('granted')).toHaveLength(1);
  });

  test('S4 one whose append was stored unheard is there for its own client alone', () => {
    a.send(a.acquire('n'));
    restart({ stored: true });
    b.connect();
    b.send(b.acquire('n'));
    expect(b.take('granted')).toEqual([]);
    a.connect();
    const [held] = a.only('welcome').held;
    expect(held).toMatchObject({ name: 'n', leftMs: 30_000 });
    a.send(a.acquire('n', 30_000, { request: 'a-1' }));
    expect(a.only('granted').fencingToken).toBe(held?.fencingToken);
  });

  test('S2 tokens rise over restarts, with a wall clock that went back, too', () => {
    driver.disk = 'ok';
    const tokens = [a.granted('n').fencingToken];
    for (const back of [0, 86_400_000, -86_400_000 * 365]) {
      restart({ wall: driver.wall(back) });
      a.connect();
      tokens.push(a.granted(`n${tokens.length}`).fencingToken);
    }
    expect(tokens).toEqual(tokens.toSorted((x, y) => x - y));
    expect(new Set(tokens).size).toBe(4);
  });

  test('S2 S3 what it finds of a state says nothing of the last token, and still shows that older ones are superseded', () => {
    driver.disk = 'ok';
    const leases = Array.from({ length: 3 }, (_, index) => {
      const lease = a.granted('n');
      a.send(...(index === 1 ? [a.setState(lease, index)] : []), a.release(lease));
      return lease;
    });
    expect(shownNow(driver, 'n')).toMatchObject({ lastFencingToken: leases[2]?.fencingToken, state: { value: 1 } });
    restart();
    const found = shownNow(driver, 'n');
    expect(found).toMatchObject({ state: { value: 1, fencingToken: leases[1]?.fencingToken } });
    expect(found.lastFencingToken).toBeUndefined();
    a.connect();
    a.send(a.renew(...leases.slice(0, 2)));
    expect(a.only('renewed').leases.map(({ code }) => code)).toEqual(['superseded', 'expired']);
  });
});
