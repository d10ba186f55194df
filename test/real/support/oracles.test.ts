import { describe, expect, test } from 'vitest';
import type { Entry, What } from './log.ts';
import {
  atRest,
  beliefsNeverOverlap,
  gaveUpDial,
  grantsNeverOverlap,
  heldNeverPastDeadline,
  judge,
  lostOnceAndFirst,
  nothingHangs,
  tokensRise,
} from './oracles.ts';

/** `ms` after the beginning of a made-up history. */
const at = (ms: number, client: string, what: What): Entry => ({ at: BigInt(ms) * 1_000_000n, client, ...what });
const held = (ms: number, client: string, token: number, name = 'job'): Entry =>
  at(ms, client, { event: 'held', key: 'k', name, token });
const lost = (ms: number, client: string, token: number): Entry =>
  at(ms, client, { event: 'lost', key: 'k', name: 'job', token, code: 'missed-ack' });
const released = (ms: number, client: string, token: number): Entry =>
  at(ms, client, { event: 'released', key: 'k', name: 'job', token });
const read = (ms: number, client: string, token: number, status: string): Entry =>
  at(ms, client, { event: 'read', key: 'k', name: 'job', token, status, remainingMs: 0, aborted: false });

const GOOD = [
  held(0, 'A', 1),
  released(10, 'A', 1),
  held(11, 'B', 2),
  lost(20, 'B', 2),
  held(21, 'A', 3),
  released(30, 'A', 3),
];

test('a good history passes every oracle', () => {
  expect(judge(GOOD)).toEqual([]);
});

describe('O1', () => {
  test('a token that falls is found', () => {
    expect(tokensRise([held(0, 'A', 2), released(1, 'A', 2), held(2, 'B', 1)])).toHaveLength(1);
  });

  test('a token that is granted twice, for two names, is found', () => {
    expect(tokensRise([held(0, 'A', 1), held(1, 'B', 1, 'other')])).toHaveLength(1);
  });

  test('a page goes on with the token of the page before it, and nobody else does', () => {
    const history = [held(0, 'A', 1), lost(1, 'A', 1), held(2, 'B', 1), lost(3, 'B', 1), held(4, 'C', 1)];
    const descent = [at(0, 'B', { event: 'descends', from: 'A' }), at(0, 'C', { event: 'descends', from: 'B' })];
    expect(tokensRise([...descent, ...history])).toEqual([]);
    // Each is found by its order and as a second grant.
    expect(tokensRise([...descent.slice(1), ...history])).toHaveLength(2);
    expect(tokensRise(history)).toHaveLength(4);
  });

  test('tokens of different names may be heard of in any order', () => {
    expect(tokensRise([held(0, 'A', 2), held(1, 'B', 1, 'other')])).toEqual([]);
  });

  test("two grants that overlap in the coordinator's own record are found", () => {
    const first = { name: 'job', token: 1, grantedAt: 0, endedAt: 10 };
    expect(grantsNeverOverlap([first, { name: 'job', token: 2, grantedAt: 9 }])).toHaveLength(1);
    expect(grantsNeverOverlap([first, { name: 'job', token: 2, grantedAt: 10 }])).toEqual([]);
    expect(
      grantsNeverOverlap([
        { ...first, endedAt: 5 },
        { name: 'b', token: 1, grantedAt: 10 },
      ]),
    ).toHaveLength(1);
  });
});

