import { beforeEach, describe, expect, test } from 'vitest';
import { fencingToken, leaseName, type FencingToken } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { CoreDriver } from '../../../support/core-driver.ts';
import type { RawClient } from '../../../support/raw-client.ts';

let driver: CoreDriver;
let a: RawClient;
let b: RawClient;

beforeEach(() => {
  driver = new CoreDriver();
  [a, b] = [driver.client('a').connect(), driver.client('b').connect()];
  for (const client of [a, b]) client.heard = [];
});

const revoke = (
  name: string,
  options: { readonly token?: FencingToken; readonly now?: boolean; readonly by?: string } = {},
): void => {
  const { token = null, now = false, by = 'alice' } = options;
  driver.input({ kind: 'revoke', reference: 7, name: leaseName(name), fencingToken: token, now, by });
};

describe('revoke', () => {
  test('R1 the holder is told at once, the operator when the journal has it, the next one when the holder has stopped', () => {
    const lease = a.granted('n');
    b.send(b.acquire('n'));
    driver.disk = 'slow';
    revoke('n');
    driver.turn();
    expect(a.only('ended')).toEqual({ type: 'ended', name: 'n', fencingToken: lease.fencingToken, code: 'revoked' });
    expect(driver.answers).toEqual([]);
    driver.finishAppend();
    driver.disk = 'ok';
    driver.settle();
    expect(driver.answers).toEqual([{ kind: 'answer', reference: 7, ended: [lease.fencingToken] }]);
    expect(b.take('granted')).toEqual([]);
    a.send({ type: 'endAck', name: leaseName('n'), fencingToken: lease.fencingToken });
    expect(b.take('granted')).toHaveLength(1);
    expect(driver.notes.map((note) => note.text)).toEqual([`"n" was revoked by alice: token ${lease.fencingToken}.`]);
  });

  test('S7 who revokes without saying who is an operator in the log', () => {
    const lease = a.granted('n');
    revoke('n', { by: '', now: true });
    driver.settle();
    expect(driver.notes.map((note) => note.text)).toEqual([
      `"n" was revoked at once by an operator: token ${lease.fencingToken}.`,
    ]);
  });

  test('R1 without an acknowledgement the name opens when the window is over, to the millisecond', () => {
    a.granted('n', 10_000);
    b.answers = true;
    b.send(b.acquire('n'));
    driver.pass(4_000);
    revoke('n');
    driver.pass(5_999);
    expect(b.take('granted')).toEqual([]);
    driver.pass(1);
    expect(b.take('granted')).toHaveLength(1);
  });

  test('S5 a restart in between opens it no earlier, and does not give it back', () => {
    const lease = a.granted('n', 10_000);
    driver.pass(4_000);
    revoke('n');
    driver.settle();
    driver = driver.restart();
    b.heard = [];
    b.connect().answers = true;
    a.connect();
    expect(a.take('welcome').at(-1)?.held).toEqual([]);
    a.send(a.renew(lease));
    expect(a.only('renewed').leases[0]).toHaveProperty('code');
    b.send(b.acquire('n'));
    driver.pass(5_999);
    expect(b.take('granted')).toEqual([]);
    driver.pass(1);
    expect(b.take('granted')).toHaveLength(1);
  });

  test('R1 at once: the holder hears of it, and the next one has the name in the same turn', () => {
    const lease = a.granted('n');
    b.send(b.acquire('n'));
    revoke('n', { now: true });
    driver.settle();
    expect(a.only('ended')).toMatchObject({ fencingToken: lease.fencingToken, code: 'revoked' });
    expect(b.take('granted')).toHaveLength(1);
    expect(driver.answers).toMatchObject([{ ended: [lease.fencingToken] }]);
  });

  test('a grant that is on its way is never heard of', () => {
    driver.disk = 'slow';
    a.send(a.acquire('n'));
    revoke('n');
    driver.turn();
    expect(a.only('error')).toMatchObject({ request: 'a-1', code: 'revoked' });
    driver.disk = 'ok';
    driver.finishAppend().settle();
    expect(a.take('granted')).toEqual([]);
    expect(driver.answers).toMatchObject([{ ended: [expect.any(Number)] }]);
  });

  test('the answer outlives a failed append', () => {
    a.granted('n');
    driver.disk = 'full';
    revoke('n');
    driver.settle();
    expect(driver.answers).toEqual([]);
    driver.disk = 'ok';
    driver.pass(250);
    expect(driver.answers).toHaveLength(1);
  });

  test('a name that nobody holds, or another token, is answered at once', () => {
    const lease = a.granted('n');
    revoke('m');
    revoke('n', { token: fencingToken(lease.fencingToken + 1) });
    driver.turn();
    expect(driver.answers).toEqual([
      { kind: 'answer', reference: 7, ended: [] },
      { kind: 'answer', reference: 7, ended: [] },
    ]);
    expect(driver.core.status.leases).toBe(1);
  });

  test('R2 a repeated acquire that meets a lease being ended hears that it is', () => {
    a.granted('n');
    revoke('n');
    driver.settle();
    a.heard = [];
    a.send(a.acquire('n', 30_000, { request: 'a-1' }));
    expect(a.heard).toMatchObject([{ type: 'ended', code: 'revoked' }]);
  });

  test('R1 steal moves the claim to the head; its holder hears `stolen`', () => {
    const lease = a.granted('n');
    const c = driver.client('c').connect();
    c.send(c.acquire('n'));
    b.send(b.acquire('n', 30_000, { steal: true }));
    expect(a.only('ended')).toMatchObject({ fencingToken: lease.fencingToken, code: 'stolen' });
    expect(b.only('queued')).toMatchObject({ position: 0 });
    a.send({ type: 'endAck', name: leaseName('n'), fencingToken: lease.fencingToken });
    expect([b, c].map((client) => client.take('granted').length)).toEqual([1, 0]);
  });
});

