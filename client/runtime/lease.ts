import type { RequestId } from '../../shared/ids.ts';
import type { Json } from '../../shared/json.ts';
import type { ClientEvent, LeaseNews, LeaseSnapshot, Outcome, Reference } from '../core/types.ts';
import { LeaseError, LeaseLostError, LeaseReleasedError } from './errors.ts';
import { makeListeners } from './listeners.ts';
import { jsonCopy, type Rules } from './options.ts';
import { stamp } from './platform.ts';
import type { Lease, LeaseEvents, LeaseSnapshot as PublicSnapshot } from './public-lease.ts';
import type { OutcomeOf, Runner } from './runner.ts';
import { makeStore, type Store } from './store.ts';

const EVENTS: Rules<LeaseEvents> = {
  renewed: 'function',
  'at-risk': 'function',
  recovered: 'function',
  'ceiling-near': 'function',
  'yield-requested': 'function',
  lost: 'function',
  released: 'function',
};

/** Marks a promise as looked after: who wants its rejection awaits it, and nobody else dies of it. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** A lease as the client keeps it, from its grant to its end. People have the handle that `leaseOf` makes of it. */
export class Held {
  readonly key: RequestId;
  /** A lent one from then on where it has given away what may be all that its owner keeps. */
  lease: Lease;
  readonly granted = stamp();
  readonly controller = new AbortController();
  readonly listeners;
  readonly store: Store<PublicSnapshot>;
  readonly #runner: Runner;
  #last: LeaseSnapshot;
  /** The state that the store has a copy of. */
  #shown: LeaseSnapshot['state'];
  /** Called at its end before anybody else hears of it: an election changes its status first. */
  ending: (() => void) | null = null;
  /** How it ended; null while it goes on. */
  ended: LeaseLostError | LeaseReleasedError | null = null;
  /** The end that a reading found before anybody was told. */
  #foreseen: LeaseLostError | LeaseReleasedError | null = null;

  constructor(runner: Runner, key: RequestId, first: LeaseSnapshot, failed: (cause: unknown) => void) {
    this.key = key;
    this.listeners = makeListeners<LeaseEvents>(EVENTS, failed);
    this.#runner = runner;
    this.#last = first;
    const { status, ttlMs, state } = first;
    this.#shown = state;
    this.store = makeStore<PublicSnapshot>({ status, ttlMs, state: valueOf(state), error: null }, failed);
    this.lease = leaseOf(this, first);
  }

