import { later, type MonoMs, type Stamp } from '../../shared/time.ts';

/**
 * One look at the client's clocks. `mono` is the monotonic clock; `real` is ahead of it by all that the wall clock
 * was seen to rise above it, since a host that slept shows as such a rise. What is over by `mono` is over; what is
 * over by `real` alone may be (R12).
 */
export interface Reading {
  readonly mono: MonoMs;
  readonly real: MonoMs;
}

/** A fall of wall against monotonic time beyond this is a step back, and rises after it count again (R12). */
const FALL_MS = 20;

const ahead = (stamp: Stamp): number => stamp.wall - stamp.mono;

/** Turns stamps into readings. Rises never shrink, and add up over steps back. */
export function makeElapsed(first: Stamp): (stamp: Stamp) => Reading {
  let top = ahead(first);
  let risenMs = 0;
  return (stamp) => {
    const now = ahead(stamp);
    risenMs += Math.max(0, now - top);
    if (now > top || now < top - FALL_MS) top = now;
    return { mono: stamp.mono, real: later(stamp.mono, risenMs) };
  };
}
