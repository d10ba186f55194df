import { describe, expect, test } from 'vitest';
import {
  acquire,
  cancel,
  endAck,
  kinds,
  Lab,
  only,
  quiet,
  release,
  renew,
  revoke,
  silent,
  who,
  writable,
} from './support/lab.ts';

describe('a release', () => {
  test('S7 opens the name at once, and is answered before it is on disk', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.do(acquire('b'));
    const said = lab.do(release('a', token));
    expect(kinds(said)).toEqual(['released', 'ended', 'grant-decided']);
    expect(only(said, 'released')[0]).toMatchObject({ released: true, code: null, request: 'a-release' });
    expect(only(said, 'ended')[0]).toMatchObject({ code: 'released', told: true });
  });

  test('S3 with a token that is not current changes nothing, and says why', () => {
    const lab = new Lab();
    const old = lab.granted('a');
    lab.do(release('a', old));
    const token = lab.granted('b');
    const codes = [release('a', old), release('c', token), release('b', token + 5)].map(
      (command) => only(lab.do(command), 'released')[0],
    );
    expect(codes.map((answer) => [answer?.released, answer?.code])).toEqual([
      [false, 'superseded'],
      [false, 'forbidden'],
      [false, 'expired'],
    ]);
    expect(lab.holder()).toBe('b');
  });

  test('S3 said twice is refused the second time', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.do(release('a', token));
    expect(only(lab.do(release('a', token)), 'released')[0]).toMatchObject({ released: false, code: 'expired' });
  });

  test('leaves nothing of the name behind', () => {
    const lab = new Lab();
    lab.do(release('a', lab.granted('a')));
    lab.flush();
    expect(lab.table.counts()).toEqual({ leases: 0, claims: 0, names: 0, states: 0, stateBytes: 0 });
    expect(lab.view()).toBeNull();
    expect(lab.table.nextDeadline()).toBeNull();
  });

  test('a cancel that meets its grant is one', () => {
    const lab = new Lab();
    lab.granted('a');
    lab.do(acquire('b'));
    expect(kinds(lab.do(cancel('a')))).toEqual(['ended', 'grant-decided']);
    expect(only(lab.said, 'ended')[0]).toMatchObject({ code: 'released', told: true });
  });
});

describe('the minimum hold', () => {
  test.each([
    [999, true],
    [1_000, false],
    [1_001, false],
  ])('of 1000 ms, released after %i: the name stays closed to everybody is %s', (ms, closed) => {
    const lab = new Lab();
    const token = lab.granted('a', { minHoldMs: 1_000 });
    lab.do(acquire('b'));
    lab.pass(ms).do(release('a', token));
    expect(only(lab.said, 'released')[0]?.released).toBe(true);
    expect(kinds(lab.said).includes('grant-decided')).toBe(!closed);
  });

  test('keeps out its own session too, and opens when it is over', () => {
    const lab = new Lab();
    const token = lab.granted('a', { minHoldMs: 5_000 });
    lab.pass(1_000).do(release('a', token));
    expect(only(lab.do(acquire('a')), 'queued')[0]?.place).toMatchObject({ behind: 'nobody', holder: null });
    expect(kinds(lab.do(acquire('b', { waitMs: 0 })))).toEqual(['claim-ended']);
    expect(lab.table.nextDeadline()).toBe(5_000);
    expect(kinds(lab.after(4_000))).toEqual(['grant-decided']);
  });

  test('is kept over a restart', () => {
    const lab = new Lab();
    lab.do(release('a', lab.granted('a', { minHoldMs: 5_000 })));
    lab.flush();
    lab.restart();
    expect(lab.view()).toMatchObject({ holders: [], queue: 0 });
    expect(kinds(lab.do(acquire('b')))).toEqual(['queued']);
    expect(kinds(lab.after(5_000))).toEqual(['grant-decided']);
    lab.flush();
    lab.do(release('b', lab.token()));
    lab.flush();
    expect(lab.restart().table.counts().names).toBe(0);
  });
});

