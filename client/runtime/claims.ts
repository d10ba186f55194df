import type { RequestId } from '../../shared/ids.ts';
import type { AcquireTerms, ClaimOutcome } from '../core/types.ts';
import { errorOf, LeaseError } from './errors.ts';
import { makeLease, type Held } from './lease.ts';
import { guarded } from './listeners.ts';
import type { AcquireOptions } from './public-options.ts';
import type { Runner, Told } from './runner.ts';

/** Every claim and lease of one client, by the key that the core knows it by. */
export interface Claims {
  claim(terms: AcquireTerms, options: AcquireOptions): Promise<Held>;
  tell(effect: Extract<Told, { readonly kind: 'claim' | 'queued' | 'lease' }>): void;
  /** Asks each `renewWhile`; one that says no, or throws, has said its last. */
  askRenewWhile(): void;
}

interface Entry {
  readonly options: AcquireOptions;
  readonly settle: (outcome: ClaimOutcome) => void;
  held: Held | null;
}

export function makeClaims(runner: () => Runner, newKey: () => RequestId, failed: (cause: unknown) => void): Claims {
  const entries = new Map<RequestId, Entry>();
  const renewing = new Map<RequestId, () => boolean>();

  function grant(key: RequestId, options: AcquireOptions): Held {
    const snapshot = runner().lease(key);
    if (snapshot === null) throw new LeaseError({ code: 'internal', message: 'a grant without a lease' });
    if (options.renewWhile !== undefined) renewing.set(key, options.renewWhile);
    return makeLease(runner(), key, snapshot, failed);
  }

  const claim = (terms: AcquireTerms, options: AcquireOptions): Promise<Held> =>
    new Promise((resolve, reject) => {
      const { signal } = options;
      signal?.throwIfAborted();
      const key = newKey();
      const withdraw = (): void => {
        entries.delete(key);
        reject(signal?.reason);
        runner().handle({ kind: 'withdraw', key });
      };
      signal?.addEventListener('abort', withdraw);
      const entry: Entry = {
        options,
        held: null,
        settle(outcome) {
          signal?.removeEventListener('abort', withdraw);
          if (outcome.kind === 'granted') return resolve((entry.held = grant(key, options)));
          entries.delete(key);
          return reject(errorOf(outcome.failure));
        },
      };
      entries.set(key, entry);
      runner().handle({ kind: 'acquire', key, terms });
    });

  return {
    claim,
    tell(effect) {
      const entry = entries.get(effect.key);
      if (entry === undefined) return;
      if (effect.kind === 'claim') return entry.settle(effect.outcome);
      if (effect.kind === 'queued') return guarded(() => entry.options.onQueued?.(effect), failed);
      if (effect.news.kind === 'lost' || effect.news.kind === 'released') {
        entries.delete(effect.key);
        renewing.delete(effect.key);
      }
      entry.held?.news(effect.news);
    },
    askRenewWhile() {
      for (const [key, renewWhile] of renewing) {
        let goOn = false;
        guarded(() => (goOn = renewWhile()), failed);
        if (goOn) continue;
        renewing.delete(key);
        runner().handle({ kind: 'stop-renewing', key });
      }
    },
  };
}
