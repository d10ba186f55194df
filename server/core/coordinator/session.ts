import type { FrameNumber, InstanceId } from '../../../shared/ids.ts';
import { later, type DurationMs, type ListeningMs } from '../../../shared/time.ts';
import type { SocketId } from '../core-types.ts';

/**
 * What binds a session to a client: a pure transition `(session, event, now) -> { session, effects }`. The whole of it
 * is printed in docs/SESSION-STATES.md, from the table that drives test/tables/session.test.ts. What a session holds
 * and waits for is the lease table's; how long it lives is in session-timers.ts.
 */
export type Session =
  /** A socket speaks for it. */
  | { readonly kind: 'bound'; readonly socket: SocketId; readonly line: Line }
  /** Its socket is gone; its leases and claims are not (S7). */
  | { readonly kind: 'away'; readonly line: Line }
  /** Read from the journal at the start of this run, and not heard from since. */
  | { readonly kind: 'unheard'; readonly instance: InstanceId }
  /** Its last word was `bye`: until `keepUntil` another instance may take it over (R10). */
  | { readonly kind: 'bye'; readonly line: Line; readonly keepUntil: ListeningMs }
  /** The same, of a client that means to: what it waits for stands until then, and then all that it has ends. */
  | { readonly kind: 'expected'; readonly line: Line; readonly keepUntil: ListeningMs };

/** The one instance that may speak for a session, and the last frame of it that was read: every anchor names it (R9). */
export interface Line {
  readonly instance: InstanceId;
  readonly dial: number;
  readonly frame: FrameNumber;
  readonly heardAt: ListeningMs;
}

export interface Hello {
  readonly socket: SocketId;
  readonly instance: InstanceId;
  readonly dial: number;
  readonly frame: FrameNumber;
}

export type SessionEvent =
  /** The right secret, from the instance that has the session, on its newest dial. */
  | ({ readonly kind: 'hello' } & Hello)
  /** The same, on a dial that is not above the last one seen: a socket that its client has given up (R9). */
  | { readonly kind: 'late-hello'; readonly socket: SocketId }
  /** The same, on a newer dial, with a frame number that is not above the last one read. */
  | { readonly kind: 'stale-hello'; readonly socket: SocketId }
  /** The right secret, from another instance. */
  | ({ readonly kind: 'other-hello' } & Hello)
  /** The same, and it brings the last word of the instance that has the session. */
  | ({ readonly kind: 'heir-hello' } & Hello)
  | { readonly kind: 'frame'; readonly socket: SocketId; readonly frame: FrameNumber }
  /** A frame whose number is not above the last one read: no anchor could name it. */
  | { readonly kind: 'stale-frame'; readonly socket: SocketId }
  | { readonly kind: 'bye'; readonly socket: SocketId; readonly keepMs: DurationMs; readonly comesBack: boolean }
  | { readonly kind: 'socket-closed'; readonly socket: SocketId }
  /** The coordinator is about to stop and has nothing more to say. */
  | { readonly kind: 'drained' }
  /** It was silent for longer than its life, and holds and awaits nothing (R25). */
  | { readonly kind: 'life-over' }
  /** Nobody came back to it within `keepMs`. */
  | { readonly kind: 'keep-over' };

export type SessionEffect =
  | { readonly kind: 'welcome'; readonly socket: SocketId }
  /** The socket is told why and closed; nothing of it is applied. */
  | { readonly kind: 'refuse'; readonly socket: SocketId; readonly code: 'replaced' | 'bad-request' }
  | { readonly kind: 'close'; readonly socket: SocketId; readonly code: 'closed' | 'draining' | 'session-ended' }
  /** The socket gets a session of its own and is told that this one is in use (R10). */
  | { readonly kind: 'separate'; readonly socket: SocketId }
  | { readonly kind: 'read' }
  | { readonly kind: 'withdraw-claims' }
  /** Its claims keep their places, and none is granted (R19). */
  | { readonly kind: 'pass-over' }
  /** Its client stopped believing in them before it said `bye` (R13). */
  | { readonly kind: 'release-leases' };

export interface SessionStep {
  /** Null: the session is over. */
  readonly session: Session | null;
  readonly effects: readonly SessionEffect[];
}

export function stepSession(session: Session, event: SessionEvent, now: ListeningMs): SessionStep {
  switch (session.kind) {
    case 'bound':
      return whileBound(session, event, now);
    case 'away':
      return whileAway(session, event, now);
    case 'unheard':
      return whileUnheard(session, event, now);
    case 'bye':
      return afterBye(session, event, now);
    case 'expected':
      return whileExpected(session, event, now);
    default:
      return session satisfies never;
  }
}

function whileBound(session: SessionOf<'bound'>, event: SessionEvent, now: ListeningMs): SessionStep {
  switch (event.kind) {
    case 'hello':
    case 'heir-hello':
      return bind(event, now, [{ kind: 'refuse', socket: session.socket, code: 'replaced' }]);
    case 'frame':
      if (event.socket !== session.socket) return { session, effects: [] };
      return {
        session: { ...session, line: { ...session.line, frame: event.frame, heardAt: now } },
        effects: [{ kind: 'read' }],
      };
    case 'stale-frame':
      return event.socket === session.socket
        ? refuse({ kind: 'away', line: session.line }, event.socket, 'bad-request')
        : { session, effects: [] };
    case 'bye':
      if (event.socket !== session.socket) return { session, effects: [] };
      return {
        session: {
          kind: event.comesBack ? 'expected' : 'bye',
          line: session.line,
          keepUntil: later(now, event.keepMs),
        },
        effects: [
          { kind: event.comesBack ? 'pass-over' : 'withdraw-claims' },
          { kind: 'close', socket: session.socket, code: 'closed' },
        ],
      };
    case 'socket-closed':
      return { session: event.socket === session.socket ? { kind: 'away', line: session.line } : session, effects: [] };
    case 'drained':
      return {
        session: { kind: 'away', line: session.line },
        effects: [{ kind: 'close', socket: session.socket, code: 'draining' }],
      };
    case 'life-over':
      return { session: null, effects: [{ kind: 'close', socket: session.socket, code: 'session-ended' }] };
    case 'late-hello':
    case 'stale-hello':
    case 'other-hello':
      return turnAway(session, event);
    case 'keep-over':
      return { session, effects: [] };
    default:
      return event satisfies never;
  }
}

