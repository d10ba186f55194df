import { earliest, later, type DurationMs, type ListeningMs } from '../../../shared/time.ts';
import type { TableCommand } from '../table-types.ts';
import { dequeue, endClaim, enqueue, newClaim, storeClaim } from './claims.ts';
import { beginEnding } from './endings.ts';
import { grantNext, grantTouched } from './grants.ts';
import { heldLease } from './holders.ts';
import type { Claim, Holder, NameEntry } from './model.ts';
import { quietLeft, sayQueued } from './places.ts';
import {
  ALREADY_HELD,
  DRAINING,
  otherName,
  queueFull,
  quietFor,
  refuse,
  tooManyRequests,
  UNAVAILABLE,
  type Refusal,
} from './refusals.ts';
import { lengthen } from './renew.ts';
import { sizeOf } from './session-index.ts';
import { hearFrom } from './silence.ts';
import type { Table } from './table.ts';
import { takeBack } from './undo.ts';

type Acquire = Extract<TableCommand, { readonly kind: 'acquire' }>;

/** Every claim enters the queue, and leaves it at once when the name is its (R19). */
export function acquire(table: Table, command: Acquire, now: ListeningMs): void {
  const { terms, waitMs } = command;
  // Who claims is heard from: what waited for that comes first.
  hearFrom(table, terms.session);
  grantTouched(table, now);
  if (isRepeat(table, command, now)) return;
  const refusal = refusalOf(table, command);
  if (refusal !== null) {
    refuse(table, terms, refusal);
    return;
  }
  const entry = table.names.ensure(terms.name);
  table.touched.add(entry);
  const claim = newClaim(table, entry, terms, waitMs, now);
  if (command.steal) stealPending(table, claim, now);
  enqueue(table, claim);
  grantNext(table, entry, now);
  if (table.sessions.claim(terms.session, terms.request) === claim) stay(table, claim, command.steal, now);
}

/** Not granted at once. */
function stay(table: Table, claim: Claim, steal: boolean, now: ListeningMs): void {
  const { entry } = claim;
  if (claim.once) endOnce(table, claim, quietLeft(table, now));
  else if ((entry.queue?.size ?? 0) > table.limits.queueMax) turnAway(table, claim, queueFull(table.limits.queueMax));
  else {
    if (steal) stealHeld(table, claim, now);
    storeClaim(table, claim);
    sayQueued(table, claim, now);
  }
}

function endOnce(table: Table, claim: Claim, quietMs: DurationMs | null): void {
  if (quietMs === null) endClaim(table, claim, 'wait-timeout');
  else turnAway(table, claim, quietFor(quietMs));
}

function turnAway(table: Table, claim: Claim, refusal: Refusal): void {
  dequeue(table, claim);
  refuse(table, claim.terms, refusal);
}

function refusalOf(table: Table, { terms, whenOwn, watches = 0 }: Acquire): Refusal | null {
  if (table.draining) return DRAINING;
  if (!table.writable) return UNAVAILABLE;
  const most = table.limits.perSessionMax;
  if (sizeOf(table.sessions.find(terms.session)) + watches >= most) return tooManyRequests(most);
  return whenOwn === 'reject' && holds(table.names.find(terms.name), terms.session) ? ALREADY_HELD : null;
}

const holds = (entry: NameEntry | null, session: string): boolean =>
  entry?.holders.some((holder) => holder.terms.session === session && holder.phase.kind !== 'ending') === true;

/** A request is done once: its repeat is told how it stands (R7). One whose grant has ended is a new claim. */
function isRepeat(table: Table, { terms, waitMs }: Acquire, now: ListeningMs): boolean {
  const { session, request, name } = terms;
  const claim = table.sessions.claim(session, request);
  const holder = table.sessions.lease(session, request);
  const found = claim ?? holder;
  if (found === null) return false;
  if (found.terms.name !== name) refuse(table, terms, otherName(found.terms.name));
  else if (claim !== null) repeatClaim(table, claim, waitMs, now);
  else if (holder !== null) repeatGrant(table, holder, now);
  return true;
}

function repeatClaim(table: Table, claim: Claim, waitMs: number | null, now: ListeningMs): void {
  if (waitMs !== null) {
    const until = later(now, waitMs);
    claim.waitUntil = claim.waitUntil === null ? until : earliest(claim.waitUntil, until);
    table.deadlines.set(claim, claim.waitUntil);
  }
  sayQueued(table, claim, now);
}

function repeatGrant(table: Table, holder: Holder, now: ListeningMs): void {
  const { phase, terms, fencingToken, entry } = holder;
  switch (phase.kind) {
    // The answer comes when it is durable.
    case 'pending':
      return;
    case 'held':
      lengthen(table, holder, phase, now);
      // It may not have known of its grant when it was asked to yield.
      phase.yieldTo = null;
      table.touched.add(entry);
      table.events.push({
        kind: 'granted',
        request: terms.request,
        repeat: true,
        lease: heldLease(table, holder, phase),
        state: entry.state?.durable ?? null,
      });
      return;
    case 'ending':
      table.events.push({ kind: 'ending', session: terms.session, name: terms.name, fencingToken, code: phase.code });
      return;
    default:
      phase satisfies never;
  }
}

/** A grant that nobody was told of is taken at once; whose it was stands behind the thief. */
function stealPending(table: Table, claim: Claim, now: ListeningMs): void {
  for (const holder of claim.entry.holders.slice()) {
    const { phase } = holder;
    if (phase.kind !== 'pending') continue;
    setAtHead(table, claim);
    takeBack(table, holder, phase, now);
  }
}

/** The name opens to the thief when its holder has stopped believing, or must have (R1). */
function stealHeld(table: Table, claim: Claim, now: ListeningMs): void {
  const { entry } = claim;
  if (entry.holders.length === 0) return;
  for (const holder of entry.holders.slice()) {
    const { phase } = holder;
    if (phase.kind === 'held') beginEnding(table, holder, phase, 'stolen', now);
  }
  entry.queue?.remove(claim);
  setAtHead(table, claim);
  entry.queue?.add(claim);
}

function setAtHead(table: Table, claim: Claim): void {
  table.steals += 1;
  claim.head = table.steals;
}
