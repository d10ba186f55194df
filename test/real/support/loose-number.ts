import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NOTHING, type Sum } from './program/adding.ts';

/** A resource without a fence: whoever writes to it is believed. */
export class LooseNumber implements AsyncDisposable {
  sum: Sum = NOTHING;
  /** Writes that were acknowledged: all of them. */
  writes = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      if (request.method !== 'PUT') return void response.end(JSON.stringify(this.sum));
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (part: string) => (body += part));
      request.on('end', () => {
        this.sum = JSON.parse(body) as Sum; // Written by our own client program.
        this.writes += 1;
        response.end();
      });
    });
  }

  static async open(): Promise<LooseNumber> {
    const made = new LooseNumber();
    // A client that was stopped for a while may go on with the connection that it had.
    made.#server.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // A TCP server's address is never a path.
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