describe('O2', () => {
  test('two clients that believe at once are found, be it for a nanosecond', () => {
    const early: Entry = { ...held(0, 'B', 2), at: 9_999_999n };
    expect(beliefsNeverOverlap([held(0, 'A', 1), lost(10, 'A', 1), early])).toHaveLength(1);
    expect(beliefsNeverOverlap([held(0, 'A', 1), lost(10, 'A', 1), held(10, 'B', 2)])).toEqual([]);
  });

  test('at risk counts as believing', () => {
    const risky = at(5, 'A', { event: 'at-risk', key: 'k', name: 'job', token: 1 });
    expect(beliefsNeverOverlap([held(0, 'A', 1), risky, held(8, 'B', 2), lost(10, 'A', 1)])).toHaveLength(1);
  });

  test('a belief that never ended is found by the next one', () => {
    expect(beliefsNeverOverlap([held(0, 'A', 1), held(50, 'B', 2)])).toHaveLength(1);
  });

  test('a long belief is held against all that begin in it', () => {
    const history = [
      held(0, 'A', 1),
      held(5, 'B', 2),
      released(6, 'B', 2),
      held(8, 'C', 3),
      released(9, 'C', 3),
      released(20, 'A', 1),
    ];
    expect(beliefsNeverOverlap(history)).toHaveLength(2);
  });

  test('whoever believed when an operator forced the name open is left out from then on, and nobody else', () => {
    const force = (ms: number, name = 'job') => at(ms, 'alice', { event: 'forced', name });
    const history = [held(0, 'A', 1), held(6, 'B', 2), lost(7, 'A', 1)];
    expect(beliefsNeverOverlap([...history, force(5)])).toEqual([]);
    expect(beliefsNeverOverlap([...history, force(5, 'other')])).toHaveLength(1);
    expect(beliefsNeverOverlap([...history, force(7)])).toHaveLength(1);
    expect(beliefsNeverOverlap([...history, force(5), held(8, 'C', 3)])).toHaveLength(1);
  });

  test('a killed process believes nothing any more', () => {
    expect(beliefsNeverOverlap([held(0, 'A', 1), at(10, 'A', { event: 'killed' }), held(11, 'B', 2)])).toEqual([]);
  });

  test('a process that is started again under its label believes from its first grant, though it was killed while stopped', () => {
    const history = [
      held(0, 'A', 1),
      at(5, 'A', { event: 'suspended' }),
      at(6, 'A', { event: 'killed' }),
      held(10, 'A', 2),
    ];
    expect(beliefsNeverOverlap([...history, held(11, 'B', 3)])).toHaveLength(1);
    expect(beliefsNeverOverlap([...history, released(11, 'A', 2), held(11, 'B', 3)])).toEqual([]);
  });

  test('many leases take a time that grows with their number, not with its square', { timeout: 10_000 }, () => {
    const count = 40_000;
    const history = Array.from({ length: count }, (_, index) => [
      held(index * 2, 'A', index + 1),
      released(index * 2 + 1, 'A', index + 1),
    ]).flat();
    expect(beliefsNeverOverlap(history)).toEqual([]);
  });

  test('a suspended process believes again from the first reading that says so', () => {
    const stopped = [
      held(0, 'A', 1),
      at(5, 'A', { event: 'suspended' }),
      held(6, 'B', 2),
      at(8, 'A', { event: 'continued' }),
    ];
    expect(beliefsNeverOverlap([...stopped, read(9, 'A', 1, 'lost'), lost(10, 'A', 1)])).toEqual([]);
    expect(beliefsNeverOverlap([...stopped, read(9, 'A', 1, 'held'), lost(10, 'A', 1)])).toHaveLength(1);
  });

  test('what a process still says between the signal and its standing still is a belief of that instant', () => {
    const stopping = [held(0, 'A', 1), at(5, 'A', { event: 'suspended' }), read(6, 'A', 1, 'held')];
    const after = [at(30, 'A', { event: 'continued' }), lost(31, 'A', 1)];
    expect(beliefsNeverOverlap([...stopping, held(20, 'B', 2), ...after])).toEqual([]);
    const early: Entry = { ...held(0, 'B', 2), at: 5_500_000n };
    expect(beliefsNeverOverlap([...stopping, early, released(7, 'B', 2), ...after])).toHaveLength(1);
  });

  test('a process that was given no processor believes nothing meanwhile, and again from its first reading', () => {
    const still = [held(0, 'A', 1), at(5, 'A', { event: 'stood-still', forMs: 20 }), held(10, 'B', 2)];
    expect(beliefsNeverOverlap([...still, lost(25, 'A', 1)])).toEqual([]);
    expect(beliefsNeverOverlap([...still, read(26, 'A', 1, 'held'), lost(27, 'A', 1)])).toHaveLength(1);
  });
});

