import { describe, expect, test } from 'vitest';
import {
  acquire,
  amend,
  cancel,
  claimsGone,
  heard,
  kinds,
  Lab,
  only,
  release,
  silent,
  who,
  writable,
} from './support/lab.ts';

/** `a` holds, the others wait in this order. */
function waiting(...claims: readonly string[]): { readonly lab: Lab; readonly token: number } {
  const lab = new Lab();
  const token = lab.granted('a');
  for (const by of claims) lab.do(acquire(by));
  lab.flush();
  return { lab, token };
}

/** Releases whoever holds, so often, and says who came next. */
function successors(lab: Lab, count: number): readonly string[] {
  return Array.from({ length: count }, () => {
    lab.do(release(lab.holder() ?? 'nobody', lab.token()));
    lab.flush();
    return lab.holder() ?? 'nobody';
  });
}

describe('order', () => {
  test('S8 claims are granted in the order in which they came', () => {
    expect(successors(waiting('c', 'b', 'd').lab, 4)).toEqual(['c', 'b', 'd', 'nobody']);
  });

  test('S8 who releases and asks again stands at the tail', () => {
    const { lab, token } = waiting('b', 'c');
    lab.do(release('a', token));
    lab.do(acquire('a2'));
    lab.flush();
    expect(successors(lab, 2)).toEqual(['c', 'a']);
  });

  test('S8 a release wakes one waiter, and that one only', () => {
    const { lab, token } = waiting('b', 'c', 'd');
    expect(kinds(lab.do(release('a', token)))).toEqual(['released', 'ended', 'grant-decided']);
    expect(kinds(lab.flush())).toEqual(['granted']);
  });

  test('S8 a higher priority stands before those that came earlier, an equal one behind them', () => {
    const { lab } = waiting('b');
    for (const [by, priority] of [
      ['c', 5],
      ['d', -5],
      ['e', 5],
    ] as const)
      lab.do(acquire(by, { priority }));
    expect(lab.queue('b', 'c', 'd', 'e')).toEqual(['c1', 'e1', 'b1', 'd1']);
    expect(successors(lab, 4)).toEqual(['c', 'e', 'b', 'd']);
  });

  test('an amended claim stands, in its new priority, where its arrival puts it; over a restart too', () => {
    const { lab } = waiting('b', 'c', 'd');
    expect(lab.do(amend('d', 1))[0]).toEqual({ kind: 'amended', ...who('d'), name: 'printer', position: 0 });
    lab.do(amend('b', 1));
    expect(lab.queue('b', 'c', 'd')).toEqual(['b1', 'd1', 'c1']);
    lab.flush();
    expect(lab.restart().queue('b', 'c', 'd')).toEqual(['b1', 'd1', 'c1']);
  });

  test('a claim that is amended to its own priority keeps its place, and nothing is written', () => {
    const { lab } = waiting('b', 'c');
    lab.do(amend('b', 0));
    expect(lab.queue('b', 'c')).toEqual(['b1', 'c1']);
    expect(lab.table.hasDurable).toBe(false);
  });

  test('to amend what is granted writes nothing; to amend what is neither claim nor lease is refused', () => {
    const { lab } = waiting();
    expect(only(lab.do(amend('a', 9)), 'amended')[0]?.position).toBe(0);
    expect(lab.table.hasDurable).toBe(false);
    expect(only(lab.do(amend('b', 9)), 'refused')[0]).toMatchObject({ code: 'bad-request', param: 'request' });
  });

  test('S5 claims stand after a restart as they stood before it', () => {
    const { lab } = waiting('d', 'b', 'c');
    lab.do(acquire('e', { priority: 1 }));
    lab.flush();
    lab.restart();
    expect(lab.queue('b', 'c', 'd', 'e')).toEqual(['e1', 'd1', 'b1', 'c1']);
  });
});

