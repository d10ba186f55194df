import { durationMs, later, listeningMs, type ListeningMs } from '../../../shared/time.ts';
import type { DurableEvent } from '../journal-port.ts';
import type { LeaseTable } from '../table-types.ts';
import { soonest } from './session-timers.ts';

/**
 * What a later run must know of this one's time (S5, R3): the silence of leases whose holders have not been heard from
 * since a restart, so that no number of restarts keeps a dead lease alive; and the listening time, from which ceilings
 * are counted. Nobody waits for either.
 */
export interface ListeningRecord {
  nextAt(): ListeningMs | null;
  /** What is due at `now`, to be written in the batch that is being made. */
  take(now: ListeningMs): readonly DurableEvent[];
  /** What was taken last did not become durable, or the run is about to end: all of it is due at once. */
  hurry(): void;
}

const SILENCE_EVERY_MS = 1_000;
/** The first time sooner, so that a coordinator that lives for less than a second each time is seen through, too. */
const SILENCE_FIRST_MS = 250;
const LISTENED_EVERY_MS_MIN = 1_000;
const LISTENED_EVERY_MS_MAX = 60_000;
const LIFETIME_PARTS = 20;

export function listeningRecord(table: LeaseTable, recovered: boolean): ListeningRecord {
  // A lease of an earlier run that was heard from stays heard: once there are none, there are none in this run.
  let silentAt: ListeningMs | null = recovered ? listeningMs(SILENCE_FIRST_MS) : null;
  let listenedAt = listeningMs(0);
  const listenedNextAt = (): ListeningMs | null => {
    const lifetime = table.leastLifetimeMs();
    if (lifetime === null) return null;
    return later(
      listenedAt,
      Math.max(LISTENED_EVERY_MS_MIN, Math.min(LISTENED_EVERY_MS_MAX, lifetime / LIFETIME_PARTS)),
    );
  };
  const isDue = (at: ListeningMs | null, now: ListeningMs): boolean => at !== null && at <= now;
  return {
    nextAt: () => soonest(silentAt, listenedNextAt()),
    take(now) {
      const leases = isDue(silentAt, now) ? table.unheard(now) : [];
      const listenedIsDue = leases.length > 0 || isDue(listenedNextAt(), now);
      if (isDue(silentAt, now)) silentAt = leases.length === 0 ? null : later(now, SILENCE_EVERY_MS);
      if (!listenedIsDue) return [];
      listenedAt = now;
      // Rounded up: a ceiling may come sooner by that, never later.
      const listened: DurableEvent = { kind: 'listened', listeningMs: durationMs(Math.ceil(now)) };
      return leases.length === 0 ? [listened] : [{ kind: 'silent', leases }, listened];
    },
    hurry() {
      if (silentAt !== null) silentAt = listeningMs(0);
      listenedAt = listeningMs(-LISTENED_EVERY_MS_MAX);
    },
  };
}