function whileAway(session: SessionOf<'away'>, event: SessionEvent, now: ListeningMs): SessionStep {
  switch (event.kind) {
    case 'hello':
    case 'heir-hello':
      return bind(event, now);
    case 'life-over':
      return { session: null, effects: [] };
    default:
      return withoutSocket(session, event);
  }
}

function whileUnheard(session: SessionOf<'unheard'>, event: SessionEvent, now: ListeningMs): SessionStep {
  switch (event.kind) {
    case 'hello':
      return bind(event, now);
    case 'heir-hello':
      // The run before may have let another heir in, and died before that was stored.
      return turnAway(session, { ...event, kind: 'other-hello' });
    case 'life-over':
      return { session: null, effects: [] };
    default:
      return withoutSocket(session, event);
  }
}

function afterBye(session: SessionOf<'bye'>, event: SessionEvent, now: ListeningMs): SessionStep {
  switch (event.kind) {
    case 'hello':
    case 'heir-hello':
      return bind(event, now);
    case 'other-hello':
      return now <= session.keepUntil ? bind(event, now) : turnAway(session, event);
    case 'life-over':
      return { session: null, effects: [] };
    default:
      return withoutSocket(session, event);
  }
}

/** As after any `bye`, and what is over in the end is not only its keeping. */
function whileExpected(session: SessionOf<'expected'>, event: SessionEvent, now: ListeningMs): SessionStep {
  switch (event.kind) {
    case 'hello':
    case 'heir-hello':
      return bind(event, now);
    case 'other-hello':
      return now <= session.keepUntil ? bind(event, now) : turnAway(session, event);
    case 'life-over':
      return { session: null, effects: [] };
    case 'keep-over':
      return {
        session: { ...session, kind: 'bye' },
        effects: [{ kind: 'withdraw-claims' }, { kind: 'release-leases' }],
      };
    default:
      return withoutSocket(session, event);
  }
}

/** What comes from a socket that does not speak for the session is not applied and not answered (R9). */
function withoutSocket(
  session: Session,
  event: Exclude<SessionEvent, { kind: 'hello' | 'heir-hello' | 'life-over' }>,
): SessionStep {
  switch (event.kind) {
    case 'frame':
    case 'stale-frame':
    case 'bye':
    case 'socket-closed':
    case 'drained':
    case 'keep-over':
      return { session, effects: [] };
    case 'late-hello':
    case 'stale-hello':
    case 'other-hello':
      return turnAway(session, event);
    default:
      return event satisfies never;
  }
}

function turnAway(session: Session, event: EventOf<'late-hello' | 'stale-hello' | 'other-hello'>): SessionStep {
  switch (event.kind) {
    case 'late-hello':
      return refuse(session, event.socket, 'replaced');
    case 'stale-hello':
      return refuse(session, event.socket, 'bad-request');
    case 'other-hello':
      return { session, effects: [{ kind: 'separate', socket: event.socket }] };
    default:
      return event satisfies never;
  }
}

function bind(hello: Hello, now: ListeningMs, first: readonly SessionEffect[] = []): SessionStep {
  return { session: bound(hello, now), effects: [...first, { kind: 'welcome', socket: hello.socket }] };
}

const refuse = (session: Session, socket: SocketId, code: 'replaced' | 'bad-request'): SessionStep => ({
  session,
  effects: [{ kind: 'refuse', socket, code }],
});

/** A session as a `hello` makes it. */
export const bound = ({ socket, instance, dial, frame }: Hello, now: ListeningMs): SessionOf<'bound'> => ({
  kind: 'bound',
  socket,
  line: { instance, dial, frame, heardAt: now },
});

/** Which of the five kinds of `hello` this is for a session whose secret it has shown; `left`: whose last word it brings. */
export function readHello(session: Session, hello: Hello, left?: InstanceId): SessionEvent {
  const { socket } = hello;
  const instance = instanceOf(session);
  if (instance !== hello.instance) return { kind: instance === left ? 'heir-hello' : 'other-hello', ...hello };
  if (session.kind === 'unheard') return { kind: 'hello', ...hello };
  if (hello.dial <= session.line.dial) return { kind: 'late-hello', socket };
  return hello.frame <= session.line.frame ? { kind: 'stale-hello', socket } : { kind: 'hello', ...hello };
}

export const instanceOf = (session: Session): InstanceId =>
  session.kind === 'unheard' ? session.instance : session.line.instance;

export const readFrame = (session: Session, socket: SocketId, frame: FrameNumber): SessionEvent =>
  session.kind === 'bound' && frame <= session.line.frame
    ? { kind: 'stale-frame', socket }
    : { kind: 'frame', socket, frame };

type SessionOf<K extends Session['kind']> = Extract<Session, { readonly kind: K }>;
type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { readonly kind: K }>;
