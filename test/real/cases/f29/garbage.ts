import { createHash } from 'node:crypto';
import { createServer, type Socket } from 'node:net';

/** RFC 6455, 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const upgraded = (request: string): string => {
  const [, key = ''] = /sec-websocket-key: *(\S+)/i.exec(request) ?? [];
  const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64');
  return [
    'HTTP/1.1 101 Switching Protocols',
    'upgrade: websocket',
    'connection: upgrade',
    'sec-websocket-protocol: leasehold.v1',
    `sec-websocket-accept: ${accept}`,
    '\r\n',
  ].join('\r\n');
};

const text = (payload: string): Buffer =>
  Buffer.concat([Buffer.from([0x81, Buffer.byteLength(payload)]), Buffer.from(payload)]);

/** In turn, one for each connection. What is not HTTP at all is what a client of wss:// gets for its hello, too. */
const ANSWERS: readonly ((socket: Socket, request: string) => void)[] = [
  (socket) => socket.end('\x00\x01\x02 no protocol of yours\r\n'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'),
  (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n'),
  (socket) => socket.resetAndDestroy(),
  (socket, request) => {
    socket.write(upgraded(request));
    for (const payload of ['nonsense', '{}', '[1,null]', '{"type":"welcome"}', '{"type":"granted","request":7}'])
      socket.write(text(payload));
    // A message in bytes.
    socket.end(Buffer.from([0x82, 3, 1, 2, 3]));
  },
  // A frame with reserved bits and a length that never comes.
  (socket, request) => socket.end(Buffer.concat([Buffer.from(upgraded(request)), Buffer.from([0xff, 0x7f, 1, 2])])),
];

interface Garbage extends AsyncDisposable {
  /** Connections that got an answer. */
  readonly answered: number;
}

/** A server that took the coordinator's port and knows nothing of leases. */
export async function garbageAt(port: number): Promise<Garbage> {
  let answered = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // What a client that hangs up does to a write.
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', (request: Buffer) => {
      ANSWERS[answered % ANSWERS.length]?.(socket, request.toString('latin1'));
      answered += 1;
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    get answered() {
      return answered;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
