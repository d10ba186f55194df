import { beforeEach, describe, expect, test } from 'vitest';
import { requestId } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { BACKLOG_MAX, withOneMore } from '../../../../server/core/coordinator/backlog.ts';
import { CoreDriver } from '../../../support/core-driver.ts';
import type { RawClient } from '../../../support/raw-client.ts';

let driver: CoreDriver;
let clients: RawClient[];

beforeEach(() => {
  driver = new CoreDriver();
  clients = Array.from({ length: 3 }, (_, index) => driver.client(`c${index}`).connect());
  for (const client of clients) client.heard = [];
});

const one = (index: number): RawClient => {
  const client = clients[index];
  if (client === undefined) throw new Error(`no client ${index}`);
  return client;
};

describe('a turn', () => {
  test('decides all, appends once, then speaks', () => {
    for (const client of clients) client.push(client.acquire(`n${client.label}`), client.acquire(`m${client.label}`));
    const decided = driver.turn();
    expect(decided.map((output) => output.kind)).toEqual(['append', 'happened']);
    expect(driver.appends).toHaveLength(1);
    expect(driver.appends[0]?.events.filter((event) => event.kind === 'granted')).toHaveLength(6);
    const spoken = driver.turn();
    expect(spoken.map((output) => output.kind)).toEqual(['send', 'send', 'send', 'happened']);
    for (const client of clients) expect(client.take('granted')).toHaveLength(2);
  });

  test('an append comes before what is said, so that the disk is busy while the sockets are written', () => {
    one(0).push(one(0).acquire('n'), { type: 'list', request: requestId('l') });
    expect(driver.turn().map((output) => output.kind)).toEqual(['append', 'send', 'happened']);
  });

  test('a turn without anything to do says nothing', () => {
    expect(driver.turn()).toEqual([]);
  });

  test('R2 what is said of one token leaves in the order decided', () => {
    const a = one(0);
    const lease = a.granted('n');
    a.push(a.renew(lease), a.setState(lease, 1), a.release(lease), a.acquire('n'));
    driver.settle();
    expect(a.heard.map((message) => message.type)).toEqual(['renewed', 'released', 'stateSet', 'granted']);
    expect(a.frames.at(-1)?.messages.map((message) => message.type)).toEqual(['stateSet', 'granted']);
  });

  test('R2 an end never overtakes its own grant', () => {
    const a = one(0);
    driver.disk = 'slow';
    a.send(a.acquire('n', 1_000));
    a.answers = true;
    driver.pass(5_000);
    expect(a.take('ended')).toEqual([]);
    a.heard = [];
    driver.finishAppend().settle();
    expect(a.heard.map((message) => message.type)).toEqual(['granted']);
    a.heard = [];
    driver.pass(1_000);
    expect(a.heard.map((message) => message.type).filter((type) => type !== 'ping')).toEqual(['ended']);
  });

  test('the same turns give the same outputs', () => {
    const run = (): string => {
      const again = new CoreDriver();
      const [a, b] = [again.client('a').connect(), again.client('b').connect()];
      const lease = a.granted('n');
      b.send(b.acquire('n'));
      again.pass(10_000);
      a.send(a.release(lease));
      again.pass(60_000);
      return JSON.stringify([a.frames, b.frames, again.appends, again.happened]);
    };
    expect(run()).toBe(run());
  });
});

