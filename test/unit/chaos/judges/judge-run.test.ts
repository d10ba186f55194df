import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../real/support/log.ts';
import { notShown } from '../../../chaos/judges/counts.ts';
import { holdsIn } from '../../../chaos/judges/holds.ts';
import { JUDGES, judgeRun } from '../../../chaos/judges/judge-run.ts';
import { entry, fault, held, instantOf, lost, received, released, runOf, sent, turn } from '../histories.ts';

/** Which judges find something, each once or more. */
const findersOf = (entries: readonly Entry[], faults = [fault('reset', 'A', 0, 1)]): readonly string[] => {
  const run = runOf(entries, faults);
  return Object.entries(JUDGES).flatMap(([name, judge]) => (judge(run).length > 0 ? [name] : []));
};

const CALM = [
  ...turn('A', 1, { claim: 2, told: 3, letGo: 20, answered: 21 }),
  ...turn('B', 2, { claim: 5, told: 22, letGo: 40, answered: 41 }),
  ...turn('A', 3, { claim: 22, told: 43, letGo: 60, answered: 61 }),
];

test('a good history is found by no judge, in whatever order its lines came', () => {
  expect(findersOf(CALM)).toEqual([]);
  expect(findersOf(CALM.toReversed().toSorted((a, b) => Number(a.at % 7n) - Number(b.at % 7n)))).toEqual([]);
});

describe('beliefs', () => {
  test('S1 two that believe at once are found, also with a restart and many turns in between', () => {
    const overlap = [held(70, 'A', 4), held(80, 'B', 5), released(85, 'A', 4), released(90, 'B', 5)];
    expect(findersOf([...CALM, ...overlap])).toEqual(['oracles', 'lock']);
    expect(judgeRun(runOf([...CALM, ...overlap])).violations[0]).toContain('O2 job: A (token 4) and B (token 5)');
  });

  test('one that is killed and started again under another label believes no more under the first', () => {
    const killed = [held(70, 'A', 4), entry(80, 'A', { event: 'killed' })];
    expect(findersOf([...CALM, ...killed, held(81, 'A.2', 5), released(90, 'A.2', 5)])).toEqual([]);
  });
});

describe('tokens', () => {
  test('S2 a token that falls between two names is found', () => {
    const other = turn('B', 2, { claim: 70, told: 71, letGo: 80, answered: 81 }, { name: 'other' });
    expect(findersOf([...turn('A', 5, { claim: 2, told: 3, letGo: 20, answered: 21 }), ...other])).toEqual(['tokens']);
  });

  test('a grant that was asked for before the larger token was known may be smaller', () => {
    const other = turn('B', 2, { claim: 3, told: 71, letGo: 80, answered: 81 }, { name: 'other' });
    expect(findersOf([...turn('A', 5, { claim: 2, told: 3, letGo: 20, answered: 21 }), ...other])).toEqual([]);
  });

  test('S2 one that falls within a name is found by more than one', () => {
    const first = turn('A', 5, { claim: 2, told: 3, letGo: 20, answered: 21 });
    const second = turn('B', 4, { claim: 30, told: 31, letGo: 40, answered: 41 });
    expect(findersOf([...first, ...second])).toEqual(['oracles', 'tokens', 'lock']);
  });
});

