import { beforeEach, describe, expect, test } from 'vitest';
import { leaseName, requestId } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { CoreDriver } from '../../../support/core-driver.ts';
import type { RawClient } from '../../../support/raw-client.ts';

let driver: CoreDriver;
let a: RawClient;
let b: RawClient;

beforeEach(() => {
  driver = new CoreDriver();
  a = driver.client('a').connect();
  b = driver.client('b').connect({ metadata: { host: 'h2' } });
  for (const client of [a, b]) client.heard = [];
});

describe('acquire', () => {
  test('R5 a grant is anchored in the last frame read, and its window counts from its append', () => {
    driver.disk = 'slow';
    a.send(a.acquire('n', 10_000));
    expect(a.heard).toEqual([]);
    driver.pass(300);
    driver.finishAppend().settle();
    expect(a.only('granted')).toEqual({
      type: 'granted',
      request: 'a-1',
      name: 'n',
      fencingToken: driver.image.mark,
      frame: 2,
      leftMs: 10_300,
      ttlMs: 10_000,
      ceilingLeftMs: 86_400_000,
    });
  });

  test('S10 a window under 1 s that is to be renewed is refused with what is allowed', () => {
    a.send(a.acquire('n', 999));
    const { message, ...error } = a.only('error');
    expect(error).toEqual({ type: 'error', request: 'a-1', code: 'bad-request', retryable: false, param: 'ttlMs' });
    expect(message).toMatch(/ttlMs is 999; .* 1000 to 86400000 ms, .* from 250 ms\.$/);
    a.send(a.acquire('n', 999, { renew: false }));
    expect(a.only('granted')).toMatchObject({ ttlMs: 999 });
  });

  test('a window over the maximum is cut, and the grant says so', () => {
    driver = new CoreDriver({ limits: { ttlMsMax: 5_000, lifetimeMsMax: 60_000 } });
    a = driver.client('a').connect();
    expect(a.granted('n', 60_000, { maxLifetimeMs: durationMs(3_600_000) })).toMatchObject({
      ttlMs: 5_000,
      leftMs: 5_000,
      ceilingLeftMs: 60_000,
    });
  });

  test('who waits hears where it stands and behind whom', () => {
    a.granted('n');
    driver.pass(4_000);
    b.send(b.acquire('n'), b.acquire('n'));
    expect(b.take('queued')).toEqual([
      {
        type: 'queued',
        request: 'b-1',
        position: 0,
        behind: 'other',
        holder: 'a',
        remainingMs: 26_000,
        heldForMs: 4_000,
      },
      {
        type: 'queued',
        request: 'b-2',
        position: 1,
        behind: 'other',
        holder: 'a',
        remainingMs: 26_000,
        heldForMs: 4_000,
      },
    ]);
  });

  test('S8 grants go in the order of arrival, one a release', () => {
    const clients = [a, b, driver.client('c').connect(), driver.client('d').connect()];
    let lease = a.granted('n');
    for (const client of clients.slice(1)) client.send(client.acquire('n'));
    const order: string[] = [];
    for (const client of clients.slice(1)) {
      const holder = clients[order.length];
      holder?.send(holder.release(lease));
      lease = client.only('granted');
      order.push(client.label);
    }
    expect(order).toEqual(['b', 'c', 'd']);
    expect(driver.happened.filter((event) => event.kind === 'grant-decided')).toHaveLength(4);
  });

  test('R7 a repeat that meets its living grant is a renewal, counted from the repeat', () => {
    const { fencingToken } = a.granted('n');
    driver.pass(5_000);
    a.send(a.acquire('n', 30_000, { request: 'a-1' }));
    expect(a.only('granted')).toMatchObject({ fencingToken, frame: 3, leftMs: 30_000 });
    expect(driver.written('granted')).toHaveLength(1);
  });

  test('S10 no wait: decided in the same turn, with the place it would have had', () => {
    a.granted('n');
    b.send(b.acquire('n', 30_000, { waitMs: durationMs(0) }));
    expect(b.only('error')).toMatchObject({ request: 'b-1', code: 'wait-timeout', position: 0, retryable: true });
    expect(driver.core.status.claims).toBe(0);
  });

  test('S10 a wait that is over ends the claim', () => {
    a.granted('n');
    b.send(b.acquire('n', 30_000, { waitMs: durationMs(1_500) }));
    b.take('queued');
    driver.pass(1_499);
    expect(b.take('error')).toEqual([]);
    driver.pass(1);
    expect(b.only('error').message).toMatch(/^"n" was not free within the time to wait; .* holds it\. /);
  });

  test('the session goes into the journal once, before its first claim', () => {
    a.granted('n');
    a.granted('m');
    b.send(b.acquire('n'));
    expect(driver.appends.map((batch) => batch.events.map((event) => event.kind))).toEqual([
      ['session', 'granted'],
      ['granted'],
      ['session', 'claim'],
    ]);
    expect(driver.written('session')[1]?.session).toEqual({
      session: 'session-1-2',
      secretHash: 'hash of secret-1-2',
      instance: 'instance of b',
      label: 'b',
      metadata: { host: 'h2' },
    });
  });

  test('a session that asks for nothing is not stored', () => {
    driver.pass(60_000);
    expect(driver.appends).toEqual([]);
  });
});

