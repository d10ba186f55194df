import { describe, expect, test } from 'vitest';
import { acquire, heard, kinds, Lab, only, release, renew, revoke, setState, who } from './support/lab.ts';

const deadline = (lab: Lab): number | undefined => lab.table.heldBy(who('a').session)[0]?.deadline;
const left = (lab: Lab): number | undefined => only(lab.said, 'renewed')[0]?.lease.deadline;

/** A restart that ends this run as a crash does, its time stored or not. */
function crash(lab: Lab, timeIsStored: boolean): Lab {
  if (timeIsStored) lab.flush(lab.noteTime());
  return lab.restart();
}

describe('a restart', () => {
  test('S5 drops no lease: each has its stored window, its token and its request', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.pass(9_000);
    crash(lab, true);
    expect(lab.table.heldBy(who('a').session)).toMatchObject([
      { request: 'a1', fencingToken: token, deadline: 10_000, ttlMs: 10_000 },
    ]);
    expect(kinds(lab.do(acquire('b')))).toEqual(['queued']);
    expect(only(lab.do(acquire('a')), 'granted')[0]).toMatchObject({ repeat: true, lease: { fencingToken: token } });
  });

  test('S5 a grant whose append did not return may be there, and its repeat is told of it', () => {
    const lab = new Lab();
    lab.do(acquire('a'));
    lab.take();
    lab.arrive();
    lab.restart();
    expect(only(lab.pass(1_000).do(acquire('a')), 'granted')[0]).toMatchObject({
      repeat: true,
      lease: { deadline: 11_000 },
    });
  });

  test('S5 a release that was not stored only delays the next', () => {
    const lab = new Lab();
    lab.do(release('a', lab.granted('a')));
    lab.restart();
    expect(lab.holder()).toBe('a');
    expect(kinds(lab.do(acquire('b')))).toEqual(['queued']);
    expect(kinds(lab.after(10_000))).toEqual(['ended', 'grant-decided']);
  });

  test('S5 a claim is not granted before its session is heard from: no anchor could be named (R5)', () => {
    const lab = new Lab();
    lab.do(release('a', lab.granted('a')));
    const token = lab.granted('b');
    lab.do(acquire('c'));
    lab.do(acquire('d'));
    lab.flush();
    lab.do(release('b', token));
    lab.take();
    lab.fail();
    lab.flush();
    lab.restart();
    expect(kinds(lab.advance())).toEqual([]);
    expect(kinds(lab.do(heard('d')))).toEqual(['passed-over', 'grant-decided']);
    expect(only(lab.said, 'passed-over')[0]?.session).toBe('c');
  });

  test('S5 a recovered claim waits without limit until its client says how long', () => {
    const lab = new Lab();
    lab.granted('a', { ttlMs: 60_000 });
    lab.do(acquire('b', { waitMs: 1_000 }));
    lab.flush();
    lab.restart();
    expect(kinds(lab.after(2_000))).toEqual([]);
    lab.do(acquire('b', { waitMs: 500 }));
    expect(only(lab.after(500), 'claim-ended')[0]?.code).toBe('wait-timeout');
  });

  test('R15 shows the same of every name as before, save times', () => {
    const lab = new Lab();
    lab.do(setState('a', lab.granted('a'), 'x'));
    lab.do(acquire('b'));
    lab.do(release('c', lab.granted('c', { minHoldMs: 5_000 }, 'closed'), false, 'closed'));
    lab.flush();
    const before = lab.table.list(lab.now, '', '', 10);
    expect(lab.restart().table.list(lab.now, '', '', 10)).toEqual({
      ...before,
      views: before.views.map((view) => (view.name === 'closed' ? { ...view, lastFencingToken: null } : view)),
    });
    expect(lab.table.counts()).toEqual({ leases: 1, claims: 1, names: 2, states: 1, stateBytes: 3 });
  });
});

