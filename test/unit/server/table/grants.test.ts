import { describe, expect, test } from 'vitest';
import { makeLeaseTable } from '../../../../server/core/lease-table.ts';
import { contentsOf } from '../../../../server/core/journal-fold.ts';
import { TOKENS_PER_SECOND } from '../../../../shared/limits.ts';
import { listeningMs, wallMs } from '../../../../shared/time.ts';
import { acquire, cancel, claimsGone, kinds, Lab, liftMark, only, release, renew, revoke, who } from './support/lab.ts';

describe('a grant', () => {
  test('S4 is told only once it is durable', () => {
    const lab = new Lab();
    expect(kinds(lab.do(acquire('a')))).toEqual(['grant-decided']);
    lab.take();
    expect(lab.view()).toBeNull();
    expect(kinds(lab.pass(300).arrive())).toEqual(['granted']);
    expect(lab.holder()).toBe('a');
  });

  test('R5 begins its window when its append returns, not when it is decided', () => {
    const lab = new Lab();
    lab.do(acquire('a', { ttlMs: 10_000 }));
    lab.take();
    const [granted] = only(lab.pass(2_000).arrive(), 'granted');
    expect(granted?.lease).toMatchObject({
      ttlMs: 10_000,
      deadline: 12_000,
      request: 'a1',
      session: 'a',
      fencingToken: 1,
    });
    expect(kinds(lab.after(9_999))).toEqual([]);
    expect(kinds(lab.after(1))).toEqual(['ended']);
  });

  test('R5 cannot expire while it is pending, and takes the place of a holder meanwhile', () => {
    const lab = new Lab();
    lab.do(acquire('a', { ttlMs: 1_000 }));
    lab.take();
    expect(lab.table.nextDeadline()).toBeNull();
    expect(kinds(lab.after(60_000))).toEqual([]);
    expect(kinds(lab.do(acquire('b')))).toEqual(['queued']);
    expect(only(lab.said, 'queued')[0]?.place).toMatchObject({ position: 0, behind: 'other', holder: null });
  });

  test('R15 no view, list or welcome tells of a pending one', () => {
    const lab = new Lab();
    lab.do(acquire('a'));
    lab.take();
    expect(lab.view()).toBeNull();
    expect(lab.table.list(lab.now, '', '', 10)).toEqual({ views: [], next: null });
    expect(lab.table.heldBy(who('a').session)).toEqual([]);
    expect(lab.table.longestLeaseMs(who('a').session)).toBe(10_000);
    lab.arrive();
    expect(lab.table.heldBy(who('a').session)).toHaveLength(1);
  });

  test('S2 a pending token cannot be renewed or released: nobody was told of it', () => {
    const lab = new Lab();
    lab.do(acquire('a'));
    expect(only(lab.do(renew('a', 1)), 'renew-refused')[0]?.code).toBe('expired');
    expect(only(lab.do(release('a', 1)), 'released')[0]).toMatchObject({ released: false, code: 'expired' });
    expect(kinds(lab.flush())).toEqual(['granted']);
  });

  test('is cut to the longest window allowed, and says so', () => {
    const lab = new Lab({ ttlMsMax: 5_000 });
    lab.granted('a', { ttlMs: 5_001 });
    expect(only(lab.history, 'granted')[0]?.lease).toMatchObject({ ttlMs: 5_000, deadline: 5_000 });
  });

  test.each([4_999, 5_000])('of %i ms is not cut where 5000 are allowed', (ttlMs) => {
    const lab = new Lab({ ttlMsMax: 5_000 });
    lab.granted('a', { ttlMs });
    expect(only(lab.history, 'granted')[0]?.lease.ttlMs).toBe(ttlMs);
  });

  test.each([
    ['cancel', cancel('a'), 'cancelled', 'cancelled'],
    ['claims-gone', claimsGone('a'), 'gone', 'cancelled'],
    ['revoke', revoke(), 'revoked', 'revoked'],
  ] as const)(
    'that is pending ends at once by %s, is never told, and the name goes to the next',
    (_, command, code, ended) => {
      const lab = new Lab();
      lab.do(acquire('a'));
      lab.do(acquire('b'));
      lab.take();
      const said = lab.do(command);
      expect(kinds(said)).toEqual(['ended', 'claim-ended', 'grant-decided']);
      expect(only(said, 'ended')[0]).toMatchObject({ session: 'a', code: ended, told: true });
      expect(only(said, 'claim-ended')[0]).toMatchObject({ request: 'a1', code, position: 0 });
      expect(kinds(lab.arrive())).toEqual([]);
      expect(only(lab.flush(), 'granted').map((event) => event.lease.session)).toEqual(['b']);
      expect(lab.restart().holder()).toBe('b');
    },
  );
});

