import type { Loop } from './loop.ts';
import { STUCK_MS_MAX } from './outgoing.ts';
import type { Socket } from './socket.ts';

/** Something to go out: a text, or a ping that is to go behind what stands before it. */
export interface Item {
  readonly text: string | null;
  /** It has left its queue: what is told later stands behind it on the wire. */
  readonly handed?: () => void;
  readonly written?: () => void;
}

/** What one channel has to say and has not left this process. */
export class LineQueue {
  readonly items: Item[] = [];
  /** Handed to the socket and not written included. */
  bytes = 0;
  /** All that went before a ping of this queue was read by the peer. */
  readonly ponged: () => void;

  constructor(ponged: () => void = () => undefined) {
    this.ponged = ponged;
  }

  add(item: Item): void {
    this.items.push(item);
    this.bytes += bytesOf(item);
  }

  clear(): void {
    for (const item of this.items.splice(0)) this.bytes -= bytesOf(item);
  }
}

export interface SharedLineHost {
  readonly loop: Loop;
  readonly outgoingBytesMax: number;
  /** The peer takes too little of what belongs to no channel: nothing is read any more, until `resume`. */
  pause(): void;
  resume(): void;
  cut(why: string): void;
}

/**
 * Handed to the socket at a time. Whoever says little waits behind no more than this of those who say much; the rest
 * stands in the queues, which take turns.
 */
const HANDED_BYTES = 131_072;

/**
 * The outgoing side of a socket that many share: one frame of each queue in its turn. What the queues of channels may
 * hold is bounded by their connections; what belongs to none (pongs, refusals) is bounded here, as that of a socket of
 * its own.
 */
export class SharedLine {
  /** For what is said to channels that are not open. */
  readonly aside = new LineQueue();
  readonly #socket: Socket;
  readonly #host: () => SharedLineHost;
  readonly #turns: LineQueue[] = [];
  #writtenBytes = 0;
  #cancelStuck: (() => void) | null = null;
  /** Those whose ping is on its way, and those whose next one goes when it was answered. */
  #pinged = new Set<LineQueue>();
  #pingNext = new Set<LineQueue>();

  constructor(socket: Socket, host: () => SharedLineHost) {
    this.#socket = socket;
    this.#host = host;
  }

  say(queue: LineQueue, item: Item): void {
    if (queue.items.length === 0) this.#turns.push(queue);
    queue.add(item);
    this.#handOver(HANDED_BYTES);
  }

  /** What is left of it is said to nobody. */
  drop(queue: LineQueue): void {
    queue.clear();
    const index = this.#turns.indexOf(queue);
    if (index >= 0) this.#turns.splice(index, 1);
    // A ping of its that is on its way stays known, or its pong would seem to be one that nobody asked for.
    this.#pingNext.delete(queue);
  }

  /** Hands everything over at once: a close frame is about to follow. */
  flush(): void {
    this.#handOver(Number.POSITIVE_INFINITY);
  }

  /** Whether it answers a ping of ours. */
  pong(): boolean {
    if (this.#pinged.size === 0) return false;
    const answered = this.#pinged;
    this.#pinged = new Set();
    if (this.#pingNext.size > 0) {
      this.#pinged = this.#pingNext;
      this.#pingNext = new Set();
      this.#socket.ping();
    }
    for (const queue of answered) queue.ponged();
    return true;
  }

  /** After something that belongs to no channel was written. */
  bound(): void {
    const host = this.#host();
    if (this.#cancelStuck !== null || this.#waiting < host.outgoingBytesMax) return;
    this.#watch();
    host.pause();
  }

  stop(): void {
    this.#cancelStuck?.();
    this.#cancelStuck = null;
    for (const queue of this.#turns.splice(0)) queue.clear();
  }

  get #waiting(): number {
    return this.#socket.bufferedBytes + this.aside.bytes;
  }

  #handOver(bytesMax: number): void {
    while (this.#socket.bufferedBytes < bytesMax) {
      const queue = this.#turns.shift();
      const item = queue?.items.shift();
      if (queue === undefined || item === undefined) return;
      if (queue.items.length > 0) this.#turns.push(queue);
      this.#hand(queue, item);
    }
  }

  #hand(queue: LineQueue, item: Item): void {
    if (item.text === null) return this.#ping(queue);
    const bytes = bytesOf(item);
    this.#socket.send(item.text, () => {
      queue.bytes -= bytes;
      this.#written(bytes);
      item.written?.();
    });
    item.handed?.();
    return undefined;
  }

  /** One at a time, since a peer may answer several by one. */
  #ping(queue: LineQueue): void {
    if (this.#pinged.size > 0) return void this.#pingNext.add(queue);
    this.#pinged.add(queue);
    return this.#socket.ping();
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
    this.#writtenBytes += bytes;
    this.#handOver(HANDED_BYTES);
    if (this.#cancelStuck === null || this.#waiting >= this.#host().outgoingBytesMax / 2) return;
    this.#cancelStuck();
    this.#cancelStuck = null;
    this.#host().resume();
  }
}

const bytesOf = ({ text }: Item): number => (text === null ? 0 : Buffer.byteLength(text));
