import { checkMessage } from '../../shared/frame-check.ts';
import { COORDINATOR_FRAMES, type ClientMessage, type CoordinatorMessage } from '../../shared/frames.ts';
import { MESSAGES_PER_FRAME_MAX, PROTOCOL, WELCOME_BYTES_MAX } from '../../shared/limits.ts';
import { utf8Bytes } from '../../shared/utf8.ts';
import type { WebSocketClass, WebSocketLike } from './public-options.ts';

/** One dial's socket, whatever the runtime. */
export interface Socket {
  /** The messages of one numbered frame; frames of one turn leave as one. */
  send(messages: readonly ClientMessage[]): void;
  /** Sends what is left, closes, and is not heard of again. */
  close(): void;
}

export interface SocketEvents {
  opened(): void;
  heard(messages: readonly CoordinatorMessage[]): void;
  /** Once, also where it never opened. */
  closed(closeCode: number, reason: string): void;
  /** A frame, or one message of it, that is not of this protocol. */
  bad(problem: string): void;
}

const OPEN = 1;

export function openSocket(url: string, make: WebSocketClass, events: SocketEvents): Socket {
  let live = true;
  const socket = new make(url, [PROTOCOL]);
  const end = (closeCode: number, reason: string): void => {
    if (!live) return;
    live = false;
    hangUp(socket);
    events.closed(closeCode, reason);
  };
  // The handlers stay for good: to `ws` an error without one is an exception.
  socket.onopen = () => live && events.opened();
  socket.onmessage = ({ data }: { readonly data: unknown }) => {
    if (live) events.heard(messagesOf(data, events));
  };
  // Node 22 says `error` and nothing else when nobody listens; elsewhere a `close` that says no more would follow.
  socket.onerror = (event: { readonly message?: unknown }) => end(0, String(event.message ?? ''));
  // Deno's code is 0 where others say 1006.
  socket.onclose = (event: { readonly code?: number; readonly reason?: string }) => end(event.code ?? 0, event.reason ?? '');
  const outgoing = makeOutgoing((text) => {
    // Between a peer's close and the `close` event some runtimes throw at a send, others drop it.
    if (!live || socket.readyState !== OPEN) return;
    try {
      socket.send(text);
    } catch (cause) {
      queueMicrotask(() => end(0, String(cause)));
    }
  });
  return {
    send: outgoing.add,
    close: () => {
      outgoing.flush();
      live = false;
      hangUp(socket);
    },
  };
}

function hangUp(socket: WebSocketLike): void {
  try {
    socket.close(1000);
  } catch {
    // Closed or failed already: then there is nothing to close.
  }
}

function messagesOf(data: unknown, { bad }: SocketEvents): readonly CoordinatorMessage[] {
  const messages: CoordinatorMessage[] = [];
  let parsed: unknown = null;
  try {
    parsed = typeof data === 'string' ? JSON.parse(data) : null;
  } catch {
    // `null` is refused below, like every value that is not a message.
  }
  for (const one of Array.isArray(parsed) ? parsed : [parsed]) {
    const checked = checkMessage(COORDINATOR_FRAMES, one);
    if (checked.ok) messages.push(checked.message);
    else bad(`${checked.param}: ${checked.problem}`);
  }
  return messages;
}

/**
 * Puts the frames of one turn into one. It bears the number of the last: what the coordinator says of that number is true
 * of the earlier ones, which it read at the same moment, and its stamp is still from before the sending.
 */
function makeOutgoing(write: (text: string) => void): { add(messages: readonly ClientMessage[]): void; flush(): void } {
  let texts: string[] = [];
  let bytes = 0;
  let number: number | undefined;
  const flush = (): void => {
    const [first, ...others] = texts;
    if (first === undefined) return;
    const numbered = number === undefined ? first : `${first.slice(0, -1)},"frame":${number}}`;
    texts = [];
    bytes = 0;
    write(others.length === 0 ? numbered : `[${[numbered, ...others].join()}]`);
  };
  return {
    flush,
    add(messages) {
      const added = messages.map((message) => JSON.stringify({ ...message, frame: undefined }));
      const size = utf8Bytes(added.join());
      // Never grown beyond what a coordinator surely reads; one large frame of the core goes alone, as it is.
      if (texts.length + added.length > MESSAGES_PER_FRAME_MAX || bytes + size > WELCOME_BYTES_MAX) flush();
      if (texts.length === 0) queueMicrotask(flush);
      texts.push(...added);
      bytes += size;
      number = messages[0]?.frame ?? number;
    },
  };
}
