import { describe, expect, test } from 'vitest';
import { fencingToken, leaseName, type FencingToken } from '../../shared/ids.ts';
import { CHECKERS, problemsIn } from '../support/sim/checkers/all.ts';
import { lostCountsWithoutToken } from '../support/sim/checkers/counter.ts';
import type { Happened } from '../support/sim/history.ts';

const name = leaseName('printer');
const token = (value: number): FencingToken => fencingToken(value);

const claimed = (at: number, client: string, waitMs: number | null = null, claim = `${client}-${at}`): Happened => ({
  kind: 'claimed',
  at,
  client,
  claim,
  name,
  waitMs,
  priority: 0,
  steals: false,
});
const ended = (at: number, client: string, claim: string, of: number | null, code = 'granted'): Happened => ({
  kind: 'claim-ended',
  at,
  client,
  claim,
  token: of === null ? null : token(of),
  code,
});
const granted = (at: number, of: number, unheardMs = 10): Happened => ({
  kind: 'granted',
  at,
  name,
  token: token(of),
  unheardMs,
  fixed: false,
});
const expired = (at: number, of: number): Happened => ({ kind: 'ended', at, name, token: token(of), byTime: true });
const endStored = (at: number, of: number): Happened => ({ kind: 'end-stored', at, token: token(of) });
const renewal = (kind: 'renewal-arrived' | 'renewal-done' | 'renewal-late', at: number, of: number): Happened => ({
  kind,
  at,
  renewal: 'r-1',
  token: token(of),
});
const left = (onDisk: readonly number[], held: readonly number[]): Happened => ({
  kind: 'leases-left',
  at: 90,
  onDisk: onDisk.map(token),
  held: held.map(token),
});
const grantStored = (at: number, of: number): Happened => ({ kind: 'grant-stored', at, token: token(of) });
const believed = (client: string, of: number, from: number, to: number): Happened => ({
  kind: 'believed',
  client,
  name,
  token: token(of),
  from,
  to,
});
const released = (at: number, client: string, of: number): Happened => ({
  kind: 'released',
  at,
  client,
  token: token(of),
});
const stateStored = (at: number, of: number, version: number, value: string): Happened => ({
  kind: 'state-stored',
  at,
  name,
  token: token(of),
  version,
  value,
  count: version,
});
const stateTold = (at: number, client: string, version: number, value: string): Happened => ({
  kind: 'state-told',
  at,
  client,
  name,
  version,
  value,
});
const counted = (counter: 'fenced' | 'open', at: number, client: string, of: number, read: number): Happened => ({
  kind: 'counted',
  at,
  counter,
  name,
  client,
  token: token(of),
  read,
});
const forced = (at: number): Happened => ({ kind: 'forced', at, name });

/** Two clients, one after the other, as it has to be. */
const GOOD: readonly Happened[] = [
  claimed(0, 'a'),
  claimed(1, 'b'),
  grantStored(2, 7),
  granted(2, 7),
  ended(3, 'a', 'a-0', 7),
  stateStored(4, 7, 1, 'one'),
  stateTold(5, 'a', 1, 'one'),
  counted('fenced', 5, 'a', 7, 0),
  counted('open', 5, 'a', 7, 0),
  believed('a', 7, 3, 10),
  released(12, 'a', 7),
  grantStored(11, 8),
  granted(11, 8),
  ended(13, 'b', 'b-1', 8),
  believed('b', 8, 13, 20),
  stateStored(14, 8, 2, 'two'),
  stateTold(15, 'b', 2, 'two'),
  counted('fenced', 15, 'b', 8, 1),
  counted('open', 15, 'b', 8, 1),
  claimed(16, 'c', 10),
  ended(30, 'c', 'c-16', null, 'wait-timeout'),
  { kind: 'calm', at: 40 },
  { kind: 'state-left', at: 50, name, version: 2 },
  expired(60, 8),
  renewal('renewal-done', 59, 8),
  renewal('renewal-arrived', 61, 8),
  renewal('renewal-late', 62, 8),
  left([9], [9]),
  { kind: 'over', at: 100_000 },
];

