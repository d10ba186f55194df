import { makeListeners } from './listeners.ts';

/** What `subscribe` and `getSnapshot` stand on (the shape of React's `useSyncExternalStore`). */
export interface Store<S extends object> {
  /** The same object for as long as nothing in it changes. */
  readonly get: () => S;
  /** Puts in what differs, compared field by field with `Object.is`, and tells the listeners if anything did. */
  readonly update: (changed: Partial<S>) => void;
  /** Returns what takes the listener away again. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** `failed` hears what a listener throws, which stops no other. */
export function makeStore<S extends object>(first: S, failed: (cause: unknown) => void): Store<S> {
  const { on, emit } = makeListeners<{ readonly change: undefined }>({ change: 'function' }, failed);
  let snapshot = first;
  return {
    get: () => snapshot,
    update(changed) {
      // Its keys are those of S, though `Object.keys` says text.
      const keys = Object.keys(changed) as (keyof S)[];
      if (keys.every((key) => Object.is(snapshot[key], changed[key]))) return;
      snapshot = { ...snapshot, ...changed };
      emit('change', undefined);
    },
    subscribe: (listener) => on('change', listener),
  };
}
