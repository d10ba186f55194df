import { monoMs, wallMs } from '../../../../../shared/time.ts';
import type { Loop } from '../../../../../server/net/loop.ts';

/**
 * An event loop turned by hand, in the phases of libuv: timers that are due, then the poll phase (`arrivals`, what the
 * sockets bring), then what was asked for `soon`.
 */
export interface HandLoop extends Loop {
  /** One iteration after `ms` have passed. */
  turn(ms: number, arrivals?: () => void): void;
  /** Iterations of 1 ms until `ms` have passed. */
  pass(ms: number): void;
  readonly timers: number;
}

export function handLoop(): HandLoop {
  let now = 0;
  let timers: { readonly due: number; readonly job: () => void }[] = [];
  let jobs: (() => void)[] = [];
  const loop: HandLoop = {
    mono: () => monoMs(now),
    wall: () => wallMs(1_800_000_000_000 + now),
    after: (ms, job) => {
      const timer = { due: now + ms, job };
      timers.push(timer);
      return () => void (timers = timers.filter((one) => one !== timer));
    },
    soon: (job) => void jobs.push(job),
    turn: (ms, arrivals) => {
      now += ms;
      for (const timer of timers.filter((one) => one.due <= now).toSorted((a, b) => a.due - b.due)) {
        if (!timers.includes(timer)) continue;
        timers = timers.filter((one) => one !== timer);
        timer.job();
      }
      arrivals?.();
      const taken = jobs;
      jobs = [];
      for (const job of taken) job();
    },
    pass: (ms) => {
      for (let passed = 0; passed < ms; passed += 1) loop.turn(1);
    },
    get timers() {
      return timers.length;
    },
  };
  return loop;
}
