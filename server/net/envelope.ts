import { CLOSE_REASON_BYTES_MAX, ENVELOPE_DEPTH, JSON_DEPTH_MAX } from '../../shared/limits.ts';
import { inWords } from '../../shared/options.ts';
import { utf8Bytes } from '../../shared/utf8.ts';
import { isDeeperThan } from './depth.ts';
import { fieldOf } from './read-frame.ts';

/** One frame of a socket that carries channels. What is inside of `messages` is not looked at here. */
export type Envelope =
  | { readonly kind: 'messages'; readonly channel: number; readonly messages: readonly unknown[] }
  | { readonly kind: 'close'; readonly channel: number };

export type ReadEnvelope =
  | { readonly ok: true; readonly envelope: Envelope }
  /** It belongs to no channel, so that it can be answered in none. */
  | { readonly ok: false; readonly text: string };

export const CLOSE_CODE_MIN = 1_000;
export const CLOSE_CODE_MAX = 4_999;

/** Parses a text frame, once: envelope and messages. Its depth is told from the bytes, as that of every frame. */
export function readEnvelope(bytes: Uint8Array, text: string): ReadEnvelope {
  const depthMax = JSON_DEPTH_MAX + ENVELOPE_DEPTH;
  if (isDeeperThan(bytes, depthMax)) return unreadable(`The envelope nests deeper than ${depthMax} levels.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable('The envelope is not JSON.');
  }
  const channel = fieldOf(value, 'channel');
  if (!isWithin(channel, 1, Number.MAX_SAFE_INTEGER))
    return unreadable(
      `An envelope is an object with "channel", a whole number from 1; given is ${inWords(channel ?? value)}.`,
    );
  const messages = fieldOf(value, 'messages');
  const close = fieldOf(value, 'close');
  if ((messages === undefined) === (close === undefined))
    return unreadable(
      `An envelope has either "messages" or "close"; given are ${close === undefined ? 'none' : 'both'}.`,
    );
  if (close !== undefined) return closing(channel, close, fieldOf(value, 'reason'));
  if (!Array.isArray(messages)) return unreadable(`"messages" is a list; given is ${inWords(messages)}.`);
  return { ok: true, envelope: { kind: 'messages', channel, messages } };
}

function closing(channel: number, close: unknown, reason: unknown): ReadEnvelope {
  if (!isWithin(close, CLOSE_CODE_MIN, CLOSE_CODE_MAX))
    return unreadable(
      `"close" is a close code, a whole number from ${CLOSE_CODE_MIN} to ${CLOSE_CODE_MAX}; given is ${inWords(close)}.`,
    );
  if (reason === undefined || (typeof reason === 'string' && utf8Bytes(reason) <= CLOSE_REASON_BYTES_MAX))
    return { ok: true, envelope: { kind: 'close', channel } };
  return unreadable(`"reason" is a text of at most ${CLOSE_REASON_BYTES_MAX} bytes.`);
}

/** Around a frame as it would go out over a socket of its own: one message, or a list of them. */
export const envelopeOf = (channel: number, frame: string): string =>
  `{"channel":${channel},"messages":${frame.startsWith('[') ? frame : `[${frame}]`}}`;

export const closeEnvelope = (channel: number, closeCode: number, reason: string): string =>
  JSON.stringify({ channel, close: closeCode, reason });

const isWithin = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;

const unreadable = (text: string): ReadEnvelope => ({ ok: false, text });
