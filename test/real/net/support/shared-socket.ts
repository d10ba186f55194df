import { WebSocket } from 'ws';
import type { WebSocketClass } from 'leasehold';
import type { Json } from '../../../../shared/json.ts';
import { CHANNELS_PROTOCOL, SOCKET_PATH } from '../../../../shared/limits.ts';
import { eventually, within } from '../../support/waiting.ts';

interface Closing {
  readonly code: number;
  readonly reason: string;
}

export interface Told {
  readonly channel: number;
  readonly messages?: readonly { readonly [field: string]: Json }[];
  readonly close?: number;
  readonly reason?: string;
}

/** One WebSocket that carries channels, spoken by hand. */
export class SharedSocket {
  /** Every envelope that came, in order. */
  readonly told: Told[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<Closing>;
  readonly #listeners = new Map<number, (told: Told) => void>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => {
      const told = JSON.parse(data.toString('utf8')) as Told; // Tests look at each field that they use.
      this.told.push(told);
      this.#listeners.get(told.channel)?.(told);
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString('utf8') })),
    );
  }

  static async open(url: string, protocols: readonly string[] = [CHANNELS_PROTOCOL]): Promise<SharedSocket> {
    const socket = new WebSocket(`${url}${SOCKET_PATH}`, [...protocols]);
    const shared = new SharedSocket(socket);
    await within(new Promise((resolve) => socket.once('open', resolve)), 5_000, 'a socket opens');
    return shared;
  }

  text(text: string | Buffer): void {
    this.socket.send(text);
  }

  say(channel: number, ...messages: readonly object[]): void {
    this.text(JSON.stringify({ channel, messages }));
  }

  close(channel: number): void {
    this.text(JSON.stringify({ channel, close: 1_000, reason: '' }));
  }

  hello(channel: number, fields: object = {}): void {
    this.say(channel, { ...helloOf(`${process.pid}-${channel}-${performance.now()}`), ...fields });
  }

  async welcome(channel: number, fields: object = {}): Promise<void> {
    this.hello(channel, fields);
    await this.toldOf(channel, '"welcome"');
  }

  /** What that channel was told, as text. */
  heard(channel: number): string {
    return this.told
      .filter((one) => one.channel === channel)
      .map((one) => JSON.stringify(one))
      .join('\n');
  }

  toldOf(channel: number, part: string, ms = 3_000): Promise<string> {
    const look = (): string | null => (this.heard(channel).includes(part) ? this.heard(channel) : null);
    return eventually(look, ms, `${part} on channel ${channel}`);
  }

  closeOf(channel: number, ms = 3_000): Promise<number> {
    const look = (): number | null => this.told.find((one) => one.channel === channel && one.close)?.close ?? null;
    return eventually(look, ms, `the close of channel ${channel}`);
  }

  end(): void {
    this.socket.terminate();
  }

  /** A class of WebSockets that are channels of this one, for clients. */
  get Channel(): WebSocketClass {
    const next = (): number => (this.#last += 1);
    const listen = (number: number, listener: (told: Told) => void): void => void this.#listeners.set(number, listener);
    const send = (envelope: object): void => this.text(JSON.stringify(envelope));
    return class {
      readyState = 0;
      onopen: ((event: never) => void) | null = null;
      onmessage: ((event: never) => void) | null = null;
      onerror: ((event: never) => void) | null = null;
      onclose: ((event: never) => void) | null = null;
      /** Given with its first frame, so that numbers rise as they are sent. */
      #number: number | null = null;

      constructor() {
        setImmediate(() => {
          this.readyState = 1;
          this.onopen?.({} as never); // Whoever listens reads nothing of it.
        });
      }

      send(data: string): void {
        if (this.#number === null) listen((this.#number = next()), (told) => this.#take(told));
        const messages: unknown = JSON.parse(data);
        send({ channel: this.#number, messages: Array.isArray(messages) ? messages : [messages] });
      }

      close(): void {
        if (this.readyState === 3) return;
        this.readyState = 3;
        if (this.#number !== null) send({ channel: this.#number, close: 1_000 });
        this.onclose?.({ code: 1_000, reason: '' } as never); // As a close event has it.
      }

      #take({ messages, close, reason }: Told): void {
        if (this.readyState === 3) return;
        if (messages !== undefined) return this.onmessage?.({ data: JSON.stringify(messages) } as never); // As above.
        this.readyState = 3;
        return this.onclose?.({ code: close, reason } as never); // As above.
      }
    };
  }
}

export const helloOf = (instance: string): object => ({
  type: 'hello',
  frame: 1,
  protocolMin: 1,
  protocolMax: 1,
  instance,
  dial: 1,
});
