import type { FencingToken, LeaseName, SessionId } from '../../../shared/ids.ts';
import type { HeldHolder, NameEntry } from './model.ts';
import { isHeld } from './holders.ts';
import type { Table } from './table.ts';

/** Of a lease whose holder is asked to yield: to which priority. */
export interface Yield {
  readonly name: LeaseName;
  readonly fencingToken: FencingToken;
  readonly priority: number;
}

/**
 * Asks the holder of a name to yield where a claim of a higher priority than its own begins to wait: once for each
 * beginning, and again where one of a still higher priority comes. Who can be granted nothing now asks for nothing.
 */
export function askToYield(table: Table, { holders }: NameEntry): void {
  for (const holder of holders) {
    if (!isHeld(holder)) continue;
    const { phase, terms, fencingToken } = holder;
    const priority = waitingAbove(table, holder);
    const begins = priority !== null && (phase.yieldTo === null || priority > phase.yieldTo);
    phase.yieldTo = priority;
    if (begins)
      table.events.push({ kind: 'yield-requested', session: terms.session, name: terms.name, fencingToken, priority });
  }
}

/** What a session was asked, for its `welcome`: it may not have heard. */
export function yieldsOf(table: Table, id: SessionId): readonly Yield[] {
  const asked: Yield[] = [];
  for (const holder of table.sessions.find(id)?.leases.values() ?? []) {
    if (!isHeld(holder)) continue;
    const priority = waitingAbove(table, holder);
    if (priority !== null) asked.push({ name: holder.terms.name, fencingToken: holder.fencingToken, priority });
  }
  return asked;
}

/** Whether a lease that is given back now could be granted to whom it is due. */
export const canGrant = (table: Table): boolean => table.writable && !table.draining && table.quiet === null;

function waitingAbove(table: Table, { terms, entry }: HeldHolder): number | null {
  const highest = canGrant(table) ? (entry.queue?.highest ?? null) : null;
  return highest !== null && highest > terms.priority ? highest : null;
}
