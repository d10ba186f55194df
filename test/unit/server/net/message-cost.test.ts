import { expect, test } from 'vitest';
import { costOf } from '../../../../server/net/message-cost.ts';

test.each([
  [{ type: 'renew' }, 1],
  [{ type: 'list', name: 'n' }, 1],
  [{ type: 'list', prefix: 'n' }, 25],
  [{ type: 'watch', name: 'n' }, 5],
  [{ type: 'unwatch' }, 1],
  [{ type: 'no such type' }, 1],
  ['no message', 1],
  [null, 1],
])('S11 %j counts %i messages', (message, cost) => {
  expect(costOf([message])).toBe(cost);
  expect(costOf([message, { type: 'pong' }, message])).toBe(2 * cost + 1);
});
