import { requestId, type RequestId } from '../../shared/ids.ts';
import type { AcquireTerms, ClaimOutcome } from '../core/types.ts';
import { errorOf, LeaseError } from './errors.ts';
import { Held } from './lease.ts';
import { guarded } from './listeners.ts';
import type { AcquireOptions } from './public-options.ts';
import type { Runner, Told } from './runner.ts';

interface Entry {
  readonly options: AcquireOptions;
  readonly settle: (outcome: ClaimOutcome) => void;
  held: Held | null;
}

/** Every claim and lease of one client, by the key that the core knows it by. */
export class Claims {
  readonly #runner: () => Runner;
  readonly #failed: (cause: unknown) => void;
  readonly #entries = new Map<RequestId, Entry>();
  readonly #renewWhile = new Map<RequestId, () => boolean>();
  #keys = 0;

  constructor(runner: () => Runner, failed: (cause: unknown) => void) {
    this.#runner = runner;
    this.#failed = failed;
  }

  claim(terms: AcquireTerms, options: AcquireOptions): Promise<Held> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      // Unique in the session, which belongs to this instance; the core's own ids begin with `#`.
      const key = requestId(`${(this.#keys += 1)}`);
      const withdraw = (): void => {
        this.#entries.delete(key);
        // Whatever the owner of the signal gave it, an Error or not.
        reject(signal?.reason as Error);
        this.#runner().handle({ kind: 'withdraw', key });
      };
      const entry: Entry = {
        options,
        held: null,
        settle: (outcome) => {
          signal?.removeEventListener('abort', withdraw);
          if (outcome.kind === 'granted') return resolve((entry.held = this.#grant(key, options)));
          this.#entries.delete(key);
          return reject(errorOf(outcome.failure));
        },
      };
      signal?.addEventListener('abort', withdraw);
      this.#entries.set(key, entry);
      this.#runner().handle({ kind: 'acquire', key, terms });
    });
  }

  tell(effect: Extract<Told, { readonly kind: 'claim' | 'queued' | 'lease' }>): void {
    const entry = this.#entries.get(effect.key);
    if (entry === undefined) return;
    if (effect.kind === 'claim') return entry.settle(effect.outcome);
    if (effect.kind === 'queued') return guarded(() => entry.options.onQueued?.(effect), this.#failed);
    if (effect.news.kind === 'lost' || effect.news.kind === 'released') {
      this.#entries.delete(effect.key);
      this.#renewWhile.delete(effect.key);
    }
    entry.held?.news(effect.news);
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
