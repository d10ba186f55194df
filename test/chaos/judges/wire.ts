import type { Entry, Messages } from '../../real/support/log.ts';
import { byTime } from './reading.ts';

export type Message = Messages[number];

export interface Said {
  readonly at: bigint;
  readonly client: string;
  readonly message: Message;
}

export interface Heard extends Said {
  /** The request that it answers, as it was said first; absent where it answers none. */
  readonly asked: Said | null;
  /** When that request was said on this same socket: what is answered here is not older. */
  readonly askedHereAt: bigint | null;
}

export interface Listener {
  readonly said?: (said: Said) => void;
  readonly heard?: (heard: Heard) => void;
  /** Everything that is no message. */
  readonly other?: (entry: Entry) => void;
}

interface Socket {
  readonly instance: unknown;
  readonly asked: Map<unknown, Said>;
  /** The dial, and the requests that were said on it. */
  dial: number;
  here: Map<unknown, bigint>;
}

/** Goes through what recorded sockets carried, and all else, in the order of time; each answer with what it answers. */
export function listen(entries: readonly Entry[], listener: Listener): void {
  const sockets = new Map<string, Socket>();
  for (const entry of entries.toSorted(byTime)) {
    if (entry.event === 'sent') {
      for (const message of entry.messages) {
        const said = { at: entry.at, client: entry.client, message };
        remember(sockets, said, entry.dial);
        listener.said?.(said);
      }
    } else if (entry.event === 'received') {
      const socket = sockets.get(entry.client);
      for (const message of entry.messages) {
        const { request } = message;
        const asked = socket?.asked.get(request) ?? null;
        const askedHereAt = socket?.dial === entry.dial ? (socket.here.get(request) ?? null) : null;
        listener.heard?.({ at: entry.at, client: entry.client, message, asked, askedHereAt });
      }
    } else listener.other?.(entry);
  }
}

/** A request that is said again on the next socket is the same one; a client that is started anew counts from 1 again. */
function remember(sockets: Map<string, Socket>, said: Said, dial: number): void {
  const { type, instance, request } = said.message;
  let socket = sockets.get(said.client);
  if (socket === undefined || (type === 'hello' && instance !== socket.instance)) {
    socket = { instance, asked: new Map(), dial, here: new Map() };
    sockets.set(said.client, socket);
  }
  if (dial !== socket.dial) {
    socket.dial = dial;
    socket.here = new Map();
  }
  if (request === undefined) return;
  if (!socket.asked.has(request)) socket.asked.set(request, said);
  if (!socket.here.has(request)) socket.here.set(request, said.at);
}
