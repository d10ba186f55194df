import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closeEnvelope, envelopeOf, readEnvelope, type ReadEnvelope } from '../../../../server/net/envelope.ts';

const read = (text: string): ReadEnvelope => readEnvelope(new TextEncoder().encode(text), text);
const problem = (text: string): string => {
  const envelope = read(text);
  return envelope.ok ? '' : envelope.text;
};

describe('S11 reading an envelope', () => {
  test('S11 messages or a close for a channel; unknown fields are ignored', () => {
    expect(read('{"channel":7,"messages":[{"type":"pong"},5],"new":1}')).toEqual({
      ok: true,
      envelope: { kind: 'messages', channel: 7, messages: [{ type: 'pong' }, 5] },
    });
    for (const close of ['1000', '4999', '1000,"reason":""', `3000,"reason":"${'x'.repeat(123)}"`])
      expect(read(`{"close":${close},"channel":9007199254740991}`)).toEqual({
        ok: true,
        envelope: { kind: 'close', channel: 9_007_199_254_740_991 },
      });
  });

  test.each([
    ['{"channel":1,', 'The envelope is not JSON.'],
    ['', 'The envelope is not JSON.'],
    ['null', 'a whole number from 1; given is null.'],
    ['[{"channel":1,"messages":[]}]', 'given is a list.'],
    ['{"messages":[]}', 'given is an object.'],
    ['{"channel":0,"messages":[]}', 'given is 0.'],
    ['{"channel":1.5,"messages":[]}', 'given is 1.5.'],
    ['{"channel":9007199254740992,"messages":[]}', 'given is 9007199254740992.'],
    ['{"channel":"1","messages":[]}', 'given is "1".'],
    ['{"channel":1}', 'either "messages" or "close"; given are none.'],
    ['{"channel":1,"messages":[],"close":1000}', 'given are both.'],
    ['{"channel":1,"messages":{"0":1}}', '"messages" is a list; given is an object.'],
    ['{"channel":1,"messages":null}', '"messages" is a list; given is null.'],
    ['{"channel":1,"close":999}', 'a whole number from 1000 to 4999; given is 999.'],
    ['{"channel":1,"close":5000}', 'given is 5000.'],
    ['{"channel":1,"close":null}', 'given is null.'],
    ['{"channel":1,"close":1000,"reason":null}', '"reason" is a text of at most 123 bytes.'],
    [`{"channel":1,"close":1000,"reason":"${'é'.repeat(62)}"}`, '"reason" is a text of at most 123 bytes.'],
    ['{"__proto__":{"channel":1,"messages":[]}}', 'given is an object.'],
  ])('S11 F16 %s is refused in words', (text, says) => {
    expect(problem(text)).toContain(says);
  });

  test('S11 what was sent is not repeated, since it may hold a credential', () => {
    expect(problem('{"channel":1,"messages":[{"credential":"hush')).not.toContain('hush');
  });

  test('S11 65 levels are read, 66 and a hundred thousand are not', () => {
    const deep = (levels: number): string =>
      `{"channel":1,"messages":[${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}]}`;
    expect(read(deep(65)).ok).toBe(true);
    expect(problem(deep(66))).toBe('The envelope nests deeper than 65 levels.');
    expect(read('['.repeat(100_000)).ok).toBe(false);
  });

  test('S11 of any JSON and any text, what is read has the shape of an envelope, and the rest is refused in words', () => {
    const field = fc.constantFrom('channel', 'messages', 'close', 'reason', 'x', '__proto__', 'constructor');
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.integer({ min: -1, max: 3 }),
      fc.constantFrom(1, 1_000, 'reason'),
      fc.integer({ min: 990, max: 5_010 }),
      fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }),
    );
    const written = (fields: readonly (readonly [string, unknown])[]): string =>
      `{${fields.map(([key, one]) => `${JSON.stringify(key)}:${JSON.stringify(one)}`).join(',')}}`;
    const near = fc
      .tuple(fc.boolean(), fc.array(fc.tuple(field, value), { maxLength: 4 }))
      .map(([isNear, fields]) => written(isNear ? [['channel', 1], ...fields] : fields));
    const counts = { messages: 0, close: 0, refused: 0 };
    fc.assert(
      fc.property(
        fc.oneof(
          near,
          fc.string({ unit: 'binary' }),
          fc.jsonValue().map((one) => JSON.stringify(one)),
        ),
        (text) => {
          const given = read(text);
          counts[given.ok ? given.envelope.kind : 'refused'] += 1;
          if (!given.ok) return given.text.length > 0 && given.text.length < 200;
          const { envelope } = given;
          return (
            Number.isSafeInteger(envelope.channel) &&
            envelope.channel >= 1 &&
            (envelope.kind === 'close' || Array.isArray(envelope.messages))
          );
        },
      ),
      { numRuns: 3_000, seed: 5 },
    );
    // It was not empty.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(10);
  });

  test('S10 what goes out is read again as it was meant', () => {
    expect(read(envelopeOf(3, '{"type":"pong"}'))).toMatchObject({
      envelope: { channel: 3, messages: [{ type: 'pong' }] },
    });
    expect(read(envelopeOf(3, '[1,2]'))).toMatchObject({ envelope: { messages: [1, 2] } });
    expect(JSON.parse(closeEnvelope(3, 4_400, 'a "reason"'))).toEqual({
      channel: 3,
      close: 4_400,
      reason: 'a "reason"',
    });
  });
});
