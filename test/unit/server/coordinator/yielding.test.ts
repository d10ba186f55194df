import { expect, test } from 'vitest';
import { requestId } from '../../../../shared/ids.ts';
import { CoreDriver } from '../../../support/core-driver.ts';

test('the holder is asked to yield to a higher claim, and again behind each welcome while it waits', () => {
  const driver = new CoreDriver();
  const [a, b] = [driver.client('a').connect(), driver.client('b').connect()];
  const { fencingToken } = a.granted('n');
  b.send(b.acquire('n', 30_000, { priority: 3 }));
  const asked = { type: 'yieldRequested', name: 'n', fencingToken, priority: 3 };
  expect(a.take('yieldRequested')).toEqual([asked]);
  a.drop();
  a.heard = [];
  a.connect();
  expect(a.heard.map((message) => message.type)).toEqual(['welcome', 'yieldRequested']);
  expect(a.take('yieldRequested')).toEqual([asked]);
  b.send({ type: 'amend', request: requestId('b-1'), priority: 0 });
  a.drop();
  a.connect();
  expect(a.take('yieldRequested')).toEqual([]);
});
