import { performance } from 'node:perf_hooks';
import { monoMs, wallMs, type MonoMs, type WallMs } from '../../shared/time.ts';

/** Port: the event loop and its clocks. One adapter for Node below; tests turn a loop of their own by hand. */
export interface Loop {
  mono(): MonoMs;
  wall(): WallMs;
  /** Runs `job` once, not before `ms` have passed; returns what takes it back. */
  after(ms: number, job: () => void): () => void;
  /** Runs `job` once, after the sockets that are readable now have been read. */
  soon(job: () => void): void;
}

/** Times of one's own, for tests with other clocks; what is left out is the process's. */
export interface ClockOption {
  readonly mono?: () => number;
  readonly wall?: () => number;
}

/** A timer beyond this fires at once (Node keeps delays in 32 bits). */
const TIMER_MS_MAX = 2 ** 31 - 1;

export function nodeLoop(clock: ClockOption = {}): Loop {
  const mono = clock.mono ?? ((): number => performance.now());
  const wall = clock.wall ?? ((): number => Date.now());
  return {
    mono: () => monoMs(mono()),
    wall: () => wallMs(wall()),
    after: (ms, job) => {
      // Never what keeps a process alive: that is the server's part.
      const timer = setTimeout(job, Math.min(Math.ceil(ms), TIMER_MS_MAX)).unref();
      return () => clearTimeout(timer);
    },
    // libuv runs immediates right behind the poll phase, in which it has read every readable socket.
    soon: (job) => void setImmediate(job),
  };
}
