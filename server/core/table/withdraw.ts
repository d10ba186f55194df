import { leaseName, type SessionId } from '../../../shared/ids.ts';
import type { ListeningMs } from '../../../shared/time.ts';
import type { TableCommand } from '../table-types.ts';
import { endClaim } from './claims.ts';
import { endPending, endReleased, finishEnding } from './endings.ts';
import type { Claim, Holder } from './model.ts';
import { positionOf } from './places.ts';
import { NOT_WAITING, refuse } from './refusals.ts';
import type { Table } from './table.ts';

/** Withdraws a claim; a grant that crosses it is given back. */
export function cancel(
  table: Table,
  { session, request }: Extract<TableCommand, { readonly kind: 'cancel' }>,
  now: ListeningMs,
): void {
  const claim = table.sessions.claim(session, request);
  const holder = table.sessions.lease(session, request);
  if (claim !== null) endClaim(table, claim, 'cancelled');
  else if (holder !== null) giveBack(table, holder, now);
}

function giveBack(table: Table, holder: Holder, now: ListeningMs): void {
  const { phase } = holder;
  switch (phase.kind) {
    case 'pending':
      endPending(table, holder, phase, 'cancelled');
      return;
    case 'held':
      endReleased(table, holder, phase, now, true);
      return;
    case 'ending':
      finishEnding(table, holder, phase, 'acknowledged', now);
      return;
    default:
      phase satisfies never;
  }
}

/** Its claims leave the queues; its leases stay until their deadlines (S7). */
export function dropClaims(table: Table, id: SessionId): void {
  const session = table.sessions.find(id);
  if (session === null) return;
  for (const claim of session.claims.values()) endClaim(table, claim, 'gone');
  for (const holder of session.leases.values()) {
    if (holder.phase.kind === 'pending') endPending(table, holder, holder.phase, 'gone');
  }
}

/**
 * A claim with another priority stands, among those of that priority, where its arrival puts it; a lease with another
 * one is asked to yield to others than before.
 */
export function amend(
  table: Table,
  { session, request, priority }: Extract<TableCommand, { readonly kind: 'amend' }>,
): void {
  const claim = table.sessions.claim(session, request);
  const holder = table.sessions.lease(session, request);
  if (claim !== null) restand(table, claim, priority);
  else if (holder !== null) setPriority(table, holder, priority);
  else {
    // Which name was meant is not known.
    refuse(table, { session, request, name: leaseName('') }, NOT_WAITING);
    return;
  }
  const name = claim?.terms.name ?? holder?.terms.name;
  if (name !== undefined)
    table.events.push({ kind: 'amended', session, request, name, position: claim === null ? 0 : positionOf(claim) });
}

/** Not stored: its client says so again behind each `welcome`. Should the grant be undone, its claim stands so, too. */
function setPriority(table: Table, holder: Holder, priority: number): void {
  const { phase } = holder;
  holder.terms = { ...holder.terms, priority };
  if (phase.kind === 'pending') phase.claim.terms = { ...phase.claim.terms, priority };
  table.touched.add(holder.entry);
}

function restand(table: Table, claim: Claim, priority: number): void {
  if (priority === claim.terms.priority) return;
  const { queue } = claim.entry;
  queue?.remove(claim);
  claim.terms = { ...claim.terms, priority };
  queue?.add(claim);
  if (claim.stored) table.outbox.add({ kind: 'claim', claim: { terms: claim.terms } });
  table.touched.add(claim.entry);
}
