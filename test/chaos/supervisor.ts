import type { Bench } from '../real/support/bench.ts';
import type { CoordinatorOptions, CoordinatorProcess } from '../real/support/coordinator-process.ts';
import { sleep } from '../real/support/waiting.ts';
import { forgetFaketimeOf } from './wall-clock.ts';

const AGAIN_MS = 250;
/** No fault lasts that long. */
const GIVES_UP_MS = 90_000;

/** Keeps one coordinator running, as an init system does: one that ends, or cannot start yet, is started again. */
export class Supervisor {
  readonly bench: Bench;
  /** What no fault explains, in words. */
  readonly found: string[] = [];
  /** Starts that the machine did not allow: the disk was full. */
  refusedStarts = 0;
  starts = 0;
  hasGivenUp = false;
  readonly #options: CoordinatorOptions;
  #coordinator: CoordinatorProcess;
  readonly #all: CoordinatorProcess[] = [];
  #isMeant = false;

  private constructor(bench: Bench, options: CoordinatorOptions, coordinator: CoordinatorProcess) {
    this.bench = bench;
    this.#options = options;
    this.#coordinator = coordinator;
    this.#take(coordinator);
  }

  static async start(bench: Bench, options: CoordinatorOptions): Promise<Supervisor> {
    return new Supervisor(bench, options, await bench.coordinator(options));
  }

  get coordinator(): CoordinatorProcess {
    return this.#coordinator;
  }

  /** All that the coordinators said on standard error, in the order of their starts. */
  get said(): string {
    return this.#all.map(({ stderr }) => stderr).join('\n');
  }

  /** SIGKILL; started again after `downMs`, or as soon as it can be. */
  async kill(downMs: number): Promise<void> {
    this.#isMeant = true;
    await this.#coordinator.kill();
    await sleep(downMs);
    await this.#again();
  }

  async #again(): Promise<void> {
    const until = performance.now() + GIVES_UP_MS;
    for (;;) {
      const next = this.bench.spawnCoordinator({ ...this.#options, port: this.#coordinator.port });
      try {
        await next.ready();
        this.#take(next);
        return;
      } catch (error) {
        await next.kill();
        this.refusedStarts += 1;
        if (performance.now() > until) {
          this.hasGivenUp = true;
          this.found.push(`the coordinator does not start any more: ${String(error)}`);
          return;
        }
        await sleep(AGAIN_MS);
      }
    }
  }

  #take(coordinator: CoordinatorProcess): void {
    this.#coordinator = coordinator;
    this.#all.push(coordinator);
    this.starts += 1;
    this.#isMeant = false;
    void this.#ended(coordinator);
  }

  async #ended(coordinator: CoordinatorProcess): Promise<void> {
    const { code, signal } = await coordinator.exit;
    forgetFaketimeOf(coordinator.pid);
    if (this.#isMeant) return;
    const last = coordinator.stderr.split('\n').slice(-3).join(' | ');
    this.found.push(`the coordinator ended by itself with ${code ?? signal}: ${last}`);
    this.#isMeant = true;
    await this.#again();
  }

  /** From now on its end is meant. */
  stop(): void {
    this.#isMeant = true;
  }
}
