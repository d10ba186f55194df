import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { protocolSchema } from '../../../../server/net/json-schema.ts';
import { checkClientMessage, makeMessageCheck } from '../../../../server/net/schema.ts';
import { checkMessage } from '../../../../shared/frame-check.ts';
import type { Field, FrameTable } from '../../../../shared/frame-table.ts';
import { CLIENT_FRAMES, COORDINATOR_FRAMES } from '../../../../shared/frames.ts';

const tables = { client: CLIENT_FRAMES, coordinator: COORDINATOR_FRAMES } as const;

/** Values around what a field allows: some good, some beside it, some of another kind. */
function near(field: Field): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(null, true, '', 'x', 0, -1, 1.5, 2 ** 53, [], {}, '\ud800', '__proto__');
  return fc.oneof({ weight: 8, arbitrary: good(field) }, { weight: 1, arbitrary: odd });
}

function good(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'name':
      return fc.constantFrom(
        'a',
        'jobs/1',
        '.',
        '..',
        'x'.repeat(256),
        'x'.repeat(257),
        'é'.repeat(128),
        'é'.repeat(129),
        'a\u0000b',
        '\udc00',
      );
    case 'token':
    case 'frame':
      return fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER);
    case 'duration':
    case 'integer':
      return fc.constantFrom(field.min - 1, field.min, field.max, field.max + 1);
    case 'number':
      return fc.double();
    case 'flag':
      return fc.boolean();
    case 'text':
      return fc.constantFrom('', 'a', 'x'.repeat(field.bytesMax), 'x'.repeat(field.bytesMax + 1));
    case 'id':
      return fc.constantFrom('', 'a', 'x'.repeat(64), 'x'.repeat(65), '€'.repeat(21), '€'.repeat(22));
    case 'one-of':
      return fc.constantFrom(...field.values, 'neither');
    case 'json':
      return fc.jsonValue({ maxDepth: 2 });
    case 'record':
      return fieldsNear(field.fields);
    case 'list':
      return fc.oneof(
        fc.array(near(field.item), { maxLength: 3 }),
        fc.constant(Array.from({ length: Math.min(field.max + 1, 1_001) }, () => 0)),
      );
    default:
      return field satisfies never;
  }
}

function fieldsNear(fields: Readonly<Record<string, Field>>): fc.Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([key, field]) => [key, near(field)] as const);
  const required = Object.entries(fields)
    .filter(([, field]) => field.optional !== true)
    .map(([key]) => key);
  return fc.oneof(
    { weight: 5, arbitrary: fc.record(Object.fromEntries(entries), { requiredKeys: required }) },
    { weight: 1, arbitrary: fc.record(Object.fromEntries(entries), { requiredKeys: [] }) },
  );
}

/** Good, or what is wrong with which field; the words differ. */
const verdictOf = (checked: Verdict): readonly string[] => (checked.ok ? [] : [checked.code, checked.param]);
type Verdict = { readonly ok: true } | { readonly ok: false; readonly code: string; readonly param: string };

const tablesToCheck: readonly (readonly [string, FrameTable])[] = Object.entries(tables);

describe('S11 the check of messages', () => {
  for (const [side, table] of tablesToCheck) {
    test(`S11 the ${side}'s schemas and the table's own check agree on every message`, () => {
      const check = makeMessageCheck(table);
      const verdicts = { good: 0, bad: 0 };
      for (const [type, fields] of Object.entries(table)) {
        fc.assert(
          fc.property(fieldsNear(fields), (body) => {
            const message: unknown = JSON.parse(JSON.stringify({ ...body, type, somethingNew: 1 }));
            const bySchema = check(message);
            const byTable = checkMessage(table, message);
            verdicts[bySchema.ok ? 'good' : 'bad'] += 1;
            expect(verdictOf(bySchema)).toEqual(verdictOf(byTable));
          }),
          { numRuns: 150 },
        );
      }
      expect(verdicts.good).toBeGreaterThan(100);
      expect(verdicts.bad).toBeGreaterThan(100);
    });
  }

  test('S11 what is not a message at all is refused, and a built-in name is no type', () => {
    for (const value of [null, 1, 'x', [], true])
      expect(checkClientMessage(value)).toMatchObject({ ok: false, code: 'bad-request' });
    expect(checkClientMessage({ type: 5 })).toMatchObject({ ok: false, code: 'bad-request', param: 'type' });
    for (const type of ['constructor', '__proto__', 'toString', 'nothing']) {
      const message: unknown = JSON.parse(`{"type":"${type}"}`);
      expect(checkClientMessage(message)).toMatchObject({ ok: false, code: 'unknown-type', param: 'type' });
    }
  });

  test('S10 a refusal names the field, the value given, its unit and its range', () => {
    const text = (message: Record<string, unknown>): string => {
      const checked = checkClientMessage(message);
      return checked.ok ? '' : checked.text;
    };
    const acquire = { type: 'acquire', request: 'r1', name: 'printer', ttlMs: 1_000 };
    expect(text({ ...acquire, ttlMs: 5 })).toBe(
      '"ttlMs" of "acquire" is 5; allowed is whole milliseconds from 250 to 86400000.',
    );
    expect(text({ ...acquire, name: undefined })).toBe(
      '"name" of "acquire" is missing; allowed is a name: a text of 1 to 256 bytes.',
    );
    expect(text({ ...acquire, name: 'x'.repeat(300) })).toContain('a name has at most 256 bytes, this one has 300');
    expect(text({ type: 'renew', request: 'r', leases: [{ name: 'a', fencingToken: 0 }] })).toContain(
      '"leases.0.fencingToken" of "renew" is 0',
    );
    expect(text({ type: 'bye', keepMs: 60_001 })).toContain('from 0 to 60000');
  });

  test('S11 a refusal repeats no credential and no secret', () => {
    const secret = 'the-secret'.repeat(1_000);
    const hello = { type: 'hello', frame: 1, protocolMin: 1, protocolMax: 1, instance: 'i', dial: 1 };
    for (const message of [
      { ...hello, credential: secret },
      { ...hello, resume: { session: 's', secret } },
    ]) {
      const checked = checkClientMessage(message);
      expect(checked.ok).toBe(false);
      expect(JSON.stringify(checked)).not.toContain('the-secret');
      expect(JSON.stringify(checked)).toContain('a text of 10000 bytes');
    }
  });

  test('S11 the bytes of a JSON field are bounded: one below, at and one above', () => {
    const hello = { type: 'hello', frame: 1, protocolMin: 1, protocolMax: 1, instance: 'i', dial: 1 };
    const verdict = (bytes: number): boolean => checkClientMessage({ ...hello, metadata: 'x'.repeat(bytes - 2) }).ok;
    expect([1_023, 1_024, 1_025].map(verdict)).toEqual([true, true, false]);
  });
});

test('the JSON Schema document in docs is the one that the table makes (LEASEHOLD_WRITE=1 writes it)', () => {
  const path = fileURLToPath(new URL('../../../../docs/protocol.schema.json', import.meta.url));
  if (process.env['LEASEHOLD_WRITE'] === '1') writeFileSync(path, `${JSON.stringify(protocolSchema(), null, 2)}\n`);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(protocolSchema());
});
