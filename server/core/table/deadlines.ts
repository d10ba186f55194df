import type { ListeningMs } from '../../../shared/time.ts';

/** When something becomes due. Moved by `Deadlines` alone. */
export interface Timer {
  due: ListeningMs;
  /** Where it stands in the heap: never after `due`. */
  key: ListeningMs;
  /** What is due at the same instant fires in the order in which it was set. */
  order: number;
  /** Index in the heap; -1 while it is not in it. */
  place: number;
}

export interface Timed {
  readonly timer: Timer;
}

export const newTimer = (at: ListeningMs): Timer => ({ due: at, key: at, order: 0, place: -1 });

/**
 * All deadlines in one heap. A deadline that moves later, as each renewal does, only changes a number: its entry is
 * moved when it comes to the top, so a lease costs the heap one step per window however often it renews.
 */
export class Deadlines<T extends Timed> {
  readonly #heap: T[] = [];
  #sets = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** When the next one is due. */
  get next(): ListeningMs | null {
    for (;;) {
      const top = this.#heap[0];
      if (top === undefined) return null;
      const { timer } = top;
      if (timer.due <= timer.key) return timer.key;
      timer.key = timer.due;
      this.#down(top, timer.place);
    }
  }

  set(item: T, due: ListeningMs): void {
    const { timer } = item;
    timer.due = due;
    if (timer.place === -1) {
      this.#sets += 1;
      timer.order = this.#sets;
      timer.key = due;
      this.#up(item, this.#heap.length);
    } else if (due < timer.key) {
      timer.key = due;
      this.#up(item, timer.place);
    }
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
    const { next } = this;
    const top = this.#heap[0];
    if (next === null || next > now || top === undefined) return null;
    this.clear(top);
    return top;
  }

  #up(item: T, from: number): void {
    let place = from;
    while (place > 0) {
      const above = this.#heap[(place - 1) >> 1];
      if (above === undefined || !isSooner(item, above)) break;
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
      if (below === null || !isSooner(below, item)) break;
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
    return isSooner(right, left) ? right : left;
  }

  #put(item: T, place: number): void {
    item.timer.place = place;
    this.#heap[place] = item;
  }
}

const isSooner = ({ timer: a }: Timed, { timer: b }: Timed): boolean =>
  a.key < b.key || (a.key === b.key && a.order < b.order);
