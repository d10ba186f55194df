import type { MonoMs } from '../../shared/time.ts';

/**
 * A candidate that is to lead while people see its page: asks with a higher priority meanwhile, and hands over to whoever
 * asks so while it is out of sight. docs/CLIENT-STATES.md has every state x event.
 */
export interface Preference {
  readonly isVisible: boolean;
  readonly phase: PreferencePhase;
}

export type PreferencePhase =
  | { readonly kind: 'standing' }
  | { readonly kind: 'leading'; readonly since: MonoMs }
  /** Out of sight and asked to yield, but it has led too briefly. */
  | { readonly kind: 'holding'; readonly since: MonoMs }
  /** Its lease is offered to the next in line; `again`: it was asked meanwhile. */
  | { readonly kind: 'handing'; readonly since: MonoMs; readonly again: boolean };

export type PreferenceEvent =
  /** The page was looked at: it may have come into sight, or have gone out of it. */
  | { readonly kind: 'seen'; readonly isVisible: boolean }
  | { readonly kind: 'elected' }
  | { readonly kind: 'over' }
  /** Somebody of a higher priority waits. */
  | { readonly kind: 'asked' }
  /** The minimum hold may be over. */
  | { readonly kind: 'due' }
  /** There was nobody to hand it to. */
  | { readonly kind: 'kept' }
  /** The connection was lost. */
  | { readonly kind: 'cut' };

export type PreferenceEffect =
  /** From now on it asks with this much above its own priority. */
  | { readonly kind: 'amend'; readonly above: 0 | 1 }
  | { readonly kind: 'wake'; readonly ms: number }
  | { readonly kind: 'hand-over' };

interface PreferenceStep {
  readonly state: Preference;
  readonly effects: readonly PreferenceEffect[];
}

/** No leader hands over earlier, however fast people switch. */
export const VISIBLE_HOLD_MS = 2_000;

export const preferenceOf = (isVisible: boolean): PreferenceStep => ({
  state: { isVisible, phase: { kind: 'standing' } },
  effects: [amend(isVisible)],
});

export function preferenceStep(preference: Preference, event: PreferenceEvent, now: MonoMs): PreferenceStep {
  const { phase } = preference;
  switch (event.kind) {
    case 'seen':
      return seen(preference, event.isVisible);
    case 'elected':
      return to(preference, { kind: 'leading', since: now });
    case 'over':
      return to(preference, { kind: 'standing' });
    case 'asked':
      // The answer to its offer may be on its way, and that no.
      if (phase.kind === 'handing') return to(preference, { ...phase, again: true });
      // Whoever is seen leads on: it will be asked again when it goes out of sight.
      return phase.kind === 'leading' && !preference.isVisible
        ? yieldFrom(preference, phase.since, now)
        : stay(preference);
    case 'due':
      return phase.kind === 'holding' ? yieldFrom(preference, phase.since, now) : stay(preference);
    case 'kept':
      if (phase.kind !== 'handing') return stay(preference);
      return phase.again && !preference.isVisible
        ? yieldFrom(preference, phase.since, now)
        : to(preference, { kind: 'leading', since: phase.since });
    case 'cut':
      // Offered without a connection it would be believed by nobody until there is one; then it is asked again.
      return stay({ ...preference, phase: unasked(phase) });
    default:
      return event satisfies never;
  }
}

const amend = (isVisible: boolean): PreferenceEffect => ({ kind: 'amend', above: isVisible ? 1 : 0 });
const stay = (state: Preference): PreferenceStep => ({ state, effects: [] });
const to = (
  preference: Preference,
  phase: PreferencePhase,
  ...effects: readonly PreferenceEffect[]
): PreferenceStep => ({ state: { ...preference, phase }, effects });

function seen(preference: Preference, isVisible: boolean): PreferenceStep {
  const { phase } = preference;
  if (isVisible === preference.isVisible) return stay(preference);
  // In sight it has the higher priority itself, so that what was asked is over.
  return { state: { isVisible, phase: unasked(phase) }, effects: [amend(isVisible)] };
}

function unasked(phase: PreferencePhase): PreferencePhase {
  if (phase.kind === 'holding') return { kind: 'leading', since: phase.since };
  return phase.kind === 'handing' ? { ...phase, again: false } : phase;
}

function yieldFrom(preference: Preference, since: MonoMs, now: MonoMs): PreferenceStep {
  const leftMs = VISIBLE_HOLD_MS - (now - since);
  // A timer may be early.
  return leftMs > 0
    ? to(preference, { kind: 'holding', since }, { kind: 'wake', ms: leftMs })
    : to(preference, { kind: 'handing', since, again: false }, { kind: 'hand-over' });
}