describe('O3', () => {
  const sent = (ms: number, frame: number): Entry =>
    at(ms, 'A', { event: 'sent', dial: 1, messages: [{ type: 'renew', frame }] });
  const renewed = (ms: number, frame: number, leftMs: number): Entry =>
    at(ms, 'A', {
      event: 'received',
      dial: 1,
      messages: [{ type: 'renewed', frame, leases: [{ name: 'job', fencingToken: 1, leftMs }] }],
    });
  const granted = at(2, 'A', {
    event: 'received',
    dial: 1,
    messages: [{ type: 'granted', frame: 1, fencingToken: 1, leftMs: 100 }],
  });
  const upTo = (ms: number): readonly Entry[] => [
    sent(0, 1),
    granted,
    held(2, 'A', 1),
    sent(60, 2),
    renewed(90, 2, 100),
    lost(ms, 'A', 1),
  ];

  test('held past the sending of the last acknowledged renewal plus its window is found', () => {
    expect(heldNeverPastDeadline(upTo(161))).toHaveLength(1);
    expect(heldNeverPastDeadline(upTo(160))).toEqual([]);
  });

  test('a reading past the deadline that says held is found, whatever the timers did', () => {
    const history = [
      sent(0, 1),
      granted,
      held(2, 'A', 1),
      read(99, 'A', 1, 'held'),
      at(100, 'A', { event: 'suspended' }),
      at(150, 'A', { event: 'continued' }),
    ];
    expect(heldNeverPastDeadline([...history, read(151, 'A', 1, 'lost'), lost(152, 'A', 1)])).toEqual([]);
    expect(heldNeverPastDeadline([...history, read(151, 'A', 1, 'at-risk'), lost(152, 'A', 1)])).toHaveLength(2);
  });

  test('a process that a signal stops a little later than it was sent is not held to have believed meanwhile', () => {
    const history = [
      sent(0, 1),
      granted,
      held(2, 'A', 1),
      at(50, 'A', { event: 'suspended' }),
      read(51, 'A', 1, 'held'),
      at(1_150, 'A', { event: 'continued' }),
    ];
    expect(heldNeverPastDeadline([...history, lost(1_151, 'A', 1)])).toEqual([]);
    expect(heldNeverPastDeadline([...history, read(1_151, 'A', 1, 'held'), lost(1_152, 'A', 1)])).toHaveLength(2);
  });

  test('a renewal that was not acknowledged lengthens nothing', () => {
    expect(heldNeverPastDeadline([sent(0, 1), granted, held(2, 'A', 1), sent(60, 2), lost(101, 'A', 1)])).toHaveLength(
      1,
    );
  });

  test('a window counts from the frame that its answer names, not from the latest one', () => {
    expect(
      heldNeverPastDeadline([
        sent(0, 1),
        granted,
        held(2, 'A', 1),
        sent(60, 2),
        sent(80, 3),
        renewed(90, 2, 100),
        lost(170, 'A', 1),
      ]),
    ).toHaveLength(1);
  });

  test('a window told in a welcome counts', () => {
    const welcome = at(70, 'A', {
      event: 'received',
      dial: 2,
      messages: [{ type: 'welcome', frame: 2, held: [{ name: 'job', fencingToken: 1, leftMs: 90 }] }],
    });
    expect(
      heldNeverPastDeadline([sent(0, 1), granted, held(2, 'A', 1), sent(60, 2), welcome, lost(150, 'A', 1)]),
    ).toEqual([]);
  });
});

