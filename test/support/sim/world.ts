/** What a loop does first at one instant: timers, then sockets, then what waits for both. */
export type Stage = 'timer' | 'socket' | 'soon';
const STAGES: readonly Stage[] = ['timer', 'socket', 'soon'];

interface Planned {
  readonly at: number;
  readonly stage: number;
  readonly order: number;
  readonly run: () => void;
}

/** Simulated time: a heap of what happens next. Nothing else moves time, and nothing runs beside it. */
export class World {
  /** True time in ms; nobody in the simulation can read it. */
  now = 0;
  /** Events run so far, of which a broken loop makes too many. */
  steps = 0;
  #order = 0;
  readonly #heap: Planned[] = [];

  plan(at: number, run: () => void, stage: Stage = 'socket'): void {
    const heap = this.#heap;
    heap.push({ at: Math.max(at, this.now), stage: STAGES.indexOf(stage), order: (this.#order += 1), run });
    let index = heap.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) break;
      this.#swap(index, parent);
      index = parent;
    }
  }

  runUntil(until: number): void {
    for (let first = this.#heap[0]; first !== undefined && first.at <= until; first = this.#heap[0]) {
      this.#dropFirst();
      this.now = first.at;
      this.steps += 1;
      first.run();
    }
    this.now = until;
  }

  #dropFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let index = 0; ;) {
      const left = 2 * index + 1;
      const least = left + 1 < heap.length && this.#isBefore(left + 1, left) ? left + 1 : left;
      if (least >= heap.length || !this.#isBefore(least, index)) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    if (a.at !== b.at) return a.at < b.at;
    return a.stage === b.stage ? a.order < b.order : a.stage < b.stage;
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
