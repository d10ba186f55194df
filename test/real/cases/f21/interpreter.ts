import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { PROTOCOL } from '../../../../shared/limits.ts';
import type { Json } from '../../../../shared/json.ts';
import { messagesOf } from '../../support/relay.ts';
import { eventually } from '../../support/waiting.ts';

/** What is said of versions in `hello`; a field that is absent is left out. */
export type Versions = { readonly protocolMin?: Json; readonly protocolMax?: Json };

/**
 * Stands between the client and a coordinator, and makes a client of another version of the one, and a coordinator that
 * knows more of the other. Close codes pass as they are.
 */
export class Interpreter {
  readonly url: string;
  /** Sockets that clients have opened. */
  dials = 0;
  /** What clients say of their versions from here on; null: what they said themselves. */
  versions: Versions | null = null;
  readonly #server: WebSocketServer;

  private constructor(server: WebSocketServer, target: string) {
    this.#server = server;
    this.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`; // A TCP server's address is never a path.
    server.on('connection', (client, request) => this.#take(client, `${target}${request.url ?? ''}`));
  }

  static async before(target: string): Promise<Interpreter> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => PROTOCOL });
    await new Promise((resolve) => server.once('listening', resolve));
    return new Interpreter(server, target);
  }

  /** To every client that is connected, as if the coordinator had said it. */
  tell(frame: Json): void {
    for (const client of this.#server.clients) client.send(JSON.stringify(frame));
  }

  /** Until each client that was connected has gone by itself, and all that it said has been passed on. */
  async left(): Promise<void> {
    await eventually(() => (this.#server.clients.size === 0 ? true : null), 5_000, 'its clients have gone');
  }

  cut(): void {
    for (const client of this.#server.clients) client.terminate();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #take(client: WebSocket, url: string): void {
    this.dials += 1;
    const upstream = new WebSocket(url, PROTOCOL);
    const early: string[] = [];
    client.on('message', (data: Buffer) => {
      const frame = this.#said(data.toString('utf8'));
      if (upstream.readyState === WebSocket.OPEN) upstream.send(frame);
      else early.push(frame);
    });
    upstream.on('open', () => {
      for (const frame of early) upstream.send(frame);
    });
    upstream.on('message', (data: Buffer) => client.send(data.toString('utf8')));
    upstream.on('close', (code, reason) => {
      if (code === 1005 || code === 1006) client.terminate();
      else client.close(code, reason);
    });
    // A socket that is destroyed with something unread in it is reset, which may overtake the farewell that was sent on it.
    client.on('close', (code) => {
      if (code === 1006 || upstream.readyState !== WebSocket.OPEN) upstream.terminate();
      else upstream.close(1000);
    });
    // Its `close` follows.
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
  }

  #said(text: string): string {
    const { versions } = this;
    const [first, ...more] = messagesOf(text);
    if (versions === null || first?.['type'] !== 'hello' || more.length > 0) return text;
    const own = Object.entries(first).filter(([field]) => field !== 'protocolMin' && field !== 'protocolMax');
    return JSON.stringify({ ...Object.fromEntries(own), ...versions });
  }
}
