import type { LeaseName, RequestId, SessionId } from '../../../shared/ids.ts';
import type { DurationMs } from '../../../shared/time.ts';
import type { Claim, Holder, SessionEntry } from './model.ts';

/** What each session holds and waits for. A session with nothing is not kept. */
export class SessionIndex {
  readonly #sessions = new Map<SessionId, SessionEntry>();

  find(id: SessionId): SessionEntry | null {
    return this.#sessions.get(id) ?? null;
  }

  ensure(id: SessionId): SessionEntry {
    const found = this.#sessions.get(id);
    if (found !== undefined) return found;
    const made: SessionEntry = { id, silent: false, leases: new Map(), claims: new Map() };
    this.#sessions.set(id, made);
    return made;
  }

  lease(id: SessionId, request: RequestId): Holder | null {
    return this.#sessions.get(id)?.leases.get(request) ?? null;
  }

  claim(id: SessionId, request: RequestId): Claim | null {
    return this.#sessions.get(id)?.claims.get(request) ?? null;
  }

  addLease(holder: Holder): void {
    this.ensure(holder.terms.session).leases.set(holder.terms.request, holder);
  }

  addClaim(claim: Claim): void {
    this.ensure(claim.terms.session).claims.set(claim.terms.request, claim);
  }

  removeLease({ terms }: Holder): void {
    this.#remove(terms.session, (session) => session.leases.delete(terms.request));
  }

  removeClaim({ terms }: Claim): void {
    this.#remove(terms.session, (session) => session.claims.delete(terms.request));
  }

  #remove(id: SessionId, remove: (session: SessionEntry) => void): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    remove(session);
    if (session.leases.size === 0 && session.claims.size === 0) this.#sessions.delete(id);
  }
}

/** At most `perSessionMax` are looked at, so no sum of them is kept. */
export function longestLeaseMs(session: SessionEntry | null): DurationMs | null {
  let longest: DurationMs | null = null;
  for (const { phase } of session?.leases.values() ?? []) {
    if (longest === null || phase.ttlMs > longest) longest = phase.ttlMs;
  }
  return longest;
}

export function longestClaimMs(session: SessionEntry | null): DurationMs | null {
  let longest: DurationMs | null = null;
  for (const { terms } of session?.claims.values() ?? []) {
    if (longest === null || terms.askedTtlMs > longest) longest = terms.askedTtlMs;
  }
  return longest;
}

export const sizeOf = (session: SessionEntry | null): number =>
  session === null ? 0 : session.leases.size + session.claims.size;

export const namesOf = (session: SessionEntry | null): readonly LeaseName[] =>
  [...(session?.leases.values() ?? [])].map((holder) => holder.entry.name);