/** Each is wrong in one way, and says which checkers have to see it. */
const BAD: readonly (readonly [string, readonly string[], readonly Happened[]])[] = [
  ['two believe at once', ['beliefs', 'lock'], [...GOOD, believed('a', 7, 10, 14)]],
  [
    'two believe at once, inside of a longer belief that began before both',
    ['beliefs'],
    [believed('a', 1, 0, 100), believed('b', 2, 10, 20), believed('c', 3, 30, 40)],
  ],
  [
    'two copies of one client believe by one token',
    ['beliefs'],
    [believed('a', 7, 3, 10), believed('a-copy', 7, 5, 8)],
  ],
  ['one client believes by two grants', ['beliefs'], [believed('a', 7, 3, 10), believed('a', 8, 5, 12)]],
  [
    'who was granted after a name was forced open is not excused',
    ['beliefs'],
    [forced(5), granted(6, 8), believed('b', 8, 6, 20), granted(7, 9), believed('c', 9, 8, 12)],
  ],
  ['a token is used again', ['tokens'], [granted(0, 7), granted(1, 7)]],
  ['tokens fall', ['tokens'], [granted(0, 7), granted(1, 8), granted(2, 6)]],
  [
    'a hold is told of before the one before it by token is over',
    ['lock'],
    [
      claimed(0, 'a'),
      claimed(0, 'b'),
      grantStored(1, 1),
      grantStored(1, 2),
      ended(2, 'a', 'a-0', 1),
      ended(3, 'b', 'b-0', 2),
      believed('b', 2, 3, 4),
      believed('a', 1, 5, 6),
    ],
  ],
  [
    'a hold goes on behind the answer to its release',
    ['lock'],
    [claimed(0, 'a'), grantStored(1, 1), ended(2, 'a', 'a-0', 1), released(5, 'a', 1), believed('a', 1, 2, 6)],
  ],
  ['a guarded counter loses a write', ['counter'], [counted('fenced', 0, 'a', 1, 0), counted('fenced', 1, 'b', 2, 0)]],
  [
    'a wait with a limit never ends',
    ['claims'],
    [claimed(0, 'a', 10), { kind: 'calm', at: 20 }, { kind: 'over', at: 9_000 }],
  ],
  [
    'a wait without a limit is not granted once all is calm',
    ['claims'],
    [claimed(0, 'a'), { kind: 'calm', at: 20 }, { kind: 'over', at: 90 }],
  ],
  [
    'a client is told of a grant that no disk has',
    ['writes'],
    [claimed(0, 'a'), ended(1, 'a', 'a-0', 3), grantStored(2, 3)],
  ],
  ['a client is told of a write that no disk has', ['writes'], [stateTold(0, 'a', 1, 'one')]],
  ['the disk keeps a lease that is over', ['writes'], [left([7, 9], [9])]],
  ['the disk does not have a lease that is held', ['writes'], [left([], [9])]],
  ['a lease is ended while its holder believes', ['deadlines'], [believed('a', 7, 0, 10), expired(9, 7)]],
  [
    'a lease is ended while its holder believes, and a crash finds the end on the disk',
    ['deadlines'],
    [believed('a', 7, 0, 10), expired(8, 7), endStored(8.5, 7), { kind: 'killed', at: 9 }],
  ],
  [
    'a lease is ended while its holder believes, behind the quiet time of a replaced disk',
    ['deadlines'],
    [{ kind: 'disk-replaced', at: 1 }, granted(2, 8), believed('a', 7, 0, 10), expired(9, 7)],
  ],
  [
    'a lease is over for a renewal that lay in the socket before',
    ['listening'],
    [renewal('renewal-arrived', 4, 7), expired(5, 7), renewal('renewal-late', 5, 7)],
  ],
  ['a lease is renewed that has ended', ['renewals'], [expired(5, 7), renewal('renewal-done', 6, 7)]],
  [
    'a lease is renewed that has ended, before a crash undoes the end',
    ['renewals'],
    [expired(5, 7), renewal('renewal-done', 6, 7), { kind: 'killed', at: 7 }],
  ],
  [
    'a lease is renewed that has ended, and a crash finds the end on the disk',
    ['renewals'],
    [expired(5, 7), endStored(5.5, 7), { kind: 'killed', at: 6 }, renewal('renewal-done', 7, 7)],
  ],
  [
    'a lease is renewed that has ended, before an older copy of the disk has it again',
    ['renewals'],
    [expired(5, 7), renewal('renewal-done', 6, 7), { kind: 'disk-replaced', at: 7 }],
  ],
  ['a waiter that is gone is granted', ['waiters'], [granted(0, 7, 9_000)]],
  [
    'a grant of which nobody was told is waited out',
    ['unwanted'],
    [
      { kind: 'calm', at: 0 },
      claimed(1, 'a', 800, 'a-1'),
      granted(801, 7),
      ended(801, 'a', 'a-1', null),
      expired(3_801, 7),
    ],
  ],
  [
    'who came later is granted first (more in order.test.ts)',
    ['order'],
    [
      claimed(0, 'a'),
      claimed(1, 'b'),
      { kind: 'queued', at: 2, name, claim: 'a-0', session: 'of a' },
      { kind: 'chosen', at: 3, name, claim: 'b-1', session: 'of b', present: ['of a'] },
      ended(4, 'b', 'b-1', null, 'withdrawn'),
      ended(4, 'a', 'a-0', null, 'withdrawn'),
    ],
  ],
  ['a waiter of an earlier run is granted unheard', ['waiters'], [granted(0, 7, Infinity)]],
  [
    'a write of a state is lost under the same token',
    ['writes'],
    [
      stateStored(0, 1, 1, 'one'),
      { kind: 'state-stored', at: 1, name, token: token(1), version: 2, value: 'one again', count: 1 },
    ],
  ],
  [
    'a write is stored under the token of somebody else',
    ['writes'],
    [
      claimed(0, 'a', null, 'a-0'),
      grantStored(1, 1),
      ended(2, 'a', 'a-0', 1),
      { kind: 'state-stored', at: 3, name, token: token(1), version: 1, value: 'late', count: 1, by: 'b' },
    ],
  ],
  ['a version is written twice', ['writes'], [stateStored(0, 1, 1, 'one'), stateStored(1, 2, 1, 'other')]],
  [
    'what was told is overwritten by an older version',
    ['writes'],
    [stateStored(0, 1, 2, 'two'), stateStored(1, 1, 1, 'one')],
  ],
  [
    'an earlier holder writes over a later one',
    ['writes'],
    [stateStored(0, 2, 1, 'one'), stateStored(1, 1, 2, 'late')],
  ],
  [
    'what was told is gone in the end',
    ['writes'],
    [stateStored(0, 1, 1, 'one'), stateTold(1, 'a', 1, 'one'), { kind: 'state-left', at: 9, name, version: 0 }],
  ],
];

