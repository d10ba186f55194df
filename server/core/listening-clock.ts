import { LISTENING_STEP_MS } from '../../shared/limits.ts';
import { between, later, listeningMs, type ListeningMs, type MonoMs } from '../../shared/time.ts';

/**
 * The coordinator's own time (S9): it counts only while the process was able to read its sockets. Each reading adds at
 * most one step; what a stall took beyond it is gone for good and never caught up (R6). So it is never ahead of real
 * time, and every deadline on it is safe for those who count real time.
 */
export interface ListeningClock {
  readonly read: (mono: MonoMs) => ListeningMs;
}

export function listeningClock(start: MonoMs): ListeningClock {
  let seen = start;
  let reading = listeningMs(0);
  return {
    read(mono) {
      const elapsed = between(seen, mono);
      // A monotonic clock does not go back; if one does, neither the reading nor what was seen follows it.
      if (elapsed <= 0) return reading;
      seen = mono;
      reading = later(reading, Math.min(LISTENING_STEP_MS, elapsed));
      return reading;
    },
  };
}
