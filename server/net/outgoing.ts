import type { CoordinatorMessage } from '../../shared/frames.ts';
import { frameTexts } from './frame-text.ts';
import type { Loop } from './loop.ts';
import type { Socket } from './socket.ts';

export interface OutgoingHost {
  readonly loop: Loop;
  readonly outgoingBytesMax: number;
  /** The peer takes too little: it is not read any more, until `resume`. */
  pause(): void;
  resume(): void;
  /** So much waits that what replaces itself, a view of a name, had better wait as well; or no longer. */
  congested(congested: boolean): void;
  /** It takes nothing: the socket has to go, without a close frame, which would never arrive behind so much. */
  cut(why: string): void;
}

/** A peer that does not read half of `outgoingBytesMax` within this, while so much waits for it, is cut. */
export const STUCK_MS_MAX = 10_000;
/**
 * What one turn tells is cut into frames of about this, so that a peer over a slow line sees whole answers within the
 * second in which it expects one (R21).
 */
const FRAME_LENGTH = 65_536;
/** Handed to the socket at a time: it tells how far the peer has come only once all that it has is written. */
const HANDED_BYTES = 262_144;
/** Views wait from here on, or from a quarter of `outgoingBytesMax`: answers still have room, and the socket is still read. */
const CONGESTED_BYTES = 262_144;
const CONGESTED_PART = 1 / 4;
/**
 * What has left this process may still stand before its peer, by the megabyte. So a ping of the WebSocket protocol goes
 * behind each so much: what is said next never stands behind many views, however slow the peer is at reading them (R21).
 */
const PING_BYTES = 65_536;
/** A peer, or something on the way, may leave such pings unanswered. It is told views at a pace of its own. */
const PONG_WITHIN_MS = 2_000;

/**
 * What waits to go out over one socket (S11). The answers themselves are bounded by what is read: nothing is, while
 * `outgoingBytesMax` or more wait. They are never cut for their size, since the peer asked for them and would only ask
 * again; it is cut when it reads too little in its time, or when what it did not ask for alone comes to twice as much.
 */
export class Outgoing {
  readonly #socket: Socket;
  readonly #host: () => OutgoingHost;
  readonly #texts: { readonly text: string; readonly bytes: number }[] = [];
  #queuedBytes = 0;
  #unaskedBytes = 0;
  /** Written since the peer was last looked at. */
  #writtenBytes = 0;
  #cancelStuck: (() => void) | null = null;
  #isCongested = false;
  /** Handed over since the last ping that was answered, as far as is known. */
  #unreadBytes = 0;
  /** The ping whose answer is awaited, and what was handed over behind it. */
  #pinged: { bytesSince: number; readonly cancel: () => void } | null = null;

  constructor(socket: Socket, host: () => OutgoingHost) {
    this.#socket = socket;
    this.#host = host;
  }

  send(messages: readonly CoordinatorMessage[]): void {
    const isAsked = messages.some(isAnswer);
    for (const text of frameTexts(messages, FRAME_LENGTH)) {
      const bytes = Buffer.byteLength(text);
      this.#texts.push({ text, bytes });
      this.#queuedBytes += bytes;
      if (!isAsked) this.#unaskedBytes += bytes;
    }
    this.#handOver();
    this.bound();
  }

  /** After anything was written. */
  bound(): void {
    const host = this.#host();
    const waiting = this.#waiting;
    this.#tellCongestion(host, waiting);
    if (waiting < host.outgoingBytesMax) {
      this.#unaskedBytes = Math.min(this.#unaskedBytes, waiting);
      return undefined;
    }
    if (this.#unaskedBytes >= 2 * host.outgoingBytesMax)
      return host.cut(`${waiting} bytes waited to be read by its peer`);
    if (this.#cancelStuck !== null) return undefined;
    this.#watch();
    return host.pause();
  }

  /** Hands everything over at once: a close frame is about to follow. */
  flush(): void {
    this.#handOver(Number.POSITIVE_INFINITY);
  }

  /** Whether it answers a ping of ours: all that went before that one was read. */
  pong(): boolean {
    if (this.#pinged === null) return false;
    this.#pinged.cancel();
    this.#readToPing();
    return true;
  }

  /** Nothing is watched or handed over any more. */
  stop(): void {
    this.#pinged?.cancel();
    this.#pinged = null;
    this.#cancelStuck?.();
    this.#cancelStuck = null;
    this.#texts.length = 0;
    this.#queuedBytes = 0;
  }

  get #waiting(): number {
    return this.#socket.bufferedBytes + this.#queuedBytes;
  }

  #handOver(bytesMax = HANDED_BYTES): void {
    while (this.#socket.bufferedBytes < bytesMax) {
      const next = this.#texts.shift();
      if (next === undefined) return;
      this.#queuedBytes -= next.bytes;
      this.#socket.send(next.text, () => this.#written(next.bytes));
      this.#unreadBytes += next.bytes;
      if (this.#pinged !== null) this.#pinged.bytesSince += next.bytes;
      this.#pingBehindMuch();
    }
  }

  /** One at a time, and before views wait for what no ping would ever go behind. */
  #pingBehindMuch(): void {
    const host = this.#host();
    if (this.#pinged !== null || this.#unreadBytes < Math.min(PING_BYTES, congestedFrom(host) / 2)) return;
    this.#socket.ping();
    const cancel = host.loop.after(PONG_WITHIN_MS, () => this.#readToPing());
    this.#pinged = { bytesSince: 0, cancel };
  }

  #readToPing(): void {
    this.#unreadBytes = this.#pinged?.bytesSince ?? 0;
    this.#pinged = null;
    this.#pingBehindMuch();
    this.#tellCongestion(this.#host(), this.#waiting);
  }

  /** Over from half of where it begins, so that it does not change with each frame. */
  #tellCongestion(host: OutgoingHost, waiting: number): void {
    const unread = Math.max(waiting, this.#queuedBytes + this.#unreadBytes);
    const from = congestedFrom(host);
    if (this.#isCongested ? unread >= from / 2 : unread < from) return;
    this.#isCongested = !this.#isCongested;
    host.congested(this.#isCongested);
  }

  #watch(): void {
    const host = this.#host();
    this.#writtenBytes = 0;
    this.#cancelStuck = host.loop.after(STUCK_MS_MAX, () => {
      if (this.#writtenBytes >= host.outgoingBytesMax / 2) this.#watch();
      else host.cut(`its peer has read too little for ${STUCK_MS_MAX} ms`);
    });
  }

  #written(bytes: number): void {
    const host = this.#host();
    this.#writtenBytes += bytes;
    this.#handOver();
    this.#tellCongestion(host, this.#waiting);
    if (this.#cancelStuck === null || this.#waiting >= host.outgoingBytesMax / 2) return;
    this.#cancelStuck();
    this.#cancelStuck = null;
    this.#unaskedBytes = 0;
    host.resume();
  }
}

const congestedFrom = ({ outgoingBytesMax }: OutgoingHost): number =>
  Math.min(CONGESTED_BYTES, outgoingBytesMax * CONGESTED_PART);

/** Said because the peer asked: as much as it asks for, and no more. */
const isAnswer = (message: CoordinatorMessage): boolean => message.type === 'welcome' || 'request' in message;