describe('lock', () => {
  test('a grant that was told while another still believed is found, though nobody said that it holds it', () => {
    const early = [
      sent(1, 'B', { type: 'acquire', request: 'r2', name: 'job', ttlMs: 3_000 }),
      received(10, 'B', { type: 'granted', request: 'r2', name: 'job', fencingToken: 2 }),
    ];
    const first = turn('A', 1, { claim: 2, told: 3, letGo: 20, answered: 21 });
    expect(findersOf([...first, ...early])).toEqual(['lock']);
  });

  test('a belief that outlives the answer to its release is found', () => {
    const [claimed, told, holds, lets, asked] = turn('A', 1, { claim: 2, told: 3, letGo: 20, answered: 30 });
    const early = received(10, 'A', { type: 'released', request: 'l1', released: true });
    const ask = { ...asked, at: 9_000_000n } as Entry; // A copy of the entry, earlier.
    const history = [claimed, told, holds, lets, ask, early].filter((one) => one !== undefined);
    expect(findersOf(history)).toEqual(['lock']);
  });

  test('a release that came too late ends nothing', () => {
    const late = [
      sent(2, 'A', { type: 'release', request: 'l0', name: 'job', fencingToken: 1 }),
      received(10, 'A', { type: 'released', request: 'l0', released: false }),
    ];
    expect(findersOf([...turn('A', 1, { claim: 1, told: 2, letGo: 20, answered: 21 }), ...late])).toEqual([]);
  });

  test('a claim that is said again on the next socket counts from its first time, and a grant that is told again from its own', () => {
    const again = [
      sent(30, 'A', { type: 'acquire', request: 'r1', name: 'job', ttlMs: 3_000 }, 2),
      received(31, 'A', { type: 'granted', request: 'r1', name: 'job', fencingToken: 1 }, 2),
    ];
    const history = [...turn('A', 1, { claim: 2, told: 3, letGo: 40, answered: 41 }), ...again];
    expect(findersOf(history)).toEqual([]);
    expect(holdsIn(history)).toMatchObject([{ claimedAt: instantOf(2), toldAt: instantOf(3), endedBy: instantOf(41) }]);
  });
});

describe('counter', () => {
  let n = 0;
  /** One turn that adds under `token`. `code`: how the write ended; absent: its process died before it knew. */
  const add = (client: string, token: number, after: string, to: number, code?: string | null): readonly Entry[] => {
    n += 10;
    const key = `by-${token}`;
    return [
      held(n, client, token, { key }),
      entry(n + 5, client, { event: 'adding', by: key, n: to, after }),
      ...(code === undefined ? [] : [entry(n + 6, client, { event: 'added', by: key, code })]),
      code === undefined ? entry(n + 7, client, { event: 'killed' }) : released(n + 7, client, token, { key }),
    ];
  };

  test('adds that each find the one before are right', () => {
    expect(findersOf([...add('A', 1, '', 1, null), ...add('B', 2, 'by-1', 2, null)])).toEqual([]);
  });

  test('an acknowledged add that the next holder does not find is lost', () => {
    expect(findersOf([...add('A', 1, '', 1, null), ...add('B', 2, '', 1, null)])).toEqual(['counter']);
  });

  test('an add whose answer was lost may have happened or not', () => {
    expect(findersOf([...add('A', 1, '', 1, 'missed-ack'), ...add('B', 2, 'by-1', 2, null)])).toEqual([]);
    expect(findersOf([...add('A', 3, '', 1), ...add('B', 4, '', 1, null)])).toEqual([]);
  });

  test('an add that had not happened for the next holder never happens', () => {
    const late = [...add('A', 1, '', 1), ...add('B', 2, '', 1, 'missed-ack'), ...add('C', 3, 'by-1', 2, null)];
    expect(findersOf(late)).toEqual(['counter']);
  });

  test('a number that is not one more than the one it was read from is found', () => {
    expect(findersOf([...add('A', 1, '', 1, null), ...add('B', 2, 'by-1', 3, null)])).toEqual(['counter']);
  });

  test('the tokens are the order, whatever the order of the lines', () => {
    expect(findersOf([...add('A', 1, '', 1, null), ...add('B', 2, 'by-1', 2, null)].toReversed())).toEqual([]);
  });
});

