import type { ListeningMs } from '../../../shared/time.ts';
import type { TableCommand, TableEvent } from '../table-types.ts';
import { acknowledge, endReleased } from './endings.ts';
import { findCurrent } from './holders.ts';
import type { NameEntry } from './model.ts';
import type { Table } from './table.ts';
import { canGrant } from './yielding.ts';

type Release = Extract<TableCommand, { readonly kind: 'release' }>;
type Released = Extract<TableEvent, { readonly kind: 'released' }>;

/** The answer comes at once: a crash before it is on disk only delays the next holder (S4). */
export function release(table: Table, command: Release, now: ListeningMs): void {
  const entry = table.names.find(command.name);
  const holder = findCurrent(entry, command.session, command.fencingToken);
  if (typeof holder === 'string') {
    say(table, command, false, holder);
    acknowledge(table, command, now);
    return;
  }
  if (command.handOver && !canFollow(table, holder.entry)) {
    // Whoever asked it to yield is gone: the next one asks anew.
    holder.phase.yieldTo = null;
    say(table, command, false, 'nobody-waiting');
    return;
  }
  say(table, command, true, null);
  endReleased(table, holder, holder.phase, now, true);
}

/** A lease is handed over only to a claim that can be granted and told of it. */
const canFollow = (table: Table, { queue }: NameEntry): boolean =>
  canGrant(table) && queue !== null && queue.next !== null;

function say(
  table: Table,
  { session, request, name, fencingToken }: Release,
  released: boolean,
  code: Released['code'],
): void {
  table.events.push({ kind: 'released', session, request, name, fencingToken, released, code });
}
