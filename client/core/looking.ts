import { ANSWER_WITHIN_MS } from '../../shared/limits.ts';
import { later, monoMs, type MonoMs } from '../../shared/time.ts';
import { fail, living, settle, statusOf, type Ask, type Book } from './book.ts';
import { claimWake } from './claim-machine.ts';
import { connectionWake } from './connection-machine.ts';
import { failure, GIVEN_BACK } from './failures.ts';
import { isLiving, leaseWake, NEVER } from './lease-machine.ts';
import { giveUpRestored } from './reload.ts';
import { sayBye } from './sending.ts';
import { stepClaim, stepConnection, stepLease, surroundings, unreached } from './steps.ts';

/** A wake so late that the sockets cannot have been read in between. */
const LATE_MS = 50;
/** Timers of a hidden page come once a second: what is later than that is worth a word. */
const STALLED_MS = 1_000;

/** Looks at the clocks: what is over ends before anything else happens (S6). */
export function lookFirst(book: Book): void {
  lookAtLeases(book, 'over');
}

/**
 * Then what is due, behind what the sockets brought. After a stall they have not been read yet, though answers may lie in
 * them: it is put off once.
 */
export function look(book: Book, isWake: boolean): void {
  const { now, wake, graceAt } = book;
  const late = isWake && graceAt === null && wake !== null && now.mono > wake + LATE_MS;
  if (late && now.mono > wake + STALLED_MS) {
    book.effects.push({
      kind: 'warning',
      code: 'stalled',
      text: `stalled for at least ${Math.round(now.mono - wake)} ms`,
    });
  }
  // The wake is told off with it, so that the next look of the same turn does not find it late again.
  if (late) book.wake = book.graceAt = later(now.mono, 1);
  if (isWake && (late || (graceAt !== null && now.mono < graceAt))) return;
  book.graceAt = null;
  lookAtLeases(book, 'due');
  if (book.restoredUntil <= now.mono) giveUpRestored(book);
  stepConnection(book, { kind: 'look' });
  const why = unreached(book);
  for (const [id, asked] of book.asks) {
    if (asked.claim) stepClaim(book, asked, { kind: 'look', unreached: why });
    else if (asked.warnAt !== undefined && asked.warnAt <= now.mono) {
      asked.warnAt = NEVER;
      const text = `"${asked.called}" waits for its first view: ${why ?? 'no answer yet'}`;
      book.effects.push({ kind: 'warning', code: 'waiting', text });
    } else if (asked.until <= now.mono) {
      book.asks.delete(id);
      // The window is over, and with it what the release was for.
      if (asked.kind === 'write') fail(book, asked, failure('released', 'the lease was released'));
      else settle(book, asked, GIVEN_BACK);
    }
  }
  // Every request is answered, or shown to be read, in time; or the socket is dead (R21).
  for (const asked of book.asks.values())
    if (unreadAt(book, asked) <= now.mono) stepConnection(book, { kind: 'stale' });
}

function lookAtLeases(book: Book, what: 'over' | 'due'): void {
  for (const held of book.leases.values()) {
    if (isLiving(held.lease)) stepLease(book, held, { kind: 'look', next: book.anchors.next, what });
    else if (held.until <= book.now.mono) book.leases.delete(held.lease.key);
  }
}

/** When a request counts as not read. */
function unreadAt({ anchors, connection }: Book, { frame, read, sentAt, kind }: Ask): number {
  const waits = connection.phase.kind === 'open' && frame > anchors.named && !read && kind !== 'end-ack';
  return waits ? sentAt + ANSWER_WITHIN_MS : Infinity;
}

export const isIdle = (book: Book): boolean => book.asks.size + book.restored.size === 0 && living(book).length === 0;

/** Dials when something is wanted, and closes a socket that nobody has wanted for a while. */
export function keepOrLeave(book: Book): void {
  const { now, settings } = book;
  if (book.away) return stepConnection(book, { kind: 'rest' });
  if (!isIdle(book)) {
    book.idleSince = null;
    return stepConnection(book, { kind: 'want' });
  }
  book.idleSince ??= now.mono;
  if (statusOf(book) === 'open') {
    if (now.mono < book.idleSince + settings.idleMs) return undefined;
    sayBye(book);
  }
  return stepConnection(book, { kind: 'rest' });
}

/** The next instant at which a look has something to do. */
export function wakeOf(book: Book): MonoMs | null {
  const { now, idleSince, settings, outbox } = book;
  const wakes = [
    connectionWake(book.connection, now, surroundings(book)),
    ...living(book).map(({ lease }) => leaseWake(lease, now)),
    ...[...book.asks.values()].map((asked) =>
      Math.min(asked.claim ? claimWake(asked.claim) : asked.until, asked.warnAt ?? NEVER, unreadAt(book, asked)),
    ),
    book.restoredUntil,
    outbox.length ? now.mono : NEVER,
    idleSince !== null && statusOf(book) === 'open' ? idleSince + settings.idleMs : NEVER,
  ];
  const first = Math.min(...wakes);
  book.wake = book.graceAt ?? (first < NEVER ? monoMs(first) : null);
  return book.wake;
}
