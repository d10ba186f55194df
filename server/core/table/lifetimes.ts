import { durationMs, type DurationMs } from '../../../shared/time.ts';

/** How many leases have which ceiling: few differ, so the least is searched among them when it has gone. */
export class Lifetimes {
  readonly #counts = new Map<number, number>();
  /** `unknown` since the least one was removed. */
  #least: number | 'none' | 'unknown' = 'none';

  get least(): DurationMs | null {
    if (this.#least === 'unknown') this.#least = leastOf(this.#counts.keys());
    return this.#least === 'none' ? null : durationMs(this.#least);
  }

  add(lifeMs: number): void {
    this.#counts.set(lifeMs, (this.#counts.get(lifeMs) ?? 0) + 1);
    if (this.#least === 'none' || (this.#least !== 'unknown' && lifeMs < this.#least)) this.#least = lifeMs;
  }

  remove(lifeMs: number): void {
    const count = this.#counts.get(lifeMs);
    if (count === undefined) throw new Error(`no lease has a ceiling of ${lifeMs} ms`);
    if (count > 1) {
      this.#counts.set(lifeMs, count - 1);
      return;
    }
    this.#counts.delete(lifeMs);
    if (lifeMs === this.#least) this.#least = 'unknown';
  }
}

function leastOf(values: Iterable<number>): number | 'none' {
  let least: number | 'none' = 'none';
  for (const value of values) {
    if (least === 'none' || value < least) least = value;
  }
  return least;
}
