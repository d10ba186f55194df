import type { StoredState } from '../journal-port.ts';
import type { TableCommand } from '../table-types.ts';
import { findCurrent } from './holders.ts';
import type { NameEntry } from './model.ts';
import { notHeld, refuse, statesFull, stateTooLarge, UNAVAILABLE, versionConflict, type Refusal } from './refusals.ts';
import { latestState, pushWrite, stateBytes } from './states.ts';
import type { Table } from './table.ts';

type SetState = Extract<TableCommand, { readonly kind: 'set-state' }>;

/** Decided at once, so that writes stack up in order; answered and shown when durable (S4). */
export function setState(table: Table, command: SetState): void {
  const entry = table.names.find(command.name);
  if (entry !== null && isRepeat(table, entry, command)) return;
  const holder = findCurrent(entry, command.session, command.fencingToken);
  if (typeof holder === 'string') {
    refuse(table, command, notHeld(holder, command.fencingToken));
    return;
  }
  const refusal = refusalOf(table, holder.entry, command);
  if (refusal !== null) {
    refuse(table, command, refusal);
    return;
  }
  const { session, request, name, fencingToken, valueJson, wall } = command;
  const version = versionOf(holder.entry) + 1;
  const state: StoredState = { name, valueJson, version, fencingToken, session, request, writtenAt: wall };
  pushWrite(table, holder.entry, state);
  table.outbox.add({ kind: 'state', state }, { kind: 'state', entry: holder.entry, state });
}

/** A name that never had a state has version 0. */
const versionOf = (entry: NameEntry): number => latestState(entry)?.version ?? 0;

/** A repeat of the last durable write is answered again; one that is on its way is answered when it arrives. */
function isRepeat(table: Table, { state }: NameEntry, { session, request, name }: SetState): boolean {
  const isSame = (write: StoredState | null): write is StoredState =>
    write?.session === session && write.request === request;
  if (state === null) return false;
  if (state.pending.some(isSame)) return true;
  if (!isSame(state.durable)) return false;
  table.events.push({ kind: 'state-set', session, request, name, version: state.durable.version });
  return true;
}

function refusalOf(table: Table, entry: NameEntry, { valueJson, ifVersion }: SetState): Refusal | null {
  const { limits } = table;
  if (!table.writable) return UNAVAILABLE;
  const version = versionOf(entry);
  if (ifVersion !== null && ifVersion !== version) return versionConflict(ifVersion, version);
  const bytes = stateBytes(valueJson);
  if (bytes > limits.stateBytesMax) return stateTooLarge(bytes, limits.stateBytesMax);
  if (entry.state === null && table.states >= limits.statesMax)
    return statesFull('names with a state', limits.statesMax);
  // To remove a value makes room.
  if (bytes === 0) return null;
  const bytesAfter = table.stateBytes - (entry.state?.countedBytes ?? 0) + bytes;
  return bytesAfter > limits.statesBytesMax ? statesFull('bytes of states', limits.statesBytesMax) : null;
}
