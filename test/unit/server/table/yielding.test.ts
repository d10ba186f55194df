import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TableEvent } from '../../../../server/core/table-types.ts';
import { sessionId } from '../../../../shared/ids.ts';
import {
  acquire,
  amend,
  cancel,
  claimsGone,
  heard,
  kinds,
  Lab,
  only,
  quiet,
  release,
  revoke,
  silent,
  writable,
} from './support/lab.ts';

/** `a` holds. */
function holding(priority = 0): { readonly lab: Lab; readonly token: number } {
  const lab = new Lab();
  return { lab, token: lab.granted('a', { priority }) };
}

/** The priorities that the holder is asked to yield to. */
const asked = (events: readonly TableEvent[]): readonly number[] =>
  only(events, 'yield-requested').map(({ priority }) => priority);

describe('a holder is asked to yield', () => {
  test('when a claim of a higher priority comes, and by nobody else', () => {
    const { lab, token } = holding();
    expect(asked(lab.do(acquire('b')))).toEqual([]);
    expect(asked(lab.do(acquire('c', { priority: -1 })))).toEqual([]);
    expect(only(lab.do(acquire('d', { priority: 2 })), 'yield-requested')).toEqual([
      { kind: 'yield-requested', session: 'a', name: 'printer', fencingToken: token, priority: 2 },
    ]);
  });

  test('once for each beginning: again by a still higher one, and by one that comes when nobody waits any more', () => {
    const { lab } = holding();
    lab.do(acquire('b', { priority: 2 }));
    expect(asked(lab.do(acquire('c', { priority: 2 })))).toEqual([]);
    expect(asked(lab.do(acquire('d', { priority: 3 })))).toEqual([3]);
    for (const by of ['d', 'b', 'c']) expect(asked(lab.do(cancel(by)))).toEqual([]);
    expect(asked(lab.do(acquire('e', { priority: 2 })))).toEqual([2]);
    expect(asked(lab.do(claimsGone('e')))).toEqual([]);
    expect(asked(lab.do(acquire('f', { priority: 1 })))).toEqual([1]);
  });

  test('when a claim is amended up, or the lease is amended down; no more when it is amended up', () => {
    const { lab } = holding();
    lab.do(acquire('b'));
    expect(asked(lab.do(amend('b', 1)))).toEqual([1]);
    expect(asked(lab.do(amend('a', 1)))).toEqual([]);
    expect(lab.table.yieldsOf(sessionId('a'))).toEqual([]);
    expect(asked(lab.do(amend('a', 0)))).toEqual([1]);
    expect(asked(lab.do(amend('a', -1)))).toEqual([]);
  });

  test('behind its grant, where the claim came while that was on its way', () => {
    const lab = new Lab();
    lab.do(acquire('a'));
    expect(asked(lab.do(acquire('b', { priority: 1 })))).toEqual([]);
    expect(kinds(lab.flush())).toEqual(['granted', 'yield-requested']);
  });

  test('again behind a repeated grant, since it may have heard of neither', () => {
    const { lab } = holding();
    lab.do(acquire('b', { priority: 1 }));
    expect(kinds(lab.do(acquire('a')))).toEqual(['granted', 'yield-requested']);
  });

  test('only by those who can be told of their grant', () => {
    const { lab } = holding();
    lab.do(acquire('b', { priority: 1 }));
    expect(asked(lab.do(silent('b')))).toEqual([]);
    expect(lab.table.yieldsOf(sessionId('a'))).toEqual([]);
    expect(asked(lab.do(heard('b')))).toEqual([1]);
  });

  test('only while something can be granted', () => {
    const { lab } = holding();
    lab.do(acquire('b', { priority: 1 }));
    lab.do(writable(false));
    expect(lab.table.yieldsOf(sessionId('a'))).toEqual([]);
    expect(asked(lab.do(acquire('a')))).toEqual([]);
    expect(asked(lab.do(writable(true)))).toEqual([1]);
    lab.do(quiet(lab.now + 5_000));
    expect(lab.table.yieldsOf(sessionId('a'))).toEqual([]);
    lab.do(amend('a', -1));
    expect(asked(lab.after(5_000))).toEqual([1]);
    lab.do({ kind: 'draining' });
    expect(lab.table.yieldsOf(sessionId('a'))).toEqual([]);
  });

  test('anew after a hand-over that found nobody', () => {
    const { lab, token } = holding();
    lab.do(acquire('b', { priority: 1 }));
    lab.do(writable(false));
    expect(only(lab.do(release('a', token, true)), 'released')[0]).toMatchObject({ code: 'nobody-waiting' });
    expect(asked(lab.do(writable(true)))).toEqual([1]);
  });

  test('never for a lease that is being ended', () => {
    const { lab } = holding();
    lab.do(revoke());
    expect(asked(lab.do(acquire('b', { priority: 1 })))).toEqual([]);
    expect(asked(lab.do(amend('a', -5)))).toEqual([]);
    expect(lab.table.yieldsOf(sessionId('a'))).toEqual([]);
  });

  test('after a restart, when the claim is heard from; the priority is that of the claim that was stored', () => {
    const { lab } = holding(1);
    lab.do(amend('a', 0));
    lab.do(acquire('b', { priority: 2 }));
    lab.do(acquire('c', { priority: 1 }));
    lab.flush();
    lab.restart();
    expect(lab.table.yieldsOf(sessionId('a'))).toEqual([]);
    expect(asked(lab.do(heard('c')))).toEqual([]);
    expect(asked(lab.do(heard('b')))).toEqual([2]);
    expect(lab.table.yieldsOf(sessionId('a'))).toMatchObject([{ name: 'printer', priority: 2 }]);
  });
});

