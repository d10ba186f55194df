import { preferenceOf, preferenceStep, type Preference, type PreferenceEvent } from '../core/preference-machine.ts';
import type { MonoMs } from '../../shared/time.ts';

/** Whether people see this page, and when that may have changed. */
export interface Sight {
  readonly isVisible: boolean;
  /** Returns what stops following. */
  readonly follow: (changed: () => void) => () => void;
}

export const pageSight: Sight = {
  get isVisible() {
    return document.visibilityState === 'visible';
  },
  follow(changed) {
    const following = new AbortController();
    document.addEventListener('visibilitychange', changed, { signal: following.signal });
    return () => following.abort();
  },
};

/** The election that is to prefer the page in sight, and what it has of the client. */
export interface Preferring {
  readonly now: () => MonoMs;
  /** A timer that may be early; returns what stops it. */
  readonly after: (ms: number, wake: () => void) => () => void;
  /** So much above its own priority. */
  readonly amend: (above: 0 | 1) => void;
  /** Steps down, and stands again. */
  readonly resign: () => void;
}

export interface Following {
  /** What happened to the election. */
  readonly tell: (event: Exclude<PreferenceEvent, { readonly kind: 'seen' | 'due' }>) => void;
  readonly stop: () => void;
}

/** The preference machine at work. Loaded when an election wants it. */
export function preferVisible(election: Preferring, sight: Sight = pageSight): Following {
  let stopTimer = (): void => undefined;
  const first = preferenceOf(sight.isVisible);
  let preference: Preference = first.state;

  function perform(effects: typeof first.effects): void {
    for (const effect of effects) {
      if (effect.kind === 'amend') election.amend(effect.above);
      else if (effect.kind === 'wake') {
        stopTimer();
        stopTimer = election.after(effect.ms, () => step({ kind: 'due' }));
      } else election.resign();
    }
  }
  function step(event: PreferenceEvent): void {
    const { state, effects } = preferenceStep(preference, event, election.now());
    preference = state;
    perform(effects);
  }
  perform(first.effects);
  const unfollow = sight.follow(() => step({ kind: 'seen', isVisible: sight.isVisible }));
  return {
    tell: step,
    stop() {
      stopTimer();
      unfollow();
    },
  };
}
