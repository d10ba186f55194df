import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToBytes, isWellFormed, utf8Bytes } from '../../../shared/utf8.ts';

const encoder = new TextEncoder();
/** Any string of code units, so lone surrogates too. */
const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });
const mixed = fc.oneof(anyText, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));

describe('utf8Bytes', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['\u007f', 1],
    ['\u0080', 2],
    ['\u07ff', 2],
    ['\u0800', 3],
    ['\uffff', 3],
    ['😀', 4],
    ['\ud83d', 3],
    ['\ude00', 3],
    ['\ud83da', 4],
    ['\ude00\ud83d', 6],
  ])('of %j are %d', (text, bytes) => expect(utf8Bytes(text)).toBe(bytes));

  it('are those that an encoder makes, for every text', () => {
    fc.assert(
      fc.property(mixed, (text) => utf8Bytes(text) === encoder.encode(text).length),
      { numRuns: 1_000 },
    );
  });
});

describe('isWellFormed', () => {
  it('says what survives an encoder unchanged', () => {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    fc.assert(
      fc.property(mixed, (text) => isWellFormed(text) === (decoder.decode(encoder.encode(text)) === text)),
      { numRuns: 1_000 },
    );
  });
});

describe('cutToBytes', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    ['aé', 2, 'a'],
    ['aé', 3, 'aé'],
    ['😀', 3, ''],
    ['😀', 4, '😀'],
    ['abc', 0, ''],
  ])('of %j to %d is %j', (text, most, cut) => {
    expect(cutToBytes(text, most)).toBe(cut);
  });

  it('is the longest beginning that fits and keeps every character whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, most) => {
        const cut = cutToBytes(text, most);
        const [next = ''] = text.slice(cut.length);
        return text.startsWith(cut) && utf8Bytes(cut) <= most && (next === '' || utf8Bytes(cut + next) > most);
      }),
    );
  });
});
