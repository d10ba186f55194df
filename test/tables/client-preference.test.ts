import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  preferenceOf,
  preferenceStep,
  VISIBLE_HOLD_MS,
  type Preference,
  type PreferenceEvent,
  type PreferencePhase,
} from '../../client/core/preference-machine.ts';
import { monoMs } from '../../shared/time.ts';
import { PREFERENCE_STATES, PREFERENCE_VARIATIONS } from './client-preference.states.ts';
import { rowsOf } from './client-table.ts';

const SINCE = monoMs(1_000);
const DUE = monoMs(SINCE + VISIBLE_HOLD_MS);
const PHASES: { readonly [K in PreferencePhase['kind']]: PreferencePhase } = {
  standing: { kind: 'standing' },
  leading: { kind: 'leading', since: SINCE },
  holding: { kind: 'holding', since: SINCE },
};
const isPhase = (state: string): state is PreferencePhase['kind'] => state in PHASES;
const plain = (kind: string): PreferenceEvent =>
  kind === 'elected' || kind === 'over' || kind === 'asked' || kind === 'due' ? { kind } : { kind: 'cut' };

function meet(state: string, kind: string, variation: string) {
  if (!isPhase(state)) throw new Error(state);
  const isVisible = kind === 'seen' ? variation === 'out of sight' : variation === 'in sight';
  const preference: Preference = { isVisible, phase: PHASES[state] };
  const event = kind === 'seen' ? ({ kind, isVisible: variation === 'in sight' } as const) : plain(kind);
  const now = variation.endsWith('early') ? monoMs(DUE - 1) : DUE;
  return { now, preference, step: preferenceStep(preference, event, now) };
}

const rows = rowsOf(PREFERENCE_STATES);

describe('the page in sight', () => {
  test.each(rows)('$state meets $kind $variation: $cell.why', ({ state, kind, variation, cell }) => {
    const { step } = meet(state, kind, variation);
    expect(step.state.phase.kind).toBe(cell.next);
    expect(step.effects.map((effect) => effect.kind)).toEqual(cell.effects);
  });

  test('no cell of the table is without a test', () => {
    expect(rows).toHaveLength(Object.keys(PHASES).length * Object.values(PREFERENCE_VARIATIONS).flat().length);
  });

  test('what is asked too early is done when the minimum hold is over, and not before', () => {
    const { step } = meet('leading', 'asked', 'out of sight, too early');
    expect(step.effects).toEqual([{ kind: 'wake', ms: 1 }]);
  });

  test('it begins with the priority that its page has', () => {
    expect(preferenceOf(true).effects).toEqual([{ kind: 'amend', above: 1 }]);
    expect(preferenceOf(false).effects).toEqual([{ kind: 'amend', above: 0 }]);
  });

  test('whatever happens, it makes way only out of sight, when it was asked, and after its minimum hold', () => {
    const happening = fc.tuple(
      fc.oneof(
        fc.boolean().map((isVisible): PreferenceEvent => ({ kind: 'seen', isVisible })),
        fc.constantFrom<PreferenceEvent>(
          { kind: 'elected' },
          { kind: 'over' },
          { kind: 'asked' },
          { kind: 'asked' },
          { kind: 'due' },
          { kind: 'due' },
          { kind: 'cut' },
        ),
      ),
      fc.integer({ min: 0, max: 1_500 }),
    );
    let times = 0;
    fc.assert(
      fc.property(fc.boolean(), fc.array(happening, { minLength: 20, maxLength: 60 }), (isVisible, happenings) => {
        let preference = preferenceOf(isVisible).state;
        let now = 0;
        let since = Infinity;
        let isAsked = false;
        let above = isVisible ? 1 : 0;
        for (const [event, afterMs] of happenings) {
          now += afterMs;
          if (event.kind === 'elected') [since, isAsked] = [now, false];
          if (event.kind === 'over') since = Infinity;
          if (event.kind === 'asked' && !preference.isVisible) isAsked = true;
          const { state, effects } = preferenceStep(preference, event, monoMs(now));
          preference = state;
          for (const effect of effects) {
            if (effect.kind === 'amend') ({ above } = effect);
            if (effect.kind !== 'resign') continue;
            times += 1;
            expect(now - since).toBeGreaterThanOrEqual(VISIBLE_HOLD_MS);
            expect([isAsked, state.isVisible]).toEqual([true, false]);
          }
          if (state.isVisible || event.kind === 'cut') isAsked = false;
          expect(above).toBe(state.isVisible ? 1 : 0);
        }
      }),
      { seed: 1, numRuns: 1_000 },
    );
    // The test was not empty.
    expect(times).toBeGreaterThan(50);
  });
});
