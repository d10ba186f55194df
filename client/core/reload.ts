import {
  instanceId,
  type FencingToken,
  type InstanceId,
  type JournalId,
  type LeaseName,
  type RequestId,
  type Secret,
  type SessionId,
} from '../../shared/ids.ts';
import { RELOAD_KEEP_MS_MAX } from '../../shared/limits.ts';
import { durationMs, earliest, later, type DurationMs } from '../../shared/time.ts';
import { makeAnchors } from './anchors.ts';
import { ask, living, newId, type Ask, type Book, type Held } from './book.ts';
import { NEVER } from './lease-machine.ts';
import { giveBack, stepLease } from './steps.ts';

/**
 * What a page leaves to the one that is loaded in its place: enough to resume its session (R10) and to repeat what it
 * asked (R7). It is of use to one instance only, and for `keepMs` only; to any other the coordinator says `in-use`.
 */
export interface ReloadRecord {
  readonly keepMs: DurationMs;
  readonly session: SessionId;
  readonly secret: Secret;
  /** Whose it was: whoever resumes brings its last word, which may not have left with it. */
  readonly left: InstanceId;
  readonly journal: JournalId;
  readonly tokenMark?: FencingToken | undefined;
  readonly windowMs: DurationMs;
  /** Leases first. */
  readonly asked: readonly Restored[];
}

/** A lease, or a claim without a token, that this session has at the coordinator. */
export interface Restored {
  readonly name: LeaseName;
  readonly request: RequestId;
  readonly ttlMs: DurationMs;
  readonly token?: FencingToken | undefined;
}

/** What was left to this instance is given back when nobody asked for it so long after the first `welcome`. */
const ASKED_WITHIN_MS = 2_000;

/** Null where there is nothing to come back for. That there is no socket does not matter: Firefox closes it before `pagehide`. */
export function reloadRecord(book: Book): ReloadRecord | null {
  const { session, secret, journals, tokenMark, windowMs } = book.standing;
  const journal = journals.at(-1);
  const asked: readonly Restored[] = [
    ...living(book)
      .filter(isKept)
      .map(({ lease: { key, token, terms, window } }) => ({
        name: terms.name,
        request: key,
        ttlMs: durationMs(window.ttlMs),
        token,
      })),
    ...[...book.asks.values()]
      .filter(isKeptClaim)
      .flatMap(({ claim }) => (claim ? { name: claim.terms.name, request: claim.key, ttlMs: claim.terms.ttlMs } : [])),
    ...book.restored.values(),
  ];
  if (book.closing || !session || !secret || !journal || !asked.length) return null;
  const keepMs = durationMs(Math.min(RELOAD_KEEP_MS_MAX, Math.max(...asked.map(({ ttlMs }) => ttlMs))));
  return { keepMs, session, secret, left: book.instance, journal, tokenMark, windowMs, asked };
}

/** One that is not to be renewed, or was offered to another, is given back as without a reload. */
const isKept = ({ lease: { renews, phase } }: Held): boolean => renews && phase.kind !== 'handing';

/** One whose wait has an end is withdrawn: the page that comes counts its own. */
export const isKeptClaim = ({ claim, said }: Ask): boolean =>
  !!claim && said && claim.terms.waitMs === null && claim.phase.kind !== 'pausing';

/**
 * Its leases end here (R13), and stand at the coordinator with a whole window more; its claims keep their places. What
 * is not kept is withdrawn or given back by the caller.
 */
export function leaveStanding(book: Book): void {
  for (const held of living(book).filter(isKept)) {
    const {
      token: fencingToken,
      terms: { name },
    } = held.lease;
    stepLease(book, held, { kind: 'end', code: 'closed', reply: 'nothing' });
    // Should this page go on after all, no claim of it awaits that lease.
    for (const asked of book.asks.values())
      if (asked.claim?.terms.name === name) asked.above = Math.max(asked.above ?? 0, fencingToken);
    book.outbox.push({ type: 'renew', request: newId(book), leases: [{ name, fencingToken }] });
  }
}

/**
 * Whoever takes the session over may be known to nobody but a coordinator that dies before it has stored so: its next run
 * would take this instance for the one that has the session. So this one is never heard of again (S1).
 */
export function becomeAnother(book: Book): void {
  book.standing.left = book.instance;
  book.instance = instanceId(`${book.settings.instance}.${book.anchors.next}.${book.connection.dials}`);
  book.anchors = makeAnchors();
}

/** The coordinator's last word on what was left to this instance: another session's is none of it. */
export function meetRestored(book: Book, resumed: boolean, isQuiet: boolean): void {
  if (!resumed) book.restored.clear();
  // In a quiet time only who believed all along may go on (P-22).
  else if (isQuiet) giveUpRestored(book);
  else if (book.restored.size) book.restoredUntil = earliest(book.restoredUntil, later(book.now.mono, ASKED_WITHIN_MS));
}

/** Nobody asked for it again. */
export function giveUpRestored(book: Book): void {
  book.restoredUntil = NEVER;
  for (const { name, request, ttlMs, token } of book.restored.values()) {
    if (token) giveBack(book, name, token, ttlMs);
    else ask(book, request, 'cancel', { message: { type: 'cancel', request }, until: later(book.now.mono, ttlMs) });
  }
  book.restored.clear();
}

export const restoredOf = (book: Book, name: LeaseName): Restored | undefined =>
  [...book.restored.values()].find((one) => one.name === name);
