import { requestId } from '../../../shared/ids.ts';
import type { ListeningMs } from '../../../shared/time.ts';
import type { SocketId } from '../core-types.ts';
import { decide, type Core, type Moment } from './core-state.ts';
import { errorMessage } from './errors.ts';
import { stepSession, type Session, type SessionEffect, type SessionEvent } from './session.ts';
import type { SessionEntry } from './session-book.ts';
import { tell } from './speech.ts';

/**
 * Applies an event to a session and carries its effects out. `welcome` and `separate` are the caller's, who has the
 * `hello` that they answer; they are among the effects returned.
 */
export function carry(core: Core, entry: SessionEntry, event: SessionEvent, moment: Moment): readonly SessionEffect[] {
  const before = entry.session;
  const { session, effects } = stepSession(before, event, moment.now);
  if (before.kind === 'bound' && !isBoundTo(session, before.socket)) core.watches.leave(before.socket);
  if (session === null) endSession(core, entry);
  else core.book.become(entry, session);
  core.changed.add(entry);
  for (const effect of effects) carryOne(core, entry, effect, moment);
  return effects;
}

const isBoundTo = (session: Session | null, socket: SocketId): boolean =>
  session?.kind === 'bound' && session.socket === socket;

function carryOne(core: Core, entry: SessionEntry, effect: SessionEffect, moment: Moment): void {
  switch (effect.kind) {
    case 'refuse':
      refuseSocket(core, effect.socket, effect.code);
      return;
    case 'close':
      core.outbox.close(effect.socket, effect.code);
      return;
    case 'read':
      wake(core, entry, moment);
      return;
    case 'pass-over':
      passOver(core, entry, moment);
      return;
    case 'release-leases':
      releaseAll(core, entry, moment);
      return;
    case 'withdraw-claims':
      tell(core, moment, decide(core, moment.now, { kind: 'claims-gone', session: entry.id }));
      return;
    case 'welcome':
    case 'separate':
      return;
    default:
      effect satisfies never;
  }
}

const PROBLEMS = {
  replaced: 'A newer connection speaks for this session; nothing that came on this one since is applied',
  'bad-request':
    'The number of the frame is not above that of the last one read; `frame` rises by at least 1 with each frame of an instance, over all its sockets',
} as const;

function refuseSocket(core: Core, socket: SocketId, code: 'replaced' | 'bad-request'): void {
  core.outbox.say(
    socket,
    code === 'bad-request'
      ? errorMessage({ code, problem: PROBLEMS[code], cure: '', param: 'frame' })
      : errorMessage({ code, problem: PROBLEMS[code] }),
  );
  core.outbox.close(socket, code);
}

/** Heard from again: its claims are no longer passed over (R19). */
export function wake(core: Core, entry: SessionEntry, moment: Moment): void {
  if (!entry.passedOver) return;
  entry.passedOver = false;
  tell(core, moment, decide(core, moment.now, { kind: 'heard-from', session: entry.id, silent: false }));
}

/** Its claims are passed over and keep their places; the first frame of it is a wake (R19). */
export function passOver(core: Core, entry: SessionEntry, moment: Moment): void {
  entry.passedOver = true;
  tell(core, moment, decide(core, moment.now, { kind: 'heard-from', session: entry.id, silent: true }));
}

/** As its client would have, had it come back; nobody is there to hear the answers. */
function releaseAll(core: Core, { id }: SessionEntry, moment: Moment): void {
  for (const { name, fencingToken } of core.table.heldBy(id))
    tell(
      core,
      moment,
      decide(core, moment.now, {
        kind: 'release',
        session: id,
        request: RELEASED,
        name,
        fencingToken,
        handOver: false,
      }),
    );
}

const RELEASED = requestId('bye');

function endSession(core: Core, entry: SessionEntry): void {
  core.book.remove(entry);
  if (entry.stored) core.batches.writeLast({ kind: 'session-ended', session: entry.id });
}

export const leftOfQuiet = (core: Core, now: ListeningMs): number =>
  core.quietUntil === null ? 0 : Math.max(0, Math.floor(core.quietUntil - now));