describe('a place', () => {
  test('says who holds and since when, and how many stand before it', () => {
    const { lab, token } = waiting('b');
    lab.pass(1_500.5);
    const [queued] = only(lab.do(acquire('c')), 'queued');
    expect(queued?.place).toMatchObject({ position: 1, behind: 'other', heldForMs: 1_500, quietMs: null });
    expect(queued?.place.holder).toMatchObject({ session: 'a', fencingToken: token });
  });

  test('behind oneself is told apart', () => {
    const { lab } = waiting();
    expect(only(lab.do(acquire('a2')), 'queued')[0]?.place).toMatchObject({ behind: 'self', position: 0 });
  });

  test('F08 only falls while nobody of a higher priority comes', () => {
    const { lab } = waiting('b', 'c', 'd', 'e');
    const seen: number[] = [];
    const look = (): void => void seen.push(lab.table.claimsOf(who('e').session)[0]?.position ?? -1);
    look();
    lab.do(cancel('c'));
    look();
    successors(lab, 1);
    look();
    successors(lab, 1);
    look();
    expect(seen).toEqual([3, 2, 1, 0]);
  });
});

describe('a claim ends', () => {
  test('S10 when its wait is over, to the millisecond, with its place', () => {
    const { lab } = waiting('b');
    lab.do(acquire('c', { waitMs: 1_000 }));
    expect(kinds(lab.after(999))).toEqual([]);
    expect(lab.table.nextDeadline()).toBe(1_000);
    expect(lab.after(1)).toEqual([
      { kind: 'claim-ended', ...who('c'), name: 'printer', code: 'wait-timeout', position: 1 },
    ]);
    expect(lab.queue('b', 'c')).toEqual(['b1']);
  });

  test('waitMs 0 is decided now: granted, or ended with its place, and nothing is stored of it', () => {
    const { lab } = waiting('b');
    lab.flush();
    expect(only(lab.do(acquire('c', { waitMs: 0 })), 'claim-ended')[0]).toMatchObject({
      code: 'wait-timeout',
      position: 1,
    });
    expect(lab.table.hasDurable).toBe(false);
    expect(new Lab().do(acquire('a', { waitMs: 0 }))[0]?.kind).toBe('grant-decided');
  });

  test('waitMs 0 is granted at the first try where the last holder has expired (F04)', () => {
    const lab = new Lab();
    const dead = lab.granted('a', { ttlMs: 1_000 });
    lab.after(10_000);
    expect(only(lab.do(acquire('b', { waitMs: 0 })), 'grant-decided')[0]?.lease.fencingToken).toBeGreaterThan(dead);
  });

  test('a name that opens when a wait is over goes to the next: no promise outlives its wait', () => {
    const lab = new Lab();
    lab.granted('a', { ttlMs: 1_000 });
    lab.do(acquire('b', { waitMs: 1_000 }));
    lab.do(acquire('c'));
    lab.after(1_000);
    expect(only(lab.said, 'claim-ended').map((event) => event.request)).toEqual(['b1']);
    expect(only(lab.said, 'grant-decided').map((event) => event.lease.terms.session)).toEqual(['c']);
  });

  test('by cancel, once; a repeat changes nothing', () => {
    const { lab } = waiting('b');
    expect(only(lab.do(cancel('b')), 'claim-ended')[0]).toMatchObject({ code: 'cancelled', position: 0 });
    expect(lab.do(cancel('b'))).toEqual([]);
    lab.flush();
    expect(lab.restart().queue('b')).toEqual([]);
  });

  test('by claims-gone, in every queue; leases stay (S7)', () => {
    const { lab } = waiting('b', 'c');
    lab.granted('d', {}, 'other');
    lab.do(acquire('b2', {}, 'other'));
    lab.granted('b3', {}, 'third');
    lab.do(claimsGone('b'));
    expect(only(lab.said, 'claim-ended').map(({ request, code }) => [request, code])).toEqual([
      ['b1', 'gone'],
      ['b2', 'gone'],
    ]);
    expect(lab.holder('third')).toBe('b');
    lab.flush();
    expect(lab.restart().queue('b', 'c')).toEqual(['c1']);
  });

  test('F09 waiters whose wait is over leave nothing behind', () => {
    const lab = new Lab();
    lab.granted('a', { ttlMs: 60_000 });
    const before = lab.table.counts();
    for (let index = 0; index < 2_000; index += 1) lab.do(acquire(`w${index}w`, { waitMs: 50 }));
    lab.after(50);
    lab.flush();
    expect(lab.table.counts()).toEqual(before);
    expect(lab.image.claims.size).toBe(0);
  });
});

