import type { SessionId } from '../../../shared/ids.ts';
import type { Table } from './table.ts';

/** Its claims can be told of a grant again: each name that stood open for them is looked at anew (R19). */
export function hearFrom(table: Table, id: SessionId): void {
  const session = table.sessions.find(id);
  if (session === null || !session.silent) return;
  session.silent = false;
  for (const claim of session.claims.values()) {
    claim.entry.queue?.stand(claim, 'awake');
    table.touched.add(claim.entry);
  }
}

/**
 * Its claims keep their places and are passed over, since no grant could be anchored in a frame of it (R5, R19). Where
 * one stood first, the name may be open to the next: to the session that a lock-delay exempts.
 */
export function fallSilent(table: Table, id: SessionId): void {
  const session = table.sessions.find(id);
  if (session === null || session.silent) return;
  session.silent = true;
  for (const claim of session.claims.values()) {
    claim.entry.queue?.stand(claim, 'silent');
    table.touched.add(claim.entry);
  }
}