describe('cancel and amend', () => {
  test('a claim that is withdrawn is answered once', () => {
    a.granted('n');
    b.send(b.acquire('n'), { type: 'cancel', request: requestId('b-1') });
    expect(b.take('error')).toMatchObject([{ request: 'b-1', code: 'cancelled' }]);
    expect(driver.core.status.claims).toBe(0);
  });

  test('a grant that crosses the withdrawal is given back, and the next one has the name', () => {
    a.granted('n');
    b.send(b.acquire('n'));
    a.send({ type: 'cancel', request: requestId('a-1') });
    expect(a.take('error')).toMatchObject([{ request: 'a-1', code: 'cancelled' }]);
    expect(a.take('ended')).toEqual([]);
    expect(b.take('granted')).toHaveLength(1);
  });

  test('R15 a grant that is withdrawn while it is on its way is never heard of', () => {
    driver.disk = 'slow';
    a.send(a.acquire('n'), { type: 'cancel', request: requestId('a-1') });
    driver.disk = 'ok';
    driver.settle();
    expect(a.heard).toMatchObject([{ type: 'error', code: 'cancelled' }]);
    expect(driver.core.status.leases).toBe(0);
  });

  test('a withdrawal that meets nothing is answered all the same', () => {
    a.send({ type: 'cancel', request: requestId('x') });
    expect(a.take('error')).toMatchObject([{ request: 'x', code: 'cancelled', retryable: false }]);
  });

  test('a higher priority moves a claim forward', () => {
    a.granted('n');
    b.send(b.acquire('n'), b.acquire('n'));
    b.send({ type: 'amend', request: requestId('b-2'), priority: 5 });
    expect(b.only('amended')).toEqual({ type: 'amended', request: 'b-2', position: 0 });
    b.send({ type: 'amend', request: requestId('b-9'), priority: 5 });
    expect(b.only('error')).toMatchObject({ request: 'b-9', code: 'bad-request' });
  });
});

