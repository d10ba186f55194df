import { checkMessage } from '../../shared/frame-check.ts';
import { COORDINATOR_FRAMES, type ClientMessage, type CoordinatorMessage } from '../../shared/frames.ts';
import { SOCKET_PATH } from '../../shared/limits.ts';
import { isBrowser, randomId } from './platform.ts';
import { untieOf } from './process-tie.ts';
import type { WebSocketLike } from './public-options.ts';

/** One dial's socket, whatever the runtime. */
export interface Socket {
  /** One frame. */
  send(messages: readonly ClientMessage[]): void;
  /** Closes it behind what was sent; it is not heard of again. */
  close(): void;
}

export interface SocketEvents {
  readonly opened: () => void;
  readonly heard: (messages: readonly CoordinatorMessage[]) => void;
  /** Once, also where it never opened. */
  readonly closed: (closeCode: number, reason: string) => void;
  /** A frame, or one message of it, that is not of this protocol. */
  readonly bad: (problem: string) => void;
}

const OPEN = 1;

/**
 * Always the same, since proxies match it; except in Firefox after a dial that did not open. Firefox delays the next
 * socket to a host, port and path that has failed, by 30 s and more as failures add up (measured), and a path that is new
 * to it not at all.
 */
export const socketPath = (failed: boolean): string =>
  failed && isBrowser('Firefox') ? `${SOCKET_PATH}/${randomId()}` : SOCKET_PATH;

/** `socket` was just made. */
export function openSocket(socket: WebSocketLike, events: SocketEvents): Socket {
  let live = true;
  const untie = untieOf(socket);
  const end = (closeCode: number, reason: string): void => {
    if (!live) return;
    live = false;
    untie();
    hangUp(socket);
    events.closed(closeCode, reason);
  };
  // The handlers stay for good: to `ws` an error without one is an exception.
  socket.onopen = () => live && events.opened();
  socket.onmessage = ({ data }: { readonly data: unknown }) => {
    if (live) events.heard(messagesOf(data, events));
  };
  // Node 22 says `error` and nothing else when nobody listens; elsewhere a `close` that says no more would follow.
  socket.onerror = (event: { readonly message?: string }) => end(0, event.message ?? '');
  // Deno's code is 0 where others say 1006.
  socket.onclose = (event: { readonly code?: number; readonly reason?: string }) =>
    end(event.code ?? 0, event.reason ?? '');
  return {
    send(messages) {
      // Between a peer's close and the `close` event some runtimes throw at a send, others drop it.
      if (socket.readyState !== OPEN) return;
      try {
        socket.send(JSON.stringify(messages.length === 1 ? messages[0] : messages));
      } catch (cause) {
        queueMicrotask(() => end(0, String(cause)));
      }
    },
    close() {
      live = false;
      untie();
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
