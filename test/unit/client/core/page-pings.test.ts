import { expect, test } from 'vitest';
import { durationMs } from '../../../../shared/time.ts';
import { scripted } from '../../../support/sim/scripted.ts';

/** What the hellos of a client ask for that claims these windows, one before each connection. */
function pingsAsked(pingMs: number | undefined, ...ttls: readonly number[]): readonly (number | undefined)[] {
  const world = scripted({ pingMs: pingMs === undefined ? undefined : durationMs(pingMs) });
  world.do({ kind: 'ready', reference: 1 as never });
  for (const ttlMs of ttls) {
    world.acquire(`n${ttlMs}`, { ttlMs: durationMs(ttlMs) });
    world.open();
    world.drop();
    world.until(() => world.core.status === 'connecting');
  }
  return world.sent('hello').map((hello) => hello.pingMs);
}

test('a page asks for pings at a sixth of the smallest window that it has ever claimed, and every 500 ms at the most', () => {
  expect(pingsAsked(5_000, 60_000, 12_000, 30_000, 1_000)).toEqual([5_000, 2_000, 2_000, 500]);
  expect(pingsAsked(5_000, 3_100)).toEqual([516]);
});

test('what is no page asks for none', () => {
  expect(pingsAsked(undefined, 3_000)).toEqual([undefined]);
});
