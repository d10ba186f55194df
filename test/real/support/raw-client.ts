import { WebSocket } from 'ws';
import { PROTOCOL, PROTOCOL_VERSION, SOCKET_PATH } from '../../../shared/limits.ts';
import { now, type Messages } from './log.ts';
import { messagesOf } from './relay.ts';
import { within } from './waiting.ts';

type Message = Messages[number];

/** A client written by hand: it says what a test tells it to say, also what the library never would. */
export class RawClient {
  readonly received: { readonly at: bigint; readonly message: Message }[] = [];
  /** Close code and reason, once the socket is closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #socket: WebSocket;
  readonly #listeners = new Set<(message: Message, at: bigint) => void>();
  #frames = 0;
  #taken = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const at = now();
      for (const message of messagesOf(data.toString('utf8'))) {
        this.received.push({ at, message });
        for (const listener of this.#listeners) listener(message, at);
        if (message['type'] === 'ping')
          this.send({ type: 'pong', ping: message['ping'] ?? 0, clockMs: performance.now() });
      }
    });
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString('utf8') })),
    );
  }

  static async open(url: string): Promise<RawClient> {
    const socket = new WebSocket(`${url}${SOCKET_PATH}`, PROTOCOL);
    const client = new RawClient(socket);
    await within(
      new Promise((resolve, reject) => {
        socket.once('open', resolve);
        socket.once('error', reject);
      }),
      5_000,
      'a socket opens',
    );
    socket.on('error', () => undefined);
    return client;
  }

  /** Opens and says hello; resolves with the welcome. */
  static async welcome(
    url: string,
    fields: Message = {},
  ): Promise<{ readonly client: RawClient; readonly welcome: Message }> {
    const client = await RawClient.open(url);
    const instance = `raw-${process.pid}-${String(now())}`;
    client.send({
      type: 'hello',
      protocolMin: PROTOCOL_VERSION,
      protocolMax: PROTOCOL_VERSION,
      instance,
      dial: 1,
      ...fields,
    });
    return { client, welcome: await client.take('welcome') };
  }

  /** The next frame's number: a further socket of an instance goes on where the one before ended. */
  countFrom(frame: number): void {
    this.#frames = frame - 1;
  }

  /** Numbers the frame, as every client frame must be. */
  send(message: Message): void {
    this.#frames += 1;
    this.sendText(JSON.stringify({ frame: this.#frames, ...message }));
  }

  /** Several messages in one frame. */
  sendAll(messages: readonly Message[]): void {
    this.#frames += 1;
    this.sendText(JSON.stringify(messages.map((one, index) => (index === 0 ? { frame: this.#frames, ...one } : one))));
  }

  /** Calls back with each message to come, before whoever takes it. */
  listen(listener: (message: Message, at: bigint) => void): void {
    this.#listeners.add(listener);
  }

  /** Reads nothing any more, and so answers nothing; its peer is told of no end. */
  hush(): void {
    this.#socket.pause();
  }

  /** The same of fields as they are written, `"ttlMs":1e400`, also where no value of JavaScript is written so. */
  sendWritten(fields: string): void {
    this.#frames += 1;
    this.sendText(`{"frame":${this.#frames},${fields}}`);
  }

  sendText(text: string | Buffer): void {
    this.#socket.send(text);
  }

  /** The next message of that type that no earlier `take` has returned; messages of other types are passed by. */
  take(type: string, ms = 5_000): Promise<Message> {
    for (let index = this.#taken; index < this.received.length; index += 1) {
      const message = this.received[index]?.message;
      if (message?.['type'] !== type) continue;
      this.#taken = index + 1;
      return Promise.resolve(message);
    }
    let listener: (message: Message) => void = () => undefined;
    const found = new Promise<Message>((resolve) => {
      listener = (message) => {
        if (message['type'] !== type) return;
        // At once: the next message of the same frame is not for this one.
        this.#listeners.delete(listener);
        this.#taken = this.received.length;
        resolve(message);
      };
      this.#listeners.add(listener);
    });
    return within(found, ms, `a message ${type}`).finally(() => this.#listeners.delete(listener));
  }

  /** RST, without a close frame. */
  cut(): void {
    this.#socket.terminate();
  }

  close(): void {
    this.#socket.close();
  }
}
