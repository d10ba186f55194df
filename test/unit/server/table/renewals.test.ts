import { describe, expect, test } from 'vitest';
import { acquire, kinds, Lab, only, release, renew, who } from './support/lab.ts';

const refusal = (lab: Lab): string | undefined => only(lab.said, 'renew-refused')[0]?.code;
const deadline = (lab: Lab): number | undefined => only(lab.said, 'renewed')[0]?.lease.deadline;

describe('a renewal', () => {
  test('counts its window from its own reading, and writes nothing (S5)', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.pass(6_667).do(renew('a', token));
    expect(deadline(lab)).toBe(16_667);
    expect(lab.table.hasDurable).toBe(false);
    expect(lab.table.heldBy(who('a').session)[0]?.deadline).toBe(16_667);
    expect(kinds(lab.after(9_999))).toEqual([]);
    expect(kinds(lab.after(1))).toEqual(['ended']);
  });

  test('R4 never moves a deadline earlier', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.do({ kind: 'limits', limits: { ...lab.limits, ttlMsMax: 2_000 } });
    lab.do(renew('a', token));
    expect(only(lab.said, 'renewed')[0]?.lease).toMatchObject({ deadline: 10_000, ttlMs: 2_000 });
    lab.pass(9_000).do(renew('a', token));
    expect(deadline(lab)).toBe(11_000);
  });

  test('S9 is taken as long as nothing has ended the lease, however late it was read', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.pass(10_100).do(renew('a', token));
    expect(deadline(lab)).toBe(20_100);
    expect(kinds(lab.advance())).toEqual([]);
  });

  test('S3 with an old token is refused, and changes nothing', () => {
    const lab = new Lab();
    const old = lab.granted('a');
    lab.do(release('a', old));
    const token = lab.granted('b');
    lab.pass(1_000).do(renew('a', old));
    expect(refusal(lab)).toBe('superseded');
    expect(lab.table.heldBy(who('b').session)[0]).toMatchObject({ fencingToken: token, deadline: 10_000 });
  });

  test('S3 after the end is refused expired', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.after(10_000);
    lab.do(renew('a', token));
    expect(refusal(lab)).toBe('expired');
  });

  test("S3 of another session's lease is refused forbidden", () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.do(renew('b', token));
    expect(refusal(lab)).toBe('forbidden');
  });
});

describe('a window', () => {
  test('R4 longer than the stored one is stored first, and used by the renewals behind that', () => {
    const lab = new Lab({ ttlMsMax: 4_000 });
    const token = lab.granted('a', { ttlMs: 10_000 });
    lab.do({ kind: 'limits', limits: { ...lab.limits, ttlMsMax: 8_000 } });
    lab.pass(1_000).do(renew('a', token));
    expect(only(lab.said, 'renewed')[0]?.lease).toMatchObject({ deadline: 5_000, ttlMs: 4_000 });
    expect(lab.take()).toEqual([{ kind: 'window', name: 'printer', fencingToken: token, ttlMs: 8_000 }]);
    lab.do(renew('a', token));
    expect(lab.table.hasDurable).toBe(false);
    lab.arrive();
    expect(lab.table.heldBy(who('a').session)[0]?.deadline).toBe(5_000);
    lab.do(renew('a', token));
    expect(only(lab.said, 'renewed')[0]?.lease).toMatchObject({ deadline: 9_000, ttlMs: 8_000 });
    lab.pass(1).restart();
    expect(lab.table.nextDeadline()).toBe(8_000);
  });

  test('R14 is asked for again where its batch failed', () => {
    const lab = new Lab({ ttlMsMax: 4_000 });
    const token = lab.granted('a', { ttlMs: 10_000 });
    lab.do({ kind: 'limits', limits: { ...lab.limits, ttlMsMax: 8_000 } });
    lab.do(renew('a', token));
    lab.take();
    lab.fail();
    expect(lab.take()).toEqual([{ kind: 'window', name: 'printer', fencingToken: token, ttlMs: 8_000 }]);
  });

  test('R4 that was lowered is still what a restart gives', () => {
    const lab = new Lab();
    lab.granted('a');
    lab.restart({ ttlMsMax: 1_000 });
    expect(lab.table.nextDeadline()).toBe(10_000);
    expect(lab.table.longestLeaseMs(who('a').session)).toBe(10_000);
  });
});

