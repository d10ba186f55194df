import { closeEnvelope, envelopeOf } from './envelope.ts';
import type { Connection } from './connection.ts';
import { LineQueue, type SharedLine } from './shared-line.ts';
import type { Socket } from './socket.ts';

export interface ChannelHost {
  readonly line: SharedLine;
  /** Runs once, after this call has returned. */
  soon(job: () => void): void;
  /** Nothing more goes in or out by this number. */
  over(channel: ChannelSocket): void;
}

interface Held {
  readonly messages: readonly unknown[];
  readonly bytes: number;
}

/** To a page it would be a socket that broke off (RFC 6455, section 7.4.1). */
const CUT_CODE = 1_006;

/** One channel: a socket to the connection behind it. What comes while it is not read is held, since others share the stream. */
export class ChannelSocket implements Socket {
  readonly number: number;
  /** Bytes that came and were not read. */
  heldBytes = 0;
  readonly #host: ChannelHost;
  readonly #queue: LineQueue;
  #connection: Connection | null = null;
  #held: Held[] = [];
  #isPaused = false;
  #isDraining = false;
  #state: 'open' | 'closing' | 'over' = 'open';

  constructor(number: number, host: ChannelHost) {
    this.number = number;
    this.#host = host;
    this.#queue = new LineQueue(() => this.#connection?.pong());
  }

  /** Whom it is a socket to, from here on. */
  behind(connection: Connection): void {
    this.#connection = connection;
  }

  get connection(): Connection | null {
    return this.#connection;
  }

  get bufferedBytes(): number {
    return this.#queue.bytes;
  }

  send(text: string, written: () => void): void {
    if (this.#state === 'open') this.#host.line.say(this.#queue, { text: envelopeOf(this.number, text), written });
  }

  ping(): void {
    if (this.#state === 'open') this.#host.line.say(this.#queue, { text: null });
  }

  /** It needs no answer: the number is never used again, and what crosses it on its way is dropped. */
  close(closeCode: number, reason: string): void {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    const text = closeEnvelope(this.number, closeCode, reason);
    this.#host.line.say(this.#queue, { text, handed: () => this.#end() });
  }

  /** What waits is dropped; since the stream goes on, the peer can still be told. */
  terminate(): void {
    if (this.#state === 'over') return;
    const { line } = this.#host;
    line.drop(this.#queue);
    this.#end();
    line.say(line.aside, { text: closeEnvelope(this.number, CUT_CODE, '') });
    line.bound();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#readOn();
  }

  /** A frame came for it. */
  take(messages: readonly unknown[], bytes: number): void {
    this.#connection?.received(bytes);
    if (this.#isPaused || this.#held.length > 0) {
      this.#held.push({ messages, bytes });
      this.heldBytes += bytes;
    } else this.#connection?.messages(messages, bytes);
  }

  /** The peer has closed it, or the whole socket is gone. */
  closedByPeer(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#host.line.drop(this.#queue);
    this.#forget();
    this.#host.over(this);
    this.#connection?.closed();
  }

  #end(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#forget();
    this.#host.over(this);
    this.#host.soon(() => this.#connection?.closed());
  }

  #forget(): void {
    this.#held = [];
    this.heldBytes = 0;
  }

  /** Later, as a stream that is read again brings what it has later. */
  #readOn(): void {
    if (this.#isDraining || this.#held.length === 0) return;
    this.#isDraining = true;
    this.#host.soon(() => {
      this.#isDraining = false;
      while (!this.#isPaused) {
        const next = this.#held.shift();
        if (next === undefined) return;
        this.heldBytes -= next.bytes;
        this.#connection?.messages(next.messages, next.bytes);
      }
    });
  }
}
