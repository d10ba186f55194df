import { utf8Bytes } from '../../../shared/utf8.ts';
import { between, type DurationMs, type WallMs } from '../../../shared/time.ts';
import type { StoredState } from '../journal-port.ts';
import type { NameEntry, NameState } from './model.ts';
import { refuse, UNAVAILABLE } from './refusals.ts';
import type { Table } from './table.ts';

/** So many states are dropped at once at most, so that a turn stays short; the rest go the next time. */
const DROPPED_AT_ONCE_MAX = 10_000;

/** The state as the last write decided it, durable or not. */
export const latestState = ({ state }: NameEntry): StoredState | null =>
  state?.pending.at(-1) ?? state?.durable ?? null;

export function pushWrite(table: Table, entry: NameEntry, write: StoredState): void {
  stateOf(table, entry).pending.push(write);
  recount(table, entry);
}

/** The oldest undurable write of the name is durable. */
export function confirmWrite(table: Table, entry: NameEntry, write: StoredState): void {
  const { state } = entry;
  if (state === null || state.pending.shift() !== write)
    throw new Error(`state ${write.version} of ${write.name} was not on its way`);
  setDurable(table, entry, write);
  const { session, request, name, version } = write;
  table.events.push({ kind: 'state-set', session, request, name, version });
  table.events.push({ kind: 'view-changed', name });
}

/** What the journal has of a name's state. */
export function setDurable(table: Table, entry: NameEntry, state: StoredState): void {
  stateOf(table, entry).durable = state;
  // The longest unwritten come first.
  table.stated.delete(entry.name);
  table.stated.set(entry.name, entry);
  recount(table, entry);
}

/** None of the name's undurable writes will be: each is refused. */
export function dropWrites(table: Table, entry: NameEntry): void {
  for (const write of entry.state?.pending.splice(0) ?? []) refuse(table, write, UNAVAILABLE);
  recount(table, entry);
}

/** States of names that nobody holds or waits for, when they were not written for too long. */
export function dropIdleStates(table: Table, wall: WallMs): void {
  let dropped = 0;
  for (const entry of table.stated.values()) {
    const { durable } = entry.state ?? {};
    if (dropped === DROPPED_AT_ONCE_MAX || durable === undefined || durable === null) return;
    if (idleMs(durable, wall) < table.limits.stateIdleMs) return;
    if (!isIdle(entry)) continue;
    dropState(table, entry);
    dropped += 1;
  }
}

const idleMs = (state: StoredState, wall: WallMs): DurationMs => between(state.writtenAt, wall);

const isIdle = ({ holders, queue, state }: NameEntry): boolean =>
  holders.length === 0 && queue === null && state?.pending.length === 0;

function dropState(table: Table, entry: NameEntry): void {
  const { name, state } = entry;
  if (state !== null) state.durable = null;
  recount(table, entry);
  table.outbox.add({ kind: 'state-dropped', name });
  table.events.push({ kind: 'view-changed', name });
}

function stateOf(table: Table, entry: NameEntry): NameState {
  if (entry.state !== null) return entry.state;
  table.states += 1;
  const made: NameState = { durable: null, pending: [], countedBytes: 0 };
  entry.state = made;
  return made;
}

/** Keeps the count and the bytes of all states: each name counts what was decided last. */
function recount(table: Table, entry: NameEntry): void {
  const { state } = entry;
  if (state === null) return;
  const latest = latestState(entry);
  const bytes = stateBytes(latest?.valueJson ?? null);
  table.stateBytes += bytes - state.countedBytes;
  state.countedBytes = bytes;
  if (latest !== null) return;
  entry.state = null;
  table.states -= 1;
  table.stated.delete(entry.name);
  table.touched.add(entry);
}

export const stateBytes = (valueJson: string | null): number => (valueJson === null ? 0 : utf8Bytes(valueJson));
