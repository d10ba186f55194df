import type { AcquireTerms } from '../core/types.ts';
import type { Inside } from './inside.ts';
import { quiet } from './lease.ts';
import { checkOptions, SIGNAL_RULES } from './options.ts';
import type { LeaseView, WatchOptions } from './public-view.ts';
import { viewOf } from './view.ts';

type Result = IteratorResult<LeaseView, undefined>;
interface Waiter {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/** `client.watch`, see there. */
export function watch(
  inside: Inside,
  name: string,
  options: WatchOptions,
): AsyncIterableIterator<LeaseView, undefined> {
  checkOptions(options, SIGNAL_RULES);
  const watching = new Watching(inside, { name: inside.names.full(name), shownAs: name }, options.signal);
  return {
    next: () => quiet(watching.next()),
    return: () => quiet(watching.leave()),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Holds nothing, no listener either, before its first `next` and after its end. */
class Watching {
  readonly #inside: Inside;
  readonly #name: Pick<AcquireTerms, 'name' | 'shownAs'>;
  readonly #signal: AbortSignal | undefined;
  readonly #waiters: Waiter[] = [];
  /** Came while nobody waited: the newest only. */
  #newest: LeaseView | null = null;
  /** Why no more will come; told once. */
  #failure: Error | null = null;
  #phase: 'new' | 'on' | 'over' = 'new';
  #unwatch: () => void = () => undefined;
  readonly #stop = (): void => this.#end(null);

  constructor(inside: Inside, name: Pick<AcquireTerms, 'name' | 'shownAs'>, signal: AbortSignal | undefined) {
    this.#inside = inside;
    this.#name = name;
    this.#signal = signal;
  }

  next(): Promise<Result> {
    if (this.#phase === 'new') this.#start();
    return new Promise((resolve, reject) => {
      if (this.#newest === null && this.#failure === null && this.#phase === 'on') {
        this.#waiters.push({ resolve, reject });
        return;
      }
      const [value, failure] = [this.#newest, this.#failure];
      this.#newest = null;
      if (value !== null) return resolve({ done: false, value });
      this.#failure = null;
      return failure === null ? resolve({ done: true, value: undefined }) : reject(failure);
    });
  }

  async leave(): Promise<Result> {
    this.#end(null);
    return { done: true, value: undefined };
  }

  #start(): void {
    this.#phase = 'on';
    if (this.#signal?.aborted === true) return this.#stop();
    this.#signal?.addEventListener('abort', this.#stop);
    this.#unwatch = this.#inside.runner().watch(
      this.#name,
      (wire) => {
        const view = viewOf(wire, this.#inside.names);
        const waiter = this.#waiters.shift();
        if (waiter === undefined) this.#newest = view;
        else waiter.resolve({ done: false, value: view });
      },
      (error) => this.#end(error),
    );
    return undefined;
  }

  /** After a failure the last view may still be taken; who leaves wants none. */
  #end(failure: Error | null): void {
    this.#signal?.removeEventListener('abort', this.#stop);
    this.#phase = 'over';
    this.#unwatch();
    if (failure === null) this.#newest = null;
    const waiters = this.#waiters.splice(0);
    const [first] = waiters;
    if (first === undefined) this.#failure = failure;
    else if (failure !== null) first.reject(failure);
    // A promise is settled once: the first one's rejection stands.
    for (const { resolve } of waiters) resolve({ done: true, value: undefined });
  }
}
