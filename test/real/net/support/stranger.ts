import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { eventually, within } from '../../support/waiting.ts';

/** A WebSocket spoken by hand over a plain stream, so that anything can be sent. */
export class Stranger {
  readonly stream: Socket;
  readonly #texts: string[] = [];
  #bytes: Buffer = Buffer.alloc(0);
  #closeCode: number | null = null;
  #isGone = false;

  private constructor(stream: Socket) {
    this.stream = stream;
    stream.on('error', () => undefined);
    stream.on('close', () => (this.#isGone = true));
  }

  static async upgrade(port: number, headers: Readonly<Record<string, string>> = {}): Promise<Stranger> {
    const stranger = new Stranger(connect(port, '127.0.0.1'));
    stranger.stream.write(handshake({ Host: `127.0.0.1:${port}`, ...headers }));
    const head = await within(
      new Promise<Buffer>((resolve) => stranger.stream.once('data', resolve)),
      5_000,
      'the answer to a handshake',
    );
    const end = head.indexOf('\r\n\r\n') + 4;
    stranger.#take(head.subarray(end));
    stranger.stream.on('data', (chunk: Buffer) => stranger.#take(chunk));
    return stranger;
  }

  send(bytes: Buffer): void {
    this.stream.write(bytes);
  }

  /** All that it was told so far. */
  get told(): string {
    return this.#texts.join('\n');
  }

  toldOf(part: string): Promise<string> {
    return eventually(() => (this.told.includes(part) ? this.told : null), 3_000, `a message with ${part}`);
  }

  closeCode(): Promise<number> {
    return eventually(() => this.#closeCode, 3_000, 'a close frame');
  }

  gone(ms: number): Promise<boolean> {
    return eventually(() => (this.#isGone ? true : null), ms, 'the end of the stream');
  }

  /** The server's frames are never masked. */
  #take(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const short = this.#bytes[1] ?? 0;
      const head = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (this.#bytes.length < head) return;
      const length =
        short === 126 ? this.#bytes.readUInt16BE(2) : short === 127 ? Number(this.#bytes.readBigUInt64BE(2)) : short;
      if (this.#bytes.length < head + length) return;
      const payload = this.#bytes.subarray(head, head + length);
      const opcode = (this.#bytes[0] ?? 0) & 0x0f;
      if (opcode === 8) this.#closeCode = length >= 2 ? payload.readUInt16BE(0) : 1_005;
      if (opcode === 1) this.#texts.push(payload.toString());
      this.#bytes = this.#bytes.subarray(head + length);
    }
  }
}

export function handshake(
  headers: Readonly<Record<string, string | undefined>>,
  requestLine = 'GET /v1/socket HTTP/1.1',
): string {
  const all: Record<string, string | undefined> = {
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    'Sec-WebSocket-Protocol': 'leasehold.v1',
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return [requestLine, ...lines, '', ''].join('\r\n');
}

/** One frame: the first byte has FIN, reserved bits and opcode. */
export function rawFrame(firstByte: number, payload: Buffer, masked = true): Buffer {
  const mask = masked ? randomBytes(4) : Buffer.alloc(0);
  const body = Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  const bit = masked ? 0x80 : 0;
  const size = payload.length;
  const head = size < 126 ? Buffer.alloc(1) : size < 65_536 ? Buffer.alloc(3) : Buffer.alloc(9);
  head.writeUInt8(bit | (size < 126 ? size : size < 65_536 ? 126 : 127));
  if (head.length === 3) head.writeUInt16BE(size, 1);
  if (head.length === 9) head.writeBigUInt64BE(BigInt(size), 1);
  return Buffer.concat([Buffer.of(firstByte), head, mask, body]);
}

export const textFrame = (text: string): Buffer => rawFrame(0x81, Buffer.from(text));

export const hello = (fields: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    type: 'hello',
    frame: 1,
    protocolMin: 1,
    protocolMax: 1,
    instance: `i${randomBytes(6).toString('hex')}`,
    dial: 1,
    ...fields,
  });