describe('configure', () => {
  test('a lower maximum is told with the next renewal, and cuts nothing that is held', () => {
    const lease = a.granted('n', 60_000);
    b.answers = true;
    driver.input({ kind: 'configure', limits: { ...driver.limits, ttlMsMax: durationMs(2_000) } });
    driver.pass(1_000);
    a.send(a.renew(lease));
    expect(a.only('renewed').leases).toMatchObject([{ ttlMs: 2_000, leftMs: 59_000 }]);
    driver.pass(58_000);
    a.send(a.renew(lease));
    expect(a.only('renewed').leases).toMatchObject([{ ttlMs: 2_000, leftMs: 2_000 }]);
    expect(b.granted('m', 60_000)).toMatchObject({ ttlMs: 2_000 });
  });

  test('R4 a higher one is told once it is durable', () => {
    driver = new CoreDriver({ limits: { ttlMsMax: 2_000 } });
    a = driver.client('a').connect();
    const lease = a.granted('n', 10_000);
    driver.input({ kind: 'configure', limits: { ...driver.limits, ttlMsMax: durationMs(10_000) } });
    a.send(a.renew(lease));
    expect(a.only('renewed').leases).toMatchObject([{ leftMs: 2_000 }]);
    a.send(a.renew(lease));
    expect(a.only('renewed').leases).toMatchObject([{ ttlMs: 10_000, leftMs: 10_000 }]);
  });
});

describe('drain', () => {
  const drain = (): void => void driver.input({ kind: 'drain', retryAfterMs: durationMs(1_000) });

  test('all are told, then closed; leases stay stored', () => {
    const lease = a.granted('n');
    b.send(b.acquire('n'));
    drain();
    driver.settle();
    for (const client of [a, b]) {
      expect(client.only('draining')).toEqual({ type: 'draining', retryAfterMs: 1_000 });
      expect([...client.closed.values()]).toEqual(['draining']);
    }
    driver.pass(10_000);
    driver = driver.restart();
    a.connect();
    expect(a.take('welcome').at(-1)?.held).toMatchObject([{ fencingToken: lease.fencingToken }]);
  });

  test('nobody is granted anything because of it, and claims keep their places for the next run', () => {
    const lease = a.granted('n');
    b.send(b.acquire('n'));
    driver.disk = 'slow';
    drain();
    driver.settle();
    a.send(a.release(lease));
    driver.disk = 'ok';
    driver.finishAppend().settle();
    driver.pass(1_000);
    expect(b.take('granted')).toEqual([]);
    driver = driver.restart();
    b.connect();
    expect(b.take('granted')).toHaveLength(1);
  });

  test('what is on its way to the disk is told first', () => {
    driver.disk = 'slow';
    a.send(a.acquire('n'));
    drain();
    driver.settle();
    expect(a.take('draining')).toHaveLength(1);
    expect([...a.closed]).toEqual([]);
    driver.finishAppend();
    driver.disk = 'ok';
    driver.settle();
    expect(a.take('granted')).toHaveLength(1);
    expect([...a.closed.values()]).toEqual(['draining']);
  });

  test('a disk that cannot be written keeps nobody', () => {
    driver.disk = 'full';
    a.send(a.acquire('n'));
    drain();
    driver.settle();
    expect([...a.closed.values()]).toEqual(['draining']);
  });

  test('S10 meanwhile claims are refused, renewals answered, and no hello is taken', () => {
    const lease = a.granted('n');
    driver.disk = 'slow';
    b.send(b.acquire('m'));
    drain();
    driver.settle();
    a.send(a.renew(lease), a.acquire('k'));
    expect(a.only('renewed').leases).toMatchObject([{ leftMs: 30_000 }]);
    expect(a.only('error')).toMatchObject({ code: 'draining', retryable: true });
    const c = driver.client('c').connect();
    expect(c.only('error')).toMatchObject({ code: 'draining' });
    expect([...c.closed.values()]).toEqual(['draining']);
  });

  test('S5 the listening time so far is stored with it', () => {
    a.granted('n');
    driver.pass(12_345);
    drain();
    driver.settle();
    expect(driver.image.listeningMs).toBe(12_345);
  });

  test('asked for twice, it is told once', () => {
    drain();
    drain();
    driver.settle();
    expect(a.take('draining')).toHaveLength(1);
    expect(driver.core.status.draining).toBe(true);
  });
});
