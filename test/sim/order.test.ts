import { describe, expect, test } from 'vitest';
import { leaseName } from '../../shared/ids.ts';
import { overtakenClaims } from '../support/sim/checkers/order.ts';
import type { Happened } from '../support/sim/history.ts';

const name = leaseName('printer');

const prior = (
  at: number,
  client: string,
  priority: number,
  other: { readonly steals?: true; readonly waitMs?: 0 } = {},
): Happened => ({
  kind: 'claimed',
  at,
  client,
  claim: client,
  name,
  waitMs: null,
  priority,
  steals: false,
  ...other,
});
const queued = (at: number, claim: string): Happened => ({ kind: 'queued', at, name, claim, session: `of ${claim}` });
const leftQueue = (at: number, claim: string): Happened => ({ kind: 'left-queue', at, claim, session: `of ${claim}` });
const putBack = (at: number, claim: string): Happened => ({ kind: 'put-back', at, claim, session: `of ${claim}` });
const chosen = (at: number, claim: string, ...present: readonly string[]): Happened => ({
  kind: 'chosen',
  at,
  name,
  claim,
  session: `of ${claim}`,
  present: present.map((one) => `of ${one}`),
});

const OVERTAKEN: readonly (readonly [string, readonly Happened[]])[] = [
  [
    'who came later is granted first',
    [prior(0, 'a', 0), prior(1, 'b', 0), queued(2, 'a'), queued(3, 'b'), chosen(4, 'b', 'a', 'b')],
  ],
  [
    'who is granted as it comes overtakes one that waits',
    [prior(0, 'a', 0), prior(1, 'b', 0), queued(2, 'a'), chosen(4, 'b', 'a')],
  ],
  [
    'who came first is granted before a larger priority',
    [prior(0, 'a', 0), prior(1, 'b', 2), queued(2, 'a'), queued(3, 'b'), chosen(4, 'a', 'a', 'b')],
  ],
  [
    'a claim whose grant was undone has lost its place',
    [prior(0, 'a', 0), prior(1, 'b', 0), chosen(2, 'a'), queued(3, 'b'), putBack(4, 'a'), chosen(5, 'b', 'a', 'b')],
  ],
  [
    'a larger priority of an earlier run is forgotten by a restart',
    [
      prior(0, 'a', 0),
      prior(1, 'b', 2),
      queued(2, 'a'),
      queued(3, 'b'),
      { kind: 'killed', at: 4 },
      queued(5, 'b'),
      queued(6, 'a'),
      chosen(7, 'a', 'a', 'b'),
    ],
  ],
];

/** Each has a grant to somebody who came later, or has a smaller priority, for a reason that S8 knows. */
const IN_ORDER: readonly (readonly [string, readonly Happened[]])[] = [
  [
    'in order of arrival, larger priority first',
    [
      prior(0, 'a', 0),
      prior(1, 'b', 0),
      prior(2, 'c', 1),
      queued(3, 'a'),
      queued(4, 'b'),
      queued(5, 'c'),
      chosen(6, 'c', 'a', 'b', 'c'),
      chosen(7, 'a', 'a', 'b'),
      chosen(8, 'b', 'b'),
    ],
  ],
  [
    'who was not heard of is passed over',
    [prior(0, 'a', 0), prior(1, 'b', 0), queued(2, 'a'), queued(3, 'b'), chosen(4, 'b', 'b')],
  ],
  [
    'who has left the queue and claims again stands at its tail',
    [
      prior(0, 'a', 0),
      prior(1, 'b', 0),
      queued(2, 'a'),
      queued(3, 'b'),
      leftQueue(4, 'a'),
      queued(5, 'a'),
      chosen(6, 'b', 'a', 'b'),
    ],
  ],
  [
    'who steals stands at the head',
    [prior(0, 'a', 1), prior(1, 'b', 0, { steals: true }), queued(2, 'a'), queued(3, 'b'), chosen(4, 'b', 'a', 'b')],
  ],
  [
    'one try never waits',
    [prior(0, 'a', 0, { waitMs: 0 }), prior(1, 'b', 0), chosen(2, 'a'), putBack(3, 'a'), chosen(4, 'b', 'a', 'b')],
  ],
  [
    'the order in which waiters come back to a new run is not that of their arrival',
    [
      prior(0, 'a', 0),
      prior(1, 'b', 0),
      queued(2, 'a'),
      queued(3, 'b'),
      { kind: 'killed', at: 4 },
      queued(5, 'b'),
      queued(6, 'a'),
      chosen(7, 'a', 'a', 'b'),
    ],
  ],
];

describe('the checker of the order of the queue', () => {
  test.each(OVERTAKEN)('S8 %s: found', (_, events) => {
    expect(overtakenClaims(events)).toHaveLength(1);
  });

  test.each(IN_ORDER)('S8 %s: no problem', (_, events) => {
    expect(overtakenClaims(events)).toEqual([]);
  });
});