describe('renew', () => {
  test('S3 one answer for all: what is left, or why not, anchored in its own frame', () => {
    const [n, m] = [a.granted('n'), a.granted('m')];
    const foreign = b.granted('k');
    driver.pass(9_000.5);
    a.send(a.renew(n, { ...m, fencingToken: m.fencingToken - 1 }, foreign, { name: 'j', fencingToken: 1 }));
    expect(a.only('renewed')).toEqual({
      type: 'renewed',
      request: 'a-3',
      frame: 4,
      leases: [
        { name: 'n', fencingToken: n.fencingToken, leftMs: 30_000, ttlMs: 30_000, ceilingLeftMs: 86_390_999 },
        { name: 'm', fencingToken: m.fencingToken - 1, code: 'superseded' },
        { name: 'k', fencingToken: foreign.fencingToken, code: 'forbidden' },
        { name: 'j', fencingToken: 1, code: 'expired' },
      ],
    });
  });

  test('S5 a renewal writes nothing', () => {
    const lease = a.granted('n');
    const { length } = driver.appends;
    for (let round = 0; round < 5; round += 1) {
      driver.pass(100);
      a.send(a.renew(lease));
    }
    expect(driver.appends).toHaveLength(length);
  });

  test('S9 a renewal that lay in its socket during a stall is read before its lease ends', () => {
    const lease = a.granted('n', 1_000);
    driver.now += 1_020;
    a.push(a.renew(lease));
    driver.turn();
    expect(a.only('renewed').leases).toMatchObject([{ leftMs: 1_000 }]);
    expect(a.take('ended')).toEqual([]);
  });

  test('R6 what is over by the reading after the sockets were read, but not by the one before, lives', () => {
    a.granted('n', 1_000);
    driver.now += 1_020;
    driver.turn(30);
    expect(driver.core.status.leases).toBe(1);
    driver.turn(20);
    expect(driver.core.status.leases).toBe(0);
  });

  test('S7 an end by the deadline and one by the ceiling are told with their codes', () => {
    const lease = a.granted('n', 1_000);
    driver.pass(1_000);
    expect(a.only('ended')).toEqual({ type: 'ended', name: 'n', fencingToken: lease.fencingToken, code: 'expired' });
    const short = a.granted('m', 1_000, { maxLifetimeMs: durationMs(2_500) });
    for (let round = 0; round < 4; round += 1) {
      a.send(a.renew(short));
      driver.pass(500);
    }
    expect(a.only('ceilingNear')).toMatchObject({ name: 'm', ceilingLeftMs: 500 });
    a.send(a.renew(short));
    expect(a.take('renewed').at(-1)?.leases).toMatchObject([{ leftMs: 500, ceilingLeftMs: 500 }]);
    driver.pass(500);
    expect(a.only('ended')).toMatchObject({ name: 'm', code: 'ceiling' });
  });
});

describe('release and state', () => {
  test('S3 a release with a token that is not current changes nothing', () => {
    const lease = a.granted('n');
    a.send(a.release({ ...lease, fencingToken: lease.fencingToken - 1 }));
    expect(a.only('released')).toMatchObject({ released: false, code: 'superseded' });
    a.send(a.release(lease));
    expect(a.only('released')).toEqual({ type: 'released', request: 'a-3', released: true });
    expect(driver.core.status.leases).toBe(0);
  });

  test('a hand-over that finds nobody keeps the lease', () => {
    const lease = a.granted('n');
    a.send(a.release(lease, true));
    expect(a.only('released')).toMatchObject({ released: false, code: 'nobody-waiting' });
    b.send(b.acquire('n'));
    a.send(a.release(lease, true));
    expect(a.only('released')).toMatchObject({ released: true });
    expect(b.take('granted')).toHaveLength(1);
  });

  test('S4 a state is answered and shown only when it is durable, and the next holder has it', () => {
    const lease = a.granted('n');
    driver.disk = 'slow';
    a.send(a.setState(lease, { done: 3 }));
    expect(a.take('stateSet')).toEqual([]);
    b.send({ type: 'list', request: requestId('l1'), name: leaseName('n') });
    expect(b.only('view').views[0]).not.toHaveProperty('state');
    driver.finishAppend();
    driver.disk = 'ok';
    driver.settle();
    expect(a.only('stateSet')).toMatchObject({ request: 'a-2', version: 1 });
    a.send(a.release(lease));
    expect(b.granted('n')).toMatchObject({
      state: { value: { done: 3 }, version: 1, fencingToken: lease.fencingToken },
    });
  });

  test('a write without a value removes the state; a repeat is answered and not done twice', () => {
    const lease = a.granted('n');
    a.send(a.setState(lease, null, 'w1'));
    a.send(a.setState(lease, undefined, 'w2'));
    a.send(a.setState(lease, undefined, 'w2'));
    expect(a.take('stateSet').map((answer) => answer.version)).toEqual([1, 2, 2]);
    a.send({ type: 'list', request: requestId('l1'), name: leaseName('n') });
    expect(a.only('view').views[0]).not.toHaveProperty('state');
  });

  test('S10 a state over the limit is refused with both sizes, and the lease is kept', () => {
    const lease = a.granted('n');
    a.send(a.setState(lease, 'x'.repeat(65_535)));
    const error = a.only('error');
    expect(error).toMatchObject({ request: 'a-2', code: 'state-too-large', param: 'value', retryable: false });
    expect(error.message).toMatch(/^the state has 65537 bytes .* 65536/);
    expect(driver.core.status.leases).toBe(1);
  });
});

