import { describe, expect, test } from 'vitest';
import { reference } from '../../../../client/core/types.ts';
import { leaseName, requestId } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { scripted, type Scripted } from '../../../support/sim/scripted.ts';

const CLOSES = [
  ['not-text', 1003],
  ['bad-utf8', 1007],
  ['frame-too-large', 1009],
  ['bad-request', 4400],
] as const;

const write = (world: Scripted, key: ReturnType<Scripted['acquire']>, mine: number): void => {
  world.do({ kind: 'set-state', key, reference: reference(mine), value: mine, ifVersion: undefined });
};
const list = (world: Scripted, mine: number): void => {
  world.do({ kind: 'list', reference: reference(mine), name: undefined, prefix: '', after: '', limit: 1 });
};
/** As a resume tells it. */
const heldOf = (leftMs: number) =>
  ({ held: [{ name: 'n', fencingToken: 101, leftMs, ttlMs: 30_000, ceilingLeftMs: 9e6 }] }) as never;

function holding() {
  const world = scripted({ chance: () => 0 });
  const key = world.acquire('n');
  world.open();
  world.grant(key);
  return { world, key };
}

function redial(world: Scripted, leftMs = 29_000): void {
  world.until(() => world.core.status === 'connecting');
  world.open(heldOf(leftMs));
}

describe('a frame that could not be read', () => {
  test.each(CLOSES)('`%s` (%i): what was said with it fails with that code, and is not said again', (code, close) => {
    const { world, key } = holding();
    write(world, key, 1);
    write(world, key, 2);
    list(world, 3);
    const claim = world.acquire('m');
    world.drop(close, 'frame 3 nests too deep');
    const failure = { code, retryable: false, message: expect.stringContaining('frame 3 nests too deep') as string };
    expect(world.outcome(1)).toMatchObject({ kind: 'failed', failure });
    expect(world.outcome(3)).toMatchObject({ kind: 'failed', failure });
    expect(world.claim(claim)).toMatchObject({ kind: 'failed', failure });
    redial(world);
    // The second write had not left.
    expect(world.sent('setState').map(({ value }) => value)).toEqual([1, 2]);
    expect(world.sent('list')).toHaveLength(1);
    expect(world.sent('acquire').map(({ name }) => name)).toEqual(['n', 'm']);
    expect(world.sent('cancel')).toMatchObject([{ request: claim }]);
    expect(world.lease(key)?.status).toBe('held');
  });

  test('a watch that may have been it fails, too; one that views have come for is said again', () => {
    const { world } = holding();
    const watch = (mine: number): void =>
      void world.do({ kind: 'watch', reference: reference(mine), name: leaseName('n') });
    watch(1);
    world.say({ type: 'view', request: requestId('#1'), views: [{ name: leaseName('n'), holders: [], queue: 0 }] });
    watch(2);
    world.drop(4400, 'frame 4');
    expect(world.outcome(1)).toBeUndefined();
    expect(world.outcome(2)).toMatchObject({ failure: { code: 'bad-request', retryable: false } });
    redial(world);
    expect(world.sent('watch').map(({ request }) => request)).toEqual(['#1', '#2', '#1']);
  });

  test('S8 what was shown to be read is not what could not be read: it is said again', () => {
    const { world, key } = holding();
    const queued = world.acquire('m');
    world.say({ type: 'queued', request: queued, position: 0, behind: 'other' });
    write(world, key, 1);
    world.say({ type: 'ping', ping: 1, nextMs: durationMs(500), frame: world.sent('setState')[0]?.inFrame as never });
    write(world, key, 2);
    list(world, 3);
    world.drop(4400);
    expect([world.outcome(1), world.claim(queued)]).toEqual([undefined, undefined]);
    expect(world.outcome(3)).toMatchObject({ failure: { code: 'bad-request' } });
    redial(world);
    expect(world.sent('setState').map(({ value }) => value)).toEqual([1, 1]);
  });

  test('what waits for the end of the tick was not said: it goes out on the next socket', () => {
    const { world } = holding();
    const event = { kind: 'list', reference: reference(1), name: undefined, prefix: '', after: '', limit: 1 } as const;
    world.do(event, true);
    world.drop(4400);
    expect(world.outcome(1)).toBeUndefined();
    redial(world);
    expect(world.sent('list')).toHaveLength(1);
  });

  test('any other close leaves what was asked to be said again', () => {
    const { world, key } = holding();
    write(world, key, 1);
    world.drop(1006, 'bad-request');
    redial(world);
    expect(world.outcome(1)).toBeUndefined();
    expect(world.sent('setState')).toHaveLength(2);
  });

  test('S5 a caller who says it again and again takes no lease down: a renewal has a frame of its own, and goes first', () => {
    const { world, key } = holding();
    write(world, key, 1);
    world.drop(4400);
    redial(world);
    world.stall(25_000);
    write(world, key, 2);
    const [renewal, poison] = [world.sent('renew').at(-1)?.inFrame, world.sent('setState').at(-1)?.inFrame];
    expect(poison).toBe(Number(renewal) + 1);
    // A second such close in a row ends the write, not the lease: the resume tells that the renewal was read.
    world.drop(4400);
    expect(world.outcome(2)).toMatchObject({ failure: { code: 'bad-request' } });
    redial(world, 30_000);
    expect(world.news(key).filter((news) => news.startsWith('lost'))).toEqual([]);
    expect(world.lease(key)?.remainingMs).toBe(27_000);
  });

  test('a minute after it what belongs together leaves as one frame again', () => {
    const { world } = holding();
    list(world, 1);
    world.drop(4400);
    redial(world);
    const pair = (first: number): number => {
      for (const mine of [first, first + 1])
        world.do(
          { kind: 'list', reference: reference(mine), name: undefined, prefix: '', after: '', limit: 1 },
          mine === first,
        );
      return world.of('send').at(-1)?.messages.length ?? 0;
    };
    expect(pair(2)).toBe(1);
    world.stall(60_000);
    world.do({ kind: 'wake' });
    world.until(() => world.core.status === 'connecting');
    world.open();
    expect(pair(4)).toBe(2);
  });
});

test('R21 a request counts as sent in the frame that took it, the second of two as well', () => {
  const world = scripted();
  for (const name of ['x', 'y']) world.acquire(name.repeat(250), { whenOwn: 'reject' });
  world.open({ frameBytesMax: 500 });
  const [first, second] = world.sent('acquire');
  expect([first?.inFrame, second?.inFrame]).toEqual([2, 3]);
  world.say({ type: 'ping', ping: 1, nextMs: durationMs(15_000), frame: 2 as never });
  world.pass(1_000);
  // Nothing shows that the second was read.
  expect(world.of('abandon')).toHaveLength(1);
});
