import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeeperThan } from '../../../../server/net/depth.ts';
import { readFrame, requestOf, type ReadFrame } from '../../../../server/net/read-frame.ts';
import { readHello } from '../../../../server/net/read-hello.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string): ReadFrame => readFrame(bytesOf(text), text);

describe('S11 reading a frame', () => {
  test('S11 one message or a list of them, numbered by the first', () => {
    expect(read('{"type":"pong","frame":7}')).toMatchObject({ ok: true, frame: 7 });
    expect(read('[{"type":"pong","frame":8},{"type":"x"}]')).toMatchObject({ ok: true, frame: 8 });
  });

  test('S11 F16 what has no number is refused in words, whatever it is', () => {
    for (const text of [
      'null',
      '1',
      '[]',
      '{}',
      ']',
      '',
      '"x"',
      '{"type":5}',
      '[[{"frame":1}]]',
      '{"frame":0}',
      '{"frame":1.5}',
      '{"frame":"1"}',
      '{"frame":9007199254740993}',
      '[null,{"frame":1}]',
    ]) {
      const frame = read(text);
      expect(frame.ok, text).toBe(false);
    }
  });

  test('S11 what was sent is not repeated, since it may hold a credential', () => {
    expect(JSON.stringify(read('{"credential":"hush'))).not.toContain('hush');
  });

  test('S10 what was given instead of a numbered object is named', () => {
    for (const [text, given] of [
      ['null', 'null'],
      ['[null]', 'null'],
      ['[]', 'no message'],
      ['[[]]', 'a list'],
      ['"a"', '"a"'],
      ['{}', 'an object without it'],
      ['{"frame":0}', '0'],
    ])
      expect(read(text ?? ''), text).toMatchObject({
        ok: false,
        text: expect.stringMatching(`given is ${given}\\.$`) as unknown,
      });
  });

  test('S11 1,000 messages a frame are read, 1,001 are not', () => {
    const many = (count: number): string => JSON.stringify(Array.from({ length: count }, () => ({ frame: 1 })));
    expect(read(many(1_000)).ok).toBe(true);
    expect(read(many(1_001))).toMatchObject({
      ok: false,
      text: expect.stringContaining('1001 messages; allowed are at most 1000') as unknown,
    });
  });

  test('S11 64 levels are read, 65 and a hundred thousand are not', () => {
    const deep = (levels: number): string => `{"frame":1,"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(read(deep(64)).ok).toBe(true);
    expect(read(deep(65))).toMatchObject({ ok: false, text: 'The frame nests deeper than 64 levels.' });
    expect(read('['.repeat(100_000)).ok).toBe(false);
  });

  test('S11 brackets inside texts are no depth, escapes and long characters included', () => {
    const tricky = JSON.stringify({ frame: 1, text: `${'['.repeat(500)}"\\"${'{'.repeat(500)}日本語€😀\\` });
    expect(isDeeperThan(bytesOf(tricky), 1)).toBe(false);
    expect(isDeeperThan(bytesOf('[["]]"]]'), 2)).toBe(false);
    expect(isDeeperThan(bytesOf('["\\\\",[[]]]'), 2)).toBe(true);
  });

  test('S11 the depth told from the bytes is the depth of the value, for any JSON', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    const odd = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'é', '😀', ',') });
    const anyJson = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        odd,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(odd, tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(anyJson, (value) => {
        const bytes = bytesOf(JSON.stringify(value));
        const depth = depthOf(value);
        expect([isDeeperThan(bytes, depth), depth === 0 || isDeeperThan(bytes, depth - 1)]).toEqual([false, true]);
      }),
      { numRuns: 500 },
    );
  });

  test('S10 the request of a bad message is found, if it can be one', () => {
    expect(requestOf({ request: 'r1' })).toBe('r1');
    for (const message of [null, [], { request: 5 }, { request: '' }, { request: 'x'.repeat(65) }, {}])
      expect(requestOf(message)).toBeUndefined();
  });
});

describe('S10 the first message', () => {
  const hello = { type: 'hello', frame: 1, protocolMin: 1, protocolMax: 1, instance: 'i', dial: 1 };

  test('S10 F21 a version that is not spoken, missing or a text is told with the range that is', () => {
    for (const versions of [
      { protocolMin: 0, protocolMax: 0 },
      { protocolMin: 999, protocolMax: 999 },
      { protocolMin: 2, protocolMax: 1 },
      { protocolMin: '1', protocolMax: '1' },
      { protocolMin: undefined },
    ]) {
      expect(readHello({ ...hello, ...versions })).toMatchObject({
        ok: false,
        code: 'version',
        text: expect.stringContaining('this coordinator speaks 1 to 1') as unknown,
      });
    }
  });

  test('S10 F21 a range with version 1 in it, and fields that are new, are fine', () => {
    expect(readHello({ ...hello, protocolMax: 9, somethingNew: true }).ok).toBe(true);
  });

  test('S11 anything but hello is refused', () => {
    expect(readHello({ type: 'acquire', frame: 1 })).toMatchObject({ ok: false, code: 'bad-request' });
    expect(readHello(null)).toMatchObject({ ok: false, code: 'bad-request' });
  });
});
