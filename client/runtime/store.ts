import { makeListeners } from './listeners.ts';

/** What `subscribe` and `getSnapshot` stand on (the shape of React's `useSyncExternalStore`). */
export interface Store<S extends object> {
  /** The same object for as long as nothing in it changes. */
  readonly get: () => S;
  /** Puts in what differs, compared field by field with `Object.is`, and tells nobody; true if anything did. */
  readonly put: (changed: Partial<S>) => boolean;
  /** The same, and tells the listeners whatever they have not been told. */
  readonly update: (changed: Partial<S>) => void;
  /** Returns what takes the listener away again. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** `failed` hears what a listener throws, which stops no other. */
export function makeStore<S extends object>(first: S, failed: (cause: unknown) => void): Store<S> {
  const { on, emit } = makeListeners<{ readonly change: undefined }>({ change: 'function' }, failed);
  let snapshot = Object.freeze(first);
  let told = first;
  const put = (changed: Partial<S>): boolean => {
    // Its keys are those of S, though `Object.keys` says text.
    const keys = Object.keys(changed) as (keyof S)[];
    if (keys.every((key) => Object.is(snapshot[key], changed[key]))) return false;
    snapshot = Object.freeze({ ...snapshot, ...changed });
    return true;
  };
  return {
    get: () => snapshot,
    put,
    update(changed) {
      put(changed);
      if (told === snapshot) return;
      told = snapshot;
      emit('change', undefined);
    },
    subscribe: (listener) => on('change', listener),
  };
}