describe('a hand-over', () => {
  test('gives the name to the next in line', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.do(acquire('b'));
    expect(kinds(lab.do(release('a', token, true)))).toEqual(['released', 'ended', 'grant-decided']);
  });

  test.each([
    ['nobody waits', []],
    ['only a silent one waits', [acquire('b'), silent('b')]],
    ['nothing can be written', [acquire('b'), writable(false)]],
    ['it is quiet', [acquire('b'), quiet(60_000)]],
    ['the coordinator is about to stop', [acquire('b'), { kind: 'draining' } as const]],
  ])('keeps the lease where %s', (_, before) => {
    const lab = new Lab();
    const token = lab.granted('a');
    for (const command of before) lab.do(command);
    expect(only(lab.do(release('a', token, true)), 'released')[0]).toMatchObject({
      released: false,
      code: 'nobody-waiting',
    });
    expect(lab.holder()).toBe('a');
    expect(kinds(lab.do(renew('a', token)))).toEqual(['renewed']);
  });
});

describe('the lock-delay', () => {
  const delayed = { ttlMs: 10_000, lockDelayMs: 3_000 };

  test('closes the name after its holder expired, to all but the same session', () => {
    const lab = new Lab();
    lab.granted('a', delayed);
    lab.do(acquire('b', { waitMs: 60_000 }));
    expect(kinds(lab.after(10_000))).toEqual(['ended']);
    expect(kinds(lab.after(2_999))).toEqual([]);
    expect(kinds(lab.after(1))).toEqual(['grant-decided']);
  });

  test('lets its own session in at once, which ends it', () => {
    const lab = new Lab();
    lab.granted('a', delayed);
    lab.after(10_000);
    expect(kinds(lab.do(acquire('a2')))).toEqual(['grant-decided']);
    lab.flush();
    lab.do(release('a', lab.token()));
    expect(kinds(lab.do(acquire('b')))).toEqual(['grant-decided']);
    lab.flush();
    expect(lab.image.closures.size).toBe(0);
  });

  test('R19 changes no order: the exempt session waits its turn', () => {
    const lab = new Lab();
    lab.granted('a', delayed);
    lab.do(acquire('b'));
    lab.after(10_000);
    expect(kinds(lab.do(acquire('a2')))).toEqual(['queued']);
    expect(kinds(lab.do(acquire('a3', { priority: 1 })))).toEqual(['grant-decided']);
  });

  test('R19 lets its own session in when who stands before it falls silent', () => {
    const lab = new Lab();
    lab.granted('a', delayed);
    lab.do(acquire('b'));
    lab.after(10_000);
    lab.do(acquire('a2'));
    expect(kinds(lab.do(silent('b')))).toEqual(['passed-over', 'grant-decided']);
  });

  test('is not kept after a release', () => {
    const lab = new Lab();
    const token = lab.granted('a', delayed);
    lab.do(acquire('b'));
    expect(kinds(lab.do(release('a', token))).at(-1)).toBe('grant-decided');
  });

  test('is kept after a ceiling and after a revoke', () => {
    const lab = new Lab();
    lab.granted('a', { ...delayed, maxLifetimeMs: 10_000 });
    lab.after(10_000);
    expect(kinds(lab.do(acquire('b')))).toEqual(['queued']);
    lab.after(3_000);
    lab.flush();
    const token = lab.granted('c', delayed, 'other');
    lab.do(revoke(token, false, 'other'));
    lab.do(endAck('c', token, 'other'));
    expect(kinds(lab.do(acquire('b2', {}, 'other')))).toEqual(['queued']);
    expect(kinds(lab.after(3_000))).toEqual(['grant-decided']);
  });

  test.each([
    [59_999, 59_999],
    [60_000, 60_000],
    [60_001, 60_000],
  ])('R24 of %i ms lasts %i ms', (lockDelayMs, lasts) => {
    const lab = new Lab();
    lab.granted('a', { lockDelayMs });
    lab.after(10_000);
    expect(lab.table.nextDeadline()).toBe(10_000 + lasts);
  });

  test('S5 starts anew after a restart', () => {
    const lab = new Lab();
    lab.granted('a', delayed);
    lab.after(10_000);
    lab.pass(2_000).flush();
    lab.restart();
    expect(kinds(lab.do(acquire('b')))).toEqual(['queued']);
    expect(lab.table.nextDeadline()).toBe(3_000);
    expect(kinds(lab.do(acquire('a', { priority: 1 })))).toEqual(['grant-decided']);
  });

  test('R14 stands where the grant to its own session was undone', () => {
    const lab = new Lab();
    lab.granted('a', delayed);
    lab.after(10_000);
    lab.flush();
    lab.do(acquire('a2'));
    lab.take();
    lab.fail();
    lab.do(cancel('a2'));
    lab.do(writable(true));
    expect(kinds(lab.do(acquire('b')))).toEqual(['queued']);
  });
});

