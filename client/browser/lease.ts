import type { LeaseLostError, LeaseReleasedError } from '../runtime/errors.ts';
import type { Shell } from '../runtime/elect-browser.ts';
import type { BrowserLease, BrowserLeaseEvents, BrowserLeaseSnapshot } from '../runtime/public-browser.ts';
import type { EndCode } from './machine.ts';

/** A lease as its election keeps it. People have `lease`. */
export interface Held {
  readonly lease: BrowserLease;
  /** From here on nothing that is read of it says `held`; how it ended. */
  readonly end: (code: EndCode) => LeaseLostError | LeaseReleasedError;
  /** Tells those who listen. */
  readonly tell: () => void;
}

/** `release` gives it back, and says whether it did. */
export function holdLease(shell: Shell, release: () => Promise<boolean>): Held {
  const { name, failed, kit } = shell;
  const listeners = kit.makeListeners<BrowserLeaseEvents>({ lost: 'function', released: 'function' }, failed);
  const store = kit.makeStore<BrowserLeaseSnapshot>({ status: 'held', error: null }, failed);
  const controller = new AbortController();
  const lease: BrowserLease = {
    name,
    get status() {
      return store.get().status;
    },
    signal: controller.signal,
    assertHeld() {
      const { error } = store.get();
      if (error !== null) throw error;
    },
    release: () => (store.get().status === 'held' ? release() : Promise.resolve(false)),
    on: listeners.on,
    subscribe: store.subscribe,
    getSnapshot: store.get,
    [Symbol.asyncDispose]: () => lease.release().then(() => undefined),
  };
  return {
    lease,
    end(code) {
      const error = endOf(shell, code);
      store.put({ status: code === 'released' ? code : 'lost', error });
      return error;
    },
    tell() {
      const { error } = store.get();
      if (error === null) return;
      controller.abort(error);
      store.update({});
      if (error.code === 'released') listeners.emit('released', error);
      else listeners.emit('lost', error);
    },
  };
}

const WHY = {
  stolen: 'other code of this origin took the lock by force',
  closed: 'the page was put away or frozen, and stands again when it is back',
} as const;

function endOf({ name, kit }: Shell, code: EndCode): LeaseLostError | LeaseReleasedError {
  if (code === 'released') return new kit.LeaseReleasedError(`lease "${name}" was released`);
  const message = `lease "${name}" is lost: ${code}; ${WHY[code]}. Stop its work`;
  return new kit.LeaseLostError({ code, message, retryable: true }, []);
}
