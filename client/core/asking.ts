import type { RequestId } from '../../shared/ids.ts';
import { durationMs, later } from '../../shared/time.ts';
import { utf8Bytes } from '../../shared/utf8.ts';
import { ask, fail, living, newId, settle, statusOf, type Ask, type Book, type Held } from './book.ts';
import { claimOf, SAY_WAITING_MS } from './claim-machine.ts';
import { called, CLOSED, failure, GIVEN_BACK, leaseOver } from './failures.ts';
import { isLiving, NEVER } from './lease-machine.ts';
import { leftByMono } from './lease-window.ts';
import { present } from './present.ts';
import { becomeAnother, giveUpRestored, isKeptClaim, leaveStanding } from './reload.ts';
import { pump, sayBye, type Farewell } from './sending.ts';
import { stepClaim, stepConnection, stepLease, whence } from './steps.ts';
import type { ClientEvent, Failure, Reference } from './types.ts';

type Event<K extends ClientEvent['kind']> = Extract<ClientEvent, { readonly kind: K }>;
/** What people ask for. */
export type Asking = Event<
  | 'acquire'
  | 'withdraw'
  | 'release'
  | 'amend'
  | 'renew'
  | 'set-state'
  | 'stop-renewing'
  | 'list'
  | 'watch'
  | 'unwatch'
  | 'ready'
  | 'give-up'
  | 'put-away'
  | 'brought-back'
  | 'close'
  | 'close-now'
>;

export function take(book: Book, event: Asking): void {
  switch (event.kind) {
    case 'acquire':
      return acquire(book, event);
    case 'withdraw':
      return withdraw(book, event);
    case 'release':
      return release(book, event);
    case 'renew':
    case 'set-state':
      return ofLease(book, event);
    case 'amend':
      return amend(book, event);
    case 'stop-renewing': {
      const held = book.leases.get(event.key);
      return held && stepLease(book, held, event);
    }
    case 'list':
    case 'watch':
    case 'ready':
      return ofClient(book, event);
    case 'unwatch':
      return unwatch(book, event);
    case 'give-up':
      for (const [id, { reference }] of book.asks) if (reference === event.reference) book.asks.delete(id);
      return fail(book, event, whence(book, failure('unavailable', noneWithin(book, event.afterMs), true)));
    case 'put-away':
      return putAway(book, event);
    case 'brought-back':
      book.away = false;
      return undefined;
    case 'close':
      endClaims(book);
      for (const held of living(book)) if (!event.keep.includes(held.lease.key)) letGo(book, held);
      return undefined;
    case 'close-now':
      return closeNow(book);
    default:
      return event satisfies never;
  }
}

const noneWithin = (book: Book, ms: number): string =>
  `no coordinator answered within ${ms} ms (status ${statusOf(book)})`;

/** Why nothing new is taken, or null. */
function closedBy({ connection: { phase }, closing }: Book): Failure | null {
  if (phase.kind === 'refused') return failure('refused', phase.failure.message, false, { cause: phase.failure });
  return closing ? CLOSED : null;
}

function acquire(book: Book, { key, terms }: Event<'acquire'>): void {
  book.standing.leastTtlMs = Math.min(book.standing.leastTtlMs, terms.ttlMs);
  const why = closedBy(book);
  if (why) book.effects.push({ kind: 'claim', key, outcome: { kind: 'failed', failure: why } });
  else {
    const claim = claimOf(key, terms, book.now, book.settings.connectTimeoutMs);
    // What an earlier instance has asked is not done twice, and its grant is this claim's (R7).
    const isRepeat = book.restored.delete(key);
    const above = isRepeat ? undefined : book.standing.tokenMark;
    ask(book, key, 'acquire', { claim, above, said: isRepeat });
    const asked = book.asks.get(key);
    if (isRepeat && asked) stepClaim(book, asked, { kind: 'amend', priority: terms.priority ?? 0 });
  }
}

function withdraw(book: Book, { key }: Event<'withdraw'>): void {
  const asked = book.asks.get(key);
  const held = book.leases.get(key);
  if (asked) stepClaim(book, asked, { kind: 'end', failure: null });
  if (held) letGo(book, held);
}

function release(book: Book, { key, reference, handOver }: Event<'release'>): void {
  const held = book.leases.get(key);
  if (held && isLiving(held.lease)) letGo(book, held, reference, handOver);
  else settle(book, { reference }, { ...GIVEN_BACK, released: false });
}

