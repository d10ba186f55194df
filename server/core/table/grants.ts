import type { SessionId } from '../../../shared/ids.ts';
import { LOCK_DELAY_MS_MAX } from '../../../shared/limits.ts';
import { durationMs, earliest, later, type DurationMs, type ListeningMs } from '../../../shared/time.ts';
import { nextToken } from '../../../shared/tokens.ts';
import type { ClaimTerms, StoredLease } from '../journal-port.ts';
import { dequeue } from './claims.ts';
import { openName } from './closures.ts';
import { newTimer } from './deadlines.ts';
import { addHolder, hasRoom, heldLease, lifeMsMax, setDue } from './holders.ts';
import type { Claim, Held, Holder, NameEntry, Pending } from './model.ts';
import { claimEnded } from './outbox.ts';
import { listened, type Table } from './table.ts';

/** Of the whole life of a lease, the part after which `ceiling-near` is told. */
export const NEAR_PART = 0.8;

/** Grants the name to whom it is due now, if to anybody. */
export function grantNext(table: Table, entry: NameEntry, now: ListeningMs): void {
  if (!table.writable || table.draining || table.quiet !== null) return;
  while (entry.queue !== null && hasRoom(entry)) {
    const { next } = entry.queue;
    if (isClosedTo(entry, next?.terms.session ?? null)) return;
    passOverBefore(table, entry, next);
    if (next === null) return;
    decide(table, next, now);
  }
}

/** The exempt session is let in when its turn has come; a lock-delay changes no order (R19). */
const isClosedTo = ({ closure }: NameEntry, session: SessionId | null): boolean =>
  closure !== null && (session === null || closure.exempt !== session);

function passOverBefore(table: Table, { name, queue }: NameEntry, next: Claim | null): void {
  for (let silent = queue?.passOver(next) ?? null; silent !== null; silent = queue?.passOver(next) ?? null) {
    table.events.push({ kind: 'passed-over', session: silent.terms.session, name });
  }
}

function decide(table: Table, claim: Claim, now: ListeningMs): void {
  dequeue(table, claim);
  table.mark = nextToken(table.mark);
  const ttlMs = durationMs(Math.min(claim.terms.askedTtlMs, table.limits.ttlMsMax));
  const holder: Holder = {
    kind: 'holder',
    entry: claim.entry,
    terms: bounded(table, claim.terms),
    fencingToken: table.mark,
    phase: { kind: 'pending', claim, ttlMs, decidedAt: now },
    timer: newTimer(now),
  };
  addHolder(table, holder);
  const lease = storedLease(table, holder, ttlMs, now);
  if (claim.stored) table.outbox.add(claimEnded(claim.terms), { kind: 'claim-granted', holder });
  table.outbox.add({ kind: 'granted', lease }, { kind: 'grant', holder });
  table.events.push({ kind: 'grant-decided', lease });
}

/** The coordinator's own maxima, put in at the grant: nothing that is lowered later cuts what is stored (R4). */
const bounded = ({ limits }: Table, terms: ClaimTerms): ClaimTerms => ({
  ...terms,
  maxLifetimeMs: durationMs(Math.min(terms.maxLifetimeMs, limits.lifetimeMsMax)),
  lockDelayMs: durationMs(Math.min(terms.lockDelayMs, LOCK_DELAY_MS_MAX)),
});

/** Rounded up, so that no later run counts more of its life than there was. */
const storedLease = (
  table: Table,
  { terms, fencingToken }: Holder,
  ttlMs: DurationMs,
  grantedAt: ListeningMs,
): StoredLease => ({
  terms,
  fencingToken,
  ttlMs,
  lifeMs: durationMs(0),
  grantedAtMs: durationMs(Math.ceil(listened(table, grantedAt))),
  silentMs: durationMs(0),
});

/** The grant is durable: its window counts from here, and now it may be told (R5). */
export function confirmGrant(table: Table, holder: Holder, pending: Pending, now: ListeningMs): void {
  const { entry, terms, fencingToken } = holder;
  const { ttlMs } = pending;
  const lifeMs = lifeMsMax(terms, ttlMs);
  const lifeFrom = lifeStart(table, holder, pending, lifeMs, now);
  const ceilingAt = later(lifeFrom, lifeMs);
  const held: Held = {
    kind: 'held',
    ttlMs,
    deadline: earliest(later(now, ttlMs), ceilingAt),
    since: now,
    ceilingAt,
    nearAt: terms.renews ? later(lifeFrom, lifeMs * NEAR_PART) : null,
    hearing: { kind: 'heard' },
    widening: false,
  };
  holder.phase = held;
  entry.lastToken = fencingToken;
  if (entry.closure !== null) openName(table, entry);
  setDue(table, holder, held);
  table.events.push({
    kind: 'granted',
    request: terms.request,
    repeat: false,
    lease: heldLease(table, holder, held),
    state: entry.state?.durable ?? null,
  });
  table.events.push({ kind: 'view-changed', name: entry.name });
}

/**
 * From when the life of a grant counts: from the decision, as it was stored; but where a slow disk would then take part
 * of the first window (a ceiling as short as the window), from now. That is stored anew before the next listening
 * time is, in one batch with it: otherwise a later run would end the lease before its holder stops believing.
 */
function lifeStart(
  table: Table,
  holder: Holder,
  { ttlMs, decidedAt }: Pending,
  lifeMs: DurationMs,
  now: ListeningMs,
): ListeningMs {
  if (later(decidedAt, lifeMs) >= later(now, Math.min(ttlMs, lifeMs))) return decidedAt;
  table.outbox.add({ kind: 'granted', lease: storedLease(table, holder, ttlMs, now) });
  return now;
}
