import { leaseName, type LeaseName } from '../../../shared/ids.ts';
import { compareBytes } from './byte-order.ts';
import type { NameEntry } from './model.ts';
import { SortedList } from './sorted-list.ts';

/** Every name of which something is known, by name and in byte order. */
export class NameIndex {
  readonly #entries = new Map<string, NameEntry>();
  readonly #ordered = new SortedList<NameEntry>((a, b) => compareBytes(a.name, b.name));

  get size(): number {
    return this.#entries.size;
  }

  find(name: LeaseName): NameEntry | null {
    return this.#entries.get(name) ?? null;
  }

  ensure(name: LeaseName): NameEntry {
    const found = this.#entries.get(name);
    if (found !== undefined) return found;
    const entry = bare(name);
    this.#entries.set(name, entry);
    this.#ordered.insert(entry);
    return entry;
  }

  /** Forgets the name if nothing is left of it; whether it did. */
  dropIfBare(entry: NameEntry): boolean {
    if (entry.holders.length > 0 || entry.queue !== null || entry.closure !== null || entry.state !== null)
      return false;
    this.#entries.delete(entry.name);
    this.#ordered.remove(entry);
    return true;
  }

  /** In byte order, those that come after `after` and begin with `prefix`. */
  *following(prefix: string, after: string): Generator<NameEntry, void, undefined> {
    // Neither text need be a possible name: an entry made of it serves to compare with.
    const from = compareBytes(prefix, after) > 0 ? prefix : after;
    for (const entry of this.#ordered.from(bare(leaseName(from)))) {
      if (!entry.name.startsWith(prefix)) return;
      if (entry.name !== after) yield entry;
    }
  }

  [Symbol.iterator](): Iterator<NameEntry> {
    return this.#entries.values();
  }
}

const bare = (name: LeaseName): NameEntry => ({
  name,
  holders: [],
  closure: null,
  queue: null,
  lastToken: null,
  state: null,
});
