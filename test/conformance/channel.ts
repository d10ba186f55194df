import { EventEmitter } from 'node:events';
import { isList, isRecord, isText, type Json } from './json.ts';

/** The part of a WebSocket that a line uses. */
export interface Wire {
  readonly readyState: number;
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): unknown;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown;
  on(event: 'open' | 'error', listener: () => void): unknown;
  send(data: string | Buffer): void;
  close(code?: number): void;
  terminate(): void;
}

export interface Envelope {
  readonly channel: number;
  readonly messages?: readonly Json[];
  readonly close?: number;
  readonly reason?: string;
}

const OPEN = 1;
const CLOSED = 3;

/** What is wrong with an envelope of a coordinator; null when nothing is. */
export function problemOf(text: string): string | null {
  const seen = (what: string): string => `an envelope ${what}: ${text.slice(0, 200)}`;
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch {
    return seen('that is no JSON');
  }
  if (!isRecord(envelope)) return seen('that is no record');
  const { channel, messages, close, reason } = envelope;
  if (!Number.isSafeInteger(channel) || Number(channel) < 1) return seen('without a channel');
  if ((messages === undefined) === (close === undefined)) return seen('without either messages or a close');
  if (messages !== undefined)
    return isList(messages) && messages.length > 0 ? null : seen('whose messages are no list');
  if (!Number.isInteger(close) || Number(close) < 1_000 || Number(close) > 4_999) return seen('without a close code');
  return isText(reason) && Buffer.byteLength(reason) <= 123 ? null : seen('whose reason is no text of 123 bytes');
}

/** One channel of a socket, as a socket of its own. */
export class Channel extends EventEmitter implements Wire {
  readyState = OPEN;
  readonly #number: number;
  readonly #socket: Wire;

  constructor(number: number, socket: Wire) {
    super();
    this.#number = number;
    this.#socket = socket;
    queueMicrotask(() => this.emit('open'));
  }

  send(data: string | Buffer): void {
    const text = data.toString();
    this.#socket.send(`{"channel":${this.#number},"messages":${text.startsWith('[') ? text : `[${text}]`}}`);
  }

  close(code = 1_000): void {
    if (this.readyState !== OPEN) return;
    if (this.#socket.readyState === OPEN)
      this.#socket.send(JSON.stringify({ channel: this.#number, close: code, reason: '' }));
    this.end(code, '');
  }

  /** A channel alone cannot be broken off. */
  terminate(): void {
    this.close();
  }

  take({ messages, close, reason }: Envelope): void {
    if (this.readyState !== OPEN) return;
    if (messages !== undefined) this.emit('message', Buffer.from(JSON.stringify(messages)), false);
    else this.end(close ?? 0, reason ?? '');
  }

  end(code: number, reason: string): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.emit('close', code, Buffer.from(reason));
  }
}
