import type { Happening } from './happenings.ts';

/** Older ones are forgotten: an hour of tabs that take turns every few seconds. */
const MOST = 2_000;

/** Everything that this page knows to have happened in any tab, in order of time. */
export class Chronicle {
  readonly #known = new Set<string>();
  #list: readonly Happening[] = [];

  get list(): readonly Happening[] {
    return this.#list;
  }

  /** Returns those that were new. */
  add(happenings: readonly Happening[]): readonly Happening[] {
    const fresh = happenings.filter((one) => {
      const id = idOf(one);
      if (this.#known.has(id)) return false;
      this.#known.add(id);
      return true;
    });
    if (fresh.length === 0) return fresh;
    this.#list = [...this.#list, ...fresh].toSorted(inOrder).slice(-MOST);
    return fresh;
  }
}

const idOf = ({ tab, number }: Happening): string => `${tab} ${number}`;

/** By time; what one tab wrote in the same millisecond stays as it wrote it. */
export const inOrder = (a: Happening, b: Happening): number =>
  a.atMs - b.atMs || a.tab.localeCompare(b.tab) || a.number - b.number;
