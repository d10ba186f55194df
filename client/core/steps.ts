import type { LossCode } from '../../shared/codes.ts';
import type { ClientMessageOf } from '../../shared/frames.ts';
import { requestId, type FencingToken, type FrameNumber, type LeaseName, type RequestId } from '../../shared/ids.ts';
import { ANSWER_WITHIN_MS, PING_MS_MIN, PINGS_PER_WINDOW, PROTOCOL_VERSION } from '../../shared/limits.ts';
import { durationMs, later } from '../../shared/time.ts';
import { ask, fail, living, newId, settle, statusOf, type Ask, type Book, type Held } from './book.ts';
import { claimStep, pauseMsOf, pingMsOf, type Claim, type ClaimEvent } from './claim-machine.ts';
import { connectionStep, noAnswer, shownUrls, type ConnectionEvent, type Surroundings } from './connection-machine.ts';
import { called, CLOSED, failure, GIVEN_BACK, leaseOver } from './failures.ts';
import { isLiving, leaseStep, type Lease, type LeaseEvent } from './lease-machine.ts';
import { leftByMono, leftByReal, type Told } from './lease-window.ts';
import { present } from './present.ts';
import { dialNumber, type DialNumber, type Failure, type LeaseNews } from './types.ts';

/** One step of a machine each, with all that follows from it. */
export function stepLease(book: Book, held: Held, event: LeaseEvent): void {
  const { state, effects } = leaseStep(held.lease, event, book.now, book.settings);
  held.lease = state;
  const { token, terms, window } = state;
  for (const effect of effects) {
    if (effect.kind === 'redial') stepConnection(book, { kind: 'stale' });
    else if (effect.kind === 'amend') sayAmend(book, held.lease);
    else if (effect.kind === 'give-back') giveBack(book, terms.name, token, window.ttlMs);
    else if (effect.kind === 'end-ack') {
      // Never answered; said again should the socket change before it can have been read.
      const message = { type: 'endAck', name: terms.name, fencingToken: token } as const;
      ask(book, newId(book), 'end-ack', { message, until: later(book.now.mono, ANSWER_WITHIN_MS) });
    } else tellNews(book, held, effect);
  }
}

export const holderOf = (book: Book, token: FencingToken): Held | undefined =>
  living(book).find(({ lease }) => lease.token === token);

/** Held against the record of sent frames: a window counts from the sending, never from the receipt. */
export function tell(book: Book, held: Held, frame: FrameNumber, told: Told, answer: boolean): void {
  stepLease(book, held, { kind: 'told', told, frame, anchor: book.anchors.name(frame), answer });
}

/** What people hear of a lease, and the end of what they asked of it. */
function tellNews(book: Book, held: Held, news: LeaseNews): void {
  const { key, window, terms } = held.lease;
  book.effects.push({ kind: 'lease', key, news });
  const stop = later(book.now.mono, leftByMono(window, book.now));
  if (news.kind === 'lost' || news.kind === 'released') held.until = later(book.now.mono, ANSWER_WITHIN_MS);
  for (const [id, asked] of book.asks) {
    if (asked.key !== key) continue;
    if (news.kind === 'lost') fail(book, asked, leaseOver(called(terms), news.code, true));
    else if (news.kind === 'renewed' && asked.kind === 'renewal') settle(book, asked, news);
    else if (news.kind === 'released' && asked.kind === 'renewal')
      fail(book, asked, leaseOver(called(terms), news.kind));
    else if (news.kind !== 'released' || asked.kind !== 'amend') {
      // Writes called before the release go first, as long as the window lasts.
      if (news.kind === 'released') asked.until = stop;
      continue;
    }
    book.asks.delete(id);
  }
}

/** Releases by token what this client does not believe in; the coordinator hears it as soon as it can. */
export function giveBack(book: Book, name: LeaseName, fencingToken: FencingToken, forMs: number): void {
  for (const { message } of book.asks.values())
    if (message?.type === 'release' && message.fencingToken === fencingToken) return;
  const request = newId(book);
  ask(book, request, 'release', {
    message: { type: 'release', request, name, fencingToken },
    until: later(book.now.mono, forMs),
  });
}

export function stepClaim(book: Book, asked: Ask, event: ClaimEvent): void {
  if (!asked.claim) return;
  const { state, effects } = claimStep(asked.claim, event, book.now, book.settings.chance);
  asked.claim = state;
  const { key, phase, terms } = state;
  if (phase.kind === 'ended') {
    book.asks.delete(key);
    book.asks.delete(amendId(key));
  }
  // Whatever the coordinator says of it shows that it was read.
  if (event.kind !== 'look' && event.kind !== 'amend') asked.read = true;
  for (const effect of effects) {
    if (effect.kind === 'failed')
      book.effects.push({
        kind: 'claim',
        key,
        outcome: { ...effect, failure: event.kind === 'look' ? whence(book, effect.failure) : effect.failure },
      });
    else if (effect.kind === 'ask') unsend(asked);
    // What was never said will be said with it.
    else if (effect.kind === 'amend') {
      if (asked.said) sayAmend(book, state);
    } else if (effect.kind !== 'cancel') book.effects.push(effect);
    // What was not sent on this socket may have been on an earlier one; of what never was, nobody has to be told.
    else if (asked.said)
      ask(book, key, 'cancel', { message: { type: 'cancel', request: key }, until: later(book.now.mono, terms.ttlMs) });
  }
}

