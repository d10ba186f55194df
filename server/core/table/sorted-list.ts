/** A run longer than this is cut in two; splicing so few items is cheaper than any tree. */
const RUN_MAX = 256;

/**
 * A list in the order of `compare`, which tells every two items apart. It is kept as runs of bounded length: finding,
 * inserting and removing cost two bisections and a short splice; an index costs a sum over the runs.
 */
export class SortedList<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #runs: T[][] = [];
  #size = 0;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  get first(): T | null {
    return this.#runs[0]?.[0] ?? null;
  }

  insert(item: T): void {
    const at = this.#runOf(item);
    const run = this.#runs[at];
    this.#size += 1;
    if (run === undefined) {
      this.#runs.push([item]);
      return;
    }
    run.splice(this.#placeIn(run, item), 0, item);
    if (run.length > RUN_MAX) this.#runs.splice(at + 1, 0, run.splice(RUN_MAX / 2));
  }

  /** False when the item is not in the list. */
  remove(item: T): boolean {
    const at = this.#runOf(item);
    const run = this.#runs[at];
    const place = run === undefined ? 0 : this.#placeIn(run, item);
    if (run === undefined || run[place] !== item) return false;
    run.splice(place, 1);
    this.#size -= 1;
    this.#shrink(at, run);
    return true;
  }

  /** How many items stand before this one, whether it is in the list itself or not. */
  countBefore(item: T): number {
    const at = this.#runOf(item);
    let count = 0;
    for (let index = 0; index < at; index += 1) count += this.#runs[index]?.length ?? 0;
    const run = this.#runs[at];
    return run === undefined ? count : count + this.#placeIn(run, item);
  }

  /** The items from `item` on; `item` itself among them when it is in the list. Not to be changed meanwhile. */
  *from(item: T): Generator<T, void, undefined> {
    const at = this.#runOf(item);
    const run = this.#runs[at];
    if (run === undefined) return;
    yield* run.slice(this.#placeIn(run, item));
    for (let index = at + 1; index < this.#runs.length; index += 1) yield* this.#runs[index] ?? [];
  }

  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (const run of this.#runs) yield* run;
  }

  /** The last run that begins at or before `item`; the first one when none does. */
  #runOf(item: T): number {
    let low = 0;
    let high = this.#runs.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      const first = this.#runs[middle]?.[0];
      if (first !== undefined && this.#compare(first, item) <= 0) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The place of the first item that does not stand before `item`. */
  #placeIn(run: readonly T[], item: T): number {
    let low = 0;
    let high = run.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = run[middle];
      if (other !== undefined && this.#compare(other, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Drops an empty run, and joins a short one with the next, so that runs stay few. */
  #shrink(at: number, run: T[]): void {
    const next = this.#runs[at + 1];
    if (run.length === 0) this.#runs.splice(at, 1);
    else if (next !== undefined && run.length + next.length <= RUN_MAX / 2) {
      run.push(...next);
      this.#runs.splice(at + 1, 1);
    }
  }
}
