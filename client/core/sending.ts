import type { ClientMessage, ClientMessageOf } from '../../shared/frames.ts';
import type { FencingToken, LeaseName, RequestId } from '../../shared/ids.ts';
import { MESSAGES_PER_FRAME_MAX } from '../../shared/limits.ts';
import { durationMs } from '../../shared/time.ts';
import { utf8Bytes } from '../../shared/utf8.ts';
import { newId, type Book } from './book.ts';
import type { Claim } from './claim-machine.ts';
import type { Reading } from './elapsed.ts';
import { wantsRenewal } from './lease-machine.ts';
import { present } from './present.ts';
import { amendId, stepLease } from './steps.ts';

/** In one `renew`, so that it stays far below a frame's size whatever the names are. */
const RENEW_LEASES_MAX = 200;
/** For the frame's number, and brackets. */
const FRAME_BYTES_SPARE = 64;

/**
 * Puts all that is due and not yet said on this socket into the outbox: renewals first, the rest in order of the calls.
 * `last`: nothing more will be said on it, so nothing waits for an answer to something else.
 */
export function pump(book: Book, last = false): void {
  if (book.connection.phase.kind !== 'open') return;
  pumpRenewals(book);
  const writing = new Set<RequestId>();
  for (const asked of book.asks.values()) {
    const { key, kind, claim } = asked;
    // The coordinator remembers the last write of a lease only: one at a time, and its release behind them all.
    const later = !last && key && writing.has(key);
    if (key && kind === 'write') writing.add(key);
    const message = claim ? acquireOf(claim, book.now) : asked.message;
    if (asked.frame || !message || later) continue;
    asked.frame = book.anchors.next;
    asked.sentAt = book.now.mono;
    asked.said = true;
    book.outbox.push(message);
  }
}

function pumpRenewals(book: Book): void {
  const leases: { name: LeaseName; fencingToken: FencingToken }[] = [];
  for (const held of book.leases.values()) {
    if (!wantsRenewal(held.lease)) continue;
    stepLease(book, held, { kind: 'sent' });
    leases.push({ name: held.lease.terms.name, fencingToken: held.lease.token });
  }
  while (leases.length)
    book.outbox.push({ type: 'renew', request: newId(book), leases: leases.splice(0, RENEW_LEASES_MAX) });
}

function acquireOf({ key, terms, phase, until, met }: Claim, now: Reading): ClientMessageOf<'acquire'> | null {
  if (phase.kind === 'pausing') return null;
  const { name, ttlMs, waitMs, priority, maxLifetimeMs, minHoldMs, lockDelayMs } = terms;
  return present({
    type: 'acquire',
    request: key,
    name,
    ttlMs,
    priority,
    maxLifetimeMs,
    minHoldMs,
    lockDelayMs,
    waitMs: waitMs === null ? undefined : durationMs(waitMs && Math.ceil(until - now.mono)),
    // What stood in the queue once has stolen already (R24).
    steal: (terms.steal && !met) || undefined,
    renew: terms.renew ? undefined : false,
    whenOwn: terms.whenOwn === 'reject' ? terms.whenOwn : undefined,
  });
}

/** All that was put into the outbox leaves as one frame, or as few as its size allows. */
export function flush(book: Book): void {
  const {
    connection: { phase },
    standing,
    anchors,
    now,
  } = book;
  const messages = book.outbox;
  book.outbox = [];
  while (phase.kind === 'open' && messages.length) {
    const alone = now.mono < book.aloneUntil;
    const count = alone ? 1 : fitting(messages, standing.frameBytesMax - FRAME_BYTES_SPARE);
    const [first, ...rest] = messages.splice(0, count);
    if (!first) return;
    const frame = anchors.record(now);
    for (const message of [first, ...rest]) {
      const asked = 'request' in message && message.request && book.asks.get(idOf(message.type, message.request));
      if (asked) asked.frame = frame;
    }
    book.effects.push({ kind: 'send', dial: phase.dial, messages: [{ ...first, frame }, ...rest] });
  }
}

/** An `amend` goes under the id of its claim, which has been asked before. */
const idOf = (type: ClientMessage['type'], request: RequestId): RequestId =>
  type === 'amend' ? amendId(request) : request;

/** How many of the messages fit into so many bytes; at least one. */
function fitting(messages: readonly ClientMessage[], bytesMax: number): number {
  let bytes = 0;
  const over = messages.findIndex((message) => (bytes += utf8Bytes(JSON.stringify(message)) + 1) > bytesMax);
  return Math.min(MESSAGES_PER_FRAME_MAX, over < 0 ? messages.length : Math.max(1, over));
}

export type Farewell = Omit<ClientMessageOf<'bye'>, 'type'>;

/** The last word on a socket: the coordinator need not keep what waits, unless a successor comes for it. */
export function sayBye(book: Book, farewell: Farewell = {}): void {
  if (book.connection.phase.kind === 'open') book.outbox.push({ type: 'bye', ...farewell });
  flush(book);
}
