import { describe, expect, test } from 'vitest';
import {
  claimOf,
  claimStep,
  type Claim,
  type ClaimEvent,
  type ClaimPhase,
  type Place,
} from '../../client/core/claim-machine.ts';
import type { Reading } from '../../client/core/elapsed.ts';
import { failure } from '../../client/core/failures.ts';
import { leaseName, requestId } from '../../shared/ids.ts';
import { durationMs, monoMs } from '../../shared/time.ts';
import { TERMS } from '../support/sim/scripted.ts';
import { CLAIM_STATES } from './client-claim.states.ts';
import { rowsOf } from './client-table.ts';

const at = (ms: number): Reading => ({ mono: monoMs(ms), real: monoMs(ms) });
const half = (): number => 0.5;
const terms = { ...TERMS, name: leaseName('n') };
const place: Place = {
  position: 3,
  behind: 'self',
  holder: 'tab 1',
  heldForMs: durationMs(10),
  remainingMs: durationMs(90),
};
const BUSY = failure('queue-full', 'as many as may wait', true);

const PHASES: { readonly [K in ClaimPhase['kind']]: ClaimPhase } = {
  asking: { kind: 'asking' },
  queued: { kind: 'queued', place, since: monoMs(0) },
  pausing: { kind: 'pausing', again: monoMs(700) },
  ended: { kind: 'ended' },
};

const look: ClaimEvent = { kind: 'look', unreached: null };
const EVENTS: Readonly<Record<string, ClaimEvent>> = {
  'queued: ': { kind: 'queued', place },
  'moved: up': { kind: 'moved', position: 2 },
  'moved: not': { kind: 'moved', position: 3 },
  'refused: for now': { kind: 'refused', failure: BUSY },
  'refused: for now, with one try': { kind: 'refused', failure: BUSY },
  'refused: for good': { kind: 'refused', failure: failure('forbidden', 'no') },
  'repeat: ': { kind: 'repeat' },
  'amend: ': { kind: 'amend', priority: 1 },
  'stale-grant: ': { kind: 'stale-grant' },
  'end: withdrawn': { kind: 'end', failure: null },
  'end: for a reason': { kind: 'end', failure: failure('closed', 'closed') },
};

/** At 500 ms nothing is due; each variation of a look makes one thing due. */
function claimFor(variation: string): Claim {
  const waitMs = variation === 'for now, with one try' ? durationMs(0) : durationMs(60_000);
  const claim = claimOf(requestId('k'), { ...terms, waitMs }, at(0), 5_000);
  if (variation === 'at the end of the wait') return { ...claim, until: monoMs(500) };
  if (variation === 'after 10 s without a limit') return { ...claim, waitingAt: monoMs(500) };
  return variation === 'after 1 s behind itself' ? { ...claim, selfAt: monoMs(500) } : claim;
}

const isPhase = (state: string): state is ClaimPhase['kind'] => state in PHASES;

describe('client claims', () => {
  test.each(rowsOf(CLAIM_STATES))('$state meets $kind $variation: $cell.why', ({ state, kind, variation, cell }) => {
    if (!isPhase(state)) throw new Error(state);
    const event = EVENTS[`${kind}: ${variation}`] ?? look;
    const now = at(variation === 'after the pause' ? 700 : 500);
    const step = claimStep({ ...claimFor(variation), phase: PHASES[state] }, event, now, half);
    expect(step.state.phase.kind).toBe(cell.next);
    expect(step.effects.map((effect) => effect.kind)).toEqual(cell.effects);
  });

  test('S10 a wait that ends says whether the coordinator was ever reached', () => {
    const unreached: ClaimEvent = { kind: 'look', unreached: 'no connection' };
    const never = claimStep(claimFor('at the end of the wait'), unreached, at(500), half);
    expect(never.effects[0]).toMatchObject({ failure: { code: 'unavailable', retryable: true } });
    const queued = claimStep(
      { ...claimFor('at the end of the wait'), opened: true, phase: PHASES.queued },
      unreached,
      at(500),
      half,
    );
    expect(queued.effects[0]).toMatchObject({ failure: { code: 'wait-timeout', position: 3 } });
    const full = claimStep({ ...claimFor('at the end of the wait'), cause: BUSY }, look, at(500), half);
    expect(full.effects[0]).toMatchObject({ failure: { code: 'wait-timeout', cause: { code: 'queue-full' } } });
  });

  test('pauses after a refusal are 1, 2, 4, 8, 16, 30, 30 s, half of it by chance; a longer retryAfterMs wins', () => {
    let claim = claimFor('');
    const pauses: number[] = [];
    for (let count = 0; count < 7; count += 1) {
      claim = claimStep(claim, { kind: 'refused', failure: BUSY }, at(0), () => 0.999_999).state;
      if (claim.phase.kind === 'pausing') pauses.push(Math.round(claim.phase.again));
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    const told = claimStep(
      claimFor(''),
      { kind: 'refused', failure: { ...BUSY, retryAfterMs: 9_000 } },
      at(0),
      half,
    ).state;
    expect(told.phase).toEqual({ kind: 'pausing', again: 9_000 });
  });

  test('a claim of a candidate that is refused for now ends, since the election paces itself, and warns of no wait', () => {
    const candidate = claimOf(requestId('k'), { ...terms, waitMs: null, candidate: true }, at(0), 5_000);
    const refused = claimStep(candidate, { kind: 'refused', failure: BUSY }, at(0), half);
    expect([refused.state.phase.kind, refused.effects]).toEqual(['ended', [{ kind: 'failed', failure: BUSY }]]);
    expect(claimStep(candidate, look, at(60_000), half).effects).toEqual([]);
  });

  test('R12 a grant that was over on arrival is said again at once, and paced when that goes on', () => {
    let claim = claimFor('');
    const pauses: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      claim = claimStep(claim, { kind: 'stale-grant' }, at(0), () => 0.999_999).state;
      if (claim.phase.kind === 'pausing') pauses.push(Math.round(claim.phase.again));
    }
    expect(pauses).toEqual([0, 50, 100, 200]);
  });
});
