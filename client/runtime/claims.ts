import type { RequestId } from '../../shared/ids.ts';
import type { AcquireTerms, Failure } from '../core/types.ts';
import { errorOf, LeaseError } from './errors.ts';
import { Held } from './lease.ts';
import { guarded } from './listeners.ts';
import type { AcquireOptions } from './public-options.ts';
import type { Runner, Told } from './runner.ts';

/** Whoever asked for a claim: told in the very turn in which the core says it. */
export interface Claimant {
  readonly granted: (held: Held) => void;
  readonly failed: (failure: Failure) => void;
  /** The lease has ended, and everybody who listens to it has heard so. */
  readonly over?: () => void;
}

interface Entry {
  readonly options: AcquireOptions;
  readonly claimant: Claimant;
  held: Held | null;
}

/** Every claim and lease of one client, by the key that the core knows it by. */
export class Claims {
  readonly #runner: () => Runner;
  readonly #failed: (cause: unknown) => void;
  readonly #entries = new Map<RequestId, Entry>();
  readonly #renewWhile = new Map<RequestId, () => boolean>();

  constructor(runner: () => Runner, failed: (cause: unknown) => void) {
    this.#runner = runner;
    this.#failed = failed;
  }

  claim(terms: AcquireTerms, options: AcquireOptions): Promise<Held> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const key = this.newKey(terms);
      const withdraw = (): void => {
        // Whatever the owner of the signal gave it, an Error or not.
        reject(signal?.reason as Error);
        this.withdraw(key);
      };
      const settled = (): void => signal?.removeEventListener('abort', withdraw);
      signal?.addEventListener('abort', withdraw);
      this.open(key, terms, options, {
        granted: (held) => {
          settled();
          resolve(held);
        },
        failed: (failure) => {
          settled();
          reject(errorOf(failure));
        },
      });
    });
  }

  newKey({ name }: Pick<AcquireTerms, 'name'>): RequestId {
    return this.#runner().core.keyFor(name);
  }

  /** Its end may come before this returns. */
  open(key: RequestId, terms: AcquireTerms, options: AcquireOptions, claimant: Claimant): void {
    this.#entries.set(key, { options, claimant, held: null });
    this.#runner().handle({ kind: 'acquire', key, terms });
  }

  /** Without a word to its claimant. */
  withdraw(key: RequestId): void {
    this.#entries.delete(key);
    this.#runner().handle({ kind: 'withdraw', key });
  }

  tell(effect: Extract<Told, { readonly kind: 'claim' | 'queued' | 'lease' }>): void {
    const { key } = effect;
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const { options, claimant } = entry;
    if (effect.kind === 'queued') return guarded(() => options.onQueued?.(effect), this.#failed);
    if (effect.kind === 'lease') {
      const isOver = effect.news.kind === 'lost' || effect.news.kind === 'released';
      if (isOver) this.#forget(key);
      entry.held?.news(effect.news);
      if (isOver) claimant.over?.();
    } else if (effect.outcome.kind === 'granted') {
      entry.held = this.#grant(key, options);
      claimant.granted(entry.held);
    } else {
      this.#forget(key);
      claimant.failed(effect.outcome.failure);
    }
  }

  #forget(key: RequestId): void {
    this.#entries.delete(key);
    this.#renewWhile.delete(key);
  }

  /** Asks each `renewWhile`; one that says no, or throws, has said its last. */
  askRenewWhile(): void {
    for (const [key, renewWhile] of this.#renewWhile) {
      let goOn = false;
      guarded(() => (goOn = renewWhile()), this.#failed);
      if (goOn) continue;
      this.#renewWhile.delete(key);
      this.#runner().handle({ kind: 'stop-renewing', key });
    }
  }

  #grant(key: RequestId, { renewWhile }: AcquireOptions): Held {
    const runner = this.#runner();
    const first = runner.lease(key);
    if (first === null) throw new LeaseError({ code: 'internal', message: 'a grant without a lease' });
    if (renewWhile !== undefined) this.#renewWhile.set(key, renewWhile);
    return new Held(runner, key, first, this.#failed);
  }
}
