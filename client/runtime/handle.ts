import type { Listeners } from './listeners.ts';
import type { Store } from './store.ts';

interface Looks {
  readonly status: unknown;
  readonly isLeader: boolean;
  readonly lease: unknown;
  readonly leader: unknown;
  readonly position: number | null;
}

/** What an election is read from and told to. */
export interface Stands<S extends Looks, Events> {
  /** What is true now. */
  look(): S;
  readonly error: Error | null;
  readonly listeners: Listeners<Events>;
  readonly store: Store<S>;
  resign(): Promise<void>;
  stop(): Promise<void>;
}

/** An election as people have it. Its methods need no `this`, so that they can be passed on. */
export const handleOf = <S extends Looks, Events>(name: string, candidacy: Stands<S, Events>) => ({
  name,
  get status(): S['status'] {
    return candidacy.look().status;
  },
  get isLeader() {
    return candidacy.look().isLeader;
  },
  get lease(): S['lease'] {
    return candidacy.look().lease;
  },
  get leader(): S['leader'] {
    return candidacy.look().leader;
  },
  get position() {
    return candidacy.look().position;
  },
  get error() {
    return candidacy.error;
  },
  on: candidacy.listeners.on,
  resign: () => candidacy.resign(),
  stop: () => candidacy.stop(),
  subscribe: candidacy.store.subscribe,
  getSnapshot: () => candidacy.look(),
  [Symbol.asyncDispose]: () => candidacy.stop(),
});
