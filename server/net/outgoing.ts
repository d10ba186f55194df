import type { CoordinatorMessage } from '../../shared/frames.ts';
import { frameText } from './frame-text.ts';
import type { Loop } from './loop.ts';
import type { Socket } from './socket.ts';

export interface OutgoingHost {
  readonly loop: Loop;
  readonly outgoingBytesMax: number;
  /** The peer takes too little: it is not read any more, until `resume`. */
  pause(): void;
  resume(): void;
  /** It takes nothing: the socket has to go, without a close frame, which would never arrive behind so much. */
  cut(why: string): void;
}

/** A socket that is not read, since its peer does not read, is cut after this. */
const STUCK_MS_MAX = 10_000;
/** Bounds the memory of one frame going out, whatever was asked for in one coming in. */
const FRAME_LENGTH_MAX = 8_388_608;

/** What waits to go out over one socket, bounded in bytes and in time (S11). */
export class Outgoing {
  readonly #socket: Socket;
  readonly #host: () => OutgoingHost;
  #cancelStuck: (() => void) | null = null;

  constructor(socket: Socket, host: () => OutgoingHost) {
    this.#socket = socket;
    this.#host = host;
  }

  send(messages: readonly CoordinatorMessage[]): void {
    const text = frameText(messages, FRAME_LENGTH_MAX);
    if (text === null) return this.#host().cut(`more than ${FRAME_LENGTH_MAX} bytes were to be told to it at once`);
    // A peer that has read all so far may be told as much as one turn brings: it asked for it.
    const hadRead = this.#socket.bufferedBytes === 0;
    this.#socket.send(text, () => this.#written());
    return this.bound(hadRead);
  }

  /** After anything was written; `hadRead`: nothing waited before it. */
  bound(hadRead: boolean): void {
    const host = this.#host();
    const waiting = this.#socket.bufferedBytes;
    if (waiting >= 2 * host.outgoingBytesMax && !hadRead)
      return host.cut(`${waiting} bytes waited to be read by its peer`);
    if (waiting < host.outgoingBytesMax || this.#cancelStuck !== null) return undefined;
    this.#cancelStuck = host.loop.after(STUCK_MS_MAX, () =>
      host.cut(`its peer has read too little for ${STUCK_MS_MAX} ms`),
    );
    return host.pause();
  }

  stop(): void {
    this.#cancelStuck?.();
    this.#cancelStuck = null;
  }

  #written(): void {
    const host = this.#host();
    if (this.#cancelStuck === null || this.#socket.bufferedBytes >= host.outgoingBytesMax / 2) return;
    this.stop();
    host.resume();
  }
}
