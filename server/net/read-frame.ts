import { frameNumber, requestId, type FrameNumber, type RequestId } from '../../shared/ids.ts';
import { ID_BYTES_MAX, JSON_DEPTH_MAX, MESSAGES_PER_FRAME_MAX } from '../../shared/limits.ts';
import { inWords } from '../../shared/options.ts';
import { utf8Bytes } from '../../shared/utf8.ts';
import { isDeeperThan } from './depth.ts';

/** One frame, parsed; its messages are not checked yet. */
export type ReadFrame =
  | { readonly ok: true; readonly frame: FrameNumber; readonly first: unknown; readonly messages: readonly unknown[] }
  /** It has no number, so that it cannot be answered as a frame. */
  | { readonly ok: false; readonly text: string };

/** Parses a text frame, once. Its bytes were counted before; its depth is told from the bytes. */
export function readFrame(bytes: Uint8Array, text: string): ReadFrame {
  if (isDeeperThan(bytes, JSON_DEPTH_MAX)) return unreadable(`The frame nests deeper than ${JSON_DEPTH_MAX} levels.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own words would repeat what was sent, a credential perhaps.
    return unreadable('The frame is not JSON.');
  }
  return frameOf(Array.isArray(value) ? value : [value]);
}

/** A frame of these messages, parsed already. */
export function frameOf(messages: readonly unknown[]): ReadFrame {
  if (messages.length > MESSAGES_PER_FRAME_MAX) {
    return unreadable(`The frame has ${messages.length} messages; allowed are at most ${MESSAGES_PER_FRAME_MAX}.`);
  }
  const first = messages[0];
  const number = fieldOf(first, 'frame');
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1) {
    return unreadable(
      `The first message of a frame is an object with "frame", a whole number from 1; given is ${givenInstead(first, number)}.`,
    );
  }
  return { ok: true, frame: frameNumber(number), first, messages };
}

/** The request that a message names, where it can be one. */
export function requestOf(message: unknown): RequestId | undefined {
  const given = fieldOf(message, 'request');
  return typeof given === 'string' && given !== '' && utf8Bytes(given) <= ID_BYTES_MAX ? requestId(given) : undefined;
}

export function fieldOf(message: unknown, field: string): unknown {
  if (typeof message !== 'object' || message === null || !Object.hasOwn(message, field)) return undefined;
  return Reflect.get(message, field);
}

function givenInstead(first: unknown, number: unknown): string {
  if (first === undefined) return 'no message';
  if (typeof first !== 'object' || first === null || Array.isArray(first)) return inWords(first);
  return number === undefined ? 'an object without it' : inWords(number);
}

const unreadable = (text: string): ReadFrame => ({ ok: false, text });
