import { describe, expect, test } from 'vitest';
import {
  candidateOf,
  electionStatus,
  electionStep,
  leaderOf,
  type Candidate,
  type CandidatePhase,
  type ElectionEvent,
} from '../../client/core/election-machine.ts';
import { failure } from '../../client/core/failures.ts';
import type { WireLeaseView } from '../../shared/frames.ts';
import { fencingToken, leaseName, sessionId } from '../../shared/ids.ts';
import { durationMs, monoMs, type MonoMs } from '../../shared/time.ts';
import { ELECTION_STATES } from './client-election.states.ts';
import { rowsOf } from './client-table.ts';

const ms = durationMs(0);
/** What the coordinator shows while the one with this token holds, or nobody. */
function shown(token: number | null, last: number | undefined = token ?? undefined): WireLeaseView {
  const one = { label: 'tab', metadata: null, session: sessionId('s'), mode: 'exclusive' as const };
  const times = { heldForMs: ms, remainingMs: ms, ceilingLeftMs: ms };
  return {
    name: leaseName('n'),
    holders: token === null ? [] : [{ ...one, ...times, fencingToken: fencingToken(token) }],
    queue: 0,
    ...(last === undefined ? {} : { lastFencingToken: fencingToken(last) }),
  };
}

const half = (): number => 0.5;
const NOW = monoMs(5_000);
const OTHER = 10;
const OWN = 20;
const lead = (since: number, last = false): CandidatePhase => ({
  kind: 'leading',
  since: monoMs(since),
  token: fencingToken(OWN),
  last,
});
const PHASES: { readonly [K in CandidatePhase['kind']]: CandidatePhase } = {
  standing: { kind: 'standing', since: monoMs(0), position: 2 },
  leading: lead(0),
  pausing: { kind: 'pausing', until: NOW },
  stopped: { kind: 'stopped' },
  refused: { kind: 'refused', failure: failure('forbidden', 'no') },
};
const EVENTS: Readonly<Record<string, ElectionEvent>> = {
  'connection: open': { kind: 'connection', status: 'open' },
  'connection: lost': { kind: 'connection', status: 'backing-off' },
  'connection: refused or closed': { kind: 'connection', status: 'refused' },
  'queued: ': { kind: 'queued', position: 1 },
  'granted: ': { kind: 'granted', token: fencingToken(30) },
  'failed: for now': { kind: 'failed', failure: failure('revoked', 'an operator') },
  'failed: for good': { kind: 'failed', failure: failure('forbidden', 'no') },
  'failed: since the client is closed': { kind: 'failed', failure: failure('closed', 'closed') },
  'view: of another leader': { kind: 'view', view: shown(40) },
  'view: of the same leader': { kind: 'view', view: shown(OTHER) },
  'view: of nobody': { kind: 'view', view: shown(null, OTHER) },
  'view: older than what is known': { kind: 'view', view: shown(7) },
  'view: of its own lease that is over': { kind: 'view', view: shown(15) },
};
const plain = (kind: string): ElectionEvent =>
  kind === 'over' || kind === 'due' || kind === 'resign' ? { kind } : { kind: 'stop' };

/** It has seen another lead; a leader has seen that before its own grant. */
function candidateFor(state: CandidatePhase['kind'], kind: string, variation: string): Candidate {
  const view = variation === 'behind a newer leader' ? shown(40) : shown(OTHER);
  const base: Candidate = { ...candidateOf('open', monoMs(0)), view, mark: OTHER, phase: PHASES[state] };
  if (variation === 'of its own lease that is over' && state !== 'leading') return { ...base, ended: 15 };
  if (variation === 'twice in one moment') return { ...base, resignedAt: monoMs(NOW - 0.9) };
  if (state !== 'leading') return base;
  const led = { ...base, mark: Math.max(OWN, view.lastFencingToken ?? 0) };
  if (variation === 'after a stop' || (kind === 'stop' && variation === 'again'))
    return { ...led, phase: lead(0, true) };
  return variation.startsWith('within a second') ? { ...led, setbacks: 4, phase: lead(NOW - 999) } : led;
}

const isPhase = (state: string): state is CandidatePhase['kind'] => state in PHASES;

function meet(state: string, kind: string, variation: string) {
  if (!isPhase(state)) throw new Error(state);
  const candidate = candidateFor(state, kind, variation);
  const now = kind === 'due' && variation === 'early' ? monoMs(NOW - 1) : NOW;
  return { candidate, step: electionStep(candidate, EVENTS[`${kind}: ${variation}`] ?? plain(kind), now, half) };
}

const rows = rowsOf(ELECTION_STATES);
/** Goes through events, a millisecond each; what was told, in order. */
function play(from: Candidate, ...events: readonly ElectionEvent[]) {
  let candidate = from;
  let now = NOW;
  const told: string[] = [];
  for (const event of events) {
    now = monoMs(now + 1);
    const { state, effects } = electionStep(candidate, event, now, half);
    candidate = state;
    told.push(...effects.map((effect) => (effect.kind === 'leader' ? `leader ${effect.token}` : effect.kind)));
  }
  return { candidate, told };
}
const view = (token: number | null, last?: number): ElectionEvent => ({ kind: 'view', view: shown(token, last) });
const granted = (token: number): ElectionEvent => ({ kind: 'granted', token: fencingToken(token) });
const first = candidateOf('open', NOW);

