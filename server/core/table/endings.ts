import { durationMs, later, type ListeningMs } from '../../../shared/time.ts';
import type { TableCommand, TableEvent } from '../table-types.ts';
import { sayClaimEnded } from './claims.ts';
import { closeName, openName, sayOpened } from './closures.ts';
import { findKnown, isEnding, removeHolder } from './holders.ts';
import type { Ending, Held, Holder, Pending } from './model.ts';
import { storedLeft, type Table } from './table.ts';

type Acknowledgement = Pick<Extract<TableCommand, { readonly kind: 'end-ack' }>, 'session' | 'name' | 'fencingToken'>;
type EndCode = Extract<TableEvent, { readonly kind: 'ended' }>['code'];

/** A held lease is over by its holder's word: no lock-delay, but the minimum hold is kept (S7). */
export function endReleased(table: Table, holder: Holder, { since }: Held, now: ListeningMs, told: boolean): void {
  const { entry, terms } = holder;
  const closedUntil = later(since, terms.minHoldMs);
  leave(table, holder);
  if (closedUntil > now) closeName(table, entry, closedUntil, null, now);
  sayEnded(table, holder, 'released', told);
}

/** A held lease is over by itself: others wait for the lock-delay. */
export function endOver(table: Table, holder: Holder, code: 'expired' | 'ceiling', now: ListeningMs): void {
  leave(table, holder);
  delay(table, holder, now);
  sayEnded(table, holder, code, false);
}

/** Ended at once, though its holder may still believe: gives up S1 for this name, never S2 or S3 (R1). */
function endByForce(table: Table, holder: Holder): void {
  leave(table, holder);
  sayEnded(table, holder, 'revoked', false);
}

/** Nobody was told of the grant, and nobody will be. */
export function endPending(
  table: Table,
  holder: Holder,
  { claim }: Pending,
  code: 'cancelled' | 'gone' | 'revoked',
): void {
  leave(table, holder);
  sayEnded(table, holder, code === 'revoked' ? code : 'cancelled', true);
  sayClaimEnded(table, claim, code, 0);
}

/**
 * An authority ends a held lease: renewals stop, its holder is told, and the name stays closed until that one has
 * acknowledged or its window is over (R1). A restart knows it as a closed name, since the lease must not come back.
 */
export function beginEnding(table: Table, holder: Holder, held: Held, code: Ending['code'], now: ListeningMs): void {
  const { terms, fencingToken, entry } = holder;
  const { ttlMs, deadline, since, ceilingAt } = held;
  const delayMs = code === 'revoked' ? terms.lockDelayMs : 0;
  holder.phase = { kind: 'ending', code, ttlMs, deadline, since, ceilingAt };
  table.unheard.delete(holder);
  table.deadlines.clear(holder);
  table.deadlines.set(holder, deadline);
  table.outbox.add({ kind: 'ended', name: entry.name, fencingToken });
  const forMs = durationMs(storedLeft(now, deadline) + delayMs);
  table.outbox.add({ kind: 'closed', closure: { name: entry.name, forMs, exempt: null } });
  table.events.push({ kind: 'ending', session: terms.session, name: entry.name, fencingToken, code });
}

/** Its holder has stopped believing, or its window is over. */
export function finishEnding(
  table: Table,
  holder: Holder,
  { code }: Ending,
  how: 'acknowledged' | 'over' | 'by-force',
  now: ListeningMs,
): void {
  removeHolder(table, holder);
  sayOpened(table, holder.entry.name);
  // A thief does not wait for one who says that it has stopped.
  if (how === 'over' || (how === 'acknowledged' && code === 'revoked')) delay(table, holder, now);
  sayEnded(table, holder, code, true);
}

/**
 * The holder of a lease that is being ended has stopped believing. It says so by `endAck`; to release comes to the same,
 * since whoever releases has stopped before (R13).
 */
export function acknowledge(table: Table, { session, name, fencingToken }: Acknowledgement, now: ListeningMs): void {
  const holder = findKnown(table.names.find(name), fencingToken);
  if (holder === null || !isEnding(holder) || holder.terms.session !== session) return;
  finishEnding(table, holder, holder.phase, 'acknowledged', now);
}

/** With `now`, a closed name is opened as well. */
export function revoke(
  table: Table,
  command: Extract<TableCommand, { readonly kind: 'revoke' }>,
  now: ListeningMs,
): void {
  const entry = table.names.find(command.name);
  if (entry === null) return;
  const { fencingToken } = command;
  for (const holder of entry.holders.slice()) {
    if (fencingToken === null || fencingToken === holder.fencingToken) revokeOne(table, holder, command.now, now);
  }
  if (command.now && fencingToken === null && entry.closure !== null) openName(table, entry);
}

function revokeOne(table: Table, holder: Holder, atOnce: boolean, now: ListeningMs): void {
  const { phase } = holder;
  switch (phase.kind) {
    case 'pending':
      endPending(table, holder, phase, 'revoked');
      return;
    case 'held':
      if (atOnce) endByForce(table, holder);
      else beginEnding(table, holder, phase, 'revoked', now);
      return;
    case 'ending':
      if (atOnce) finishEnding(table, holder, phase, 'by-force', now);
      return;
    default:
      phase satisfies never;
  }
}

function leave(table: Table, holder: Holder): void {
  removeHolder(table, holder);
  table.outbox.add({ kind: 'ended', name: holder.entry.name, fencingToken: holder.fencingToken });
}

/** Not for the same session (R19). */
function delay(table: Table, { entry, terms }: Holder, now: ListeningMs): void {
  if (terms.lockDelayMs > 0) closeName(table, entry, later(now, terms.lockDelayMs), terms.session, now);
}

function sayEnded(table: Table, { terms, fencingToken, entry }: Holder, code: EndCode, told: boolean): void {
  table.events.push({ kind: 'ended', session: terms.session, name: entry.name, fencingToken, code, told });
  table.events.push({ kind: 'view-changed', name: entry.name });
}
