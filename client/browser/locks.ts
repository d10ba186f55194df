import type { Seen } from './machine.ts';

/** One request for a lock, from the call to its end. */
export interface Asked {
  /** Fulfilled when the browser has the lock back, or the request is out of its queue. */
  readonly settled: Promise<void>;
  /** Gives back the lock, or takes the request back. Nothing is told of it afterwards. */
  free(): void;
}

export interface AskedNews {
  granted(): void;
  /** The lock was held, and somebody else has it. */
  stolen(): void;
  failed(cause: unknown): void;
}

/** Requests of this module that wait, by name, in the order in which they were made: the browser tells pages apart, not them. */
type Waiting = Map<string, Asked[]>;

export class Locks {
  readonly #locks: LockManager;
  static readonly #waiting: Waiting = new Map();

  constructor(locks: LockManager) {
    this.#locks = locks;
  }

  ask(name: string, news: AskedNews): Asked {
    const withdrawing = new AbortController();
    const { signal } = withdrawing;
    let giveBack = (): void => undefined;
    const kept = new Promise<void>((resolve) => (giveBack = resolve));
    let isHeld = false;
    const settled = this.#locks
      .request(name, { signal }, () => {
        leaveQueue(asked);
        // It may have been withdrawn while the grant was on its way.
        if (signal.aborted) return undefined;
        isHeld = true;
        news.granted();
        return kept;
      })
      .catch((cause: unknown) => {
        leaveQueue(asked);
        if (signal.aborted) return;
        if (isHeld) news.stolen();
        else news.failed(cause);
      });
    const asked: Asked = {
      settled,
      free() {
        leaveQueue(asked);
        withdrawing.abort();
        giveBack();
      },
    };
    const queue = Locks.#waiting.get(name) ?? [];
    Locks.#waiting.set(name, [...queue, asked]);
    const leaveQueue = (one: Asked): void => {
      const rest = (Locks.#waiting.get(name) ?? []).filter((other) => other !== one);
      if (rest.length === 0) Locks.#waiting.delete(name);
      else Locks.#waiting.set(name, rest);
    };
    return asked;
  }

  /** What the browser says of the lock `name`. A lock of its own, `probe`, tells which client of the browser this is. */
  look(name: string, probe: string, mine: Asked | null): Promise<Seen> {
    return this.#locks.request(probe, async () => {
      const { held = [], pending = [] } = await this.#locks.query();
      const self = held.find((one) => one.name === probe)?.clientId ?? null;
      const holder = held.find((one) => one.name === name)?.clientId ?? null;
      const queue = pending.filter((one) => one.name === name);
      const own = queue.flatMap(({ clientId }, index) => (clientId === self ? [index] : []));
      const ahead = mine === null ? undefined : own[(Locks.#waiting.get(name) ?? []).indexOf(mine)];
      return { self, holder, ahead: ahead ?? null };
    });
  }
}
