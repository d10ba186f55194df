import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type ServerOptions, type WebSocket } from 'ws';
import { spokenOf } from './handshake.ts';
import type { Socket, SocketListener } from './socket.ts';

/** `ws` waits 30 s for the answer to a close (F19). */
const CLOSE_WITHIN_MS = 1_000;
/** A message in more pieces than this costs more in bookkeeping than in bytes. */
const FRAGMENTS_MAX = 1_024;
const CHUNKS_MAX = 4_096;

/** Since `ws` 8.20; its published types do not know it yet. */
interface Options extends ServerOptions {
  readonly closeTimeout: number;
}

/** A request to upgrade, as Node hands it over. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly stream: Duplex;
  readonly head: Buffer;
}

/** Adapter: `ws` behind the `Socket` port. */
export class WebSockets {
  readonly #server: WebSocketServer;

  constructor() {
    const options: Options = {
      noServer: true,
      clientTracking: false,
      // Compression costs memory for each listener and lets a small frame become a large one (F18, F65).
      perMessageDeflate: false,
      maxFragments: FRAGMENTS_MAX,
      maxBufferedChunks: CHUNKS_MAX,
      closeTimeout: CLOSE_WITHIN_MS,
      // `ws` itself would pick the first that is offered, a page's credential perhaps.
      handleProtocols: (offered) => spokenOf(offered) ?? false,
    };
    this.#server = new WebSocketServer(options);
  }

  /** Frames have at most `bytesMax`. `connect` is called in this very call, or never when the handshake is not a good one; `ws` has answered it then. */
  upgrade({ request, stream, head }: Upgrade, bytesMax: number, connect: (socket: Socket) => SocketListener): void {
    // Read off in this very call, for this socket alone.
    this.#server.options.maxPayload = bytesMax;
    this.#server.handleUpgrade(request, stream, head, (webSocket) => {
      const listener = connect(asSocket(webSocket));
      const count = (chunk: Buffer): void => {
        if (listener.isWelcomed) stream.off('data', count);
        else listener.received(chunk.length);
      };
      stream.on('data', count);
      webSocket.on('message', (data, isBinary) => receive(listener, data, isBinary));
      webSocket.on('ping', () => listener.control());
      webSocket.on('pong', () => listener.pong());
      webSocket.on('error', (error) => listener.protocolBroken(error.message));
      webSocket.on('close', () => {
        stream.off('data', count);
        listener.closed();
      });
    });
  }
}

function asSocket(webSocket: WebSocket): Socket {
  return {
    // A failed write is followed by `close`, which tells all that there is to tell.
    send: (text, written) => webSocket.send(text, () => written()),
    ping: () => {
      if (webSocket.readyState === webSocket.OPEN) webSocket.ping();
    },
    close: (closeCode, reason) => webSocket.close(closeCode, reason),
    terminate: () => webSocket.terminate(),
    pause: () => webSocket.pause(),
    resume: () => webSocket.resume(),
    get bufferedBytes() {
      return webSocket.bufferedAmount;
    },
  };
}

function receive(listener: SocketListener, data: RawData, isBinary: boolean): void {
  // With the default `binaryType` every message is one Buffer.
  if (Buffer.isBuffer(data)) listener.message(data, () => data.toString('utf8'), isBinary);
  else throw new Error('ws handed over a message that is not a Buffer');
}
