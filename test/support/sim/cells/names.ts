import type { NameEntry } from '../../../../server/core/table/model.ts';
import type { Table } from '../../../../server/core/table/table.ts';
import type { TableCommand, TableEvent } from '../../../../server/core/table-types.ts';
import type { LeaseName, RequestId, SessionId } from '../../../../shared/ids.ts';
import type { Happening, Phase } from '../../../tables/lease.states.ts';
import { NAMES } from '../faults.ts';
import { visit } from './visited.ts';

/**
 * The lease table as test/tables/lease.states.ts names it: the phase of a name, and a command as it is seen from the
 * session `a` which holds the name, held it, or is about to. A command that the table has no row for counts nowhere:
 * another request of the holder itself, a request that waits.
 */
interface Known {
  /** Whose grant it was. */
  readonly owners: Map<number, SessionId>;
  /** What was asked under a request. */
  readonly asked: Map<string, LeaseName>;
}

/** Tokens and requests mean something within one play. */
let known: Known = { owners: new Map(), asked: new Map() };

export function beginCells(): void {
  known = { owners: new Map(), asked: new Map() };
}

type Seen = readonly [LeaseName, Phase];
type Run = () => readonly TableEvent[];

function phaseOf(entry: NameEntry | null): Phase {
  const phase = entry?.holders[0]?.phase;
  if (phase?.kind === 'held') {
    const { hearing } = phase;
    return hearing.kind === 'unheard' && (hearing.told || hearing.silentMs > 0) ? 'recovered' : 'held';
  }
  if (phase !== undefined) return phase.kind;
  if (entry === null || entry.closure === null) return 'free';
  return entry.closure.exempt === null ? 'closed' : 'delayed';
}

const phasesIn = (table: Table): readonly Seen[] => NAMES.map((name) => [name, phaseOf(table.names.find(name))]);

const visitName = (phase: Phase, happening: Happening): void => visit('name', phase, happening);

/** Around each command of the lease table. */
export function meetCommand(table: Table, command: TableCommand, run: Run): readonly TableEvent[] {
  note(table, command);
  const before = command.kind === 'appended' || command.kind === 'append-failed' ? phasesIn(table) : [];
  const events = run();
  for (const [name, phase] of before) {
    // A grant that is not of this batch stays pending, and has not met it.
    if (phase === 'pending' && phaseOf(table.names.find(name)) === 'pending') continue;
    visitName(phase, command.kind === 'appended' ? 'appended' : 'append-failed');
  }
  return remember(events);
}

/** Around the passing of time: what has a deadline meets it where it changes by it, what has none at any time. */
export function meetTime(table: Table, run: Run): readonly TableEvent[] {
  const before = phasesIn(table);
  const events = run();
  for (const [name, phase] of before)
    if (phase === 'pending' || phase === 'free' || changedBy(events, table, name, phase)) visitName(phase, 'time');
  return remember(events);
}

const changedBy = (events: readonly TableEvent[], table: Table, name: LeaseName, phase: Phase): boolean =>
  phaseOf(table.names.find(name)) !== phase || events.some((event) => event.kind === 'ended' && event.name === name);

function remember(events: readonly TableEvent[]): readonly TableEvent[] {
  for (const event of events)
    if (event.kind === 'grant-decided') known.owners.set(event.lease.fencingToken, event.lease.terms.session);
  return events;
}

function note(table: Table, command: TableCommand): void {
  switch (command.kind) {
    case 'acquire':
      return noteAcquire(table, command);
    case 'amend':
    case 'cancel':
      return noteOfClaim(table, command);
    case 'renew':
    case 'release':
    case 'set-state':
    case 'end-ack':
      return noteOfLease(table, command);
    case 'revoke':
      return visitName(phaseOf(table.names.find(command.name)), command.now ? 'revoke, now' : 'revoke');
    case 'claims-gone':
      return noteGone(table, command.session);
    case 'appended':
    case 'append-failed':
      return undefined;
    case 'drop-idle-states':
      return noteIdle(table);
    case 'heard-from':
    case 'lift-mark':
    case 'quiet':
    case 'writable':
    case 'draining':
    case 'limits':
      for (const [, phase] of phasesIn(table)) visitName(phase, command.kind);
      return undefined;
    default:
      return command satisfies never;
  }
}

const requestOf = (session: SessionId, request: RequestId): string => `${session} ${request}`;

function noteAcquire(table: Table, { terms, steal, waitMs }: Extract<TableCommand, { kind: 'acquire' }>): void {
  const { name, session, request } = terms;
  const entry = table.names.find(name);
  const phase = phaseOf(entry);
  const asked = requestOf(session, request);
  const isKnown = known.asked.has(asked);
  known.asked.set(asked, name);
  if (table.sessions.claim(session, request) !== null && table.sessions.lease(session, request) === null) return;
  const holder = entry?.holders[0]?.terms;
  const isSame = holder === undefined ? isKnown : holder.session === session && holder.request === request;
  if (isSame || (phase === 'delayed' && entry?.closure?.exempt === session))
    return visitName(phase, 'acquire, repeated by a');
  if (holder?.session === session) return;
  if (steal) return visitName(phase, 'acquire, stealing');
  return visitName(phase, waitMs === 0 ? 'acquire, one try' : 'acquire');
}

/** A claim that waits is a matter of the queue. */
function noteOfClaim(table: Table, { kind, session, request }: Extract<TableCommand, { kind: 'amend' | 'cancel' }>) {
  const lease = table.sessions.lease(session, request);
  if (lease !== null) return visitName(phaseOf(lease.entry), kind);
  if (table.sessions.claim(session, request) !== null) return undefined;
  const name = known.asked.get(requestOf(session, request));
  const entry = name === undefined ? null : table.names.find(name);
  return (entry?.holders.length ?? 0) === 0 ? visitName(phaseOf(entry), kind) : undefined;
}

type OfLease = Extract<TableCommand, { readonly kind: 'renew' | 'release' | 'set-state' | 'end-ack' }>;

const BY_ANOTHER = {
  renew: 'renew, by another',
  release: 'release, by another',
  'set-state': 'set-state, by another',
  'end-ack': 'end-ack, by another',
} as const satisfies Record<OfLease['kind'], Happening>;

function noteOfLease(table: Table, command: OfLease): void {
  const { kind, session, name, fencingToken } = command;
  const entry = table.names.find(name);
  const phase = phaseOf(entry);
  const current = entry?.holders[0]?.fencingToken ?? entry?.lastToken ?? fencingToken;
  if (fencingToken < current) return kind === 'renew' ? visitName(phase, 'renew, older token') : undefined;
  const owner = entry?.holders[0]?.terms.session ?? known.owners.get(fencingToken);
  if (owner !== undefined && owner !== session) return visitName(phase, BY_ANOTHER[kind]);
  return visitName(phase, kind === 'release' && command.handOver ? 'hand-over' : kind);
}

/** It concerns the names that the session holds, and those that nobody does. */
function noteGone(table: Table, session: SessionId): void {
  for (const name of NAMES) {
    const entry = table.names.find(name);
    const holder = entry?.holders[0];
    if (holder === undefined || holder.terms.session === session) visitName(phaseOf(entry), 'claims-gone');
  }
}

function noteIdle(table: Table): void {
  for (const name of NAMES) {
    const entry = table.names.find(name);
    if (entry === null || entry.state === null) visitName(phaseOf(entry), 'drop-idle-states');
  }
}
