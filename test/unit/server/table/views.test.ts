import { describe, expect, test } from 'vitest';
import { acquire, endAck, kinds, Lab, release, revoke, silent, who } from './support/lab.ts';

const listed = (lab: Lab, prefix = '', after = '', limit = 100): readonly string[] =>
  lab.table.list(lab.now, prefix, after, limit).views.map((view) => view.name);

function holdingAll(names: readonly string[]): Lab {
  const lab = new Lab();
  for (const [index, name] of names.entries()) lab.granted(`s${index}s`, {}, name);
  return lab;
}

describe('a view', () => {
  test('shows who holds, for how long yet and already, and how many wait', () => {
    const lab = new Lab();
    const token = lab.granted('a', { maxLifetimeMs: 60_000 });
    for (const by of ['b', 'c']) lab.do(acquire(by));
    lab.do(silent('b'));
    lab.pass(2_500.25);
    expect(lab.view()).toMatchObject({
      name: 'printer',
      queue: 2,
      state: null,
      lastFencingToken: token,
      holders: [{ session: 'a', fencingToken: token, heldForMs: 2_500, remainingMs: 7_499, ceilingLeftMs: 57_499 }],
    });
  });

  test('never shows less than nothing left', () => {
    const lab = new Lab();
    lab.granted('a', { maxLifetimeMs: 10_000 });
    lab.pass(11_000);
    expect(lab.view()?.holders[0]).toMatchObject({ remainingMs: 0, ceilingLeftMs: 0 });
  });

  test('shows a lease that is being ended: its holder may still believe', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.do(revoke());
    expect(lab.holder()).toBe('a');
    lab.do(endAck('a', token));
    expect(lab.view()).toBeNull();
  });

  test('changes where holders, tokens or state do, and not by waiting or renewing', () => {
    const lab = new Lab();
    lab.granted('a');
    const changes = (): number => lab.said.filter((event) => event.kind === 'view-changed').length;
    expect(changes()).toBe(1);
    lab.do(acquire('b'));
    lab.do(acquire('a'));
    expect(changes()).toBe(0);
    lab.do(release('a', lab.token()));
    expect(changes()).toBe(1);
    expect(kinds(lab.flush())).toEqual(['granted']);
    expect(changes()).toBe(1);
  });
});

describe('a list', () => {
  test('is in the order of UTF-8 bytes', () => {
    const names = ['a', 'b', '\u00e9', '\u{1f600}', '\uff5e', 'B', 'a/b', 'a-b', 'aa'];
    const byBytes = names.toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
    // The order of UTF-16 units is another one.
    expect(names.toSorted()).not.toEqual(byBytes);
    expect(listed(holdingAll(names))).toEqual(byBytes);
  });

  test('has the names of a prefix, and those after the last one seen', () => {
    const lab = holdingAll(['jobs/1', 'jobs/2', 'jobs/3', 'job', 'k', '']);
    expect(listed(lab, 'jobs/')).toEqual(['jobs/1', 'jobs/2', 'jobs/3']);
    expect(listed(lab, 'jobs/', 'jobs/1')).toEqual(['jobs/2', 'jobs/3']);
    expect(listed(lab, 'jobs/', 'jobs/1x')).toEqual(['jobs/2', 'jobs/3']);
    expect(listed(lab, 'jobs/', 'k')).toEqual([]);
    expect(listed(lab, '', 'jobs/3')).toEqual(['k']);
    expect(listed(lab, 'z')).toEqual([]);
  });

  test.each([
    [1, ['a'], 'a'],
    [2, ['a', 'b'], 'b'],
    [3, ['a', 'b', 'c'], null],
    [4, ['a', 'b', 'c'], null],
  ])('of at most %i of three says where the next begins', (limit, names, next) => {
    const lab = holdingAll(['c', 'a', 'b']);
    expect(listed(lab, '', '', limit)).toEqual(names);
    expect(lab.table.list(lab.now, '', '', limit).next).toBe(next);
  });

  test('is walked through page by page, each name once', () => {
    const names = Array.from({ length: 700 }, (_, index) => `n${index}`);
    const lab = holdingAll(names);
    const seen: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page = lab.table.list(lab.now, '', after, 33);
      seen.push(...page.views.map((view) => view.name));
      after = page.next;
    }
    expect(seen).toEqual(names.toSorted());
  });

  test('R15 leaves out a name of which only a grant is on its way', () => {
    const lab = holdingAll(['a', 'c']);
    lab.do(acquire('z', {}, 'b'));
    expect(listed(lab)).toEqual(['a', 'c']);
    expect(lab.table.list(lab.now, '', '', 1).next).toBe('a');
  });

  test('drops names of which nothing is left', () => {
    const lab = holdingAll(['a', 'b', 'c']);
    lab.do(release('s1s', lab.token('b'), false, 'b'));
    expect(listed(lab)).toEqual(['a', 'c']);
  });
});

describe('a session', () => {
  test('has its longest lease in any phase, and its longest claim', () => {
    const lab = new Lab({ ttlMsMax: 20_000 });
    const { session } = who('a');
    expect([lab.table.longestLeaseMs(session), lab.table.longestClaimMs(session)]).toEqual([null, null]);
    lab.granted('z');
    lab.do(acquire('a1', { ttlMs: 3_000 }, 'x'));
    lab.do(acquire('a2', { ttlMs: 60_000 }, 'y'));
    lab.do(acquire('a3', { ttlMs: 30_000 }));
    expect([lab.table.longestLeaseMs(session), lab.table.longestClaimMs(session)]).toEqual([20_000, 30_000]);
    lab.flush();
    lab.do(revoke(null, false, 'y'));
    expect(lab.table.longestLeaseMs(session)).toBe(20_000);
    lab.do(endAck('a', lab.token('y'), 'y'));
    expect(lab.table.longestLeaseMs(session)).toBe(3_000);
  });

  test('has its claims with their places', () => {
    const lab = new Lab();
    lab.granted('z');
    for (const by of ['b', 'a', 'c', 'a2']) lab.do(acquire(by));
    expect(lab.table.claimsOf(who('a').session)).toEqual([
      { request: 'a1', name: 'printer', position: 1, askedTtlMs: 10_000 },
      { request: 'a2', name: 'printer', position: 3, askedTtlMs: 10_000 },
    ]);
  });
});