describe('the state of a name that nobody holds', () => {
  test('is kept for as long as the limit says, and then dropped', () => {
    driver = new CoreDriver({ limits: { stateIdleMs: 600_000 } });
    a = driver.client('a').connect();
    a.answers = true;
    const lease = a.granted('n');
    a.send(a.setState(lease, 1), a.release(lease));
    driver.pass(590_000);
    expect(driver.image.states.size).toBe(1);
    driver.pass(80_000);
    expect(driver.image.states.size).toBe(0);
  });
});

describe('list', () => {
  test('one name, held or not', () => {
    b.granted('n');
    driver.pass(1_000);
    a.send(
      { type: 'list', request: requestId('l1'), name: leaseName('n') },
      { type: 'list', request: requestId('l2'), name: leaseName('m') },
    );
    const [held, free] = a.take('view');
    expect(held?.views).toEqual([
      {
        name: 'n',
        holders: [
          {
            label: 'b',
            metadata: { host: 'h2' },
            session: 'session-1-2',
            fencingToken: driver.image.mark,
            mode: 'exclusive',
            heldForMs: 1_000,
            remainingMs: 29_000,
            ceilingLeftMs: 86_399_000,
          },
        ],
        queue: 0,
        lastFencingToken: driver.image.mark,
      },
    ]);
    expect(free).toEqual({ type: 'view', request: 'l2', views: [{ name: 'm', holders: [], queue: 0 }] });
  });

  test('pages by prefix, in byte order, each going on where the last one ended', () => {
    for (const name of ['jobs/b', 'jobs/c', 'jobs/a', 'other', 'jobs/d']) a.granted(name);
    a.send({ type: 'list', request: requestId('l1'), prefix: 'jobs/', limit: 2 });
    const first = a.only('view');
    expect(first.views.map((view) => view.name)).toEqual(['jobs/a', 'jobs/b']);
    a.send({ type: 'list', request: requestId('l2'), prefix: 'jobs/', after: first.next ?? '', limit: 2 });
    const second = a.only('view');
    expect(second.views.map((view) => view.name)).toEqual(['jobs/c', 'jobs/d']);
    expect(second.next).toBeUndefined();
  });

  test('large states make smaller pages, so that no answer grows without bound', () => {
    for (let index = 0; index < 8; index += 1) a.send(a.setState(a.granted(`n${index}`), 'x'.repeat(60_000)));
    a.heard = [];
    const names: string[] = [];
    let after = '';
    for (let page = 0; page < 8 && (page === 0 || after !== ''); page += 1) {
      a.send({ type: 'list', request: requestId(`l${page}`), after });
      const view = a.only('view');
      expect(JSON.stringify(view).length).toBeLessThan(262_144 + 200);
      names.push(...view.views.map((one) => one.name));
      after = view.next ?? '';
    }
    expect(names).toEqual(Array.from({ length: 8 }, (_, index) => `n${index}`));
  });

  test('the label stays as long as the lease, though the client is gone', () => {
    b.granted('n', 60_000, { maxLifetimeMs: durationMs(60_000) });
    b.drop();
    driver.pass(59_999);
    a.connect().send({ type: 'list', request: requestId('l1'), name: leaseName('n') });
    expect(a.take('view').at(-1)?.views[0]?.holders[0]).toMatchObject({ label: 'b', metadata: { host: 'h2' } });
  });
});
