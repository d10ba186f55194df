import type { FencingToken, SessionId } from '../../../shared/ids.ts';
import { durationMs, earliest, type DurationMs } from '../../../shared/time.ts';
import type { ClaimTerms } from '../journal-port.ts';
import type { HeldLease } from '../table-types.ts';
import type { Ending, EndingHolder, Held, HeldHolder, Holder, NameEntry } from './model.ts';
import type { Table } from './table.ts';

/** Until shared modes come, one holder a name. */
const CAPACITY = 1;

export const hasRoom = (entry: NameEntry): boolean => entry.holders.length < CAPACITY;

/** The longest life of a grant. A lease that does not renew has one window and no more. */
export const lifeMsMax = (terms: ClaimTerms, ttlMs: DurationMs): DurationMs =>
  terms.renews ? terms.maxLifetimeMs : durationMs(Math.min(terms.maxLifetimeMs, ttlMs));

/** The window of the next renewal: as asked, at most the coordinator's maximum of now, at most what is stored (R4). */
export const windowMs = (table: Table, { renews, askedTtlMs }: ClaimTerms, storedMs: DurationMs): DurationMs =>
  renews ? durationMs(Math.min(askedTtlMs, table.limits.ttlMsMax, storedMs)) : storedMs;

export function addHolder(table: Table, holder: Holder): void {
  holder.entry.holders.push(holder);
  table.sessions.addLease(holder);
  table.lifetimes.add(lifeMsMax(holder.terms, holder.phase.ttlMs));
  table.leases += 1;
}

export function removeHolder(table: Table, holder: Holder): void {
  const place = holder.entry.holders.indexOf(holder);
  if (place === -1) throw new Error(`token ${holder.fencingToken} does not hold ${holder.entry.name}`);
  holder.entry.holders.splice(place, 1);
  table.sessions.removeLease(holder);
  table.lifetimes.remove(lifeMsMax(holder.terms, holder.phase.ttlMs));
  table.deadlines.clear(holder);
  table.unheard.delete(holder);
  table.touched.add(holder.entry);
  table.leases -= 1;
}

export const isHolding = (holder: Holder): boolean => holder.entry.holders.includes(holder);

export const isHeld = (holder: Holder): holder is HeldHolder => holder.phase.kind === 'held';
export const isEnding = (holder: Holder): holder is EndingHolder => holder.phase.kind === 'ending';

/** The holder with this token of which somebody may know; a pending grant is nobody's yet. */
export function findKnown(entry: NameEntry | null, token: FencingToken): Holder | null {
  if (entry === null) return null;
  for (const holder of entry.holders) {
    if (holder.fencingToken === token) return holder.phase.kind === 'pending' ? null : holder;
  }
  return null;
}

/** The largest token of the name that is known: of a grant of this run, or else of what is stored of it. */
const newestKnown = (entry: NameEntry | null): number =>
  Math.max(entry?.lastToken ?? 0, entry?.state?.durable?.fencingToken ?? 0);

export type NotCurrent = 'expired' | 'superseded' | 'forbidden' | 'revoked' | 'stolen';

/** The held lease of `session` with this token, or why it is none (S3). */
export function findCurrent(entry: NameEntry | null, session: SessionId, token: FencingToken): HeldHolder | NotCurrent {
  const holder = findKnown(entry, token);
  if (holder === null) return token < newestKnown(entry) ? 'superseded' : 'expired';
  if (holder.terms.session !== session) return 'forbidden';
  if (isHeld(holder)) return holder;
  return holder.phase.kind === 'ending' ? holder.phase.code : 'expired';
}

export const heldLease = (table: Table, { terms, fencingToken }: Holder, phase: Held | Ending): HeldLease => ({
  session: terms.session,
  request: terms.request,
  name: terms.name,
  fencingToken,
  ttlMs: windowMs(table, terms, phase.ttlMs),
  deadline: phase.deadline,
  ceilingAt: phase.ceilingAt,
});

/** The first instant at which something happens to a held lease by itself. */
export function setDue(table: Table, holder: Holder, { deadline, nearAt }: Held): void {
  table.deadlines.set(holder, nearAt === null ? deadline : earliest(deadline, nearAt));
}
