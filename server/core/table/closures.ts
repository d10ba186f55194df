import type { LeaseName, SessionId } from '../../../shared/ids.ts';
import type { ListeningMs } from '../../../shared/time.ts';
import { newTimer } from './deadlines.ts';
import type { NameEntry } from './model.ts';
import { storedLeft, type Table } from './table.ts';

/** Closes a name until `until`: to everybody (`exempt` null) or to all but one session. */
export function closeName(
  table: Table,
  entry: NameEntry,
  until: ListeningMs,
  exempt: SessionId | null,
  now: ListeningMs,
): void {
  setClosure(table, entry, until, exempt);
  table.outbox.add({ kind: 'closed', closure: { name: entry.name, forMs: storedLeft(now, until), exempt } });
}

/** The same, where the journal knows already. */
export function setClosure(table: Table, entry: NameEntry, until: ListeningMs, exempt: SessionId | null): void {
  if (entry.closure !== null) table.deadlines.clear(entry.closure);
  entry.closure = { kind: 'closure', entry, exempt, timer: newTimer(until) };
  table.deadlines.set(entry.closure, until);
}

export function openName(table: Table, entry: NameEntry): void {
  if (entry.closure !== null) table.deadlines.clear(entry.closure);
  entry.closure = null;
  table.touched.add(entry);
  sayOpened(table, entry.name);
}

export const sayOpened = (table: Table, name: LeaseName): void => table.outbox.add({ kind: 'opened', name });
