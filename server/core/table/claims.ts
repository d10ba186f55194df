import { later, type ListeningMs } from '../../../shared/time.ts';
import type { ClaimTerms } from '../journal-port.ts';
import { ClaimQueue } from './claim-queue.ts';
import { newTimer } from './deadlines.ts';
import type { Claim, NameEntry } from './model.ts';
import { claimEnded } from './outbox.ts';
import type { Table } from './table.ts';

export function newClaim(
  table: Table,
  entry: NameEntry,
  terms: ClaimTerms,
  waitMs: number | null,
  now: ListeningMs,
): Claim {
  table.arrivals += 1;
  return {
    kind: 'claim',
    entry,
    terms,
    arrival: table.arrivals,
    head: 0,
    standing: 'awake',
    once: waitMs === 0,
    waitUntil: waitMs === null ? null : later(now, waitMs),
    stored: false,
    timer: newTimer(now),
  };
}

/** Into the queue, at the place that its order gives it. */
export function enqueue(table: Table, claim: Claim): void {
  const { entry } = claim;
  claim.standing = table.sessions.find(claim.terms.session)?.silent === true ? 'silent' : 'awake';
  entry.queue ??= new ClaimQueue();
  entry.queue.add(claim);
  table.sessions.addClaim(claim);
  if (claim.waitUntil !== null) table.deadlines.set(claim, claim.waitUntil);
  table.claims += 1;
}

/** Out of the queue. Returns where it stood. */
export function dequeue(table: Table, claim: Claim): number {
  const { entry } = claim;
  if (entry.queue === null) throw new Error(`nobody waits for ${entry.name}`);
  const position = entry.queue.positionOf(claim);
  entry.queue.remove(claim);
  if (entry.queue.size === 0) entry.queue = null;
  table.sessions.removeClaim(claim);
  table.deadlines.clear(claim);
  table.touched.add(entry);
  table.claims -= 1;
  return position;
}

/** Behind the batch under way, nobody waiting for it (R19). */
export function storeClaim(table: Table, claim: Claim): void {
  claim.stored = true;
  table.outbox.add({ kind: 'claim', claim: { terms: claim.terms } });
}

/**
 * Stores a claim that came earlier than some that are stored behind it: those are stored again, since a restart takes
 * the order of arrival from the order in which they were stored.
 */
export function storeInOrder(table: Table, claim: Claim): void {
  storeClaim(table, claim);
  const behind = [...(claim.entry.queue ?? [])].filter((other) => other.stored && other.arrival > claim.arrival);
  for (const other of behind.toSorted((a, b) => a.arrival - b.arrival)) {
    table.outbox.add(claimEnded(other.terms));
    storeClaim(table, other);
  }
}

/** A claim in the queue ends without a grant. */
export function endClaim(table: Table, claim: Claim, code: 'cancelled' | 'wait-timeout' | 'gone'): void {
  const position = dequeue(table, claim);
  if (claim.stored) table.outbox.add(claimEnded(claim.terms));
  sayClaimEnded(table, claim, code, position);
}

export function sayClaimEnded(
  table: Table,
  { terms }: Claim,
  code: 'cancelled' | 'wait-timeout' | 'gone' | 'revoked',
  position: number,
): void {
  const { session, request, name } = terms;
  table.events.push({ kind: 'claim-ended', session, request, name, code, position });
}
