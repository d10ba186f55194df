import type { FrameNumber } from '../../shared/ids.ts';
import { FRAME_BYTES_MAX, METADATA_BYTES_MAX } from '../../shared/limits.ts';
import type { Limits } from '../core/limits.ts';
import type { LaterMessage } from './check-frame.ts';

/** Messages of one frame that go into one turn; `goesOn`: the frame's earlier messages went into an earlier one. */
export interface Part {
  readonly frame: FrameNumber;
  readonly messages: readonly LaterMessage[];
  readonly goesOn: boolean;
}

type Share = Pick<Limits, 'stateBytesMax' | 'outgoingBytesMax'>;

/** What may stand beside a state in an answer. */
const BESIDE_STATE = METADATA_BYTES_MAX + 1_024;

/**
 * How large the answer to a message may be where it can be far larger than the message: those that show a state. All
 * others are as large as what was asked, and count nothing.
 */
function answerBytes(message: LaterMessage, { stateBytesMax }: Share): number {
  if (message.type === 'list') return message.name === undefined ? FRAME_BYTES_MAX : stateBytesMax + BESIDE_STATE;
  return message.type === 'acquire' ? stateBytesMax + BESIDE_STATE : 0;
}

/**
 * What was read from one socket and not handed on yet. A frame of 256 KiB can ask for 64 MiB, so that of all that was
 * read a turn is given as much as `outgoingBytesMax` could answer, and at least one message (S11).
 */
export class Inbox {
  readonly #share: () => Share;
  readonly #parts: Part[] = [];
  #spent = 0;

  constructor(share: () => Share) {
    this.#share = share;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** Something of this turn's share is used up: `nextTurn` has to come. */
  get isUsed(): boolean {
    return this.#spent > 0;
  }

  nextTurn(): void {
    this.#spent = 0;
  }

  add(part: Part): void {
    this.#parts.push(part);
  }

  /** What goes on next, in order; null when there is nothing, or nothing more for this turn. */
  take(): Part | null {
    const part = this.#parts[0];
    if (part === undefined) return null;
    const share = this.#share();
    let count = 0;
    for (const message of part.messages) {
      const bytes = answerBytes(message, share);
      if (bytes > 0 && this.#spent > 0 && this.#spent + bytes > share.outgoingBytesMax) break;
      this.#spent += bytes;
      count += 1;
    }
    if (count === part.messages.length) {
      this.#parts.shift();
      return part;
    }
    if (count === 0) return null;
    this.#parts[0] = { ...part, messages: part.messages.slice(count), goesOn: true };
    return { ...part, messages: part.messages.slice(0, count) };
  }

  /** The socket is gone: all that is left, less what only asks for an answer that nobody would hear. */
  rest(): readonly Part[] {
    const share = this.#share();
    return this.#parts.splice(0).map((part) => ({
      ...part,
      messages: part.messages.filter((message) => answerBytes(message, share) === 0),
    }));
  }
}
