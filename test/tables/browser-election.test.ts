import { describe, expect, test } from 'vitest';
import {
  begin,
  candidateStep,
  leaderOf,
  statusOf,
  type Candidate,
  type CandidateEvent,
  type Phase,
  type Reign,
  type Seen,
} from '../../client/browser/machine.ts';
import { monoMs } from '../../shared/time.ts';
import { BROWSER_STATES, BROWSER_VARIATIONS } from './browser-election.states.ts';
import { rowsOf } from './client-table.ts';

const NOW = monoMs(5_000);
const reign = (id: string, client: string | null): Reign => ({ id, client, shown: { label: id, since: 'then' } });
const KNOWN = reign('known', 'page-1');
const OTHER = reign('other', 'page-2');
const SELF = 'page-9';
const OWN = reign('own', SELF);

const PHASES: { readonly [K in Phase['kind']]: Extract<Phase, { readonly kind: K }> } = {
  standing: { kind: 'standing', position: 2 },
  leading: { kind: 'leading', since: monoMs(0), reign: OWN },
  pausing: { kind: 'pausing' },
  away: { kind: 'away' },
  stopped: { kind: 'stopped' },
  refused: { kind: 'refused' },
};
const seen = (holder: string | null): Seen => ({ self: SELF, holder, ahead: 1 });
const looked = (about: Reign | null, holder: string | null): CandidateEvent => ({
  kind: 'looked',
  about,
  seen: seen(holder),
});
const EVENTS: Readonly<Record<string, CandidateEvent>> = {
  granted: { kind: 'granted', reign: reign('own', null) },
  stolen: { kind: 'stolen' },
  'failed: for now': { kind: 'failed', forGood: false },
  'failed: for good': { kind: 'failed', forGood: true },
  asked: { kind: 'asked' },
  'heard: of another leader': { kind: 'heard', reign: OTHER },
  'heard: of the same leader': { kind: 'heard', reign: KNOWN },
  'heard-over: of the leader': { kind: 'heard-over', id: 'known' },
  'heard-over: of another': { kind: 'heard-over', id: 'somebody' },
  'heard-moved': { kind: 'heard-moved' },
  'looked: about whoever has the lock': looked(OTHER, 'page-2'),
  'looked: about one that has not got the lock': looked(OTHER, 'page-1'),
  'looked: the leader has the lock': looked(null, 'page-1'),
  'looked: another has the lock': looked(null, 'page-3'),
  'looked: nobody has the lock': looked(null, null),
  'looked: it has the lock itself, for the first time': looked(null, SELF),
  'looked: it has the lock itself, as before': looked(null, SELF),
  due: { kind: 'due' },
  away: { kind: 'away' },
  back: { kind: 'back' },
  resign: { kind: 'resign' },
  stop: { kind: 'stop' },
};

function candidateFor(state: Phase['kind'], variation: string): Candidate {
  const base: Candidate = { phase: PHASES[state], leader: state === 'standing' ? KNOWN : null, setbacks: 0 };
  if (state !== 'leading') return base;
  const { leading } = PHASES;
  if (variation.startsWith('within a second'))
    return { ...base, phase: { ...leading, since: monoMs(NOW - 999) }, setbacks: 4 };
  const unknown = variation.startsWith('before it is known') || variation.endsWith('for the first time');
  return unknown ? { ...base, phase: { ...leading, reign: reign('own', null) } } : base;
}

const isPhase = (state: string): state is Phase['kind'] => state in PHASES;

function meet(state: string, kind: string, variation: string) {
  if (!isPhase(state)) throw new Error(state);
  const event = EVENTS[`${kind}: ${variation}`] ?? EVENTS[kind];
  if (event === undefined) throw new Error(`no event for ${kind}: ${variation}`);
  const candidate = candidateFor(state, variation);
  return { candidate, step: candidateStep(candidate, event, NOW) };
}

const rows = rowsOf(BROWSER_STATES);

