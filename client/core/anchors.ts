import { frameNumber, type FrameNumber } from '../../shared/ids.ts';
import type { Reading } from './elapsed.ts';

/** Frames on record at most: a coordinator that reads names one long before this. */
const ANCHORS_MAX = 1_000;

/** When each frame of this instance was sent, from the last one on that the coordinator named. */
export interface Anchors {
  /** The number that the next frame will bear. */
  readonly next: FrameNumber;
  /** The last frame that is known to have been read. */
  readonly named: FrameNumber;
  /** Gives a frame its number, just before it is sent. */
  record(sent: Reading): FrameNumber;
  /** The coordinator named this frame: it has read it and will name no earlier one. Undefined without a record of it. */
  name(frame: FrameNumber): Reading | undefined;
}

export function makeAnchors(): Anchors {
  const sentAt = new Map<FrameNumber, Reading>();
  let last = 0;
  let named = frameNumber(0);
  return {
    get next() {
      return frameNumber(last + 1);
    },
    get named() {
      return named;
    },
    record: (sent) => {
      const frame = frameNumber((last += 1));
      sentAt.set(frame, sent);
      sentAt.delete(frameNumber(frame - ANCHORS_MAX));
      return frame;
    },
    name: (frame) => {
      const sent = sentAt.get(frame);
      if (sent && frame > named) named = frame;
      // In the order in which they were sent, so the loop ends at the first that stays.
      for (const earlier of sentAt.keys()) {
        if (earlier >= named) break;
        sentAt.delete(earlier);
      }
      return sent;
    },
  };
}
