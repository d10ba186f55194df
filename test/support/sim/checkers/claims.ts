import type { Happened } from '../history.ts';
import { eventsOf, instant } from './reading.ts';

/** Of a wait with a limit: clocks drift, timers are late, one try takes as long as a dial. */
const SLACK_MS = 3_000;

/** S10: every claim ends, at its grant or within its wait, once nothing is in the way any more. */
export function endlessClaims(events: readonly Happened[]): readonly string[] {
  const ended = new Set(eventsOf(events, 'claim-ended').map(({ claim }) => claim));
  const calmAt = eventsOf(events, 'calm')[0]?.at ?? Infinity;
  const overAt = eventsOf(events, 'over')[0]?.at ?? 0;
  const restarts = eventsOf(events, 'restarted');
  return eventsOf(events, 'claimed').flatMap(({ claim, client, name, at, waitMs }) => {
    const isForgotten = restarts.some((restart) => restart.client === client && restart.at >= at);
    if (ended.has(claim) || isForgotten) return [];
    const dueAt = waitMs === null ? Infinity : Math.max(at, calmAt) + waitMs + SLACK_MS;
    // One without a limit waits until it is granted: whoever asked before all was calm has it in the end.
    const isLate = waitMs === null ? at < calmAt : dueAt < overAt;
    return isLate ? [`S10 ${claim} on "${name}" of ${instant(at)} never ended (wait ${waitMs ?? 'for ever'})`] : [];
  });
}
