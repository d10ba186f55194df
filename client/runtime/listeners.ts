import { checkOptions, refused, type Rules } from './options.ts';

export interface Listeners<Events> {
  readonly on: <E extends keyof Events>(event: E, listener: (news: Events[E]) => void) => () => void;
  readonly emit: <E extends keyof Events>(event: E, news: Events[E]) => void;
}

/** Calls `work` now. What it throws, or what the promise that it returns rejects with, goes to `failed` and no further. */
export function guarded(work: () => unknown, failed: (cause: unknown) => void): void {
  new Promise((resolve) => resolve(work())).catch(failed);
}

/** Listeners in the order in which they came; one that throws stops no other. */
export function makeListeners<Events>(
  rules: Rules<Events>,
  failed: (cause: unknown, event: keyof Events) => void,
): Listeners<Events> {
  type Entry = readonly [event: keyof Events, listener: (news: never) => void];
  const entries = new Set<Entry>();
  return {
    on(event, listener) {
      // Of the event alone: an option may be undefined, a listener may not.
      checkOptions({ [event]: undefined }, rules, 'event');
      if (typeof listener !== 'function') throw refused('listener', listener, 'function');
      const entry: Entry = [event, listener];
      entries.add(entry);
      return () => void entries.delete(entry);
    },
    emit(event, news) {
      // A copy, since a listener may add others, which are not for this event; one that it removes is not called.
      const present = [...entries];
      for (const entry of present) {
        // The entry was made by `on`, which ties this listener to this event.
        if (entry[0] === event && entries.has(entry))
          guarded(
            () => entry[1](news as never),
            (cause) => failed(cause, event),
          );
      }
    },
  };
}
