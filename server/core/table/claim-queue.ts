import type { Claim } from './model.ts';
import { SortedList } from './sorted-list.ts';

/** The order of grants: who has stolen, then priority, then arrival (S8). Its parts change only outside of a queue. */
export const compareClaims = (a: Claim, b: Claim): number =>
  b.head - a.head || b.terms.priority - a.terms.priority || a.arrival - b.arrival;

/**
 * The claims that wait for one name. Those that can be told of a grant are kept apart, so that a release finds the
 * next one at once, however many silent ones stand before it; each of those is passed over once in a silence.
 */
export class ClaimQueue {
  readonly #all = new SortedList(compareClaims);
  readonly #awake = new SortedList(compareClaims);
  readonly #silent = new SortedList(compareClaims);

  get size(): number {
    return this.#all.size;
  }

  /** The first one that can be told of its grant. */
  get next(): Claim | null {
    return this.#awake.first;
  }

  /** The highest priority among those that can be told of their grant; null where there are none. */
  get highest(): number | null {
    let highest: number | null = null;
    for (const { head, terms } of this.#awake) {
      highest = Math.max(highest ?? terms.priority, terms.priority);
      // Only those that have stolen stand out of that order.
      if (head === 0) break;
    }
    return highest;
  }

  add(claim: Claim): void {
    this.#all.insert(claim);
    this.#listOf(claim)?.insert(claim);
  }

  remove(claim: Claim): void {
    if (!this.#all.remove(claim))
      throw new Error(`claim ${claim.terms.request} is not in the queue of ${claim.entry.name}`);
    this.#listOf(claim)?.remove(claim);
  }

  stand(claim: Claim, standing: Claim['standing']): void {
    if (claim.standing === standing) return;
    this.#listOf(claim)?.remove(claim);
    claim.standing = standing;
    this.#listOf(claim)?.insert(claim);
  }

  positionOf(claim: Claim): number {
    return this.#all.countBefore(claim);
  }

  /** The next silent claim before `next`, or any when nobody is awake, that was not yet passed over in this silence. */
  passOver(next: Claim | null): Claim | null {
    const silent = this.#silent.first;
    if (silent === null || (next !== null && compareClaims(silent, next) > 0)) return null;
    this.stand(silent, 'probed');
    return silent;
  }

  [Symbol.iterator](): Iterator<Claim> {
    return this.#all[Symbol.iterator]();
  }

  #listOf(claim: Claim): SortedList<Claim> | null {
    if (claim.standing === 'awake') return this.#awake;
    return claim.standing === 'silent' ? this.#silent : null;
  }
}
