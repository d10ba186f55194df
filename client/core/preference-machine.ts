import type { MonoMs } from '../../shared/time.ts';

/**
 * A candidate that is to lead while people see its page: asks with a higher priority meanwhile, and makes way for whoever
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
  | { readonly kind: 'holding'; readonly since: MonoMs };

export type PreferenceEvent =
  /** The page was looked at: it may have come into sight, or have gone out of it. */
  | { readonly kind: 'seen'; readonly isVisible: boolean }
  | { readonly kind: 'elected' }
  | { readonly kind: 'over' }
  /** Somebody of a higher priority waits. */
  | { readonly kind: 'asked' }
  /** The minimum hold may be over. */
  | { readonly kind: 'due' }
  /** The connection was lost. */
  | { readonly kind: 'cut' };

export type PreferenceEffect =
  /** From now on it asks with this much above its own priority. */
  | { readonly kind: 'amend'; readonly above: 0 | 1 }
  | { readonly kind: 'wake'; readonly ms: number }
  /** It gives its lease to whoever waits: believes no more, then says so (R13), and stands again behind it. */
  | { readonly kind: 'resign' };

interface PreferenceStep {
  readonly state: Preference;
  readonly effects: readonly PreferenceEffect[];
}

/** No leader makes way earlier, however fast people switch. */
export const VISIBLE_HOLD_MS = 2_000;

export const preferenceOf = (isVisible: boolean): PreferenceStep => ({
  state: { isVisible, phase: { kind: 'standing' } },
  effects: [amend(isVisible)],
});

export function preferenceStep(preference: Preference, event: PreferenceEvent, now: MonoMs): PreferenceStep {
  const { isVisible, phase } = preference;
  switch (event.kind) {
    case 'seen':
      if (event.isVisible === isVisible) return stay(preference);
      // In sight it has the higher priority itself, so that what was asked is over.
      return { state: { isVisible: event.isVisible, phase: unasked(phase) }, effects: [amend(event.isVisible)] };
    case 'elected':
      return to(preference, { kind: 'leading', since: now });
    case 'over':
      return to(preference, { kind: 'standing' });
    case 'asked':
      // Whoever is seen leads on: it will be asked again when it goes out of sight.
      return phase.kind === 'leading' && !isVisible ? makeWay(preference, phase.since, now) : stay(preference);
    case 'due':
      return phase.kind === 'holding' ? makeWay(preference, phase.since, now) : stay(preference);
    case 'cut':
      // Nobody could be granted what it gives up now; behind the next welcome it is asked again.
      return to(preference, unasked(phase));
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

const unasked = (phase: PreferencePhase): PreferencePhase =>
  phase.kind === 'holding' ? { kind: 'leading', since: phase.since } : phase;

function makeWay(preference: Preference, since: MonoMs, now: MonoMs): PreferenceStep {
  const leftMs = VISIBLE_HOLD_MS - (now - since);
  // A timer may be early.
  return leftMs > 0
    ? to(preference, { kind: 'holding', since }, { kind: 'wake', ms: leftMs })
    : to(preference, { kind: 'standing' }, { kind: 'resign' });
}
