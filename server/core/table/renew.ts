import { durationMs, earliest, later, latest, type ListeningMs } from '../../../shared/time.ts';
import type { PermanentRenewalCode } from '../../../shared/codes.ts';
import type { TableCommand } from '../table-types.ts';
import { findCurrent, heldLease, setDue, windowMs } from './holders.ts';
import type { Held, Holder } from './model.ts';
import type { Table } from './table.ts';

type Renew = Extract<TableCommand, { readonly kind: 'renew' }>;

export function renew(table: Table, command: Renew, now: ListeningMs): void {
  const holder = findCurrent(table.names.find(command.name), command.session, command.fencingToken);
  if (typeof holder === 'string') {
    sayRefused(table, command, holder);
    return;
  }
  if (now >= holder.phase.ceilingAt) {
    sayRefused(table, command, endCode(holder, holder.phase));
    return;
  }
  lengthen(table, holder, holder.phase, now);
  table.events.push({ kind: 'renewed', lease: heldLease(table, holder, holder.phase) });
}

/** How a lease ends by itself. One that does not renew has its whole life in one window: it expires. */
export const endCode = ({ terms }: Holder, { deadline, ceilingAt }: Held): 'expired' | 'ceiling' =>
  terms.renews && deadline >= ceilingAt ? 'ceiling' : 'expired';

/**
 * Counts the window from `now`, as far as it is stored: no deadline moves earlier, none beyond the ceiling, none
 * further than a restart would know of (R3, R4).
 */
export function lengthen(table: Table, holder: Holder, held: Held, now: ListeningMs): void {
  widen(table, holder, held);
  const until = earliest(later(now, windowMs(table, holder.terms, held.ttlMs)), held.ceilingAt);
  hear(table, holder, held, until);
  if (held.hearing.kind === 'heard') moveDeadline(table, holder, held, until);
}

/** What a holder was waited for in vain, where it was stored, is taken back before its window grows (R3). */
function hear(table: Table, holder: Holder, phase: Held, until: ListeningMs): void {
  const { hearing } = phase;
  if (hearing.kind === 'heard') return;
  if (hearing.kind === 'hearing') {
    phase.hearing = { kind: 'hearing', until: latest(hearing.until, until) };
    return;
  }
  table.unheard.delete(holder);
  if (hearing.silentMs === 0 && !hearing.told) {
    phase.hearing = { kind: 'heard' };
    return;
  }
  phase.hearing = { kind: 'hearing', until };
  table.outbox.add(
    { kind: 'heard', name: holder.terms.name, fencingToken: holder.fencingToken },
    { kind: 'heard', holder },
  );
}

/** The silence is taken back, durably: the window may reach as far as the renewals since have asked. */
export function confirmHeard(table: Table, holder: Holder): void {
  const held = holder.phase;
  if (held.kind !== 'held' || held.hearing.kind !== 'hearing') return;
  const { until } = held.hearing;
  held.hearing = { kind: 'heard' };
  moveDeadline(table, holder, held, until);
  table.events.push({ kind: 'renewed', lease: heldLease(table, holder, held) });
}

/** Where the coordinator's maximum was raised since, the longer window is stored first; later renewals use it. */
function widen(table: Table, holder: Holder, phase: Held): void {
  const { terms, fencingToken } = holder;
  const due = Math.min(terms.askedTtlMs, table.limits.ttlMsMax);
  if (!terms.renews || phase.widening || due <= phase.ttlMs) return;
  phase.widening = true;
  table.outbox.add(
    { kind: 'window', name: terms.name, fencingToken, ttlMs: durationMs(due) },
    { kind: 'window', holder },
  );
}

export function confirmWindow(holder: Holder, ttlMs: Held['ttlMs']): void {
  const held = holder.phase;
  if (held.kind !== 'held') return;
  held.ttlMs = ttlMs;
  held.widening = false;
}

function moveDeadline(table: Table, holder: Holder, phase: Held, until: ListeningMs): void {
  if (until <= phase.deadline) return;
  phase.deadline = until;
  setDue(table, holder, phase);
}

function sayRefused(table: Table, { session, name, fencingToken }: Renew, code: PermanentRenewalCode): void {
  table.events.push({ kind: 'renew-refused', session, name, fencingToken, code });
}