describe('a slow disk', () => {
  beforeEach(() => {
    driver.disk = 'slow';
  });

  test('R14 one append is in flight; what is decided meanwhile goes with the next one, whole', () => {
    one(0).send(one(0).acquire('n'));
    one(1).send(one(1).acquire('m'));
    one(2).send(one(2).acquire('k'));
    expect(driver.appends.map((batch) => batch.sequence)).toEqual([1]);
    driver.finishAppend().settle();
    expect(driver.appends.map((batch) => batch.sequence)).toEqual([1, 2]);
    expect(driver.appends[1]?.events.map((event) => event.kind)).toEqual(['session', 'session', 'granted', 'granted']);
    expect(clients.map((client) => client.take('granted').length)).toEqual([1, 0, 0]);
    driver.finishAppend().settle();
    expect(clients.map((client) => client.take('granted').length)).toEqual([0, 1, 1]);
  });

  test('costs no lease and delays no renewal', () => {
    const a = one(0);
    a.send(a.acquire('n', 1_000));
    driver.finishAppend().settle();
    const lease = a.only('granted');
    one(1).send(one(1).acquire('m'));
    for (let round = 0; round < 10; round += 1) {
      driver.pass(600);
      a.push(a.renew(lease)).nextRequest();
      driver.turn();
      expect(a.only('renewed').leases).toMatchObject([{ leftMs: 1_000 }]);
    }
  });

  test('R21 a session that waits for the disk is pinged within 500 ms, again and again, with the frame that was read', () => {
    const a = one(0);
    a.send(a.acquire('n'));
    driver.pass(499);
    expect(a.take('ping')).toEqual([]);
    driver.pass(1);
    expect(a.only('ping')).toEqual({ type: 'ping', ping: 1, nextMs: 500, frame: 2 });
    // Frames that are read meanwhile are shown to be read, too: their answers wait as well.
    driver.pass(400);
    a.send(a.acquire('m'));
    driver.pass(100);
    expect(a.only('ping')).toMatchObject({ ping: 2, frame: 3 });
    expect(one(1).take('ping')).toEqual([]);
    driver.finishAppend().settle();
    driver.finishAppend().settle();
    driver.pass(500);
    // The one that the last ping promised, and then at the usual pace.
    expect(a.only('ping')).toMatchObject({ nextMs: 15_000 });
    driver.pass(14_999);
    expect(a.take('ping')).toEqual([]);
  });

  test('R21 so is one whose state write waits', () => {
    const a = one(0);
    a.send(a.acquire('n'));
    driver.finishAppend().settle();
    a.send(a.setState(a.only('granted'), 1));
    driver.pass(500);
    expect(a.only('ping')).toMatchObject({ frame: 3, nextMs: 500 });
  });
});

describe('a disk that is full', () => {
  const fill = (): void => {
    driver.disk = 'full';
  };

  test('R14 grants in the failed batch are undone, and made anew with other tokens when the disk heals', () => {
    const a = one(0);
    fill();
    a.send(a.acquire('n'));
    expect(a.take('granted')).toEqual([]);
    expect(a.only('queued')).toMatchObject({ behind: 'nobody' });
    expect(driver.core.status).toMatchObject({ writable: false, leases: 0, claims: 1 });
    const undone =
      driver.appends[0]?.events.flatMap((event) => (event.kind === 'granted' ? [event.lease.fencingToken] : [])) ?? [];
    driver.disk = 'ok';
    driver.pass(250);
    const { fencingToken } = a.only('granted');
    expect(undone).toHaveLength(1);
    expect(undone).not.toContain(fencingToken);
    expect(driver.core.status).toMatchObject({ writable: true, leases: 1, claims: 0 });
    expect([...driver.image.leases.values()].map((lease) => lease.fencingToken)).toEqual([fencingToken]);
  });

  test('a claim whose grant was undone waits in the queue, and is pinged at the pace of one that waits', () => {
    const a = one(0);
    fill();
    a.send(a.acquire('n', 30_000));
    driver.pass(4_999);
    expect(a.take('ping')).toEqual([]);
    driver.pass(1);
    expect(a.only('ping')).toMatchObject({ nextMs: 5_000, queue: [{ request: 'c0-1', position: 0 }] });
  });

  test('R14 what was written about a session later than the failed batch is what stays', () => {
    const a = one(0);
    driver.disk = 'slow';
    a.send(a.acquire('n'));
    a.connect({ label: 'renamed' });
    driver.disk = 'ok';
    driver.finishAppend(false).settle();
    driver.pass(250);
    expect([...driver.image.sessions.values()].map((session) => session.label)).toEqual(['renamed']);
  });

  test('R14 endings and sessions in the failed batch are written with the next one, under the same number', () => {
    const a = one(0);
    const lease = a.granted('n');
    fill();
    a.push(a.release(lease));
    one(1).push(one(1).acquire('m'));
    driver.settle();
    expect(a.only('released')).toMatchObject({ released: true });
    driver.disk = 'ok';
    driver.pass(250);
    expect(driver.appends.map((batch) => batch.sequence)).toEqual([1, 2, 2, 3]);
    expect(driver.appends[2]?.events.map((event) => event.kind)).toEqual(['session', 'ended', 'claim']);
    expect([...driver.image.sessions.keys()]).toEqual(['session-1-1', 'session-1-2']);
  });

  test('S10 new claims and writes are refused meanwhile; renewals and releases go on', () => {
    const a = one(0);
    const [n, m] = [a.granted('n'), a.granted('m')];
    fill();
    one(1).send(one(1).acquire('k'));
    one(1).heard = [];
    one(1).send(one(1).acquire('j'), one(1).acquire('k', 30_000, { request: 'c1-1' }));
    expect(one(1).only('error')).toMatchObject({
      request: 'c1-2',
      code: 'unavailable',
      retryable: true,
      retryAfterMs: 500,
    });
    expect(one(1).only('queued')).toMatchObject({ request: 'c1-1' });
    a.send(a.renew(n), a.setState(n, 1), a.release(m));
    expect(a.only('renewed').leases).toMatchObject([{ leftMs: 30_000 }]);
    expect(a.only('error')).toMatchObject({ code: 'unavailable' });
    expect(a.only('released')).toMatchObject({ released: true });
  });

  test('a state write in the failed batch is refused, and the state is as before', () => {
    const a = one(0);
    const lease = a.granted('n');
    a.send(a.setState(lease, 'old'));
    fill();
    a.send(a.setState(lease, 'new'));
    expect(a.only('error')).toMatchObject({ request: 'c0-3', code: 'unavailable', retryable: true });
    driver.disk = 'ok';
    driver.pass(250);
    a.take('stateSet');
    a.send(a.setState(lease, 'newer'));
    expect(a.only('stateSet')).toMatchObject({ version: 2 });
  });

  test('a claim that does not wait is refused, and its session is left in peace', () => {
    const a = one(0);
    fill();
    a.send(a.acquire('n', 30_000, { waitMs: durationMs(0) }));
    expect(a.only('error')).toMatchObject({ code: 'unavailable' });
    driver.pass(10_000);
    expect(a.take('ping')).toEqual([]);
    expect(driver.core.status.claims).toBe(0);
  });

  test('it is tried again every 250 ms, with an empty batch where nothing is left to write', () => {
    const a = one(0);
    const lease = a.granted('n');
    fill();
    a.send(a.setState(lease, 'new'));
    const { length } = driver.appends;
    driver.pass(1_000);
    expect(driver.appends.length - length).toBe(4);
    expect(driver.appends.at(-1)?.events.filter((event) => event.kind !== 'listened')).toEqual([]);
    expect(driver.notes.map((note) => note.code)).toEqual(['append-failed']);
    driver.disk = 'ok';
    driver.pass(250);
    expect(driver.notes.map((note) => note.code)).toEqual(['append-failed', 'append-healed']);
    expect(driver.core.nextWake()).not.toBeNull();
  });

  test('a waiter keeps its place through it', () => {
    const lease = one(0).granted('n');
    one(1).send(one(1).acquire('n'));
    one(2).send(one(2).acquire('n'));
    fill();
    one(0).send(one(0).release(lease));
    driver.pass(600);
    driver.disk = 'ok';
    driver.pass(250);
    expect(clients.map((client) => client.take('granted').length)).toEqual([0, 1, 0]);
  });

  test('an append that ended twice, or was never asked for, changes nothing', () => {
    const a = one(0);
    a.granted('n');
    driver.input({ kind: 'appended', sequence: 1, ok: false }, { kind: 'appended', sequence: 9, ok: true });
    driver.settle();
    expect(driver.core.status).toMatchObject({ writable: true, leases: 1, appends: 1 });
    driver.disk = 'slow';
    a.send(a.acquire('m'));
    driver.input({ kind: 'appended', sequence: 9, ok: true }).settle();
    expect(a.take('granted')).toEqual([]);
  });
});