describe('tokens', () => {
  test('S2 rise over all grants of all names', () => {
    const lab = new Lab();
    const tokens = ['a', 'b', 'a2'].map((by, index) => lab.granted(by, {}, `name ${index}`));
    expect(tokens).toEqual([1, 2, 3]);
  });

  test('S2 rise over restarts, also where nothing is held any more', () => {
    const lab = new Lab();
    const first = lab.granted('a');
    lab.do(release('a', first));
    lab.flush();
    expect(lab.restart().granted('b')).toBe(first + 1);
  });

  test('S2 begin at the floor of the wall clock', () => {
    const wall = wallMs(Date.UTC(2027, 0, 1));
    const table = makeLeaseTable(contentsOf(new Lab().image), new Lab().limits, listeningMs(0), wall);
    const [decided] = only(table.apply(listeningMs(0), acquire('a')), 'grant-decided');
    expect(decided?.lease.fencingToken).toBe((wall / 1_000) * TOKENS_PER_SECOND);
  });

  test('S2 a token that was shown lifts the mark, durably; a smaller one changes nothing', () => {
    const lab = new Lab();
    lab.do(liftMark(500));
    expect(lab.take()).toEqual([{ kind: 'mark', fencingToken: 500 }]);
    lab.arrive();
    lab.do(liftMark(499));
    expect(lab.table.hasDurable).toBe(false);
    expect(lab.granted('a')).toBe(501);
    expect(lab.restart().granted('b', {}, 'other')).toBe(502);
  });

  test('S2 a grant on its way has too small a token when a larger one is shown: it is made anew', () => {
    const lab = new Lab();
    lab.do(acquire('a'));
    lab.take();
    expect(kinds(lab.do(liftMark(500)))).toEqual(['grant-undone', 'queued', 'grant-decided']);
    expect(kinds(lab.arrive())).toEqual([]);
    expect(only(lab.flush(), 'granted').map((event) => event.lease.fencingToken)).toEqual([501]);
    expect(lab.restart().token()).toBe(501);
  });

  test('S3 an old token of a name with a later one is superseded; of a name that is forgotten, expired', () => {
    const lab = new Lab();
    const first = lab.granted('a');
    lab.do(release('a', first));
    lab.flush();
    expect(lab.table.counts().names).toBe(0);
    expect(only(lab.do(renew('a', first)), 'renew-refused')[0]?.code).toBe('expired');
    const second = lab.granted('b');
    expect(only(lab.do(renew('a', first)), 'renew-refused')[0]?.code).toBe('superseded');
    expect(only(lab.do(renew('a', second + 1)), 'renew-refused')[0]?.code).toBe('expired');
  });
});

test('the table throws where its journal is not told of one batch after the other', () => {
  const lab = new Lab();
  lab.do(acquire('a'));
  lab.take();
  expect(() => lab.table.takeDurable(2)).toThrow('in flight');
  expect(() => lab.do({ kind: 'appended', sequence: 7 })).toThrow('batch 7');
});

test('the end of a batch in which the table had no part changes nothing', () => {
  expect(new Lab().do({ kind: 'appended', sequence: 7 })).toEqual([]);
});
