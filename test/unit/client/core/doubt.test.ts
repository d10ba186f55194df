import { describe, expect, test } from 'vitest';
import { durationMs } from '../../../../shared/time.ts';
import { scripted } from '../../../support/sim/scripted.ts';

const TTL_MS = durationMs(3_000);

function holding() {
  const world = scripted({ chance: () => 0 });
  const key = world.acquire('n', { ttlMs: TTL_MS });
  world.open();
  world.grant(key);
  return { world, key };
}
const inFull = { leftMs: TTL_MS, ttlMs: TTL_MS };

describe('sleep, steps and stalls', () => {
  test('S6 a lease read after a stall is not held any more, though no timer ran', () => {
    const { world, key } = holding();
    world.stall(2_700);
    expect(world.lease(key)).toMatchObject({ status: 'lost', lossCode: 'missed-ack', remainingMs: 0, attempts: [] });
    expect(world.do({ kind: 'wake' })).toContainEqual({
      kind: 'lease',
      key,
      news: { kind: 'lost', code: 'missed-ack', attempts: [] },
    });
    expect(world.lease(key)).toMatchObject({ status: 'lost', remainingMs: 0, lossCode: 'missed-ack' });
  });

  test('S6 the clocks are looked at before the event: a renewal that arrives too late changes nothing', () => {
    const { world, key } = holding();
    world.pass(2_000);
    world.stall(700);
    world.renewed({ leftMs: durationMs(60_000), ttlMs: durationMs(60_000) });
    expect(world.news(key)).toEqual(['lost missed-ack']);
  });

  test('R18 S6 a reading that nobody announced is right as well', () => {
    const { world, key } = holding();
    world.sleep(2_700);
    expect(world.lease(key)?.status).toBe('at-risk');
  });

  test('R12 after a sleep beyond the window the lease is in doubt, and a renewal leaves at once', () => {
    const { world, key } = holding();
    world.sleep(2_700);
    world.do({ kind: 'wake' });
    expect(world.news(key)).toEqual(['at-risk doubt']);
    expect(world.sent('renew')).toHaveLength(1);
    world.renewed(inFull);
    expect(world.news(key)).toEqual(['at-risk doubt', 'recovered', 'renewed']);
    expect(world.lease(key)?.status).toBe('held');
  });

  test('R12 a doubt without an answer within 1 s is a loss', () => {
    const { world, key } = holding();
    world.sleep(5_000);
    world.do({ kind: 'wake' });
    world.pass(999);
    expect(world.lease(key)?.status).toBe('at-risk');
    world.pass(1);
    expect(world.news(key)).toEqual(['at-risk doubt', 'lost missed-ack']);
  });

  test.each([
    ['is not made longer by a clock that is ahead by a little', 900, ['at-risk doubt', 'lost expired'], 0],
    ['is asked for where the clocks are apart by more than a second', 2_700, ['at-risk doubt'], 1],
  ] as const)('R12 a lease that is not renewed %s', (_, aheadMs, news, asked) => {
    const world = scripted({ chance: () => 0 });
    const key = world.acquire('n', { ttlMs: TTL_MS, renew: false });
    world.open();
    world.grant(key);
    world.pass(2_700 - aheadMs);
    world.sleep(aheadMs);
    world.do({ kind: 'wake' });
    world.pass(aheadMs === 900 ? aheadMs : 0);
    expect(world.news(key)).toEqual(news);
    expect(world.sent('renew')).toHaveLength(asked);
  });

  test('R12 a client in doubt that reaches nobody dials a few times in its second, not as fast as it can', () => {
    const world = scripted({ chance: () => 0.5 });
    const key = world.acquire('n', { ttlMs: TTL_MS });
    world.open();
    world.grant(key);
    world.drop();
    world.sleep(2_700);
    world.do({ kind: 'wake' });
    const asked = () => world.effects.filter((effect) => effect.kind === 'ask-credential');
    const dials = (): number => asked().length;
    const before = dials();
    for (let ms = 0; ms < 990; ms += 10) {
      const known = dials();
      world.pass(10);
      const { dial } = asked().at(-1) ?? {};
      if (dials() === known || dial === undefined) continue;
      world.do({ kind: 'credential', dial, credential: undefined });
      world.drop();
    }
    expect(world.lease(key)?.status).toBe('at-risk');
    expect(dials() - before).toBeGreaterThan(4);
    expect(dials() - before).toBeLessThan(20);
  });

  test('R12 only the answer to a frame sent after the doubt began decides', () => {
    const { world, key } = holding();
    world.pass(2_000);
    const [before] = world.sent('renew');
    world.sleep(1_000);
    world.do({ kind: 'wake' });
    world.renewed({ leftMs: durationMs(60_000), ttlMs: durationMs(60_000) }, before?.inFrame);
    expect(world.news(key)).toEqual(['at-risk doubt']);
    world.renewed(inFull);
    expect(world.lease(key)?.status).toBe('held');
  });

  test('R12 a wall clock that steps forward costs no lease, one that steps back none either', () => {
    const { world, key } = holding();
    world.step(3_600_000);
    world.do({ kind: 'wake' });
    world.renewed(inFull);
    world.step(-7_200_000);
    world.do({ kind: 'wake' });
    expect(world.lease(key)?.status).toBe('held');
    expect(world.news(key)).not.toContain('lost missed-ack');
  });

  test('R12 a sleep of part of the window only brings the renewal forward', () => {
    const { world, key } = holding();
    world.sleep(2_100);
    world.do({ kind: 'wake' });
    expect(world.news(key)).toEqual([]);
    expect(world.sent('renew')).toHaveLength(1);
    expect(world.lease(key)?.status).toBe('held');
  });

  test('a stall over an answer that lies in the socket costs neither the socket nor the peace', () => {
    const { world, key } = holding();
    world.pass(2_000);
    world.stall(500);
    // The loop runs its timers first, then reads what has long arrived.
    world.do({ kind: 'wake' });
    // The end of that tick, and a read of the lease, look again: still nothing was read.
    world.do({ kind: 'wake' });
    world.do({ kind: 'wake' });
    world.renewed(inFull);
    expect(world.news(key)).toEqual(['renewed']);
    expect(world.of('abandon')).toEqual([]);
  });

  test('F31 a stall of more than a second is said, with its length', () => {
    const { world } = holding();
    world.pass(2_000);
    world.renewed(inFull);
    // The next wake would have been the renewal, 2 s from here.
    world.stall(2_000 + 400);
    world.do({ kind: 'wake' });
    expect(world.of('warning')).toEqual([]);
    world.pass(1);
    world.renewed(inFull);
    world.stall(2_000 + 4_500);
    world.do({ kind: 'wake' }, true);
    expect(world.of('warning')).toEqual([{ kind: 'warning', code: 'stalled', text: 'stalled for at least 4500 ms' }]);
    // Reads of the lease in the same turn look at the clocks again and again: it is the same stall.
    for (let reading = 0; reading < 5; reading += 1) {
      world.stall(10);
      world.do({ kind: 'wake' }, true);
    }
    expect(world.of('warning')).toHaveLength(1);
  });

  test('R21 a stall does not hide a dead socket: what is due is put off once', () => {
    const { world, key } = holding();
    world.pass(2_000);
    world.stall(310);
    world.do({ kind: 'wake' });
    expect(world.of('abandon')).toEqual([]);
    world.stall(310);
    world.do({ kind: 'wake' });
    expect(world.of('abandon')).toHaveLength(1);
    expect(world.news(key)).toEqual(['at-risk silent']);
  });
});
