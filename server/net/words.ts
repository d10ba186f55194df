import type { Field } from '../../shared/frame-table.ts';
import { ID_BYTES_MAX } from '../../shared/limits.ts';
import { nameProblem } from '../../shared/names.ts';
import { inWords } from '../../shared/options.ts';
import { utf8Bytes } from '../../shared/utf8.ts';

/** What a field of the table may be, with its unit and its range. */
export function allowedInWords(field: Field): string {
  switch (field.kind) {
    case 'name':
      return 'a name: a text of 1 to 256 bytes';
    case 'token':
    case 'frame':
      return `a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`;
    case 'duration':
      return `whole milliseconds from ${field.min} to ${field.max}`;
    case 'integer':
      return `a whole number from ${field.min} to ${field.max}`;
    case 'number':
      return 'a finite number';
    case 'flag':
      return 'true or false';
    case 'text':
      return `a text of at most ${field.bytesMax} bytes`;
    case 'id':
      return `a text of 1 to ${ID_BYTES_MAX} bytes`;
    case 'one-of':
      return `one of ${field.values.map((one) => JSON.stringify(one)).join(', ')}`;
    case 'json':
      return `a JSON value of at most ${field.bytesMax} bytes`;
    case 'record':
      return `an object with ${Object.keys(field.fields).join(', ')}`;
    case 'list':
      return `a list of at most ${field.max}`;
    default:
      return field satisfies never;
  }
}

/** What was given instead. Texts are told by their length only: a credential or a secret may be among them. */
export function givenInWords(field: Field, value: unknown): string {
  if (value === undefined) return 'missing';
  if (field.kind === 'name' && typeof value === 'string') return `refused: ${nameProblem(value) ?? 'it is not a name'}`;
  if (field.kind === 'json') return `${utf8Bytes(JSON.stringify(value))} bytes of JSON`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value !== 'string') return inWords(value);
  return field.kind === 'one-of' ? inWords(value) : `a text of ${utf8Bytes(value)} bytes`;
}
