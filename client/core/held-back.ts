import { durationMs, type DurationMs } from '../../shared/time.ts';

/**
 * Chromium holds a WebSocket back before it dials, for a random time of 1 to 5 s divided by 2 for each failure that is
 * missing from 16 (services/network/websocket_throttler.cc, and measured). It counts the dials of the whole renderer
 * process, of the last 3 to 6 minutes: failures, divided by the successes and one, and those under way.
 */
const HELD_BACK_MS_MAX = 5_000;
const COUNTS_MAX = 16;
/** What other tabs and clients of the process, which nobody knows of, may add. */
const OF_OTHERS = 4;

/** How long it may keep the dial that follows so many failures in a row; a page is told nothing of it. */
export const heldBackMs = (failures: number): DurationMs =>
  durationMs(Math.floor(HELD_BACK_MS_MAX / 2 ** Math.max(0, COUNTS_MAX - OF_OTHERS - failures)));