describe('client elections', () => {
  test.each(rows)('$state meets $kind $variation: $cell.why', ({ state, kind, variation, cell }) => {
    const { step } = meet(state, kind, variation);
    expect(step.state.phase.kind).toBe(cell.next);
    expect(step.effects.map((effect) => effect.kind)).toEqual(cell.effects);
  });

  test('what is final changes in nothing at all', () => {
    for (const { state, kind, variation } of rows) {
      if (state !== 'stopped' && state !== 'refused') continue;
      const { candidate, step } = meet(state, kind, variation);
      expect(step).toEqual({ state: candidate, effects: [] });
    }
  });

  test('nobody is deposed who was not elected, and who leads is told only when it changes', () => {
    for (const { state, kind, variation } of rows) {
      const { candidate, step } = meet(state, kind, variation);
      const kinds = step.effects.map((effect) => effect.kind);
      expect(kinds.includes('deposed')).toBe(state === 'leading' && step.state.phase.kind !== 'leading');
      const leaders = step.effects.flatMap((effect) => (effect.kind === 'leader' ? [effect.token] : []));
      expect(leaders.length === 0 ? leaderOf(candidate) : leaders.at(-1)).toBe(leaderOf(step.state));
    }
  });

  test('a candidate that does not contend says that it is connecting, and has no position', () => {
    const queued: ElectionEvent = { kind: 'queued', position: 3 };
    const { candidate } = play(first, queued);
    expect([electionStatus(candidate), candidate.phase]).toMatchObject(['standing', { position: 3 }]);
    const cut = play(candidate, { kind: 'connection', status: 'backing-off' }).candidate;
    expect([electionStatus(cut), cut.phase]).toMatchObject(['connecting', { position: null }]);
    const back = play(cut, { kind: 'connection', status: 'open' }).candidate;
    expect([electionStatus(back), back.phase]).toMatchObject(['standing', { position: null }]);
    const paused = play(back, { kind: 'failed', failure: failure('revoked', 'an operator') }).candidate;
    expect(electionStatus(paused)).toBe('connecting');
    expect(electionStatus(candidateOf('idle', NOW))).toBe('connecting');
  });

  test('a view that was made before its own grant, and comes after its loss, brings no earlier leader back', () => {
    const { told } = play(first, view(10), granted(20), { kind: 'over' }, view(10), view(null, 10), view(20), view(30));
    expect(told).toEqual(['leader 10', 'elected', 'leader 20', 'claim', 'deposed', 'leader null', 'leader 30']);
  });

  test('whoever was seen to lead is not followed by an earlier one, also where a view names no last token', () => {
    const seen = play(first, view(10), view(10)).candidate;
    const earlier = { kind: 'view', view: { ...shown(7), lastFencingToken: undefined } } as unknown as ElectionEvent;
    expect(play(seen, earlier).told).toEqual([]);
    // Nothing is stored of the name any more: nobody leads, whatever was known before.
    expect(play(seen, view(null), view(7, 7), view(11)).told).toEqual(['leader null', 'leader 11']);
  });

  test('a view that is quicker than its own grant takes nothing from the order of a win', () => {
    expect(play(first, view(20), granted(20)).told).toEqual(['leader 20', 'elected', 'leader 20']);
  });

  test('pauses after refusals in a row are 1, 2, 4 ... 30 s, half of it by chance; what stood for a second breaks the row', () => {
    const refusal: ElectionEvent = { kind: 'failed', failure: failure('revoked', 'an operator') };
    const pausesOf = (stoodMs: number): readonly number[] => {
      let candidate = first;
      let now: MonoMs = NOW;
      return Array.from({ length: 7 }, () => {
        now = monoMs(now + stoodMs);
        const { state } = electionStep(candidate, refusal, now, () => 0.999_999);
        const pauseMs = state.phase.kind === 'pausing' ? Math.round(state.phase.until - now) : 0;
        now = monoMs(now + pauseMs + 1);
        candidate = electionStep(state, { kind: 'due' }, now, half).state;
        return pauseMs;
      });
    };
    expect(pausesOf(999)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(pausesOf(1_000)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000]);
    const told = failure('queue-full', 'full', true, { retryAfterMs: 9_000 });
    expect(electionStep(first, { kind: 'failed', failure: told }, NOW, half).effects).toEqual([
      { kind: 'pause', ms: 9_000 },
    ]);
  });

  test('leaderships that end within a second pause from the fifth in a row on, and one that lasts breaks the row', () => {
    let candidate = first;
    let now: MonoMs = NOW;
    const reign = (lastsMs: number): number => {
      candidate = electionStep(candidate, granted(100 + now), now, half).state;
      now = monoMs(now + lastsMs);
      candidate = electionStep(candidate, { kind: 'over' }, now, () => 0.999_999).state;
      const pauseMs = candidate.phase.kind === 'pausing' ? Math.round(candidate.phase.until - now) : 0;
      now = monoMs(now + pauseMs + 1);
      candidate = electionStep(candidate, { kind: 'due' }, now, half).state;
      return pauseMs;
    };
    expect([999, 999, 999, 999, 999, 1, 1].map(reign)).toEqual([0, 0, 0, 0, 1_000, 2_000, 4_000]);
    expect([1_000, 1, 1, 1, 1, 1].map(reign)).toEqual([0, 0, 0, 0, 0, 1_000]);
  });
});
