import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../shared/json.ts';
import type { Entry } from '../../../real/support/log.ts';
import { JUDGES } from '../../../chaos/judges/judge-run.ts';
import { entry, received, runOf, sent, turn } from '../histories.ts';

const found = (entries: readonly Entry[]): readonly string[] => {
  const run = runOf(entries);
  const others = Object.entries(JUDGES).flatMap(([name, judge]) => (name === 'states' ? [] : judge(run)));
  // What a state has against it no other judge may have.
  return [...(JUDGES['states']?.(run) ?? []), ...others.map((other) => `another judge: ${other}`)];
};

/** Written under `token` and acknowledged; no value: removed. */
const write = (ms: number, client: string, token: number, version: number, value?: Json): readonly Entry[] => [
  sent(ms, client, {
    type: 'setState',
    request: `w${ms}`,
    name: 'job',
    fencingToken: token,
    ...(value === undefined ? {} : { value }),
  }),
  received(ms + 1, client, { type: 'stateSet', request: `w${ms}`, version }),
];
const stateOf = (version: number, value: Json, token = 1): { [field: string]: Json } => ({
  value,
  version,
  fencingToken: token,
});
const first = turn('A', 1, { claim: 1, told: 2, letGo: 20, answered: 21 });
const next = (state?: { [field: string]: Json }): readonly Entry[] =>
  turn('B', 2, { claim: 3, told: 22, letGo: 40, answered: 41 }, state === undefined ? {} : { state });
const viewed = (ms: number, version: number | null, value: Json): Entry =>
  entry(ms, 'C', {
    event: 'viewed',
    key: 'w',
    name: 'job',
    version,
    value,
    holder: null,
    writer: 1,
    lastToken: 1,
    queue: 0,
  });

describe('S4 a holder sees what was acknowledged before it', () => {
  test('as it was written, or written over by one whose answer is not known', () => {
    expect(found([...first, ...write(5, 'A', 1, 1, 'x'), ...next(stateOf(1, 'x'))])).toEqual([]);
    expect(found([...first, ...write(5, 'A', 1, 1, 'x'), ...next(stateOf(2, 'y'))])).toEqual([]);
  });

  test('an older version, and none at all, are found', () => {
    const written = [...write(5, 'A', 1, 1, 'x'), ...write(8, 'A', 1, 2, 'y')];
    expect(found([...first, ...written, ...next(stateOf(1, 'x'))])).toHaveLength(1);
    expect(found([...first, ...written, ...next()])).toHaveLength(1);
  });

  test('none at all is right where the state was removed', () => {
    expect(found([...first, ...write(5, 'A', 1, 1, 'x'), ...write(8, 'A', 1, 2), ...next()])).toEqual([]);
  });

  test('a grant that is told again may show what was written under it', () => {
    const again = received(12, 'A', {
      type: 'granted',
      request: 'r1',
      name: 'job',
      fencingToken: 1,
      state: stateOf(1, 'x'),
    });
    expect(found([...first, ...write(5, 'A', 1, 1, 'x'), again])).toEqual([]);
  });
});

describe('S4 a version is one value', () => {
  test('two values of one version are found, whoever sees them', () => {
    expect(found([...first, ...write(5, 'A', 1, 1, 'x'), ...next(stateOf(1, 'y'))])).toHaveLength(1);
    expect(found([...first, ...write(5, 'A', 1, 1, 'x'), viewed(7, 1, 'z')])).toHaveLength(1);
    expect(found([...first, ...write(5, 'A', 1, 1, 'x'), viewed(7, 1, 'x')])).toEqual([]);
  });
});

describe('S3 states are written in the order of the tokens', () => {
  test('a write under an old token over that of a newer one is found', () => {
    const history = [...first, ...next(), ...write(25, 'B', 2, 1, 'b')];
    const late = found([...history, ...write(30, 'A', 1, 2, 'a')]);
    expect(late.filter((one) => one.includes('A wrote version 2 under 1'))).toHaveLength(1);
    expect(found([...history, ...write(30, 'B', 2, 2, 'a')])).toEqual([]);
  });
});

describe('what is seen of a state never goes back', () => {
  test('for one watch', () => {
    expect(found([...first, viewed(5, 2, 'y'), viewed(6, 1, 'x')])).toHaveLength(1);
    expect(found([...first, viewed(5, 1, 'x'), viewed(6, 2, 'y'), viewed(7, 2, 'y')])).toEqual([]);
  });

  test('for whoever asks after a write was acknowledged', () => {
    const asked = entry(10, 'C', { event: 'called', call: 'C#1', what: 'inspect' });
    const told = (version: number): Entry =>
      entry(12, 'C', {
        event: 'settled',
        call: 'C#1',
        what: 'inspect',
        ok: true,
        value: { name: 'job', state: stateOf(version, version) },
      });
    const written = [...first, ...write(2, 'A', 1, 1, 1), ...write(5, 'A', 1, 2, 2)];
    expect(found([...written, asked, told(1)])).toHaveLength(1);
    expect(found([...written, asked, told(2)])).toEqual([]);
    // Asked before it was acknowledged: either is right.
    expect(found([...written, { ...asked, at: asked.at - 5_000_000n }, told(1)])).toEqual([]);
  });

  test('on the socket of a watch that was begun after it, and not on one that was begun before', () => {
    const watch = (ms: number, dial: number): Entry =>
      sent(ms, 'C', { type: 'watch', request: 'v', name: 'job' }, dial);
    const view = received(15, 'C', { type: 'view', request: 'v', views: [{ name: 'job', state: stateOf(1, 1) }] }, 2);
    const written = [...first, ...write(2, 'A', 1, 1, 1), ...write(5, 'A', 1, 2, 2)];
    expect(found([...written, watch(1, 1), watch(10, 2), view])).toHaveLength(1);
    expect(found([...written, watch(1, 2), view])).toEqual([]);
    expect(found([...written, watch(1, 1), watch(5, 2), view])).toEqual([]);
  });
});
