import { fencingToken, type FencingToken } from './ids.ts';
import { TOKEN_AHEAD_S_MAX, TOKEN_LIFT_MAX, TOKENS_PER_SECOND } from './limits.ts';
import type { WallMs } from './time.ts';

/** The floor counts only from here, the time of writing, to 20 years after: outside of it the wall clock is wrong (R17). */
const FLOOR_FROM_S = Date.UTC(2026, 10, 1) / 1_000;
const FLOOR_UNTIL_S = FLOOR_FROM_S + 20 * 366 * 86_400;

const unixSeconds = (now: WallMs): number => Math.floor(now / 1_000);
const wallIsCredible = (seconds: number): boolean => seconds >= FLOOR_FROM_S && seconds <= FLOOR_UNTIL_S;

/**
 * The mark with which a run starts, so that its first token is larger than any that an earlier run granted (S2). To the
 * millisecond: a journal may be replaced, and its coordinator started again, within one second.
 */
export function markAtStart(persisted: FencingToken, now: WallMs): FencingToken {
  const seconds = unixSeconds(now);
  const within = Math.floor(((now - seconds * 1_000) * TOKENS_PER_SECOND) / 1_000);
  const floor = wallIsCredible(seconds) ? seconds * TOKENS_PER_SECOND + within : 0;
  return fencingToken(Math.max(persisted, Math.min(floor, TOKEN_LIFT_MAX) - 1, 0));
}

/** Whether a token that a session showed may lift the mark (S2, R17). */
export function mayLift(shown: FencingToken, now: WallMs): boolean {
  const seconds = unixSeconds(now);
  if (!wallIsCredible(seconds)) return false;
  return shown <= Math.min((seconds + TOKEN_AHEAD_S_MAX) * TOKENS_PER_SECOND, TOKEN_LIFT_MAX);
}

export const nextToken = (mark: FencingToken): FencingToken => fencingToken(mark + 1);