describe('a revoke', () => {
  test('R1 stops renewals, tells the holder, and keeps the name closed until it has acknowledged', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.do(acquire('b'));
    expect(lab.do(revoke())).toEqual([
      { kind: 'ending', session: 'a', name: 'printer', fencingToken: token, code: 'revoked' },
    ]);
    expect(only(lab.do(renew('a', token)), 'renew-refused')[0]?.code).toBe('revoked');
    expect(lab.table.heldBy(who('a').session)).toEqual([]);
    expect(kinds(lab.do(endAck('a', token)))).toEqual(['ended', 'grant-decided']);
    expect(only(lab.said, 'ended')[0]).toMatchObject({ code: 'revoked', told: true });
  });

  test('R1 opens the name when the last window is over, acknowledged or not', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.pass(5_000).do(renew('a', token));
    lab.do(revoke(token));
    lab.do(acquire('b'));
    expect(kinds(lab.after(9_999))).toEqual([]);
    expect(kinds(lab.after(1))).toEqual(['ended', 'grant-decided']);
  });

  test('R1 with --now opens it at once, and says so', () => {
    const lab = new Lab();
    const token = lab.granted('a', { lockDelayMs: 5_000 });
    lab.do(acquire('b'));
    expect(kinds(lab.do(revoke(token, true)))).toEqual(['ended', 'grant-decided']);
    expect(only(lab.said, 'ended')[0]).toMatchObject({ code: 'revoked', told: false });
    lab.flush();
    expect(only(lab.do(renew('a', token)), 'renew-refused')[0]?.code).toBe('superseded');
  });

  test('R1 with --now ends one that is being ended, and opens a closed name', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.do(revoke());
    expect(kinds(lab.do(revoke(token, true)))).toEqual(['ended']);
    lab.do(release('b', lab.granted('b', { minHoldMs: 60_000 })));
    lab.do(acquire('c'));
    expect(kinds(lab.do(revoke(null, false)))).toEqual([]);
    expect(kinds(lab.do(revoke(null, true)))).toEqual(['grant-decided']);
  });

  test('of another token than the one held, and of an unknown name, changes nothing', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    expect([...lab.do(revoke(token + 1)), ...lab.do(revoke(null, true, 'unknown'))]).toEqual([]);
    expect(lab.holder()).toBe('a');
  });

  test('R2 said again to a lease that is being ended changes nothing; a repeated acquire hears of it', () => {
    const lab = new Lab();
    lab.granted('a');
    lab.do(revoke());
    expect(lab.do(revoke())).toEqual([]);
    expect(only(lab.do(acquire('a')), 'ending')[0]).toMatchObject({ session: 'a', code: 'revoked' });
  });

  test('R13 a release or a cancel by who is told is its acknowledgement', () => {
    for (const answer of [release('a', 1), cancel('a')]) {
      const lab = new Lab();
      lab.granted('a');
      lab.do(acquire('b'));
      lab.do(revoke());
      expect(kinds(lab.do(answer)).slice(-2)).toEqual(['ended', 'grant-decided']);
      expect(only(lab.said, 'released').every((event) => !event.released && event.code === 'revoked')).toBe(true);
    }
  });

  test('S3 nobody but the holder acknowledges, and only what is being ended', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    expect(lab.do(endAck('a', token))).toEqual([]);
    lab.do(revoke());
    expect([...lab.do(endAck('b', token)), ...lab.do(endAck('a', token + 1))]).toEqual([]);
    expect(lab.table.counts().leases).toBe(1);
  });

  test('S5 is not undone by a restart: the lease is gone, the name closed for its window', () => {
    const lab = new Lab();
    const token = lab.granted('a', { lockDelayMs: 2_000 });
    lab.pass(4_000).do(revoke());
    lab.flush();
    lab.restart();
    expect(lab.table.heldBy(who('a').session)).toEqual([]);
    expect(only(lab.do(renew('a', token)), 'renew-refused')[0]?.code).toBe('expired');
    expect(kinds(lab.do(acquire('b')))).toEqual(['queued']);
    // Its own session as well: who asks again may be another instance, while the first still believes.
    expect(kinds(lab.do(acquire('a2', { priority: 1 })))).toEqual(['queued']);
    expect(lab.table.nextDeadline()).toBe(8_000);
  });

  test('S4 is durable together with what it closes', () => {
    const lab = new Lab();
    const token = lab.granted('a');
    lab.do(revoke());
    lab.do(endAck('a', token));
    lab.flush();
    expect([lab.image.leases.size, lab.image.closures.size]).toEqual([0, 0]);
  });
});