describe('elections in one browser', () => {
  test.each(rows)('$state meets $kind $variation: $cell.why', ({ state, kind, variation, cell }) => {
    const { step } = meet(state, kind, variation);
    expect(step.state.phase.kind).toBe(cell.next);
    expect(step.effects.map((effect) => effect.kind)).toEqual(cell.effects);
  });

  test('no cell of the table is without a test: each kind has its variations', () => {
    expect(rows).toHaveLength(Object.keys(PHASES).length * Object.values(BROWSER_VARIATIONS).flat().length);
  });

  test('what is final changes in nothing at all', () => {
    for (const { state, kind, variation } of rows) {
      if (state !== 'stopped' && state !== 'refused') continue;
      const { candidate, step } = meet(state, kind, variation);
      expect(step).toEqual({ state: candidate, effects: [] });
    }
  });

  test('nobody is deposed who was not elected, and all hear that it leads no more before the lock is free', () => {
    for (const { state, kind, variation } of rows) {
      const { step } = meet(state, kind, variation);
      const kinds = step.effects.map((effect) => effect.kind);
      const isOver = state === 'leading' && step.state.phase.kind !== 'leading';
      const firstOfAll = isOver ? ['ended', 'deposed', 'leader', 'free'] : [];
      expect(kinds.slice(0, firstOfAll.length)).toEqual(firstOfAll);
      expect(kinds.includes('ended') || kinds.includes('deposed')).toBe(isOver);
    }
  });

  test('who leads is told when it changes, and only then', () => {
    for (const { state, kind, variation } of rows) {
      const { candidate, step } = meet(state, kind, variation);
      const [before, behind] = [leaderOf(candidate)?.id, leaderOf(step.state)?.id];
      const told = step.effects.flatMap((effect) => (effect.kind === 'leader' ? [effect.reign?.id] : []));
      expect(told).toEqual(before === behind ? [] : [behind]);
    }
  });

  test('whoever leaves the queue or the lock listens no more, and what it asked for is taken back', () => {
    for (const { state, kind, variation } of rows) {
      const { step } = meet(state, kind, variation);
      const [from, behind] = [state === 'standing' || state === 'leading', step.state.phase.kind];
      if (!from || (behind !== 'away' && behind !== 'stopped')) continue;
      const kinds = step.effects.map((effect) => effect.kind);
      expect(kinds).toContain('free');
      expect(kinds.at(-1)).toBe(behind === 'away' ? 'rest' : 'leave');
    }
  });

  test('a place in the queue is that of the last look, and its own status says when it stands in none', () => {
    const { state } = candidateStep(begin().state, looked(null, 'page-1'), NOW);
    expect([statusOf(state), state.phase]).toEqual(['standing', { kind: 'standing', position: 1 }]);
    const away = candidateStep(state, { kind: 'away' }, NOW).state;
    expect([statusOf(away), leaderOf(away)]).toEqual(['connecting', null]);
    const { state: paused } = candidateStep(state, { kind: 'failed', forGood: false }, NOW);
    expect([statusOf(paused), leaderOf(paused)]).toEqual(['connecting', null]);
  });

  test('what lasted a second breaks the row of short leaderships; the pauses count from the fifth', () => {
    let candidate = begin().state;
    let now = NOW;
    const lead = (lastsMs: number): number => {
      candidate = candidateStep(candidate, { kind: 'granted', reign: OWN }, now).state;
      now = monoMs(now + lastsMs);
      const { state, effects } = candidateStep(candidate, { kind: 'resign' }, now);
      candidate = candidateStep(state, { kind: 'due' }, now).state;
      const pause = effects.find((effect) => effect.kind === 'pause');
      return pause?.attempt ?? 0;
    };
    expect([999, 999, 999, 999, 999, 1].map(lead)).toEqual([0, 0, 0, 0, 1, 2]);
    expect([1_000, 1, 1, 1, 1, 1].map(lead)).toEqual([0, 0, 0, 0, 0, 1]);
  });

  test('requests that fail in a row pause longer each time', () => {
    let candidate = begin().state;
    const fail = (): number => {
      const { state, effects } = candidateStep(candidate, { kind: 'failed', forGood: false }, NOW);
      candidate = candidateStep(state, { kind: 'due' }, NOW).state;
      const pause = effects.find((effect) => effect.kind === 'pause');
      return pause?.attempt ?? 0;
    };
    expect([fail(), fail(), fail()]).toEqual([1, 2, 3]);
  });
});