/** Ends it here first, then says so (R13). */
function letGo(book: Book, held: Held, reference?: Reference, handOver = false): void {
  const {
    key,
    token: fencingToken,
    window,
    terms: { name },
  } = held.lease;
  const request = newId(book);
  stepLease(book, held, { kind: handOver ? 'hand-over' : 'release' });
  // Without an answer a release is over with the window; a hand-over with the lease, which its loss settles.
  const until = handOver ? NEVER : later(book.now.mono, leftByMono(window, book.now));
  const message = { type: 'release', request, name, fencingToken, handOver } as const;
  ask(book, request, handOver ? 'hand-over' : 'release', { message, key, reference, until });
}

function amend(book: Book, event: Event<'amend'>): void {
  const asked = book.asks.get(event.key);
  const held = book.leases.get(event.key);
  if (asked) stepClaim(book, asked, event);
  else if (held) stepLease(book, held, event);
}

function ofLease(book: Book, event: Event<'renew' | 'set-state'>): void {
  const { key, reference } = event;
  const held = book.leases.get(key);
  if (!held || !isLiving(held.lease)) {
    const phase = held?.lease.phase;
    const code = phase?.kind === 'lost' ? phase.code : 'released';
    return fail(book, event, leaseOver(held ? called(held.lease.terms) : key, code));
  }
  const request = newId(book);
  if (event.kind === 'renew') {
    ask(book, request, 'renewal', { key, reference });
    return stepLease(book, held, { kind: 'renew' });
  }
  const { value, ifVersion } = event;
  const bytes = utf8Bytes(JSON.stringify(value ?? null));
  const { stateBytesMax } = book.standing;
  if (bytes > stateBytesMax)
    return fail(book, event, failure('state-too-large', `state of ${bytes} bytes; at most ${stateBytesMax}`));
  const {
    terms: { name },
    token: fencingToken,
  } = held.lease;
  const message = present({ type: 'setState', request, name, fencingToken, value, ifVersion } as const);
  return ask(book, request, 'write', { key, reference, message });
}

function ofClient(book: Book, event: Event<'list' | 'watch' | 'ready'>): void {
  const { reference } = event;
  const why = closedBy(book);
  if (why) return fail(book, event, why);
  const request = newId(book);
  if (event.kind === 'watch') {
    const { name, shownAs = name } = event;
    const warnAt = later(book.now.mono, SAY_WAITING_MS);
    return ask(book, request, 'watch', {
      reference,
      warnAt,
      called: shownAs,
      message: { type: 'watch', request, name },
    });
  }
  if (event.kind === 'list') {
    const { name, prefix, after, limit } = event;
    return ask(book, request, 'list', {
      reference,
      message: present({ type: 'list', request, name, prefix, after, limit }),
    });
  }
  return statusOf(book) === 'open' ? settle(book, event, { kind: 'done' }) : ask(book, request, 'ready', { reference });
}

function unwatch(book: Book, { reference }: Event<'unwatch'>): void {
  for (const [request, asked] of book.asks) if (asked.reference === reference) endWatch(book, request, asked);
}

/** Without an answer: on a socket that is lost the watch is over in any case. */
function endWatch(book: Book, request: RequestId, { frame }: Ask): void {
  book.asks.delete(request);
  if (frame && statusOf(book) === 'open') book.outbox.push({ type: 'unwatch', request });
}

function endClaims(book: Book): void {
  book.closing = true;
  giveUpRestored(book);
  for (const [request, asked] of book.asks) {
    stepClaim(book, asked, { kind: 'end', failure: CLOSED });
    if (asked.kind !== 'watch') continue;
    endWatch(book, request, asked);
    fail(book, asked, CLOSED);
  }
}

/** What is held ends here first (R13), and is given back before the farewell; what stays asked is said again on the next socket. */
function putAway(book: Book, { keepMs }: Event<'put-away'>): void {
  book.away = true;
  if (keepMs === undefined) giveUpRestored(book);
  else leaveStanding(book);
  // The farewell takes what waits out of its queues; a grant that crosses it would close a name for nothing.
  for (const asked of book.asks.values()) {
    const { claim, said } = asked;
    if (claim && said && !(keepMs !== undefined && isKeptClaim(asked)))
      book.outbox.push({ type: 'cancel', request: claim.key });
  }
  endLeases(book, keepMs === undefined ? {} : { keepMs, comesBack: true });
  if (keepMs !== undefined) becomeAnother(book);
  stepConnection(book, { kind: 'rest' });
}

/** Says all that can be said of them, the farewell last. */
function endLeases(book: Book, farewell: Farewell): void {
  for (const held of living(book)) stepLease(book, held, { kind: 'end', code: 'closed', reply: 'give-back' });
  pump(book, true);
  sayBye(book, farewell);
}

function closeNow(book: Book): void {
  endClaims(book);
  // Nobody will ever come for what it leaves.
  endLeases(book, { keepMs: durationMs(0) });
  stepConnection(book, { kind: 'end' });
}