test('the priority that a grant on its way is amended to stays with its claim when it is undone', () => {
  const lab = new Lab();
  lab.do(acquire('a'));
  lab.do(acquire('b', { priority: 1 }));
  lab.do(amend('a', 2));
  lab.take();
  lab.fail();
  expect(lab.queue('a', 'b')).toEqual(['a1', 'b1']);
});

test('whatever comes, a holder is asked whenever one of a higher priority begins to wait, and only then', () => {
  const by = fc.constantFrom('b', 'c', 'd');
  const priority = fc.integer({ min: -1, max: 3 });
  const happening = fc.oneof(
    fc.tuple(fc.constant('come'), by, priority),
    fc.tuple(fc.constant('amend'), fc.constantFrom('a', 'b', 'c', 'd'), priority),
    fc.tuple(fc.constantFrom('go', 'silent', 'heard'), by, fc.constant(0)),
  );
  let times = 0;
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 30 }), (happenings) => {
      const { lab } = holding();
      /** By session: what it waits with, and whether it is silent. */
      const waiting = new Map<string, number>();
      const away = new Set<string>();
      let own = 0;
      let before: number | null = null;
      for (const [what, who, given] of happenings) {
        const events = lab.do(commandOf(what, who, given));
        if (what === 'come' && !waiting.has(who)) waiting.set(who, given);
        if (what === 'amend' && who === 'a') own = given;
        else if (what === 'amend' && waiting.has(who)) waiting.set(who, given);
        if (what === 'go') waiting.delete(who);
        // A session of which nothing is left is forgotten, and its next claim shows that it is there.
        if (what === 'come' || what === 'heard' || (what === 'go' && !waiting.has(who))) away.delete(who);
        if (what === 'silent' && waiting.has(who)) away.add(who);
        const above = [...waiting].flatMap(([one, of]) => (!away.has(one) && of > own ? [of] : []));
        const highest = above.length === 0 ? null : Math.max(...above);
        const begins = highest !== null && (before === null || highest > before);
        expect(asked(events)).toEqual(begins ? [highest] : []);
        expect(lab.table.yieldsOf(sessionId('a')).map((one) => one.priority)).toEqual(
          highest === null ? [] : [highest],
        );
        before = highest;
        if (begins) times += 1;
      }
    }),
    { seed: Number(process.env['PROPERTY_SEED'] ?? 1), numRuns: Number(process.env['PROPERTY_RUNS'] ?? 200) },
  );
  // The test was not empty.
  expect(times).toBeGreaterThan(100);
});

function commandOf(what: string, by: string, priority: number) {
  if (what === 'come') return acquire(by, { priority });
  if (what === 'amend') return amend(by, priority);
  if (what === 'go') return cancel(by);
  return what === 'silent' ? silent(by) : heard(by);
}
