import { describe, expect, test } from 'vitest';
import { durationMs } from '../../../../shared/time.ts';
import { scripted, type Scripted } from '../../../support/sim/scripted.ts';

/** F's W: 3 s, renewed after 2 s, believed for 2.7 s. */
const TTL_MS = durationMs(3_000);

function holding(terms: Parameters<Scripted['acquire']>[1] = {}, settings: Parameters<typeof scripted>[0] = {}) {
  const world = scripted({ chance: () => 0, ...settings });
  const key = world.acquire('n', { ttlMs: TTL_MS, ...terms });
  world.open();
  world.grant(key);
  return { world, key };
}
const inFull = { leftMs: TTL_MS, ttlMs: TTL_MS };

describe('anchors and deadlines', () => {
  test('S1 a window counts from the sending of the frame that the grant names, however late the grant comes', () => {
    const world = scripted({ chance: () => 0 });
    const key = world.acquire('n', { ttlMs: TTL_MS });
    world.open();
    world.stall(800);
    world.grant(key);
    expect(world.lease(key)).toMatchObject({ status: 'held', remainingMs: 3_000 - 300 - 800 });
  });

  test('S1 a renewal counts from its own sending, not from its answer', () => {
    const { world, key } = holding();
    world.pass(2_000);
    world.stall(200);
    world.renewed(inFull);
    expect(world.lease(key)?.remainingMs).toBe(3_000 - 300 - 200);
  });

  test('R8 a welcome tells what is left, counted from its hello; resuming renews nothing', () => {
    const { world, key } = holding();
    const granted = world.now();
    world.pass(500);
    world.drop();
    world.pass(50);
    world.connect();
    world.stall(100);
    world.welcome({
      held: [{ name: 'n', fencingToken: 101, leftMs: 2_450, ttlMs: 3_000, ceilingLeftMs: 9e6 }] as never,
    });
    expect(world.lease(key)).toMatchObject({ status: 'held', remainingMs: 2_700 - 650 });
    world.until(() => world.sent('renew').length > 0);
    expect(world.now() - granted).toBe(2_000);
  });

  test('R8 a lease that the welcome lacks is lost, one that it has too much is given back', () => {
    const { world, key } = holding();
    world.drop();
    world.pass(100);
    world.open({
      held: [{ name: 'other', fencingToken: 77, leftMs: 2_000, ttlMs: 3_000, ceilingLeftMs: 9e6 }] as never,
    });
    expect(world.news(key)).toEqual(['lost expired']);
    expect(world.sent('release').map(({ fencingToken }) => fencingToken)).toEqual([101, 77]);
  });

  test('R8 a lease that was lost is given back although its name is claimed anew, and not the grant of that claim', () => {
    const { world, key } = holding();
    world.drop();
    world.pass(TTL_MS * 3);
    expect(world.news(key).at(-1)).toBe('lost missed-ack');
    world.acquire('n', { ttlMs: TTL_MS });
    const part = { name: 'n', leftMs: 2_000, ttlMs: 3_000, ceilingLeftMs: 9e6 };
    world.open({ held: [{ ...part, fencingToken: 101 }] as never });
    expect(world.sent('release').map(({ fencingToken }) => fencingToken)).toEqual([101]);
    world.drop();
    world.pass(100);
    world.open({ held: [{ ...part, fencingToken: 102 }] as never });
    expect(world.sent('release').map(({ fencingToken }) => fencingToken)).not.toContain(102);
  });

  describe('R16 where a welcome names a quiet time, another may hold what its journal has forgotten', () => {
    const QUIET = { quietMs: durationMs(6_000) };
    const listed = {
      held: [{ name: 'n', fencingToken: 101, leftMs: 2_900, ttlMs: 3_000, ceilingLeftMs: 9e6 }] as never,
    };

    test('P-22 a lease whose window runs is kept', () => {
      const { world, key } = holding();
      world.drop();
      world.pass(100);
      world.open({ ...listed, ...QUIET });
      expect(world.lease(key)?.status).toBe('held');
      expect(world.sent('release')).toEqual([]);
    });

    test.each([
      ['keeps it for the answer, where there is none', {}, 'at-risk', []],
      ['ends it', QUIET, 'lost', [101]],
    ] as const)('P-22 R12 a lease in doubt: a quiet time %s', (_, quiet, status, given) => {
      const { world, key } = holding();
      world.drop();
      world.sleep(2_900);
      world.pass(100);
      world.open({
        held: [{ name: 'n', fencingToken: 101, leftMs: 1, ttlMs: 3_000, ceilingLeftMs: 9e6 }] as never,
        ...quiet,
      });
      expect(world.lease(key)?.status).toBe(status);
      expect(world.sent('release').map(({ fencingToken }) => fencingToken)).toEqual(given);
    });

    test('P-22 a lease that was offered to another is given back', () => {
      const { world, key } = holding();
      world.do({ kind: 'release', key, handOver: true, reference: 'r' as never });
      world.drop();
      world.pass(100);
      world.open({ ...listed, ...QUIET });
      expect(world.news(key)).toEqual(['lost expired']);
      expect(world.sent('release').map(({ fencingToken, handOver }) => [fencingToken, handOver])).toEqual([
        [101, true],
        [101, undefined],
      ]);
    });

    test('P-22 a grant that was never heard of is released, and its repeat is not believed', () => {
      const world = scripted({ chance: () => 0 });
      const key = world.acquire('n', { ttlMs: TTL_MS });
      world.open();
      world.drop();
      world.pass(2_000);
      world.open({ ...listed, ...QUIET });
      world.grant(key);
      expect(world.lease(key)).toBeNull();
      expect(world.sent('release').map(({ fencingToken }) => fencingToken)).toEqual([101]);
      world.pass(1);
      expect(world.sent('acquire').at(-1)).toMatchObject({ request: key });
      world.grant(key, { fencingToken: 102 as never });
      expect(world.lease(key)).toMatchObject({ status: 'held' });
    });
  });

  test('R8 only the last part of a welcome says what is missing', () => {
    const { world, key } = holding();
    world.drop();
    world.pass(100);
    const part = { leftMs: 2_000, ttlMs: 3_000, ceilingLeftMs: 9e6 };
    world.open({ held: [{ name: 'x', fencingToken: 77, ...part }] as never, more: true });
    expect(world.news(key)).toEqual([]);
    const [hello] = world.sent('hello').slice(-1);
    world.say({
      type: 'welcome',
      frame: hello?.frame as never,
      session: 's' as never,
      resumed: true,
      journal: 'journal' as never,
      protocol: 1,
      held: [{ name: 'n', fencingToken: 101, ...part }] as never,
      more: false,
      stateBytesMax: 9,
      frameBytesMax: 262_144,
    });
    expect(world.news(key)).toEqual([]);
    expect(world.sent('release').map(({ fencingToken }) => fencingToken)).toEqual([77]);
  });

  test('R12 a grant whose window was over on arrival is renewed by a repeat, not believed and not dropped', () => {
    const world = scripted({ chance: () => 0 });
    const key = world.acquire('n', { ttlMs: TTL_MS });
    world.open();
    world.stall(2_900);
    world.grant(key);
    expect(world.claim(key)).toBeUndefined();
    world.pass(1);
    expect(world.sent('acquire')).toHaveLength(2);
    world.grant(key);
    expect(world.claim(key)).toMatchObject({ kind: 'granted', fencingToken: 101 });
    expect(world.lease(key)?.remainingMs).toBe(2_699);
  });

  test('R12 a grant that names a frame without record is not believed', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    world.grant(key, { frame: 99 as never });
    expect(world.claim(key)).toBeUndefined();
    world.pass(1);
    expect(world.sent('acquire')).toHaveLength(2);
  });
});