describe('liveness', () => {
  const claim = sent(50, 'C', { type: 'acquire', request: 'r9', name: 'job', ttlMs: 3_000 });

  test('S10 a claim that is never answered is found, save of one that is killed, closed, or takes it back', () => {
    expect(findersOf([...CALM, claim])).toEqual(['liveness']);
    expect(findersOf([...CALM, claim, entry(90, 'C', { event: 'killed' })], [fault('kill', 'C', 90, 91)])).toEqual([]);
    const cancelled = sent(60, 'C', { type: 'cancel', request: 'r9' });
    expect(findersOf([...CALM, claim, cancelled], [fault('reset', 'A', 70, 71)])).toEqual([]);
  });

  test('one that only gets refusals once the faults are over is found', () => {
    const refused = received(70, 'C', { type: 'error', request: 'r9', code: 'wait-timeout' });
    expect(findersOf([...CALM, claim, refused])).toEqual(['liveness']);
    expect(findersOf([...CALM, claim, refused], [fault('reset', 'A', 80, 81)])).toEqual([]);
    const later = turn('C', 10, { claim: 71, told: 72, letGo: 73, answered: 74 });
    expect(findersOf([...CALM, claim, refused, ...later])).toEqual([]);
  });

  test('without recorded sockets its promises count', () => {
    const called = entry(50, 'C', { event: 'called', call: 'C#1', what: 'acquire job' });
    const refused = entry(60, 'C', {
      event: 'settled',
      call: 'C#1',
      what: 'acquire job',
      ok: false,
      code: 'x',
      message: '',
    });
    expect(findersOf([...CALM, called, refused])).toEqual(['liveness']);
    expect(findersOf([...CALM, called])).toEqual(['oracles', 'liveness']);
  });
});

describe('promises', () => {
  test('S10 one that outlives its bound is found', () => {
    const called = entry(5, 'C', { event: 'called', call: 'C#1', what: 'release', withinMs: 100 });
    const settled = entry(900, 'C', { event: 'settled', call: 'C#1', what: 'release', ok: true, value: null });
    expect(findersOf([...CALM, called, settled])).toEqual(['oracles']);
  });
});

describe('counts', () => {
  test('they say what a run contained', () => {
    const queued = received(6, 'B', { type: 'queued', request: 'r2', position: 1, behind: 'other' });
    const resumed = received(1, 'A', { type: 'welcome', frame: 1, resumed: true, held: [] });
    const history = [...CALM, queued, resumed, held(70, 'A', 4), lost(80, 'A', 4)];
    const { counts } = judgeRun(
      runOf(history, [fault('kill-coordinator', 'coordinator', 10, 62), fault('reset', 'A', 1, 2)]),
    );
    expect(counts).toEqual({
      grants: 4,
      contested: 1,
      releases: 3,
      losses: 1,
      atRisk: 0,
      recoveries: 0,
      resumptions: 1,
      restarts: 1,
      longestBeliefMs: 18,
      stateWrites: 0,
      adds: 0,
      lostWithoutToken: 0,
      grantsWithFaultsOver: 1,
      faults: 2,
      'fault kill-coordinator': 1,
      'fault reset': 1,
    });
    expect(notShown({ violations: [], counts })).toEqual([
      'atRisk',
      'recoveries',
      'stateWrites',
      'adds',
      'lostWithoutToken',
    ]);
  });

  test('S3 the counter without a token is seen to lose where two adds begin from the same number', () => {
    const loose = (ms: number, client: string, token: number, after: string): readonly Entry[] => [
      held(ms, client, token, { key: `by-${token}` }),
      released(ms + 1, client, token, { key: `by-${token}` }),
      entry(ms + 2, client, { event: 'added-loose', by: `by-${token}`, n: 1, after }),
    ];
    const lostIn = (entries: readonly Entry[]): number | undefined =>
      judgeRun(runOf(entries)).counts['lostWithoutToken'];
    expect(lostIn([...loose(1, 'A', 1, ''), ...loose(10, 'B', 2, 'by-1')])).toBe(0);
    expect(lostIn([...loose(1, 'A', 1, ''), ...loose(10, 'B', 2, ''), ...loose(20, 'C', 3, '')])).toBe(2);
  });
});

test('a long run is judged in seconds', { timeout: 20_000 }, () => {
  const long = Array.from({ length: 4_000 }, (_, index) => {
    const at = 10 + index * 10;
    return turn(
      `c${index % 3}`,
      index + 1,
      { claim: at - 3, told: at, letGo: at + 8, answered: at + 9 },
      { name: `job-${index % 2}` },
    );
  }).flat();
  expect(judgeRun(runOf(long)).violations).toEqual([]);
});