describe('R7 a repeated acquire', () => {
  test('that meets its queued claim keeps its place', () => {
    const { lab } = waiting('b', 'c');
    expect(only(lab.do(acquire('b')), 'queued')[0]?.place.position).toBe(0);
    expect(lab.table.counts().claims).toBe(2);
    expect(lab.table.hasDurable).toBe(false);
  });

  test('counts its wait from the first reading; a shorter one from the repeat', () => {
    const { lab } = waiting();
    lab.do(acquire('b', { waitMs: 2_000 }));
    lab.pass(500).do(acquire('b', { waitMs: 2_000 }));
    expect(lab.table.nextDeadline()).toBe(2_000);
    lab.do(acquire('b', { waitMs: 1_000 }));
    expect(lab.table.nextDeadline()).toBe(1_500);
    lab.do(acquire('b'));
    expect(lab.table.nextDeadline()).toBe(1_500);
  });

  test('that meets its pending grant is answered when that is durable, once', () => {
    const lab = new Lab();
    lab.do(acquire('a'));
    expect(lab.do(acquire('a'))).toEqual([]);
    expect(kinds(lab.flush())).toEqual(['granted']);
  });

  test('that meets its living grant is a renewal counted from the repeat', () => {
    const { lab, token } = waiting();
    const [granted] = only(lab.pass(4_000).do(acquire('a')), 'granted');
    expect(granted).toMatchObject({ repeat: true, request: 'a1', lease: { fencingToken: token, deadline: 14_000 } });
    expect(lab.table.hasDurable).toBe(false);
  });

  test('whose grant has ended is a new claim', () => {
    const { lab, token } = waiting();
    lab.after(10_000);
    lab.flush();
    expect(lab.granted('a')).toBe(token + 1);
  });

  test('for another name is refused: an id names one request', () => {
    const { lab } = waiting('b');
    for (const by of ['a', 'b']) {
      expect(only(lab.do(acquire(by, {}, 'other')), 'refused')[0]).toMatchObject({
        code: 'bad-request',
        param: 'request',
      });
    }
    expect(lab.table.counts()).toMatchObject({ names: 1, claims: 1 });
  });
});

describe('R19 silent waiters', () => {
  test('are passed over at once, keep their place, and are probed once in a silence', () => {
    const { lab, token } = waiting('b', 'c', 'd');
    lab.do(silent('b'));
    expect(kinds(lab.do(release('a', token)))).toEqual(['released', 'ended', 'passed-over', 'grant-decided']);
    expect(only(lab.said, 'passed-over')).toEqual([{ kind: 'passed-over', session: 'b', name: 'printer' }]);
    lab.flush();
    expect(lab.holder()).toBe('c');
    expect(lab.queue('b', 'd')).toEqual(['b1', 'd1']);
    expect(kinds(lab.do(release('c', lab.token())))).toEqual(['released', 'ended', 'grant-decided']);
  });

  test('are granted when they are heard from and the name stands open', () => {
    const { lab, token } = waiting('b');
    lab.do(silent('b'));
    lab.do(release('a', token));
    lab.flush();
    expect(lab.holder()).toBeNull();
    expect(kinds(lab.do(heard('b')))).toEqual(['grant-decided']);
  });

  test('that are heard from before their turn are granted in it', () => {
    const { lab } = waiting('b', 'c');
    lab.do(silent('b'));
    lab.do(heard('b'));
    expect(successors(lab, 2)).toEqual(['b', 'c']);
  });

  test('that fall silent again are probed again', () => {
    const { lab } = waiting('b', 'c', 'd', 'e');
    const silence = (): number => {
      lab.do(silent('b'));
      const probes = only(lab.do(release(lab.holder() ?? '', lab.token())), 'passed-over').length;
      lab.do(heard('b'));
      lab.flush();
      return probes;
    };
    expect([silence(), silence()]).toEqual([1, 1]);
  });

  test('hold nobody up: a newcomer is granted past a queue of them, however full', () => {
    const lab = new Lab({ queueMax: 2 });
    const token = lab.granted('a');
    for (const by of ['b', 'c']) {
      lab.do(acquire(by));
      lab.do(silent(by));
    }
    lab.do(release('a', token));
    lab.flush();
    expect(kinds(lab.do(acquire('d')))).toEqual(['grant-decided']);
  });

  test('who claims is heard from', () => {
    const { lab } = waiting('b');
    lab.do(silent('b'));
    lab.do(acquire('b'));
    expect(successors(lab, 1)).toEqual(['b']);
  });

  test('sessions that nothing is known of change nothing by their silence', () => {
    const lab = new Lab();
    expect([...lab.do(silent('z')), ...lab.do(heard('z'))]).toEqual([]);
    expect(kinds(lab.do(acquire('z')))).toEqual(['grant-decided']);
  });
});

