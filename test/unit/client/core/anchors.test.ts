import { describe, expect, test } from 'vitest';
import { makeAnchors } from '../../../../client/core/anchors.ts';
import { frameNumber } from '../../../../shared/ids.ts';
import { monoMs } from '../../../../shared/time.ts';

const at = (ms: number) => ({ mono: monoMs(ms), real: monoMs(ms) });

describe('anchors', () => {
  test('R9 frames are numbered from 1, rising', () => {
    const anchors = makeAnchors();
    expect([anchors.next, anchors.record(at(10)), anchors.record(at(20)), anchors.next]).toEqual([1, 1, 2, 3]);
  });

  test('a frame that was named can be named again; earlier ones are forgotten', () => {
    const anchors = makeAnchors();
    for (let ms = 1; ms <= 5; ms += 1) anchors.record(at(ms));
    expect(anchors.name(frameNumber(3))).toEqual(at(3));
    expect(anchors.name(frameNumber(3))).toEqual(at(3));
    expect(anchors.name(frameNumber(2))).toBeUndefined();
    expect(anchors.name(frameNumber(5))).toEqual(at(5));
    expect(anchors.named).toBe(5);
  });

  test('a frame that was never sent is no anchor, and does not count as read', () => {
    const anchors = makeAnchors();
    anchors.record(at(1));
    expect(anchors.name(frameNumber(9))).toBeUndefined();
    expect(anchors.named).toBe(0);
    expect(anchors.name(frameNumber(1))).toEqual(at(1));
  });

  test('the record is bounded: of a coordinator that names nothing only the last 1,000 frames are kept', () => {
    const anchors = makeAnchors();
    for (let ms = 1; ms <= 1_500; ms += 1) anchors.record(at(ms));
    expect(anchors.name(frameNumber(500))).toBeUndefined();
    expect(anchors.name(frameNumber(501))).toEqual(at(501));
  });
});
