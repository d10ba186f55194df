import { latest, type ListeningMs } from '../../shared/time.ts';
import type { LeaseTable, MakeLeaseTable, TableCommand, TableEvent } from './table-types.ts';
import { acquire } from './table/acquire.ts';
import { endDue } from './table/advance.ts';
import { confirmBatch } from './table/append.ts';
import { acknowledge, revoke } from './table/endings.ts';
import { countFrom, grantTouched } from './table/grants.ts';
import { beginQuiet, touchWaiting } from './table/quiet.ts';
import { recover } from './table/recover.ts';
import { release } from './table/release.ts';
import { renew } from './table/renew.ts';
import { longestClaimMs, longestLeaseMs, namesOf, sizeOf } from './table/session-index.ts';
import { setState } from './table/set-state.ts';
import { fallSilent, hearFrom } from './table/silence.ts';
import { dropIdleStates } from './table/states.ts';
import type { NameEntry } from './table/model.ts';
import type { Table } from './table/table.ts';
import { takeAllBack, undoBatch } from './table/undo.ts';
import { claimsOf, heldBy, listViews, unheard, viewOf } from './table/views.ts';
import { amend, cancel, dropClaims } from './table/withdraw.ts';
import { askToYield, yieldsOf } from './table/yielding.ts';

export const makeLeaseTable: MakeLeaseTable = (contents, limits, startedAt, wall): LeaseTable => {
  const table = recover(contents, limits, startedAt, wall);
  return {
    apply(now, command) {
      table.latest = latest(table.latest, now);
      dispatch(table, now, command);
      return said(table, now);
    },
    advance(now) {
      table.latest = latest(table.latest, now);
      endDue(table, now);
      return said(table, now);
    },
    nextDeadline: () => table.deadlines.next,
    takeDurable: (sequence, now = table.latest) => table.outbox.take(sequence, (posts) => countFrom(table, posts, now)),
    get hasDurable() {
      return !table.outbox.isEmpty;
    },
    view: (now, name) => viewOf(table, table.names.find(name), now),
    list: (now, prefix, after, limit) => listViews(table, now, prefix, after, limit),
    heldBy: (session) => heldBy(table, session),
    yieldsOf: (session) => yieldsOf(table, session),
    claimsOf: (session) => claimsOf(table, session),
    longestLeaseMs: (session) => longestLeaseMs(table.sessions.find(session)),
    longestClaimMs: (session) => longestClaimMs(table.sessions.find(session)),
    sizeOf: (session) => sizeOf(table.sessions.find(session)),
    namesOf: (session) => namesOf(table.sessions.find(session)),
    unheard: (now) => unheard(table, now),
    leastLifetimeMs: () => table.lifetimes.least,
    counts: () => ({
      leases: table.leases,
      claims: table.claims,
      names: table.names.size,
      states: table.states,
      stateBytes: table.stateBytes,
    }),
  };
};

/** What the command or the passing of time has said, grants that it made possible last. */
function said(table: Table, now: ListeningMs): readonly TableEvent[] {
  grantTouched(table, now);
  for (const entry of table.touched) askToYield(table, entry);
  const dropped = [...table.touched].filter((entry) => table.names.dropIfBare(entry));
  table.touched.clear();
  sayForgotten(table, dropped);
  const { events } = table;
  table.events = [];
  return events;
}

/** The last token of a name is shown for as long as something is kept of it. */
function sayForgotten(table: Table, dropped: readonly NameEntry[]): void {
  const shown = dropped.filter((entry) => entry.lastToken !== null);
  if (shown.length === 0) return;
  const told = new Set(table.events.flatMap((event) => (event.kind === 'view-changed' ? [event.name] : [])));
  for (const { name } of shown) if (!told.has(name)) table.events.push({ kind: 'view-changed', name });
}

function dispatch(table: Table, now: ListeningMs, command: TableCommand): void {
  switch (command.kind) {
    case 'acquire':
      return acquire(table, command, now);
    case 'amend':
      return amend(table, command);
    case 'cancel':
      return cancel(table, command, now);
    case 'renew':
      return renew(table, command, now);
    case 'release':
      return release(table, command, now);
    case 'set-state':
      return setState(table, command);
    case 'end-ack':
      return acknowledge(table, command, now);
    case 'revoke':
      return revoke(table, command, now);
    case 'heard-from':
      return command.silent ? fallSilent(table, command.session) : hearFrom(table, command.session);
    case 'claims-gone':
      return dropClaims(table, command.session);
    case 'appended':
      return confirmBatch(table, command.sequence, now);
    case 'append-failed':
      return undoBatch(table, command.sequence, now);
    case 'drop-idle-states':
      return dropIdleStates(table, command.wall);
    default:
      return govern(table, now, command);
  }
}

type Governing = Extract<TableCommand, { readonly kind: 'lift-mark' | 'quiet' | 'writable' | 'draining' | 'limits' }>;

/** What concerns the table as a whole. */
function govern(table: Table, now: ListeningMs, command: Governing): void {
  switch (command.kind) {
    case 'lift-mark':
      return liftMark(table, command.fencingToken, now);
    case 'quiet':
      return beginQuiet(table, command.until, now);
    case 'writable':
      table.writable = command.writable;
      if (command.writable) touchWaiting(table);
      return undefined;
    case 'draining':
      table.draining = true;
      return undefined;
    case 'limits':
      table.limits = command.limits;
      return undefined;
    default:
      return command satisfies never;
  }
}

/** Grants on their way have tokens below the one shown, and nobody was told of them: they are made anew (S2). */
function liftMark(table: Table, shown: Table['mark'], now: ListeningMs): void {
  if (shown <= table.mark) return;
  table.mark = shown;
  takeAllBack(table, now);
  table.outbox.add({ kind: 'mark', fencingToken: shown });
}
