import { codeOfClose } from '../../shared/close-codes.ts';
import { take } from './asking.ts';
import { makeBook, newKey, statusOf, type Book } from './book.ts';
import { NO_CREDENTIAL, TERMINAL_CODES } from './connection-machine.ts';
import type { Reading } from './elapsed.ts';
import { called, failure } from './failures.ts';
import { hear } from './hearing.ts';
import { attemptsOf, isLiving, leaseStatus, leaseStep } from './lease-machine.ts';
import { leftByReal } from './lease-window.ts';
import { isIdle, keepOrLeave, look, lookFirst, wakeOf } from './looking.ts';
import { reloadRecord, restoredOf } from './reload.ts';
import { flush, pump } from './sending.ts';
import { stepConnection } from './steps.ts';
import { failUnreadable } from './unreadable.ts';
import type { ClientEvent, DialNumber, LeaseSnapshot, MakeClientCore } from './types.ts';
import type { RequestId } from '../../shared/ids.ts';

/** More than the noise of two clocks: a sleep, or a step. */
const SLEPT_MS = 1_000;

/** See `ClientCore`. Looks at the clocks, handles the event, then says all that is to be said in one frame. */
export const makeClientCore: MakeClientCore = (settings, first) => {
  const book = makeBook(settings, first);
  return {
    handle(stamp, event, hold = false) {
      const before = book.now;
      book.now = book.read(stamp);
      lookFirst(book);
      const sleptMs = book.now.real - before.real - (book.now.mono - before.mono);
      if (sleptMs > SLEPT_MS) stepConnection(book, { kind: 'slept' });
      handle(book, event);
      look(book, event.kind === 'wake');
      keepOrLeave(book);
      pump(book);
      if (!hold) flush(book);
      return book.effects.splice(0);
    },
    nextWake: () => wakeOf(book),
    keyFor: (name) => restoredOf(book, name)?.request ?? newKey(book),
    record: () => reloadRecord(book),
    lease: (stamp, key) => snapshot(book, book.read(stamp), key),
    get status() {
      return statusOf(book);
    },
    get session() {
      return book.standing.session ?? null;
    },
    get idle() {
      return isIdle(book);
    },
  };
};

function handle(book: Book, event: ClientEvent): void {
  if ('dial' in event) {
    // Nothing of an abandoned socket is heard any more.
    if (isCurrent(book, event.dial)) platform(book, event);
  } else if (event.kind !== 'wake') take(book, event);
}

const isCurrent = ({ connection: { phase } }: Book, dial: DialNumber): boolean =>
  'dial' in phase && phase.dial === dial;

function platform(book: Book, event: Extract<ClientEvent, { readonly dial: DialNumber }>): void {
  switch (event.kind) {
    case 'credential':
      book.standing.credential = event.credential;
      return stepConnection(book, event);
    case 'credential-failed': {
      const text = `${NO_CREDENTIAL}: ${String(event.cause)}`;
      // Said for the first of several in a row.
      if (!book.connection.last?.message.startsWith(NO_CREDENTIAL))
        book.effects.push({ kind: 'warning', code: 'unavailable', text });
      return stepConnection(book, { kind: 'failed', failure: failure('unavailable', text, true) });
    }
    case 'socket-opened':
      return stepConnection(book, { kind: 'opened' });
    case 'socket-frame':
      stepConnection(book, { kind: 'heard' });
      for (const message of event.messages) if (isCurrent(book, event.dial)) hear(book, message);
      return undefined;
    case 'socket-closed': {
      const code = codeOfClose(event.closeCode);
      const why = code && failure(code, event.reason || code, !TERMINAL_CODES.includes(code));
      if (why) failUnreadable(book, why);
      return stepConnection(book, { kind: 'failed', failure: why });
    }
    default:
      return event satisfies never;
  }
}

function snapshot({ leases, anchors, settings }: Book, now: Reading, key: RequestId): LeaseSnapshot | null {
  const held = leases.get(key);
  if (!held) return null;
  // What the next look will find, which tells it.
  const soon = { kind: 'look', next: anchors.next, what: 'over' } as const;
  const { state: lease } = leaseStep(held.lease, soon, now, settings);
  const { phase, window, terms, token } = lease;
  return {
    name: called(terms),
    fencingToken: token,
    ttlMs: window.ttlMs,
    status: leaseStatus(lease),
    remainingMs: isLiving(lease) ? Math.max(0, leftByReal(window, now)) : 0,
    ceilingLeftMs: Math.max(0, window.ceilingLeftMs - (now.real - window.anchor.real)),
    state: held.state,
    lossCode: phase.kind === 'lost' ? phase.code : undefined,
    attempts: attemptsOf(lease, now),
  };
}
