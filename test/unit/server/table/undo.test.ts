import { describe, expect, test } from 'vitest';
import {
  acquire,
  amend,
  cancel,
  kinds,
  Lab,
  liftMark,
  only,
  quiet,
  release,
  renew,
  silent,
  who,
  writable,
} from './support/lab.ts';

const everybody = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('R14 a failed append', () => {
  test('undoes its grants by token, last first, and puts their claims back', () => {
    const lab = new Lab();
    for (const by of ['a', 'b', 'c']) lab.do(acquire(by, {}, by));
    lab.take();
    expect(only(lab.fail(), 'grant-undone').map((event) => event.fencingToken)).toEqual([3, 2, 1]);
    expect(only(lab.said, 'queued').map((event) => event.session)).toEqual(['a', 'b', 'c']);
    expect(lab.view('a')).toMatchObject({ holders: [], queue: 1, lastFencingToken: null });
  });

  test('undoes what was decided on top of it: grants made since', () => {
    const lab = new Lab();
    lab.do(acquire('a'));
    lab.do(acquire('b'));
    lab.take();
    lab.do(cancel('a'));
    lab.do(acquire('c', {}, 'other'));
    expect(only(lab.fail(), 'grant-undone').map((event) => [event.session, event.fencingToken])).toEqual([
      ['c', 3],
      ['b', 2],
    ]);
    expect(lab.take().map((event) => event.kind)).not.toContain('granted');
  });

  test('restores the queue exactly, over a restart too', () => {
    const lab = new Lab();
    for (const by of ['a', 'b']) lab.do(acquire(by));
    lab.take();
    for (const by of ['c', 'd']) lab.do(acquire(by));
    lab.fail();
    expect(lab.queue(...everybody)).toEqual(['a1', 'b1', 'c1', 'd1']);
    lab.flush();
    expect(lab.restart().queue(...everybody)).toEqual(['a1', 'b1', 'c1', 'd1']);
  });

  test('restores the place of a claim that was stored before its grant', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    for (const [by, priority] of [
      ['b', 0],
      ['c', 1],
      ['d', 0],
    ] as const)
      lab.do(acquire(by, { priority }));
    lab.flush();
    lab.do(release('a', token));
    lab.take();
    lab.fail();
    expect(lab.queue(...everybody)).toEqual(['c1', 'b1', 'd1']);
    expect(lab.take()).toEqual([{ kind: 'ended', name: 'printer', fencingToken: token }]);
    lab.arrive();
    expect(lab.restart().queue(...everybody)).toEqual(['c1', 'b1', 'd1']);
  });

  test('never uses an undone token again (S2)', () => {
    const lab = new Lab();
    lab.do(acquire('a'));
    lab.take();
    lab.fail();
    lab.do(writable(true));
    expect(only(lab.flush(), 'granted')[0]?.lease.fencingToken).toBe(2);
  });

  test('forgets no ending: those in it go with the next batch, in their order', () => {
    const lab = new Lab();
    const [first, second] = [lab.granted('a', {}, 'x'), lab.granted('b', { minHoldMs: 500 }, 'y')];
    lab.do(release('a', first, false, 'x'));
    lab.do(release('b', second, false, 'y'));
    const batch = lab.take();
    lab.do(liftMark(70));
    lab.fail();
    expect(lab.take()).toEqual([...batch, { kind: 'mark', fencingToken: 70 }]);
    lab.arrive();
    expect([lab.image.leases.size, lab.image.closures.size, lab.image.mark]).toEqual([0, 1, 70]);
  });

  test('grants nothing until the journal can be written again, then in order', () => {
    const lab = new Lab();
    for (const by of ['a', 'b']) lab.do(acquire(by));
    lab.take();
    lab.fail();
    expect(kinds(lab.advance())).toEqual([]);
    expect(only(lab.do(acquire('c')), 'refused')[0]?.code).toBe('unavailable');
    lab.take();
    lab.arrive();
    expect(kinds(lab.do(writable(true)))).toEqual(['grant-decided']);
    lab.flush();
    expect(lab.holder()).toBe('a');
  });

  test('ends a claim that does not wait: unavailable, to be tried again', () => {
    const lab = new Lab();
    lab.do(acquire('a', { waitMs: 0 }));
    lab.take();
    expect(kinds(lab.fail())).toEqual(['grant-undone', 'refused']);
    expect(only(lab.said, 'refused')[0]).toMatchObject({ code: 'unavailable', retryAfterMs: 500 });
    expect(lab.table.counts()).toMatchObject({ claims: 0, names: 0 });
    expect(lab.take()).toEqual([]);
  });

  test('leaves a claim its wait: it ends when that is over', () => {
    const lab = new Lab();
    lab.do(acquire('a', { waitMs: 1_000 }));
    lab.take();
    lab.fail();
    expect(kinds(lab.after(999))).toEqual([]);
    expect(only(lab.after(1), 'claim-ended')[0]?.code).toBe('wait-timeout');
  });

  test('leaves renewals and releases of held leases alone', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.do(acquire('b', {}, 'other'));
    lab.take();
    lab.fail();
    expect(kinds(lab.pass(5_000).do(renew('a', token)))).toEqual(['renewed']);
    expect(kinds(lab.do(release('a', token)))).toEqual(['released', 'ended']);
  });

  test('passes a claim over when its session fell silent meanwhile', () => {
    const lab = new Lab();
    for (const by of ['a', 'b']) lab.do(acquire(by));
    lab.take();
    lab.do(silent('a'));
    lab.fail();
    expect(kinds(lab.do(writable(true)))).toEqual(['passed-over', 'grant-decided']);
  });

  test('that follows another keeps what both left over', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.do(acquire('b'));
    lab.do(release('a', token));
    for (let index = 0; index < 3; index += 1) {
      lab.take();
      lab.fail();
      lab.do(writable(true));
    }
    expect(lab.take().map((event) => event.kind)).toEqual(['claim', 'ended', 'claim-ended', 'granted']);
    expect(only(lab.arrive(), 'granted')[0]?.lease.session).toBe('b');
  });

  test('of a batch in which the table had no part undoes what was decided since', () => {
    const lab = new Lab();
    lab.do(acquire('a'));
    expect(kinds(lab.do({ kind: 'append-failed', sequence: 1 }))).toEqual(['grant-undone', 'queued']);
  });

  test('keeps an amended priority', () => {
    const lab = new Lab();
    lab.granted('z');
    for (const by of ['a', 'b']) lab.do(acquire(by));
    lab.take();
    lab.do(amend('b', 1));
    lab.fail();
    lab.flush();
    expect(lab.restart().queue(...everybody)).toEqual(['b1', 'a1']);
  });
});