describe('the renewal clock', () => {
  test('F33 30 windows make 30 renewals, 2 s apart, without drift', () => {
    const { world, key } = holding();
    const times: number[] = [];
    for (let count = 0; count < 30; count += 1) {
      const before = world.sent('renew').length;
      world.until(() => world.sent('renew').length > before);
      times.push(world.now());
      world.stall(7);
      world.renewed(inFull);
    }
    expect(world.news(key).filter((one) => one !== 'renewed')).toEqual([]);
    expect(times.slice(1).map((time, index) => time - (times[index] ?? 0))).toEqual(
      Array.from({ length: 29 }, () => 2_000),
    );
  });

  test('the first renewal comes up to 5 % of the window earlier, so that a fleet spreads', () => {
    const { world } = holding({}, { chance: () => 0.999 });
    world.pass(1_849);
    expect(world.sent('renew')).toHaveLength(0);
    world.pass(3);
    expect(world.sent('renew')).toHaveLength(1);
  });

  test('renewals that are due together leave in one message', () => {
    const world = scripted({ chance: () => 0 });
    const keys = ['a', 'b', 'c'].map((name) => world.acquire(name, { ttlMs: TTL_MS }));
    world.open();
    keys.forEach((key, index) => world.grant(key, { fencingToken: (200 + index) as never }));
    world.pass(2_000);
    expect(world.sent('renew').map(({ leases }) => leases.length)).toEqual([3]);
  });

  test('R26 S6 without answers: at risk after a third of what is left, again over new sockets, lost at the stop margin', () => {
    const { world, key } = holding();
    world.pass(2_000);
    const renewed = world.now();
    world.pass(249);
    expect(world.lease(key)?.status).toBe('held');
    world.pass(1);
    expect(world.lease(key)?.status).toBe('at-risk');
    expect(world.of('abandon')).toHaveLength(1);
    world.open({ held: [{ name: 'n', fencingToken: 101, leftMs: 740, ttlMs: 3_000, ceilingLeftMs: 9e6 }] as never });
    expect(world.sent('renew')).toHaveLength(2);
    expect(world.lease(key)?.status).toBe('at-risk');
    world.pass(renewed + 699 - world.now());
    expect(world.news(key)).toEqual(['at-risk silent']);
    world.pass(1);
    expect(world.news(key)).toEqual(['at-risk silent', 'lost missed-ack']);
    expect(world.of('lease').at(-1)?.news).toMatchObject({
      attempts: [{ outcome: 'unanswered', agoMs: 450 }, { outcome: 'unanswered' }],
    });
  });

  test('F23 a reset at the instant of a renewal: the renewal is repeated as soon as the session is resumed', () => {
    const { world, key } = holding();
    const held = [{ name: 'n', fencingToken: 101, leftMs: 900, ttlMs: 3_000, ceilingLeftMs: 9e6 }] as never;
    for (let cycle = 0; cycle < 20; cycle += 1) {
      const before = world.sent('renew').length;
      world.until(() => world.sent('renew').length > before);
      world.drop();
      // Nobody listens for 300 ms.
      const until = world.now() + 300;
      while (world.now() < until) {
        world.pass(5);
        if (world.core.status === 'connecting') world.drop();
      }
      world.until(() => world.core.status === 'connecting');
      world.open({ held });
      expect(world.sent('renew')).toHaveLength(before + 2);
      world.renewed(inFull);
      expect(world.lease(key)?.status).toBe('held');
    }
    expect(world.news(key).some((one) => one.startsWith('lost'))).toBe(false);
  });

  test('F23 a renewal that was out when the socket died is sent again on the next one, before its time is over', () => {
    const { world, key } = holding();
    world.pass(2_000);
    world.drop();
    world.until(() => world.core.status === 'connecting');
    world.open({ held: [{ name: 'n', fencingToken: 101, leftMs: 990, ttlMs: 3_000, ceilingLeftMs: 9e6 }] as never });
    expect(world.sent('renew')).toHaveLength(2);
    world.renewed(inFull);
    expect(world.news(key)).toEqual(['renewed']);
  });

  test('F22 a black hole right after an acknowledged renewal: lost between 2 and 3 s after that was sent', () => {
    const { world, key } = holding({}, { connectTimeoutMs: durationMs(500) });
    world.pass(2_000);
    world.renewed(inFull);
    const sent = world.now();
    world.until(() => world.news(key).some((one) => one.startsWith('lost')));
    expect(world.now() - sent).toBe(2_700);
  });

  test('F24 after a permanent answer no renewal of that token is ever sent again', () => {
    for (const code of ['expired', 'superseded', 'revoked', 'stolen', 'ceiling', 'forbidden']) {
      const { world, key } = holding();
      world.pass(2_000);
      world.renewed({ code, leftMs: undefined as never });
      expect(world.news(key)).toEqual([`lost ${code === 'forbidden' ? 'unauthorized' : code}`]);
      world.pass(60_000);
      expect(world.sent('renew')).toHaveLength(1);
    }
  });

  test('an answer that did not lengthen the window is asked again after a short pause', () => {
    const { world, key } = holding({}, { chance: () => 0.5 });
    world.pass(2_000);
    // A recovered lease whose silence is being written (R3): the coordinator tells what is left of the old window.
    world.renewed({ leftMs: durationMs(950), ttlMs: TTL_MS });
    expect(world.lease(key)?.status).toBe('held');
    const asked = [world.now()];
    for (let count = 2; count <= 4; count += 1) {
      world.until(() => world.sent('renew').length === count);
      asked.push(world.now());
      world.renewed({ leftMs: durationMs(940), ttlMs: TTL_MS });
    }
    // Half of 50, 100, 200 ms: full jitter, ever longer.
    expect(asked.slice(1).map((at, index) => at - (asked[index] ?? 0))).toEqual([25, 50, 100]);
    world.renewed(inFull);
    expect(world.lease(key)?.remainingMs).toBe(2_700);
  });

  test('nothing more is sent once the ceiling bounds the window, and it ends as `ceiling`', () => {
    const { world, key } = holding();
    world.pass(2_000);
    world.renewed({ ...inFull, leftMs: durationMs(2_500), ceilingLeftMs: durationMs(2_500) });
    world.pass(10_000);
    expect(world.sent('renew')).toHaveLength(1);
    expect(world.news(key)).toEqual(['renewed', 'lost ceiling']);
  });

  test('a fixed window is never renewed and ends as `expired`, and is given back', () => {
    const { world, key } = holding({ renew: false });
    world.pass(10_000);
    expect(world.sent('renew')).toHaveLength(0);
    expect(world.news(key)).toEqual(['lost expired']);
    expect(world.sent('release')).toHaveLength(1);
  });

  test('F32 a lease acquired again after a loss is renewed like the first one, and its neighbours go on', () => {
    const world = scripted({ chance: () => 0, connectTimeoutMs: durationMs(500) });
    const neighbour = world.acquire('m', { ttlMs: durationMs(3_600_000) });
    world.open();
    world.grant(neighbour, { fencingToken: 50 as never });
    for (let round = 0; round < 5; round += 1) {
      const key = world.acquire('n', { ttlMs: TTL_MS });
      if (world.core.status !== 'open') world.open();
      world.grant(key, { fencingToken: (1_000 + round) as never });
      for (let count = 0; count < 5; count += 1) {
        const before = world.sent('renew').length;
        world.until(() => world.sent('renew').length > before);
        world.renewed(inFull);
      }
      expect(world.news(key)).toEqual(Array.from({ length: 5 }, () => 'renewed'));
      world.pass(2_700);
      expect(world.lease(key)?.status).toBe('lost');
      world.until(() => world.core.status === 'connecting');
      const left = { leftMs: 3_000_000, ttlMs: 3_600_000, ceilingLeftMs: 9e6 };
      world.open({ held: [{ name: 'm', fencingToken: 50, ...left }] as never });
    }
    expect(world.news(neighbour).filter((one) => one !== 'renewed')).toEqual([]);
  });
});
