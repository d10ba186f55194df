import type { Code } from '../../shared/codes.ts';
import type { CoordinatorMessage, CoordinatorMessageOf } from '../../shared/frames.ts';
import { fencingToken, type RequestId } from '../../shared/ids.ts';
import { durationMs } from '../../shared/time.ts';
import { fail, settle, type Ask, type Book } from './book.ts';
import { codeOf, failure, failureOf, lossOf } from './failures.ts';
import { leaseOf, NEVER } from './lease-machine.ts';
import { leftByReal, windowOf } from './lease-window.ts';
import { amendId, giveBack, holderOf, stepClaim, stepConnection, stepLease, tell } from './steps.ts';
import { welcome } from './welcome.ts';

/** What the coordinator said, message by message. */
export function hear(book: Book, message: CoordinatorMessage): void {
  if (book.connection.phase.kind === 'dialing') {
    // Nothing else comes before the last part of the welcome.
    if (message.type === 'welcome') welcome(book, message);
    else if (message.type === 'error') stepConnection(book, { kind: 'failed', failure: failureOf(message) });
    return;
  }
  const asked = 'request' in message && message.request ? book.asks.get(message.request) : undefined;
  switch (message.type) {
    case 'granted':
      return granted(book, message, asked);
    case 'queued':
      return asked && stepClaim(book, asked, { kind: 'queued', place: message });
    case 'gone':
      return asked && stepClaim(book, asked, { kind: 'repeat' });
    case 'renewed':
      return renewed(book, message);
    case 'released':
    case 'stateSet':
    case 'view':
      return asked && answered(book, message, asked);
    case 'ended':
      return ended(book, message);
    case 'ceilingNear': {
      const held = holderOf(book, message.fencingToken);
      const { ceilingLeftMs } = message;
      if (held)
        book.effects.push({ kind: 'lease', key: held.lease.key, news: { kind: 'ceiling-near', ceilingLeftMs } });
      return undefined;
    }
    case 'yieldRequested': {
      const held = holderOf(book, message.fencingToken);
      const { priority } = message;
      if (held) book.effects.push({ kind: 'lease', key: held.lease.key, news: { kind: 'yield-requested', priority } });
      return undefined;
    }
    case 'amended':
      amended(book, message.request);
      return undefined;
    case 'error':
      if (asked) return refused(book, message, asked);
      // Of a request that is over, an answer is no news.
      if (!message.request) book.effects.push({ kind: 'warning', code: codeOf(message.code), text: message.message });
      return undefined;
    case 'ping':
      return ping(book, message);
    case 'draining': {
      const more = { retryAfterMs: message.retryAfterMs };
      return stepConnection(book, {
        kind: 'failed',
        failure: failure('draining', 'the coordinator is stopping', true, more),
      });
    }
    case 'welcome':
      return undefined;
    default:
      return message satisfies never;
  }
}

function granted(book: Book, message: CoordinatorMessageOf<'granted'>, asked: Ask | undefined): void {
  const { request, name, fencingToken: token, frame, ttlMs } = message;
  const { settings, standing, now } = book;
  const anchor = book.anchors.name(frame);
  const known = book.leases.get(request);
  if (known?.lease.token === token) return tell(book, known, frame, message, true);
  // Withdrawn meanwhile, or over: it crosses that word.
  if (!asked?.claim) {
    const left = book.restored.get(request);
    if (!left) return giveBack(book, name, token, ttlMs);
    return void book.restored.set(request, { ...left, token });
  }
  // Of a lease that was lost or in doubt, not of this claim, which is said anew (S2, R16).
  if (token <= (asked.above ?? 0)) {
    giveBack(book, name, token, ttlMs);
    return stepClaim(book, asked, { kind: 'repeat' });
  }
  standing.tokenMark = fencingToken(Math.max(token, standing.tokenMark ?? 0));
  standing.windowMs = durationMs(Math.max(ttlMs, standing.windowMs));
  const { terms } = asked.claim;
  const window = anchor && windowOf(message, anchor, terms, settings.clockResolutionMs);
  if (!window || leftByReal(window, now) <= 0) return stepClaim(book, asked, { kind: 'stale-grant' });
  book.asks.delete(request);
  book.leases.set(request, {
    lease: leaseOf(request, token, terms, window, settings),
    state: message.state,
    until: NEVER,
  });
  book.effects.push({ kind: 'claim', key: request, outcome: { kind: 'granted', name, fencingToken: token } });
}