describe('quiet time', () => {
  test('S5 grants nothing until it is over, says how long, then grants in order', () => {
    const lab = new Lab();
    lab.do(quiet(5_000));
    expect(only(lab.pass(1_000).do(acquire('a')), 'queued')[0]?.place).toMatchObject({
      behind: 'nobody',
      quietMs: 4_000,
    });
    lab.do(acquire('b'));
    expect(only(lab.do(acquire('c', { waitMs: 0 })), 'refused')[0]).toMatchObject({
      code: 'quiet',
      retryAfterMs: 4_000,
    });
    expect(kinds(lab.after(3_999))).toEqual([]);
    expect(lab.table.nextDeadline()).toBe(5_000);
    expect(kinds(lab.after(1))).toEqual(['grant-decided']);
    lab.flush();
    expect(lab.holder()).toBe('a');
  });

  test('S5 takes back what was decided and not told', () => {
    const lab = new Lab();
    lab.do(acquire('a'));
    lab.do(acquire('b', { waitMs: 0 }, 'other'));
    lab.take();
    expect(kinds(lab.do(quiet(5_000)))).toEqual(['grant-undone', 'queued', 'grant-undone']);
    expect(kinds(lab.arrive())).toEqual([]);
    expect(only(lab.advance(), 'claim-ended')[0]).toMatchObject({ session: 'b', code: 'wait-timeout' });
    lab.flush();
    expect(lab.image.leases.size).toBe(0);
    expect(lab.restart().queue('a')).toEqual(['a1']);
  });

  test('S5 leaves leases that are held alone', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.do(quiet(60_000));
    expect(kinds(lab.pass(5_000).do(renew('a', token)))).toEqual(['renewed']);
  });

  test('S5 never ends sooner by a second one, and one that is over already is none', () => {
    const lab = new Lab();
    lab.pass(1_000).do(quiet(1_000));
    expect(lab.table.hasDurable).toBe(false);
    lab.do(quiet(5_000));
    lab.do(quiet(3_000));
    expect(lab.table.nextDeadline()).toBe(5_000);
    lab.do(quiet(6_000));
    expect(lab.table.nextDeadline()).toBe(6_000);
  });

  test('S5 is stored while it lasts, and begins anew with the next run', () => {
    const lab = new Lab();
    lab.do(quiet(5_000));
    lab.pass(4_000).flush();
    expect(lab.image.quietMs).toBe(5_000);
    expect(lab.restart().table.nextDeadline()).toBe(5_000);
    lab.after(5_000);
    lab.flush();
    expect(lab.image.quietMs).toBe(0);
    expect(lab.table.nextDeadline()).toBeNull();
    expect(who('a').session).toBe('a');
  });
});
