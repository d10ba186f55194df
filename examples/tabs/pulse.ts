/** No tab that runs is quiet for so long: with a connection it hears from the coordinator each second, hidden or not. */
const STILL_AFTER_MS = 2_500;
const EVERY_MS = 500;

/**
 * Knows whether this page ran. Each beat is a moment at which its code did; where there was none for long, nothing ran, and
 * nothing could tell so at the time: a tab that is frozen does not see itself freeze.
 */
export class Pulse {
  /** Called at every beat. */
  onBeat: () => void = () => undefined;
  /** Called at the first line that runs again, with when the last one before it ran. */
  onStill: (sinceMs: number) => void = () => undefined;
  #lastMs = Date.now();

  constructor() {
    setInterval(() => this.beat(), EVERY_MS);
  }

  beat(): void {
    const sinceMs = this.#lastMs;
    this.#lastMs = Date.now();
    if (this.#lastMs - sinceMs > STILL_AFTER_MS) this.onStill(sinceMs);
    this.onBeat();
  }
}