function renewed(book: Book, { frame, leases }: CoordinatorMessageOf<'renewed'>): void {
  book.anchors.name(frame);
  for (const { fencingToken: token, leftMs, ttlMs, ceilingLeftMs, code } of leases) {
    const held = holderOf(book, token);
    if (!held) continue;
    if (code) stepLease(book, held, { kind: 'refused', code: codeOf(code) });
    else if (leftMs !== undefined && ttlMs !== undefined && ceilingLeftMs !== undefined) {
      book.standing.windowMs = durationMs(Math.max(ttlMs, book.standing.windowMs));
      tell(book, held, frame, { leftMs, ttlMs, ceilingLeftMs }, true);
    }
  }
}

function ended(book: Book, { name, fencingToken: token, code }: CoordinatorMessageOf<'ended'>): void {
  const held = holderOf(book, token);
  if (held) return stepLease(book, held, { kind: 'end', code: lossOf(code), reply: 'end-ack' });
  // Never believed: its grant was lost on the way, and the claim that it ended has to be said anew (R2).
  book.outbox.push({ type: 'endAck', name, fencingToken: token });
  for (const asked of book.asks.values())
    if (asked.claim?.terms.name === name) stepClaim(book, asked, { kind: 'repeat' });
  return undefined;
}

function answered(book: Book, message: CoordinatorMessageOf<'released' | 'stateSet' | 'view'>, asked: Ask): void {
  if (asked.kind === 'watch') {
    asked.read = true;
    asked.warnAt = NEVER;
    for (const view of 'views' in message ? message.views : [])
      if (asked.reference) book.effects.push({ kind: 'view', reference: asked.reference, view });
    return;
  }
  book.asks.delete(message.request);
  const held = asked.key && book.leases.get(asked.key);
  if (message.type === 'released') {
    const code = message.code === undefined ? undefined : codeOf(message.code);
    // It was held when this was first said: what is over by now ended by that, and the answer was lost on the way.
    const released = message.released || code === 'expired' || code === 'superseded';
    settle(book, asked, { kind: 'released', released, code: released ? undefined : code });
    handed(book, asked, released ? null : (code ?? 'expired'));
  } else if (message.type === 'view') {
    settle(book, asked, { kind: 'views', views: message.views, next: message.next });
  } else {
    const { version } = message;
    const value = asked.message?.type === 'setState' ? asked.message.value : undefined;
    if (held) held.state = value === undefined ? undefined : { value, version, fencingToken: held.lease.token };
    settle(book, asked, { kind: 'state-set', version });
  }
}

/** True where it waited for that. */
function amended(book: Book, request: RequestId): boolean {
  const said = book.asks.get(amendId(request));
  if (!said?.frame || said.read) return false;
  return (said.read = true);
}

function refused(book: Book, message: CoordinatorMessageOf<'error'>, asked: Ask): void {
  const why = failureOf(message);
  if (asked.claim) {
    // The coordinator knows the claim no more, and has said so before: that is no answer to what is said of it next.
    if (why.code === 'bad-request' && message.param === 'request' && amended(book, asked.claim.key)) return undefined;
    return stepClaim(book, asked, { kind: 'refused', failure: why });
  }
  if (message.request) book.asks.delete(message.request);
  if (asked.kind === 'release') return settle(book, asked, { kind: 'released', released: false, code: why.code });
  fail(book, asked, why);
  // Refused, so it was not handed over: it is still this client's.
  if (asked.kind === 'hand-over') handed(book, asked, 'nobody-waiting');
  return undefined;
}

/** It comes back only once no other hand-over is on its way, which may find somebody (S1). */
function handed(book: Book, { key }: Ask, code: Code | null): void {
  const held = key && book.leases.get(key);
  for (const other of book.asks.values()) if (code && other.kind === 'hand-over' && other.key === key) return;
  if (held) stepLease(book, held, { kind: 'handed', code });
}

function ping(book: Book, { ping: number, nextMs, frame, queue }: CoordinatorMessageOf<'ping'>): void {
  const { anchors, now } = book;
  anchors.name(frame);
  for (const { request, position } of queue ?? []) {
    const asked = book.asks.get(request);
    if (asked) stepClaim(book, asked, { kind: 'moved', position });
  }
  book.outbox.push({ type: 'pong', ping: number, clockMs: now.mono });
  stepConnection(book, { kind: 'pinged', nextMs, named: frame, pong: anchors.next });
}
