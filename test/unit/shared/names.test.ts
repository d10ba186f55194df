import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NAME_BYTES_MAX } from '../../../shared/limits.ts';
import { nameProblem } from '../../../shared/names.ts';

describe('a name', () => {
  it.each([
    ['a'],
    ['printer/4'],
    ['...'],
    ['.a'],
    [' '],
    ['é'],
    ['😀'],
    ['\u00a0'],
    ['\u2028'],
    ['x'.repeat(NAME_BYTES_MAX)],
    ['é'.repeat(NAME_BYTES_MAX / 2)],
  ])('may be %j', (name) => {
    expect(nameProblem(name)).toBeNull();
  });

  it.each([
    ['', /at least 1 byte/],
    ['.', /"\." and "\.\."/],
    ['..', /"\." and "\.\."/],
    ['a\u0000', /control/],
    ['a\u001f', /control/],
    ['\u007f', /control/],
    ['a\u009fb', /control/],
    ['\ud83d', /surrogate/],
    ['a\ude00', /surrogate/],
    ['x'.repeat(NAME_BYTES_MAX + 1), /at most 256 bytes, this one has 257/],
    ['é'.repeat(NAME_BYTES_MAX / 2) + 'x', /this one has 257/],
  ])('is refused in words: %j', (name, words) => {
    expect(nameProblem(name)).toMatch(words);
  });

  it('that is accepted comes back from a URL as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }), (name) => {
        fc.pre(nameProblem(name) === null);
        const path = new URL(`/v1/leases/${encodeURIComponent(name)}`, 'http://a.test').pathname;
        return decodeURIComponent(path.slice('/v1/leases/'.length)) === name;
      }),
    );
  });
});
