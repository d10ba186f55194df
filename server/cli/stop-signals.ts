import type { Io } from './io.ts';

/**
 * A service manager signals every process of a group, and npm hands its own on: the same signal once more so soon after
 * the first is its copy, not somebody's second wish.
 */
const COPY_WITHIN_MS = 500;

export interface StopSignals {
  readonly first: Promise<number>;
  readonly second: Promise<number>;
}

/** Hears from the very start: process 1 is sent no signal that it has no handler for. The third one ends the process. */
export function stopSignals(io: Io, now = (): number => performance.now()): StopSignals {
  let count = 0;
  let first = { signal: 0, at: -Infinity };
  let tellFirst: (signal: number) => void = () => undefined;
  let tellSecond: (signal: number) => void = () => undefined;
  const told = {
    first: new Promise<number>((resolve) => (tellFirst = resolve)),
    second: new Promise<number>((resolve) => (tellSecond = resolve)),
  };
  io.onSignal((signal) => {
    const at = now();
    if (signal === first.signal && at - first.at < COPY_WITHIN_MS) return;
    count += 1;
    if (count === 1) {
      first = { signal, at };
      tellFirst(signal);
    } else if (count === 2) tellSecond(signal);
    else io.exit(128 + signal);
  });
  return told;
}
