import { monoMs, wallMs, type Stamp } from '../../../shared/time.ts';
import type { Stage, World } from './world.ts';

/** Wall clocks begin at a credible time, so that tokens have their floor. */
const WALL_AT_START = Date.UTC(2027, 0, 1);

/**
 * A machine with one process: two clocks, which drift, and one loop, which can stand still. While it is paused
 * (SIGSTOP, a stall) its clocks run; while it sleeps the monotonic one stands still and the wall clock runs.
 */
export class Host {
  readonly world: World;
  #rate: number;
  #stepMs = 0;
  /** Monotonic time at `#since`, from when on it runs at the rate, or stands still. */
  #mono: number;
  #since = 0;
  #asleep = false;
  #stopped = 0;
  readonly #backlog: { readonly run: () => void; readonly stage: Stage }[] = [];
  /** Told when nothing can be read here for a while, and when it can again. */
  onSleep: (asleep: boolean) => void = () => undefined;

  constructor(world: World, rate: number, monoAtStart: number) {
    this.world = world;
    this.#rate = rate;
    this.#mono = monoAtStart;
    this.#since = world.now;
  }

  get mono(): number {
    return this.#asleep ? this.#mono : this.#mono + (this.world.now - this.#since) * this.#rate;
  }

  get stamp(): Stamp {
    return { mono: monoMs(this.mono), wall: wallMs(WALL_AT_START + this.world.now + this.#stepMs) };
  }

  get isRunning(): boolean {
    return this.#stopped === 0;
  }

  /** True time at which this host's monotonic clock has moved on by `ms`, if it does not sleep. */
  trueAfter(ms: number): number {
    return this.world.now + ms / this.#rate;
  }

  stepWall(ms: number): void {
    this.#stepMs += ms;
  }

  pause(ms: number): void {
    this.#stopped += 1;
    this.world.plan(this.world.now + ms, () => this.#goOn());
  }

  sleep(ms: number): void {
    if (this.#asleep) return;
    this.onSleep(true);
    this.#mono = this.mono;
    this.#asleep = true;
    this.#stopped += 1;
    this.world.plan(this.world.now + ms, () => {
      this.#asleep = false;
      this.#since = this.world.now;
      this.onSleep(false);
      this.#goOn();
    });
  }

  /** Runs `job` once, not before the monotonic clock has moved on by `ms`. Returns what takes it back. */
  after(ms: number, job: () => void): () => void {
    let taken = false;
    const due = this.mono + ms;
    const ring = (): void => {
      if (taken) return;
      const left = due - this.mono;
      // It slept meanwhile; or the two clocks round differently.
      if (left > 1e-6) planned = this.world.plan(this.trueAfter(left), arrive, 'timer');
      else job();
    };
    const arrive = (): void => this.do(ring, 'timer');
    let planned = this.world.plan(this.trueAfter(Math.max(0, ms)), arrive, 'timer');
    return () => {
      // It may lie in the backlog.
      taken = true;
      this.world.takeBack(planned);
    };
  }

  /** Runs `job` behind all that the loop reads at this instant. */
  soon(job: () => void): void {
    this.world.plan(this.world.now, () => this.do(job, 'soon'), 'soon');
  }

  /** Runs `job` now, or as soon as the loop goes on. */
  do(job: () => void, stage: Stage = 'socket'): void {
    if (this.isRunning) job();
    else this.#backlog.push({ run: job, stage });
  }

  #goOn(): void {
    this.#stopped -= 1;
    if (!this.isRunning) return;
    for (const { run, stage } of this.#backlog.splice(0))
      this.world.plan(this.world.now, () => this.do(run, stage), stage);
  }
}
