import type { Happened } from '../history.ts';
import { eventsOf, instant } from './reading.ts';

/** Two pings of those who wait here, and what is late. A waiter is pinged at a sixth of its window, once a second at most. */
const UNHEARD_MS_MAX = 2_500;

/** S8: nothing is granted to a waiter that is gone. */
export const grantsToNobody = (events: readonly Happened[]): readonly string[] =>
  eventsOf(events, 'granted').flatMap(({ name, token, at, unheardMs }) =>
    unheardMs <= UNHEARD_MS_MAX
      ? []
      : [
          `S8 "${name}": ${token} granted at ${instant(at)}, to whom nothing was heard of for ${unheardMs.toFixed(0)} ms`,
        ],
  );
