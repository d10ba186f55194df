import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkMessage } from '../../../shared/frame-check.ts';
import type { FrameTable } from '../../../shared/frame-table.ts';
import { CLIENT_FRAMES, COORDINATOR_FRAMES } from '../../../shared/frames.ts';
import { ID_BYTES_MAX } from '../../../shared/limits.ts';

const TABLE = {
  all: {
    name: { kind: 'name', optional: true },
    token: { kind: 'token', optional: true },
    frame: { kind: 'frame', optional: true },
    wait: { kind: 'duration', min: 5, max: 10, optional: true },
    count: { kind: 'integer', min: -1, max: 1, optional: true },
    clock: { kind: 'number', optional: true },
    flag: { kind: 'flag', optional: true },
    text: { kind: 'text', bytesMax: 4, optional: true },
    id: { kind: 'id', of: 'request', optional: true },
    one: { kind: 'one-of', values: ['a', 'b'], optional: true },
    json: { kind: 'json', bytesMax: 4, optional: true },
    record: { kind: 'record', fields: { inner: { kind: 'flag' } }, optional: true },
    list: {
      kind: 'list',
      max: 2,
      item: { kind: 'record', fields: { inner: { kind: 'integer', min: 0, max: 9 } } },
      optional: true,
    },
  },
  strict: { needed: { kind: 'flag' } },
} as const satisfies FrameTable;

const check = (fields: object) => checkMessage(TABLE, { type: 'all', ...fields });

describe('a message', () => {
  it.each([
    [{ name: 'printer' }],
    [{ token: 1 }, { token: Number.MAX_SAFE_INTEGER }],
    [{ frame: 1 }],
    [{ wait: 5 }, { wait: 10 }],
    [{ count: -1 }, { count: 1 }],
    [{ clock: -1.5 }],
    [{ flag: false }],
    [{ text: '' }, { text: '😀' }],
    [{ id: 'x' }, { id: 'x'.repeat(ID_BYTES_MAX) }],
    [{ one: 'b' }],
    [{ json: null }, { json: [1] }],
    [{ record: { inner: true, more: 1 } }],
    [{ list: [] }, { list: [{ inner: 0 }, { inner: 9 }] }],
  ])('is accepted: %j %j', (...messages) => {
    for (const fields of messages) expect(check(fields)).toEqual({ ok: true, message: { type: 'all', ...fields } });
  });

  it.each([
    [{ name: '..' }, 'name', /cannot be names/],
    [{ name: 5 }, 'name', /is a text/],
    [{ token: 0 }, 'token', /from 1 to/],
    [{ token: 1.5 }, 'token', /whole/],
    [{ token: 2 ** 53 }, 'token', /whole/],
    [{ frame: 0 }, 'frame', /whole/],
    [{ wait: 4 }, 'wait', /from 5 to 10/],
    [{ wait: 11 }, 'wait', /from 5 to 10/],
    [{ wait: '7' }, 'wait', /whole/],
    [{ wait: null }, 'wait', /whole/],
    [{ count: -2 }, 'count', /from -1 to 1/],
    [{ count: 2 }, 'count', /from -1/],
    [{ clock: NaN }, 'clock', /finite/],
    [{ clock: '1' }, 'clock', /finite/],
    [{ flag: 0 }, 'flag', /true or false/],
    [{ text: 'abcde' }, 'text', /at most 4 bytes/],
    [{ text: 'ééé' }, 'text', /4 bytes/],
    [{ text: 5 }, 'text', /a text/],
    [{ id: '' }, 'id', /at least 1/],
    [{ id: 'x'.repeat(ID_BYTES_MAX + 1) }, 'id', /at most 64/],
    [{ id: 7 }, 'id', /a text/],
    [{ one: 'c' }, 'one', /one of a, b/],
    [{ record: [] }, 'record', /an object/],
    [{ record: {} }, 'record.inner', /true or false/],
    [{ list: {} }, 'list', /at most 2/],
    [{ list: [{ inner: 1 }, { inner: 1 }, { inner: 1 }] }, 'list', /at most 2/],
    [{ list: [{ inner: 1 }, { inner: 10 }] }, 'list.1.inner', /from 0 to 9/],
    [{ list: [5] }, 'list.0', /an object/],
  ])('S11 is refused with the field and what is allowed: %j', (fields, param, problem) => {
    expect(check(fields)).toEqual({
      ok: false,
      code: 'bad-request',
      param,
      problem: expect.stringMatching(problem) as string,
    });
  });

  it.each([[null], [5], ['text'], [[]], [undefined]])('S11 is an object: %j is none', (value) => {
    expect(checkMessage(TABLE, value)).toMatchObject({ ok: false, code: 'bad-request', param: '' });
  });

  it('S11 has a type that is known: nothing inherited is one', () => {
    for (const type of ['party', 'toString', '__proto__', 'constructor'])
      expect(checkMessage(TABLE, { type })).toMatchObject({ ok: false, code: 'unknown-type', param: 'type' });
    for (const value of [{}, { type: 5 }])
      expect(checkMessage(TABLE, value)).toMatchObject({ ok: false, code: 'bad-request', param: 'type' });
  });

  it('has every field that is not optional, as its own', () => {
    expect(checkMessage(TABLE, { type: 'strict' })).toMatchObject({ ok: false, param: 'needed' });
    expect(
      checkMessage(TABLE, Object.assign(Object.create({ needed: true }) as object, { type: 'strict' })),
    ).toMatchObject({ ok: false, param: 'needed' });
    expect(checkMessage(TABLE, { type: 'strict', needed: true, other: 1 })).toMatchObject({ ok: true });
  });

  it('S11 whatever JSON comes, the check answers and never throws', () => {
    for (const table of [CLIENT_FRAMES, COORDINATOR_FRAMES]) {
      const types = fc.constantFrom(...Object.keys(table));
      fc.assert(
        fc.property(
          fc.jsonValue(),
          types,
          fc.dictionary(
            fc.constantFrom('frame', 'request', 'name', 'held', 'leases', 'views', 'ttlMs'),
            fc.jsonValue(),
          ),
          (value, type, fields) => {
            checkMessage(table, value);
            checkMessage(table, { ...fields, type });
          },
        ),
      );
    }
  });
});