  /** A handle that only its owner keeps: once it is garbage, nobody but the client knows of the lease. */
  handle(): Lease {
    return leaseOf(this, this.#last);
  }

  /** What is true now, and tells it. A lease that is over stays as it was when it ended. */
  look(): LeaseSnapshot {
    if (this.ended === null) this.#runner.handle({ kind: 'wake' });
    // It may have ended in that very look.
    if (this.ended === null) this.#last = this.#runner.lease(this.key) ?? this.#last;
    this.#show();
    return this.#last;
  }

  /** The same, without a word to anybody: whoever listens hears of it behind this turn, as React's render wants it. */
  peek(): LeaseSnapshot {
    if (this.ended === null) {
      const last = (this.#last = this.#runner.lease(this.key) ?? this.#last);
      if (last.status === 'lost') this.#foreseen ??= this.#lost(last.lossCode ?? 'expired', last.attempts);
      if (last.status === 'released') this.#foreseen ??= this.#released();
    }
    if (this.store.put(this.#changed())) queueMicrotask(() => this.look());
    return this.#last;
  }

  /** Over by now, whether anybody has been told or not. */
  get isOver(): boolean {
    this.peek();
    return (this.ended ?? this.#foreseen) !== null;
  }

  snapshot(): PublicSnapshot {
    this.peek();
    return this.store.get();
  }

  news(told: LeaseNews): void {
    this.#last = this.#runner.lease(this.key) ?? this.#last;
    if (told.kind !== 'lost' && told.kind !== 'released') {
      this.#show();
      return this.listeners.emit(told.kind, told);
    }
    this.#last = { ...this.#last, status: told.kind, remainingMs: 0, ceilingLeftMs: 0 };
    // What a reading has found already is the same object to those who are told.
    this.ended = this.#foreseen ?? (told.kind === 'lost' ? this.#lost(told.code, told.attempts) : this.#released());
    this.ending?.();
    this.controller.abort(this.ended);
    this.#show();
    this.listeners.emit(told.kind, this.ended);
  }

  /** Aborts the signal while the lease goes on: the client is closing. */
  stop(): void {
    this.controller.abort(this.#lost('closed', [], false));
  }

  /** Asks the core something of this lease; a lease that is over refuses with the reason of its end. */
  async ask<K extends Outcome['kind']>(event: (reference: Reference) => ClientEvent): Promise<OutcomeOf<K>> {
    this.look();
    if (this.ended !== null) throw this.ended;
    return this.#runner.ask<K>(event).catch((error: unknown) => {
      throw this.ended ?? error;
    });
  }

  giveBack(handOver: boolean): Promise<OutcomeOf<'released'>> {
    return this.ask((reference) => ({ kind: 'release', key: this.key, reference, handOver }));
  }

  /** To those who subscribed. */
  #show(): void {
    this.store.update(this.#changed());
  }

  /** A state is copied once, so that it stays the same object while it is the same state. */
  #changed(): Partial<PublicSnapshot> {
    const { status, ttlMs, state } = this.#last;
    const value = state === this.#shown ? {} : { state: valueOf(state) };
    this.#shown = state;
    return { status, ttlMs, error: this.ended ?? this.#foreseen, ...value };
  }

  #released(): LeaseReleasedError {
    return new LeaseReleasedError(`lease "${this.#last.name}" was released`);
  }

  #lost(code: LeaseLostError['code'], attempts: LeaseLostError['attempts'], mayGoOn = true): LeaseLostError {
    const { name, fencingToken } = this.#last;
    const tried = attempts.map(({ agoMs, outcome }) => `${outcome} ${Math.round(agoMs)} ms before`).join(', ');
    // Closed, but not the client: the page it lives in was put away.
    const away = mayGoOn && code === 'closed' && this.#runner.core.status !== 'closed';
    const why = away ? '; the page was put away, and the client connects again when it is shown' : '';
    const message = `lease "${name}" with token ${fencingToken} is lost: ${code}${why}${tried && `; last renewals: ${tried}`}. Stop its work; acquire again if need be`;
    return new LeaseLostError(
      { code, message, retryable: away || (code !== 'revoked' && code !== 'closed') },
      attempts,
    );
  }
}

const valueOf = (state: LeaseSnapshot['state']): Json | undefined => structuredClone(state?.value);

/** The handle. Its methods need no `this`, so that they can be passed on. */
function leaseOf(held: Held, { name, fencingToken }: LeaseSnapshot): Lease {
  const { key, controller, listeners } = held;
  const release = (): Promise<boolean> =>
    held.giveBack(false).then(
      ({ released }) => released,
      () => false,
    );
  // Its methods see it, so that one that was passed on keeps it from being garbage.
  const lease: Lease = {
    name,
    fencingToken,
    protected: true,
    mode: 'exclusive',
    get ttlMs() {
      return held.peek().ttlMs;
    },
    get status() {
      return held.peek().status;
    },
    get remainingMs() {
      return held.peek().remainingMs;
    },
    get ceilingLeftMs() {
      return held.peek().ceilingLeftMs;
    },
    get state() {
      return valueOf(held.peek().state);
    },
    get signal() {
      held.lease = lease;
      held.look();
      return controller.signal;
    },
    assertHeld: () => assertHeld(held),
    setState: (value) => quiet(setState(held, value)),
    renew: () =>
      quiet(held.ask((reference) => ({ kind: 'renew', key, reference })).then(() => held.look().remainingMs)),
    release,
    handOver: () => quiet(handOverOf(held)),
    on(event, listener) {
      held.lease = lease;
      return listeners.on(event, listener);
    },
    subscribe: held.store.subscribe,
    getSnapshot: () => held.snapshot(),
    [Symbol.asyncDispose]: () => release().then(() => undefined),
  };
  return lease;
}

function assertHeld(held: Held): void {
  const { status, name } = held.look();
  if (held.ended !== null) throw held.ended;
  const message = `lease "${name}" is at risk; start nothing new until it has recovered`;
  if (status !== 'held') throw new LeaseError({ code: 'at-risk', message, retryable: true });
}

async function handOverOf(held: Held): Promise<void> {
  const { released, code = 'nobody-waiting' } = await held.giveBack(true);
  const message = `lease "${held.look().name}" was not handed over: nobody waits for it; it is kept`;
  if (!released) throw new LeaseError({ code, message });
}

async function setState(held: Held, given: Json | undefined): Promise<number> {
  // Copied now: the core may have to say it again when the caller has long changed it.
  const value = jsonCopy('state', given);
  const { key } = held;
  const outcome = await held.ask<'state-set'>((reference) => ({
    kind: 'set-state',
    key,
    reference,
    value,
    ifVersion: undefined,
  }));
  // Whoever subscribed hears of it now.
  held.look();
  return outcome.version;
}
