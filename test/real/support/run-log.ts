import type { Entry, EntryOf, EventName } from './log.ts';
import { within } from './waiting.ts';

/** The log of a run as it grows, and a way to wait for an entry. */
export class RunLog {
  readonly entries: Entry[] = [];
  readonly #listeners = new Set<(entry: Entry) => void>();

  add(entry: Entry): void {
    this.entries.push(entry);
    for (const listener of this.#listeners) listener(entry);
  }

  /** Calls back with each entry to come, as it is read. Returns how to stop. */
  watch(listener: (entry: Entry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The first entry that matches, past or to come. */
  find<E extends EventName>(
    event: E,
    matches: (entry: EntryOf<E>) => boolean,
    ms: number,
    what: string,
  ): Promise<EntryOf<E>> {
    const fits = (entry: Entry): entry is EntryOf<E> => entry.event === event && matches(entry as EntryOf<E>); // Told apart by `event`.
    const past = this.entries.find(fits);
    if (past !== undefined) return Promise.resolve(past);
    return this.#next(fits, ms, what);
  }

  /** The next entry to come that matches. */
  next<E extends EventName>(
    event: E,
    matches: (entry: EntryOf<E>) => boolean,
    ms: number,
    what: string,
  ): Promise<EntryOf<E>> {
    return this.#next((entry): entry is EntryOf<E> => entry.event === event && matches(entry as EntryOf<E>), ms, what); // As above.
  }

  #next<T extends Entry>(fits: (entry: Entry) => entry is T, ms: number, what: string): Promise<T> {
    let listener: ((entry: Entry) => void) | undefined;
    const found = new Promise<T>((resolve) => {
      listener = (entry) => {
        if (fits(entry)) resolve(entry);
      };
      this.#listeners.add(listener);
    });
    return within(found, ms, what).finally(() => {
      if (listener !== undefined) this.#listeners.delete(listener);
    });
  }
}
