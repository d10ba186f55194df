import type { ClosingCode } from '../../../shared/close-codes.ts';
import type { CoordinatorMessage } from '../../../shared/frames.ts';
import { MESSAGES_PER_FRAME_MAX } from '../../../shared/limits.ts';
import type { Output, SocketId } from '../core-types.ts';

/** What one turn says, by socket, each in the order decided (R2). */
export interface Outbox {
  say(socket: SocketId, message: CoordinatorMessage): void;
  /** What is said to the socket next goes in a frame of its own. */
  cut(socket: SocketId): void;
  /** Behind all that was said; nothing follows. */
  close(socket: SocketId, code: ClosingCode): void;
  /** What is said to the socket, from this turn on, waits for `release`; a refusal that closes it does not (R15). */
  hold(socket: SocketId): void;
  release(socket: SocketId): void;
  holds(socket: SocketId): boolean;
  /** The socket is gone. */
  forget(socket: SocketId): void;
  /** Empties it, save of what waits. */
  take(): readonly Output[];
}

interface Letter {
  readonly frames: CoordinatorMessage[][];
  closing: ClosingCode | null;
}

export function outbox(): Outbox {
  const letters = new Map<SocketId, Letter>();
  const held = new Set<SocketId>();
  const letterTo = (socket: SocketId): Letter => {
    const letter = letters.get(socket) ?? { frames: [[]], closing: null };
    letters.set(socket, letter);
    return letter;
  };
  return {
    say(socket, message) {
      const letter = letterTo(socket);
      if (letter.closing !== null) return;
      // Pings would pile up, and each is of its moment.
      if (message.type === 'ping' && held.has(socket)) return;
      const frame = letter.frames.at(-1);
      if (frame === undefined || frame.length >= MESSAGES_PER_FRAME_MAX) letter.frames.push([message]);
      else frame.push(message);
    },
    cut(socket) {
      letterTo(socket).frames.push([]);
    },
    close(socket, code) {
      const letter = letterTo(socket);
      letter.closing ??= code;
      if (!held.delete(socket)) return;
      const refusals = letter.frames.flat().filter(({ type }) => type === 'error');
      letter.frames.splice(0, Infinity, refusals);
    },
    hold: (socket) => void held.add(socket),
    release: (socket) => void held.delete(socket),
    holds: (socket) => held.has(socket),
    forget(socket) {
      if (held.delete(socket)) letters.delete(socket);
    },
    take() {
      const due = [...letters].filter(([socket]) => !held.has(socket));
      for (const [socket] of due) letters.delete(socket);
      return due.flatMap(([socket, letter]) => outputsOf(socket, letter));
    },
  };
}

function outputsOf(socket: SocketId, { frames, closing }: Letter): readonly Output[] {
  const outputs: Output[] = [];
  for (const messages of frames) if (messages.length > 0) outputs.push({ kind: 'send', socket, messages });
  if (closing !== null) outputs.push({ kind: 'close', socket, code: closing, reason: closing });
  return outputs;
}