/** Behind all that was asked before it, on this socket and on each that follows. */
function sayAmend(book: Book, { key, terms: { priority = 0 } }: Claim | Lease): void {
  const id = amendId(key);
  book.asks.delete(id);
  ask(book, id, 'amend', { key, message: { type: 'amend', request: key, priority } });
}

/** One for each claim or lease; never sent. */
export const amendId = (key: RequestId): RequestId => requestId(`~${key}`);

/** Of what was not answered: where it was tried, and what came of the last dial (S10). */
export function whence(book: Book, why: Failure): Failure {
  if (why.code !== 'unavailable') return why;
  return { ...why, message: `${why.message}: ${tried(book)}`, cause: why.cause ?? book.connection.last ?? undefined };
}

const tried = ({ connection: { last }, settings: { urls } }: Book): string =>
  last === null
    ? noAnswer(urls)
    : last.message.startsWith('no answer')
      ? last.message
      : `${shownUrls(urls)}: ${last.message}`;

/** Null while there is a connection. */
export const unreached = (book: Book): string | null =>
  statusOf(book) === 'open' ? null : `no connection (${statusOf(book)}): ${tried(book)}`;

/** To be sent on the socket that there is, or on the next. */
export function unsend(asked: Ask): void {
  asked.frame = 0;
  asked.read = false;
}

export function surroundings({ settings, asks, leases, now }: Book): Surroundings {
  let stakeMs = Infinity;
  for (const { lease } of leases.values()) {
    // In doubt nothing is left by that count, and there is as long as an answer may take.
    const leftMs = lease.phase.kind === 'doubt' ? ANSWER_WITHIN_MS : leftByReal(lease.window, now);
    if (isLiving(lease) && lease.renews) stakeMs = Math.min(stakeMs, leftMs);
  }
  let waiterPingMs = Infinity;
  let waiterPauseMs = Infinity;
  for (const { claim } of asks.values()) {
    if (claim) waiterPauseMs = Math.min(waiterPauseMs, pauseMsOf(claim, now));
    if (claim?.phase.kind === 'queued') waiterPingMs = Math.min(waiterPingMs, pingMsOf(claim));
  }
  return { settings, stakeMs, waiterPingMs, waiterPauseMs };
}

export function stepConnection(book: Book, event: ConnectionEvent): void {
  const before = statusOf(book);
  const { state, effects } = connectionStep(book.connection, event, book.now, surroundings(book));
  book.connection = state;
  for (const effect of effects) {
    if (effect.kind === 'hello') sayHello(book, dialNumber(state.dials));
    else book.effects.push(effect);
  }
  const status = statusOf(book);
  if (status === before) return;
  if (before === 'open') book.outbox = [];
  const why = 'failure' in state.phase ? state.phase.failure : null;
  book.effects.push({ kind: 'status', status, failure: why });
  if (status === 'closed') endAll(book, CLOSED, 'closed');
  if (status !== 'refused' || !why) return;
  endAll(
    book,
    failure('refused', why.message, false, { cause: why }),
    why.code === 'journal-changed' ? why.code : 'unauthorized',
  );
}

/** Nothing will be answered any more. */
function endAll(book: Book, why: Failure, loss: LossCode): void {
  for (const held of living(book)) stepLease(book, held, { kind: 'end', code: loss, reply: 'nothing' });
  for (const [id, asked] of book.asks) {
    book.asks.delete(id);
    if (asked.kind === 'acquire')
      book.effects.push({ kind: 'claim', key: id, outcome: { kind: 'failed', failure: why } });
    else if (asked.kind === 'release') settle(book, asked, GIVEN_BACK);
    else fail(book, asked, why);
  }
}

/** Alone in its frame, and the first of its socket. */
function sayHello({ instance, settings, standing, anchors, now, effects }: Book, dial: DialNumber): void {
  const { label, metadata, pingMs } = settings;
  const { credential, session, secret, left, journals, tokenMark, windowMs, leastTtlMs } = standing;
  const hello: ClientMessageOf<'hello'> = present({
    type: 'hello',
    frame: anchors.record(now),
    protocolMin: PROTOCOL_VERSION,
    protocolMax: PROTOCOL_VERSION,
    instance,
    dial,
    credential,
    label,
    metadata,
    resume: session && secret && { session, secret, ...(left && { left }) },
    journal: journals.at(-1),
    tokenMark,
    windowMs,
    // As often as its smallest window needs, whichever was asked since the client was made.
    pingMs: pingMs && durationMs(Math.min(pingMs, Math.max(PING_MS_MIN, Math.floor(leastTtlMs / PINGS_PER_WINDOW)))),
  });
  standing.held = [];
  effects.push({ kind: 'send', dial, messages: [hello] });
}