describe('what waits for the disk', () => {
  test('S11 is bounded in requests, and free again with the next batch', () => {
    const a = one(0);
    driver.disk = 'slow';
    a.send(a.acquire('m'));
    const again = a.acquire('n', 30_000, { request: 'x' });
    for (let round = 0; round < 100; round += 1) a.push(...Array.from({ length: 1_000 }, () => again));
    driver.turn();
    expect(a.take('error')).toEqual([]);
    a.send(a.acquire('n'));
    expect(a.only('error')).toMatchObject({ request: 'c0-2', code: 'unavailable', retryable: true, retryAfterMs: 500 });
    driver.disk = 'ok';
    driver.finishAppend().settle();
    expect(a.take('granted')).toHaveLength(2);
    a.send(a.acquire('k'));
    expect(a.take('granted')).toHaveLength(1);
  });

  test('S11 is bounded in bytes', () => {
    const almost = { commands: 1, bytes: BACKLOG_MAX.bytes - 100 };
    expect(withOneMore(almost, 100)).toEqual({ commands: 2, bytes: BACKLOG_MAX.bytes });
    expect(withOneMore(almost, 101)).toBeNull();
  });

  test('S11 a state write counts with its bytes', () => {
    const a = one(0);
    const lease = a.granted('n');
    driver.disk = 'slow';
    a.send(a.acquire('m'));
    a.send(a.setState(lease, 'small', 's'), a.setState(lease, 'x'.repeat(BACKLOG_MAX.bytes), 'l'));
    expect(a.only('error')).toMatchObject({ request: 'l', code: 'unavailable', retryable: true });
  });
});
