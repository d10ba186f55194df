import { randomBytes } from 'node:crypto';

/** One WebSocket frame as it stood on the wire (RFC 6455, section 5.2), and its text where it is an unfragmented text frame. */
export interface WireFrame {
  readonly raw: Buffer;
  readonly text: string | null;
}

const TEXT = 0x1;

/**
 * Cuts one direction of a connection into the HTTP head and then WebSocket frames, byte for byte: what comes out,
 * joined, is what went in. Compressed frames come out without text: the coordinator accepts no compression.
 */
export class FrameSplitter {
  #pending: Buffer = Buffer.alloc(0);
  #head = true;

  push(chunk: Buffer): readonly WireFrame[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const frames: WireFrame[] = [];
    for (let frame = this.#next(); frame !== null; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): WireFrame | null {
    if (this.#head) {
      const end = this.#pending.indexOf('\r\n\r\n');
      if (end < 0) return null;
      this.#head = false;
      return { raw: this.#take(end + 4), text: null };
    }
    const size = frameSize(this.#pending);
    if (size === null || this.#pending.length < size) return null;
    const raw = this.#take(size);
    return { raw, text: textOf(raw) };
  }

  #take(bytes: number): Buffer {
    const taken = this.#pending.subarray(0, bytes);
    this.#pending = this.#pending.subarray(bytes);
    return taken;
  }
}

interface Layout {
  readonly payloadAt: number;
  readonly payloadBytes: number;
  readonly maskAt: number | null;
}

function layoutOf(bytes: Buffer): Layout | null {
  if (bytes.length < 2) return null;
  const second = bytes.readUInt8(1);
  const short = second & 0x7f;
  const masked = (second & 0x80) !== 0;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (bytes.length < 2 + lengthBytes) return null;
  const payloadBytes =
    lengthBytes === 2 ? bytes.readUInt16BE(2) : lengthBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : short;
  const maskAt = masked ? 2 + lengthBytes : null;
  return { payloadAt: 2 + lengthBytes + (masked ? 4 : 0), payloadBytes, maskAt };
}

function frameSize(bytes: Buffer): number | null {
  const layout = layoutOf(bytes);
  return layout === null ? null : layout.payloadAt + layout.payloadBytes;
}

function textOf(raw: Buffer): string | null {
  const first = raw.readUInt8(0);
  const layout = layoutOf(raw);
  const isWholeText = (first & 0x0f) === TEXT && (first & 0x80) !== 0 && (first & 0x70) === 0;
  if (layout === null || !isWholeText) return null;
  const payload = Buffer.from(raw.subarray(layout.payloadAt));
  if (layout.maskAt !== null) applyMask(payload, raw.subarray(layout.maskAt, layout.maskAt + 4));
  return payload.toString('utf8');
}

function applyMask(payload: Buffer, mask: Buffer): void {
  for (let index = 0; index < payload.length; index += 1) {
    payload.writeUInt8(payload.readUInt8(index) ^ mask.readUInt8(index % 4), index);
  }
}

/** A whole text frame; clients must mask theirs. */
export function textFrame(text: string, masked: boolean): Buffer {
  const payload = Buffer.from(text, 'utf8');
  const size = payload.length;
  const head = size < 126 ? Buffer.alloc(2) : size < 65_536 ? Buffer.alloc(4) : Buffer.alloc(10);
  head.writeUInt8(0x80 | TEXT, 0);
  head.writeUInt8((masked ? 0x80 : 0) | (size < 126 ? size : size < 65_536 ? 126 : 127), 1);
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  if (!masked) return Buffer.concat([head, payload]);
  const mask = randomBytes(4);
  applyMask(payload, mask);
  return Buffer.concat([head, mask, payload]);
}
