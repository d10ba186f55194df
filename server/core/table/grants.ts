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
import { claimEnded, type Post } from './outbox.ts';
import { listened, type Table } from './table.ts';
import { canGrant } from './yielding.ts';

/** Of the whole life of a lease, the part after which `ceiling-near` is told. */
export const NEAR_PART = 0.8;

/** Grants every name that the command under way may have opened. */
export function grantTouched(table: Table, now: ListeningMs): void {
  for (const entry of table.touched) grantNext(table, entry, now);
}

/** Grants the name to whom it is due now, if to anybody. */
export function grantNext(table: Table, entry: NameEntry, now: ListeningMs): void {
  if (!canGrant(table)) return;
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
    phase: { kind: 'pending', claim, ttlMs, countedFrom: now },
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
    yieldTo: null,
  };
  holder.phase = held;
  entry.lastToken = fencingToken;
  if (entry.closure !== null) openName(table, entry);
  // Whoever came meanwhile with a higher priority asks behind the grant.
  table.touched.add(entry);
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
 * From when the life of a grant counts: from the handing over of its batch, as it was stored. But where a slow disk
 * would so take part of the first window (a life about as short as the window), from now: that is stored anew, in one
 * batch with whatever listening time is stored next. Otherwise a later run would end the lease before its holder stops
 * believing (docs/decisions/0012).
 */
function lifeStart(
  table: Table,
  holder: Holder,
  { ttlMs, countedFrom }: Pending,
  lifeMs: DurationMs,
  now: ListeningMs,
): ListeningMs {
  if (later(countedFrom, lifeMs) >= later(now, Math.min(ttlMs, lifeMs))) return countedFrom;
  table.outbox.add({ kind: 'granted', lease: storedLease(table, holder, ttlMs, now) });
  return now;
}

/**
 * Before a batch is handed over: the listening time that is stored in it must not count as life of its grants, whose
 * windows begin only when it is durable.
 */
export function countFrom(table: Table, posts: readonly Post[], now: ListeningMs): readonly Post[] {
  return posts.map((post) => {
    const { event, effect } = post;
    if (effect?.kind !== 'grant' || event.kind !== 'granted') return post;
    const { phase } = effect.holder;
    if (phase.kind === 'pending') phase.countedFrom = now;
    const grantedAtMs = durationMs(Math.ceil(listened(table, now)));
    return { event: { ...event, lease: { ...event.lease, grantedAtMs } }, effect };
  });
}