describe('a ceiling', () => {
  const short = { ttlMs: 4_000, maxLifetimeMs: 10_000 };

  test('bounds renewals, and ends the lease as `ceiling`', () => {
    const lab = new Lab();
    const token = lab.granted('a', short);
    lab.pass(3_000).do(renew('a', token));
    lab.pass(3_000).do(renew('a', token));
    expect(only(lab.said, 'renewed')[0]?.lease).toMatchObject({ deadline: 10_000, ceilingAt: 10_000 });
    lab.pass(3_000).do(renew('a', token));
    expect(deadline(lab)).toBe(10_000);
    lab.after(999);
    lab.after(1);
    expect(only(lab.said, 'ended')[0]).toMatchObject({ code: 'ceiling', told: false });
  });

  test('that is over refuses the renewal that was read before the end', () => {
    const lab = new Lab();
    const token = lab.granted('a', short);
    lab.pass(3_999).do(renew('a', token));
    lab.pass(3_900).do(renew('a', token));
    lab.pass(2_100).do(renew('a', token));
    expect(deadline(lab)).toBe(10_000);
    lab.pass(1).do(renew('a', token));
    expect(refusal(lab)).toBe('ceiling');
  });

  test('is cut to the longest life allowed', () => {
    const lab = new Lab({ lifetimeMsMax: 6_000 });
    lab.granted('a', short);
    expect(lab.view()?.holders[0]?.ceilingLeftMs).toBe(6_000);
  });

  test('is told to be near once, at 80 %', () => {
    const lab = new Lab();
    const token = lab.granted('a', short);
    lab.pass(3_900).do(renew('a', token));
    lab.pass(3_900).do(renew('a', token));
    expect(kinds(lab.after(199))).toEqual([]);
    expect(lab.table.nextDeadline()).toBe(8_000);
    lab.after(1);
    expect(lab.said).toEqual([
      { kind: 'ceiling-near', session: 'a', name: 'printer', fencingToken: token, ceilingLeftMs: 2_000 },
    ]);
    lab.do(renew('a', token));
    expect(kinds(lab.after(1_000))).toEqual([]);
    expect(lab.table.nextDeadline()).toBe(10_000);
  });

  test('is not told to be near where the lease ends in the same moment', () => {
    const lab = new Lab();
    lab.granted('a', { ttlMs: 9_000, maxLifetimeMs: 10_000 });
    lab.after(9_000);
    expect(kinds(lab.said)).toEqual(['ended']);
    expect(only(lab.said, 'ended')[0]?.code).toBe('expired');
  });

  test('S5 counts listening time over restarts', () => {
    const lab = new Lab();
    const token = lab.granted('a', short);
    lab.pass(3_000).do(renew('a', token));
    lab.flush(lab.noteTime());
    lab.restart();
    expect(lab.view()?.holders[0]).toMatchObject({ ceilingLeftMs: 7_000, heldForMs: 3_000 });
    lab.pass(3_000).do(renew('a', token));
    expect(deadline(lab)).toBe(7_000);
    lab.pass(2_000);
    lab.flush(lab.noteTime());
    lab.restart();
    // 8 s of 10 s are over: `ceiling-near` is not told again.
    expect(lab.table.nextDeadline()).toBe(2_000);
    expect(kinds(lab.after(2_000))).toEqual(['ended']);
  });

  test('is the least of all for how often listening time is stored', () => {
    const lab = new Lab();
    expect(lab.table.leastLifetimeMs()).toBeNull();
    const first = lab.granted('a', { maxLifetimeMs: 50_000 }, 'x');
    const least = lab.granted('b', { maxLifetimeMs: 40_000 }, 'y');
    lab.granted('c', { maxLifetimeMs: 50_000 }, 'z');
    expect(lab.table.leastLifetimeMs()).toBe(40_000);
    lab.do(release('b', least, false, 'y'));
    lab.do(release('a', first, false, 'x'));
    expect(lab.table.leastLifetimeMs()).toBe(50_000);
    lab.after(60_000);
    expect(lab.table.leastLifetimeMs()).toBeNull();
  });
});

describe('a lease that does not renew', () => {
  const fixed = { ttlMs: 5_000, renews: false };

  test('has one window, which no renewal lengthens, and then expires', () => {
    const lab = new Lab();
    const token = lab.granted('a', fixed);
    lab.pass(4_000).do(renew('a', token));
    expect(only(lab.said, 'renewed')[0]?.lease).toMatchObject({ deadline: 5_000, ceilingAt: 5_000 });
    lab.do(acquire('a', fixed));
    expect(only(lab.said, 'granted')[0]?.lease.deadline).toBe(5_000);
    lab.pass(1_000).do(renew('a', token));
    expect(refusal(lab)).toBe('expired');
    lab.advance();
    expect(kinds(lab.said)).toEqual(['ended']);
    expect(only(lab.said, 'ended')[0]?.code).toBe('expired');
  });

  test('S5 has what is left of its window after a restart, not a fresh one', () => {
    const lab = new Lab();
    lab.granted('a', fixed);
    lab.pass(3_000).flush(lab.noteTime());
    lab.restart();
    expect(lab.table.nextDeadline()).toBe(2_000);
  });

  test('S5 loses nothing of its window to a slow disk, over a restart neither', () => {
    const lab = new Lab();
    lab.do(acquire('a', fixed));
    lab.take();
    lab.pass(3_000).arrive();
    expect(lab.table.nextDeadline()).toBe(8_000);
    lab.pass(2_000);
    lab.flush(lab.noteTime());
    lab.restart();
    expect(lab.table.nextDeadline()).toBe(3_000);
  });

  test('S5 loses nothing of its window to a disk that was busy before its grant was handed over', () => {
    const lab = new Lab();
    lab.granted('z', {}, 'other');
    lab.take();
    lab.do(acquire('a', fixed));
    lab.pass(3_000).arrive();
    lab.advance();
    lab.take(lab.noteTime());
    lab.arrive();
    expect(lab.view()?.holders[0]?.deadline).toBe(8_000);
    // Killed before anything more is stored.
    lab.restart();
    expect(lab.table.nextDeadline()).toBe(5_000);
  });

  test('S5 that is as long as its ceiling has its whole window behind a slow disk', () => {
    const lab = new Lab();
    lab.do(acquire('a', { ttlMs: 5_000, maxLifetimeMs: 5_000 }));
    lab.take();
    lab.pass(60_000).arrive();
    expect(lab.table.nextDeadline()).toBe(64_000);
    expect(lab.view()?.holders[0]?.remainingMs).toBe(5_000);
  });
});
