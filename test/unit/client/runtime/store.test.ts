import { describe, expect, it } from 'vitest';
import { makeStore } from '../../../../client/runtime/store.ts';

interface Shape {
  readonly status: string;
  readonly place: number | null;
}

function rig() {
  const thrown: unknown[] = [];
  const store = makeStore<Shape>({ status: 'idle', place: null }, (cause) => thrown.push(cause));
  return { store, thrown };
}

describe('a store', () => {
  it('gives the same object while nothing in it changes, and calls nobody', () => {
    const { store } = rig();
    const first = store.get();
    let calls = 0;
    store.subscribe(() => (calls += 1));
    store.update({ status: 'idle' });
    store.update({});
    store.update({ place: null });
    expect(store.get()).toBe(first);
    expect(calls).toBe(0);
  });

  it('gives another object after a change, which each listener finds there when it is called', () => {
    const { store } = rig();
    const first = store.get();
    const seen: Shape[] = [];
    store.subscribe(() => seen.push(store.get()));
    store.update({ place: Number.NaN });
    store.update({ place: Number.NaN });
    expect(seen).toEqual([{ status: 'idle', place: Number.NaN }]);
    expect(store.get()).toBe(seen[0]);
    expect(first).toEqual({ status: 'idle', place: null });
  });

  it('what is put in is there at once, and its listeners are told with the next update, once', () => {
    const { store } = rig();
    let calls = 0;
    store.subscribe(() => (calls += 1));
    expect([store.put({ place: 1 }), store.put({ place: 1 })]).toEqual([true, false]);
    expect([store.get(), Object.isFrozen(store.get()), calls]).toEqual([{ status: 'idle', place: 1 }, true, 0]);
    store.update({ place: 1 });
    store.update({ place: 1 });
    expect(calls).toBe(1);
  });

  it('calls a listener no more once it was taken away, and one that was added twice twice', () => {
    const { store } = rig();
    let calls = 0;
    const listener = (): void => void (calls += 1);
    const leave = store.subscribe(listener);
    store.subscribe(listener);
    store.update({ place: 1 });
    leave();
    store.update({ place: 2 });
    expect(calls).toBe(3);
  });

  it('hands on what a listener throws, and calls the next', async () => {
    const { store, thrown } = rig();
    let calls = 0;
    store.subscribe(() => {
      throw new Error('mine');
    });
    store.subscribe(() => (calls += 1));
    store.update({ place: 1 });
    await Promise.resolve();
    expect(calls).toBe(1);
    expect(thrown).toEqual([new Error('mine')]);
  });

  it('refuses a listener that is no function', () => {
    const { store } = rig();
    // What a program without types may do.
    const none = undefined as unknown as () => void;
    expect(() => store.subscribe(none)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  });
});