describe('checkers', () => {
  test('a good history has no problem', () => {
    expect(problemsIn(GOOD)).toEqual([]);
    expect(lostCountsWithoutToken(GOOD)).toEqual([]);
  });

  test.each(BAD)('%s: found', (_, finders, events) => {
    expect([...new Set(problemsIn(events).map(({ by }) => by))]).toEqual(finders);
  });

  test('every checker has a bad history that it alone, or among others, finds', () => {
    const finding = new Set(BAD.flatMap(([, finders]) => finders));
    expect(Object.keys(CHECKERS).filter((by) => !finding.has(by))).toEqual([]);
  });

  test('S1 is given up for whoever believed when a name was forced open, for nobody else', () => {
    const events = [granted(0, 7), believed('a', 7, 0, 20), forced(5), granted(6, 8), believed('b', 8, 6, 30)];
    expect(problemsIn(events)).toEqual([]);
  });

  test('what an open counter loses is counted, and is no violation', () => {
    const events = [counted('open', 0, 'a', 1, 0), counted('open', 1, 'b', 2, 0), counted('open', 2, 'a', 1, 1)];
    expect(lostCountsWithoutToken(events)).toHaveLength(1);
    expect(problemsIn(events)).toEqual([]);
  });

  test('a claim of a client that was started again is nobody’s any more', () => {
    const events: readonly Happened[] = [
      claimed(0, 'a', 10),
      { kind: 'restarted', at: 5, client: 'a' },
      { kind: 'calm', at: 20 },
      { kind: 'over', at: 9_000 },
    ];
    expect(problemsIn(events)).toEqual([]);
  });

  test('an end that no disk had is undone by a crash', () => {
    const undone: readonly Happened[] = [expired(5, 7), { kind: 'killed', at: 6 }];
    expect(problemsIn([...undone, believed('a', 7, 7, 10)])).toEqual([]);
    expect(problemsIn([...undone, renewal('renewal-done', 7, 7)])).toEqual([]);
  });

  test('a lease that an older copy of the disk has again may be renewed', () => {
    expect(problemsIn([expired(5, 7), { kind: 'disk-replaced', at: 6 }, renewal('renewal-done', 7, 7)])).toEqual([]);
  });

  test('in the quiet time of a replaced disk an end opens nothing', () => {
    expect(problemsIn([{ kind: 'disk-replaced', at: 1 }, believed('a', 7, 0, 10), expired(9, 7)])).toEqual([]);
  });

  test('what a replaced disk does not have any more is not called lost', () => {
    const events: readonly Happened[] = [
      stateStored(0, 1, 5, 'five'),
      stateTold(1, 'a', 5, 'five'),
      { kind: 'disk-replaced', at: 2 },
      stateStored(3, 2, 1, 'one'),
      stateTold(4, 'a', 1, 'one'),
      { kind: 'state-left', at: 9, name, version: 1 },
    ];
    expect(problemsIn(events)).toEqual([]);
  });
});
