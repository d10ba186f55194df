import { PROTOCOL } from '../../shared/limits.ts';
import { after } from './platform.ts';
import type { Client } from './public-client.ts';
import type { ConnectOptions, WebSocketClass, WebSocketLike } from './public-options.ts';
import { openSocket, type Socket, type SocketEvents } from './socket.ts';

/** How the client's frames travel. */
export type TransportName = Client['transport'];

/** How long the part that talks to the worker may take to be loaded, in ms. */
const LOADS_MS = 1_000;

export interface TransportPorts {
  readonly makeSocket: WebSocketClass;
  readonly share: ConnectOptions['share'];
  /** Before each dial: what it goes over. */
  readonly goesOver: (name: TransportName) => void;
  /** Why nothing is shared, once. */
  readonly alone: (problem: string) => void;
}

/** Decides what a dial goes over: the shared worker where that is wanted and there is one; once it failed, never again. */
export class Transport {
  readonly #ports: TransportPorts;
  #shares: boolean;

  constructor(ports: TransportPorts) {
    this.#ports = ports;
    this.#shares = ports.share !== undefined && 'SharedWorker' in globalThis;
  }

  /** Throws what the WebSocket class throws, where nothing is shared. */
  open(url: string, events: SocketEvents): Socket {
    const { makeSocket, goesOver } = this.#ports;
    const plain = (): WebSocketLike => {
      goesOver('socket');
      return new makeSocket(url, [PROTOCOL]);
    };
    if (!this.#shares) return openSocket(plain(), events);
    let wanted = true;
    let inner: Socket | undefined;
    const shared = (socket: WebSocketLike): void => {
      if (wanted) goesOver('shared-worker');
      inner = openSocket(socket, events);
      if (!wanted) inner.close();
    };
    void this.#dial(url)
      .then(shared, (cause: unknown) => {
        this.#fails(cause);
        if (wanted) inner = openSocket(plain(), events);
      })
      .catch((cause: unknown) => events.closed(0, String(cause)));
    return {
      // Nothing is sent before it has opened.
      send: (messages) => inner?.send(messages),
      close: () => {
        wanted = false;
        inner?.close();
      },
    };
  }

  async #dial(url: string): Promise<WebSocketLike> {
    const { share } = this.#ports;
    const where = typeof share === 'object' ? share.worker : undefined;
    const late = new Promise<never>((_, reject) => {
      after(LOADS_MS, () => reject(new Error('it is not loaded in time')));
    });
    const { SharedSocket } = await Promise.race([import('../shared-worker/door.ts'), late]);
    return SharedSocket.dial(where, url, (problem) => this.#fails(problem));
  }

  #fails(cause: unknown): void {
    if (!this.#shares) return;
    this.#shares = false;
    this.#ports.alone(cause instanceof Error ? cause.message : String(cause));
  }
}