describe('O4', () => {
  test('a lease that is lost twice is found', () => {
    expect(lostOnceAndFirst([held(0, 'A', 1), lost(1, 'A', 1), lost(2, 'A', 1)])).toHaveLength(1);
  });

  test('a lease that recovers after it was lost is found', () => {
    expect(
      lostOnceAndFirst([
        held(0, 'A', 1),
        lost(1, 'A', 1),
        at(2, 'A', { event: 'recovered', key: 'k', name: 'job', token: 1 }),
      ]),
    ).toHaveLength(1);
  });

  test('a later acquisition before the loss of the earlier one is found', () => {
    expect(lostOnceAndFirst([held(0, 'A', 1), held(5, 'A', 2), lost(6, 'A', 1), lost(9, 'A', 2)])).toHaveLength(1);
  });

  test('an election that tells of the loss behind the lease is as it is meant', () => {
    const deposed = at(2, 'A', { event: 'deposed', key: 'k', name: 'job', token: 1, code: 'missed-ack' });
    expect(lostOnceAndFirst([held(0, 'A', 1), lost(1, 'A', 1), deposed])).toEqual([]);
  });
});

describe('O5', () => {
  const called = at(0, 'A', { event: 'called', call: 'A#1', what: 'acquire job', withinMs: 100 });
  const settled = (ms: number): Entry =>
    at(ms, 'A', { event: 'settled', call: 'A#1', what: 'acquire job', ok: true, value: 1 });

  test('a promise that never settles is found, save in a killed process', () => {
    expect(nothingHangs([called])).toHaveLength(1);
    expect(nothingHangs([called, at(50, 'A', { event: 'killed' })])).toEqual([]);
  });

  test('a promise that outlives its bound is found', () => {
    expect(nothingHangs([called, settled(2_000)])).toHaveLength(1);
    expect(nothingHangs([called, settled(110)])).toEqual([]);
  });

  test('the time in which the process stood still is not part of it, and counts once', () => {
    const still = [at(10, 'A', { event: 'suspended' }), at(1_510, 'A', { event: 'continued' })];
    const told = at(9, 'A', { event: 'stood-still', forMs: 1_500 });
    expect(nothingHangs([called, ...still, told, settled(1_611)])).toEqual([]);
    expect(nothingHangs([called, ...still, told, settled(2_000)])).toHaveLength(1);
    expect(nothingHangs([called, ...still.map((entry) => ({ ...entry, client: 'B' })), settled(1_611)])).toHaveLength(
      1,
    );
  });

  test('an unhandled rejection and a process that ends by itself are found', () => {
    expect(nothingHangs([at(0, 'A', { event: 'unhandled', text: 'x' })])).toHaveLength(1);
    expect(nothingHangs([at(0, 'A', { event: 'exited', code: 17, signal: null })])).toHaveLength(1);
    expect(
      nothingHangs([at(0, 'A', { event: 'killed' }), at(1, 'A', { event: 'exited', code: null, signal: 'SIGKILL' })]),
    ).toEqual([]);
  });
});

describe('O6', () => {
  test('what is left over at rest is found', () => {
    const counts = { sessions: 2, sockets: 1, leases: 0, claims: 0, watches: 0 };
    expect(atRest(counts, { sessions: 1, leases: 0 })).toHaveLength(1);
    expect(atRest(counts, { sessions: 2, sockets: 1, leases: 0, claims: 0 })).toEqual([]);
    expect(atRest({ ...counts, watches: 1 }, { watches: 0 })).toHaveLength(1);
  });

  test('a dial that was given up is told from a connection that broke', () => {
    const says = (ms: number, client: string, status: string): Entry => at(ms, client, { event: 'status', status });
    const broken = [
      says(0, 'A', 'connecting'),
      says(1, 'B', 'connecting'),
      says(2, 'A', 'open'),
      says(3, 'A', 'backing-off'),
    ];
    expect(gaveUpDial(broken)).toBe(false);
    expect(gaveUpDial([...broken, says(4, 'B', 'backing-off')])).toBe(true);
  });
});
