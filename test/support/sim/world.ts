/** What a loop does first at one instant: timers, then sockets, then what waits for both. */
export type Stage = 'timer' | 'socket' | 'soon';
const STAGES: Readonly<Record<Stage, number>> = { timer: 0, socket: 1, soon: 2 };

export interface Planned {
  readonly at: number;
  readonly stage: number;
  readonly order: number;
  /** Null once it ran, or was taken back. */
  run: (() => void) | null;
}

/** Fewer that were taken back are not worth the sweep. */
const SWEPT_MIN = 32;

/** Simulated time: a heap of what happens next. Nothing else moves time, and nothing runs beside it. */
export class World {
  /** True time in ms; nobody in the simulation can read it. */
  now = 0;
  /** Events run so far, of which a broken loop makes too many. */
  steps = 0;
  #order = 0;
  #heap: Planned[] = [];
  /** Of the heap, how many were taken back: most timers are, long before they would ring. */
  #taken = 0;

  plan(at: number, run: () => void, stage: Stage = 'socket'): Planned {
    const planned = { at: at > this.now ? at : this.now, stage: STAGES[stage], order: (this.#order += 1), run };
    this.#add(planned);
    return planned;
  }

  takeBack(planned: Planned): void {
    if (planned.run === null) return;
    planned.run = null;
    this.#taken += 1;
    if (this.#taken > SWEPT_MIN && 2 * this.#taken > this.#heap.length) this.#sweep();
  }

  #add(planned: Planned): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(planned);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(planned, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = planned;
  }

  runUntil(until: number): void {
    for (let first = this.#heap[0]; first !== undefined && first.at <= until; first = this.#heap[0]) {
      this.#dropFirst();
      const { at, run } = first;
      if (run === null) {
        this.#taken -= 1;
        continue;
      }
      first.run = null;
      this.now = at;
      this.steps += 1;
      run();
    }
    this.now = until;
  }

  #sweep(): void {
    const left = this.#heap.filter(({ run }) => run !== null);
    this.#heap = [];
    this.#taken = 0;
    for (const planned of left) this.#add(planned);
  }

  /** The last one takes the place of the first, and goes down to where it belongs. */
  #dropFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      let least = heap[below];
      if (least === undefined) break;
      const right = heap[below + 1];
      if (right !== undefined && isBefore(right, least)) {
        below += 1;
        least = right;
      }
      if (!isBefore(least, last)) break;
      heap[index] = least;
      index = below;
    }
    heap[index] = last;
  }
}

function isBefore(a: Planned, b: Planned): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.stage === b.stage ? a.order < b.order : a.stage < b.stage;
}
