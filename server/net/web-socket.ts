import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type ServerOptions, type WebSocket } from 'ws';
import { PROTOCOL } from '../../shared/limits.ts';
import type { Connection } from './connection.ts';
import type { Socket } from './socket.ts';

/** `ws` waits 30 s for the answer to a close (F19). */
const CLOSE_WITHIN_MS = 1_000;
/** A message in more pieces than this costs more in bookkeeping than in bytes. */
const FRAGMENTS_MAX = 1_024;
const CHUNKS_MAX = 4_096;

/** Since `ws` 8.20; its published types do not know it yet. */
interface Options extends ServerOptions {
  readonly closeTimeout: number;
}

/** Adapter: `ws` behind the `Socket` port. */
export class WebSockets {
  readonly #server: WebSocketServer;

  constructor(frameBytesMax: number) {
    const options: Options = {
      noServer: true,
      clientTracking: false,
      // Compression costs memory for each connection and lets a small frame become a large one (F18, F65).
      perMessageDeflate: false,
      maxPayload: frameBytesMax,
      maxFragments: FRAGMENTS_MAX,
      maxBufferedChunks: CHUNKS_MAX,
      closeTimeout: CLOSE_WITHIN_MS,
      // `ws` itself would pick the first that is offered, a page's credential perhaps.
      handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
    };
    this.#server = new WebSocketServer(options);
  }

  /** For sockets that are upgraded from now on. */
  set frameBytesMax(bytes: number) {
    this.#server.options.maxPayload = bytes;
  }

  /** `connect` is called in this very call, or never when the handshake is not a good one; `ws` has answered it then. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer, connect: (socket: Socket) => Connection): void {
    this.#server.handleUpgrade(request, stream, head, (webSocket) => {
      const connection = connect(asSocket(webSocket));
      const count = (chunk: Buffer): void => {
        if (connection.isWelcomed) stream.off('data', count);
        else connection.received(chunk.length);
      };
      stream.on('data', count);
      webSocket.on('message', (data, isBinary) => receive(connection, data, isBinary));
      webSocket.on('ping', () => connection.control());
      webSocket.on('pong', () => connection.pong());
      webSocket.on('error', (error) => connection.protocolBroken(error.message));
      webSocket.on('close', () => {
        stream.off('data', count);
        connection.closed();
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

function receive(connection: Connection, data: RawData, isBinary: boolean): void {
  // With the default `binaryType` every message is one Buffer.
  if (Buffer.isBuffer(data)) connection.message(data, () => data.toString('utf8'), isBinary);
  else throw new Error('ws handed over a message that is not a Buffer');
}