describe('limits', () => {
  test.each([
    [9_999, 'queued', undefined],
    [10_000, 'refused', 'queue-full'],
    [10_001, 'refused', 'queue-full'],
  ])('S11 with %i claims in a queue of at most 10000 the next is %s', (claims, answer, code) => {
    const lab = new Lab({ queueMax: 10_000 });
    lab.granted('a');
    for (let index = 0; index < claims; index += 1) lab.do(acquire(`w${index}w`));
    const [said] = lab.do(acquire('last'));
    expect(said?.kind).toBe(answer);
    expect(only(lab.said, 'refused')[0]?.code).toBe(code);
    expect(only(lab.said, 'refused')[0]?.message ?? '10000').toContain('10000');
    expect(lab.table.counts().claims).toBe(Math.min(claims + 1, 10_000));
  });

  test.each([
    [1, 'grant-decided', undefined],
    [2, 'grant-decided', undefined],
    [3, 'refused', 'too-many-requests'],
  ])('S11 where a session may have 3 leases and claims and has %i, the next is %s', (count, answer, code) => {
    const lab = new Lab({ perSessionMax: 3 });
    lab.granted('z', {}, 'taken');
    lab.do(acquire('a9', {}, 'taken'));
    for (let index = 1; index < count; index += 1) lab.granted(`a${index}`, {}, `name ${index}`);
    const [said] = lab.do(acquire('a8', {}, 'next'));
    expect(said?.kind).toBe(answer);
    expect(only(lab.said, 'refused')[0]?.code).toBe(code);
    expect(only(lab.said, 'refused')[0]?.retryAfterMs ?? 1_000).toBe(1_000);
  });

  test('a queue that is longer than a lowered limit keeps what waits', () => {
    const { lab } = waiting('b', 'c');
    lab.do({ kind: 'limits', limits: { ...lab.limits, queueMax: 1 } });
    expect(only(lab.do(acquire('d')), 'refused')[0]?.code).toBe('queue-full');
    expect(lab.queue('b', 'c')).toEqual(['b1', 'c1']);
  });
});

describe('a claim is refused', () => {
  test('whenOwn: reject where its own session holds, on its way or told, and not where another does', () => {
    const lab = new Lab();
    lab.do(acquire('a'));
    expect(only(lab.do(acquire('a2', { whenOwn: 'reject' })), 'refused')[0]?.code).toBe('already-held');
    lab.flush();
    expect(only(lab.do(acquire('a3', { whenOwn: 'reject' })), 'refused')[0]?.code).toBe('already-held');
    expect(kinds(lab.do(acquire('b', { whenOwn: 'reject' })))).toEqual(['queued']);
  });

  test('unavailable while nothing can be written, unless it repeats one that is known', () => {
    const { lab } = waiting('b');
    lab.do(writable(false));
    expect(only(lab.do(acquire('c')), 'refused')[0]).toMatchObject({ code: 'unavailable', retryAfterMs: 500 });
    expect(kinds([...lab.do(acquire('b')), ...lab.do(acquire('a'))])).toEqual(['queued', 'granted']);
  });

  test('draining once the coordinator is about to stop; what waits stays stored and is not granted', () => {
    const { lab, token } = waiting('b');
    lab.do({ kind: 'draining' });
    expect(only(lab.do(acquire('c')), 'refused')[0]).toMatchObject({ code: 'draining', retryAfterMs: 1_000 });
    expect(kinds(lab.do(release('a', token)))).toEqual(['released', 'ended']);
    lab.flush();
    expect(lab.restart().queue('b')).toEqual(['b1']);
  });
});
