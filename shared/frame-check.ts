import type { Field, Fields, FrameTable, MessageOf } from './frame-table.ts';
import { ID_BYTES_MAX } from './limits.ts';
import { nameProblem } from './names.ts';
import { utf8Bytes } from './utf8.ts';

export type Checked<M> =
  | { readonly ok: true; readonly message: M }
  | {
      readonly ok: false;
      readonly code: 'bad-request' | 'unknown-type';
      readonly param: string;
      readonly problem: string;
    };

/** Holds a parsed value against a table of frames. Unknown fields are ignored; the value itself is returned. */
export function checkMessage<T extends FrameTable>(table: T, value: unknown): Checked<MessageOf<T>> {
  if (!isRecord(value)) return { ok: false, code: 'bad-request', param: '', problem: 'a message is a JSON object' };
  const type = value['type'];
  if (typeof type !== 'string') return { ok: false, code: 'bad-request', param: 'type', problem: '"type" is a text' };
  const fields = Object.hasOwn(table, type) ? table[type] : undefined;
  if (fields === undefined)
    return { ok: false, code: 'unknown-type', param: 'type', problem: 'no such type of message' };
  const bad = recordProblem(fields, value);
  // The table was just held against the value field by field: this is what the type says.
  return bad === null ? { ok: true, message: value as MessageOf<T> } : { ok: false, code: 'bad-request', ...bad };
}

interface Problem {
  readonly param: string;
  readonly problem: string;
}

function recordProblem(fields: Fields, value: Record<string, unknown>): Problem | null {
  for (const key in fields) {
    const field = fields[key];
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    if (field === undefined || (given === undefined && field.optional === true)) continue;
    const found = fieldProblem(field, given);
    if (found !== null) return { param: found.param === '' ? key : `${key}.${found.param}`, problem: found.problem };
  }
  return null;
}

const inWords = (problem: string | null): Problem | null => (problem === null ? null : { param: '', problem });
const whole = (value: unknown, min: number, max: number): Problem | null =>
  Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
    ? null
    : { param: '', problem: `a whole number from ${min} to ${max}` };
const text = (value: unknown, bytesMax: number): Problem | null =>
  typeof value === 'string' && utf8Bytes(value) <= bytesMax
    ? null
    : { param: '', problem: `a text of at most ${bytesMax} bytes` };

function fieldProblem(field: Field, value: unknown): Problem | null {
  switch (field.kind) {
    case 'name':
      return inWords(typeof value === 'string' ? nameProblem(value) : 'a name is a text');
    case 'token':
    case 'frame':
      return whole(value, 1, Number.MAX_SAFE_INTEGER);
    case 'duration':
    case 'integer':
      return whole(value, field.min, field.max);
    case 'number':
      return inWords(Number.isFinite(value) ? null : 'a finite number');
    case 'flag':
      return inWords(typeof value === 'boolean' ? null : 'true or false');
    case 'text':
      return text(value, field.bytesMax);
    case 'id':
      return value === '' ? { param: '', problem: 'an id of at least 1 byte' } : text(value, ID_BYTES_MAX);
    case 'one-of':
      return inWords(field.values.some((one) => one === value) ? null : `one of ${field.values.join(', ')}`);
    case 'json':
      return inWords(value === undefined ? 'a JSON value' : null);
    case 'record':
      return isRecord(value) ? recordProblem(field.fields, value) : { param: '', problem: 'an object' };
    case 'list':
      return listProblem(field.max, field.item, value);
    default:
      return field satisfies never;
  }
}

function listProblem(max: number, item: Field, value: unknown): Problem | null {
  if (!Array.isArray(value) || value.length > max) return { param: '', problem: `a list of at most ${max}` };
  for (const [index, one] of value.entries()) {
    const found = fieldProblem(item, one);
    if (found !== null)
      return { param: found.param === '' ? `${index}` : `${index}.${found.param}`, problem: found.problem };
  }
  return null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
