import { beforeEach, describe, expect, test } from 'vitest';
import { frameNumber, requestId } from '../../../../shared/ids.ts';
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
  for (const client of [a, b]) client.heard = [];
});

describe('a frame', () => {
  test('R8 S11 a frame that goes on in a later turn is one frame: anchored at its first part, and not stale', () => {
    a.send(a.acquire('n', 10_000));
    a.heard = [];
    driver.pass(400);
    const { socket } = a;
    if (socket === null) throw new Error('it is connected');
    const more = [a.acquire('m', 10_000)];
    driver.input({ kind: 'frame', socket, frame: frameNumber(2), messages: more, goesOn: true }).settle();
    expect(a.heard).toMatchObject([{ type: 'granted', name: 'm', frame: 2, leftMs: 10_400 }]);
  });
});

describe('a refusal', () => {
  test('S10 a wait that ended names who holds the name, and who stood before only where somebody did', () => {
    const refusalOf = (client: RawClient): string => {
      client.heard = [];
      client.send(client.acquire('n', 30_000, { waitMs: durationMs(0) }));
      return client.only('error').message;
    };
    const c = driver.client('c').connect({ label: 'worker 7' });
    c.granted('n');
    expect(refusalOf(b)).toMatch(/^"n" was not free within the time to wait; "worker 7" holds it\. /);
    expect(refusalOf(c)).toMatch(/^"n" was not free within the time to wait; this client holds it itself\. /);
    b.send(b.acquire('n'));
    expect(refusalOf(a)).toMatch(/to wait; "worker 7" holds it; 1 claim stood before this one\. /);
    driver.client('d').connect({ label: '' }).granted('m');
    a.heard = [];
    a.send(a.acquire('m', 30_000, { waitMs: durationMs(0) }));
    expect(a.only('error').message).toMatch(/to wait; a client without a label holds it\. /);
  });

  test('S10 no message ends with a cure that is none', () => {
    a.granted('n');
    b.send(b.acquire('n', 30_000, { request: 'x' }), { type: 'cancel', request: requestId('x') });
    expect(b.only('error').message).toBe('The claim on "n" was withdrawn.');
  });
});
