import type { ListeningMs } from '../../../shared/time.ts';

/** When something becomes due. Moved by `Deadlines` alone. */
export interface Timer {
  due: ListeningMs;
  /** What is due at the same instant fires in the order in which it was set. */
  order: number;
  /** Index in the heap; -1 while it is not in it. */
  place: number;
}

export interface Timed {
  readonly timer: Timer;
}

export const newTimer = (at: ListeningMs): Timer => ({ due: at, order: 0, place: -1 });

/**
 * All deadlines in one heap. Each thing knows its place in it, so that a renewal moves one entry and leaves no dead one
 * behind: a hundred thousand leases renewed at once cost no later turn anything.
 */
export class Deadlines<T extends Timed> {
  readonly #heap: T[] = [];
  #sets = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** When the next one is due. */
  get next(): ListeningMs | null {
    return this.#heap[0]?.timer.due ?? null;
  }

  set(item: T, due: ListeningMs): void {
    const { timer } = item;
    const isSooner = due < timer.due;
    timer.due = due;
    if (timer.place === -1) {
      this.#sets += 1;
      timer.order = this.#sets;
      this.#up(item, this.#heap.length);
    } else if (isSooner) this.#up(item, timer.place);
    else this.#down(item, timer.place);
  }

  clear(item: T): void {
    const { timer } = item;
    const { place } = timer;
    if (place === -1) return;
    timer.place = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === item) return;
    this.#up(last, place);
    this.#down(last, last.timer.place);
  }

  /** Takes out the first one that is due at `now`. */
  takeDue(now: ListeningMs): T | null {
    const top = this.#heap[0];
    if (top === undefined || top.timer.due > now) return null;
    this.clear(top);
    return top;
  }

  #up(item: T, from: number): void {
    let place = from;
    while (place > 0) {
      const above = this.#heap[(place - 1) >> 1];
      if (above === undefined || !isBefore(item, above)) break;
      const freed = above.timer.place;
      this.#put(above, place);
      place = freed;
    }
    this.#put(item, place);
  }

  #down(item: T, from: number): void {
    let place = from;
    for (;;) {
      const below = this.#soonerBelow(place);
      if (below === null || !isBefore(below, item)) break;
      const freed = below.timer.place;
      this.#put(below, place);
      place = freed;
    }
    this.#put(item, place);
  }

  #soonerBelow(place: number): T | null {
    const left = this.#heap[2 * place + 1];
    const right = this.#heap[2 * place + 2];
    if (left === undefined || right === undefined) return left ?? null;
    return isBefore(right, left) ? right : left;
  }

  #put(item: T, place: number): void {
    item.timer.place = place;
    this.#heap[place] = item;
  }
}

const isBefore = ({ timer: a }: Timed, { timer: b }: Timed): boolean =>
  a.due < b.due || (a.due === b.due && a.order < b.order);
