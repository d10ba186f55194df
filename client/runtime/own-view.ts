import type { AcquireTerms } from '../core/types.ts';
import type { Inside } from './inside.ts';
import type { Held } from './lease.ts';
import type { LeaseView } from './public-view.ts';
import { sinceMs } from './view.ts';

/** Of whoever leads by a lease of this client, which knows more of it than any view that comes. */
export function ownView(inside: Inside, { name }: AcquireTerms, held: Held, seen: LeaseView | null): LeaseView {
  const { label, metadata, runner, names } = inside;
  const {
    lease,
    lease: { fencingToken, mode },
  } = held;
  const { core } = runner();
  const { state } = runner().lease(held.key) ?? {};
  const me = {
    label,
    metadata,
    // Whoever holds has been welcomed.
    session: core.session ?? '',
    fencingToken,
    mode,
    get heldForMs() {
      return sinceMs(held.granted);
    },
    get remainingMs() {
      return Math.floor(lease.remainingMs);
    },
    get ceilingLeftMs() {
      return Math.floor(lease.ceilingLeftMs);
    },
  };
  return {
    name: names.short(name),
    holders: [me],
    queue: seen?.queue ?? 0,
    // A copy: the core's own must not change by what people do with this one.
    state: state === undefined ? null : structuredClone(state),
    lastFencingToken: fencingToken,
  };
}