describe('R3 silence', () => {
  test('is written, and taken from the window of the next run; over several runs it adds up', () => {
    const lab = new Lab();
    lab.granted('a');
    lab.restart();
    for (const [ms, next] of [
      [3_000, 7_000],
      [2_500, 4_500],
      [4_500, 0],
    ] as const) {
      lab.pass(ms);
      crash(lab, true);
      expect(deadline(lab)).toBe(next);
    }
    expect(kinds(lab.advance())).toEqual(['ended']);
  });

  test('that was not written takes nothing: a run that is killed at once shortens no window', () => {
    const lab = new Lab();
    lab.granted('a');
    for (let run = 0; run < 5; run += 1) {
      lab.restart();
      lab.pass(900);
      crash(lab, false);
    }
    expect(deadline(lab)).toBe(10_000);
  });

  test('is of leases of an earlier run alone, until they are heard from', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    expect(lab.table.unheard(lab.now)).toEqual([]);
    lab.restart();
    lab.granted('b', {}, 'other');
    expect(lab.table.unheard(lab.pass(1_200.7).now)).toEqual([
      { name: 'printer', fencingToken: token, silentMs: 1_200 },
    ]);
    lab.do(renew('a', token));
    expect(lab.table.unheard(lab.now)).toEqual([]);
  });

  test('of a lease that has ended is not written', () => {
    const lab = new Lab();
    lab.granted('a');
    lab.granted('b', {}, 'other');
    lab.restart();
    lab.do(revoke(null, false, 'other'));
    lab.after(10_000);
    expect(lab.table.unheard(lab.now)).toEqual([]);
  });

  test('S5 of which nothing was ever written costs the first renewal no write', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.restart();
    lab.pass(900).do(renew('a', token));
    expect(left(lab)).toBe(10_900);
    expect(lab.table.hasDurable).toBe(false);
  });

  test('that is stored or on its way is taken back first; until that is durable no answer reaches further', () => {
    for (const run of [1, 2]) {
      const lab = new Lab();
      const token = lab.granted('a');
      lab.restart();
      lab.pass(1_000);
      // On its way in run 1, stored in an earlier one in run 2.
      const silence = lab.noteTime();
      if (run === 2) {
        lab.flush(silence);
        lab.restart();
        lab.pass(1_000);
      }
      const before = run === 1 ? 10_000 : 9_000;
      lab.do(renew('a', token));
      expect(left(lab)).toBe(before);
      expect(lab.take()).toEqual([{ kind: 'heard', name: 'printer', fencingToken: token }]);
      lab.pass(500).do(renew('a', token));
      expect(left(lab)).toBe(before);
      expect(only(lab.do(acquire('a')), 'granted')[0]?.lease.deadline).toBe(before);
      lab.pass(2_000).arrive();
      // As far as the last renewal asked, not further.
      expect(deadline(lab)).toBe(11_500);
      lab.do(renew('a', token));
      expect(left(lab)).toBe(13_500);
    }
  });

  test('is taken back once only, however often it is asked for', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.restart();
    lab.pass(1_000).noteTime();
    for (let index = 0; index < 3; index += 1) lab.do(renew('a', token));
    expect(lab.take()).toHaveLength(1);
  });

  test('R14 is taken back with the next batch where this one failed', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.restart();
    lab.pass(1_000).noteTime();
    lab.do(renew('a', token));
    lab.take();
    lab.fail();
    expect(deadline(lab)).toBe(10_000);
    lab.flush();
    expect(deadline(lab)).toBe(11_000);
  });

  test('S1 a lease whose taking back is not durable in time ends at its old deadline', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.restart();
    lab.pass(1_000).noteTime();
    lab.do(renew('a', token));
    lab.take();
    expect(kinds(lab.after(9_000))).toEqual(['ended']);
    expect(kinds(lab.arrive())).toEqual([]);
    lab.flush();
    expect(lab.restart().table.counts().leases).toBe(0);
  });

  test('does not reach beyond the ceiling when it is taken back', () => {
    const lab = new Lab();
    const token = lab.granted('a', { maxLifetimeMs: 11_000 });
    lab.restart();
    lab.pass(5_000).noteTime();
    lab.do(renew('a', token));
    lab.flush();
    expect(deadline(lab)).toBe(11_000);
  });
});
