import { z } from 'zod';
import type { Field, Fields, FrameTable, MessageOf } from '../../shared/frame-table.ts';
import { CLIENT_FRAMES, type ClientMessage } from '../../shared/frames.ts';
import { ID_BYTES_MAX } from '../../shared/limits.ts';
import { nameProblem } from '../../shared/names.ts';
import { utf8Bytes } from '../../shared/utf8.ts';
import { allowedInWords, givenInWords } from './words.ts';

/** The coordinator's check of messages: zod schemas built from the one table of frames. */
export type SchemaChecked<M> =
  | { readonly ok: true; readonly message: M }
  | {
      readonly ok: false;
      readonly code: 'bad-request' | 'unknown-type';
      readonly param: string;
      readonly text: string;
    };

function schemaOf(field: Field): z.ZodType {
  switch (field.kind) {
    case 'name':
      return z.string().refine((value) => nameProblem(value) === null);
    case 'token':
    case 'frame':
      return z.int().min(1);
    case 'duration':
    case 'integer':
      return z.int().min(field.min).max(field.max);
    case 'number':
      return z.number();
    case 'flag':
      return z.boolean();
    case 'text':
      return z.string().refine((value) => utf8Bytes(value) <= field.bytesMax);
    case 'id':
      return z.string().refine((value) => value !== '' && utf8Bytes(value) <= ID_BYTES_MAX);
    case 'one-of':
      return z.enum(field.values);
    case 'json':
      return z.custom((value) => value !== undefined && utf8Bytes(JSON.stringify(value)) <= field.bytesMax);
    case 'record':
      return recordOf(field.fields);
    case 'list':
      // Counted first: each of a hundred thousand bad items would become an issue of its own.
      return z
        .custom<unknown[]>((value) => Array.isArray(value) && value.length <= field.max)
        .pipe(z.array(schemaOf(field.item)));
    default:
      return field satisfies never;
  }
}

function recordOf(fields: Fields): z.ZodType {
  const shape: Record<string, z.ZodType> = {};
  for (const [key, field] of Object.entries(fields)) {
    shape[key] = field.optional === true ? schemaOf(field).optional() : schemaOf(field);
  }
  // Unknown fields are ignored: left out of the result.
  return z.object(shape);
}

export interface MessageCheck<M> {
  (value: unknown): SchemaChecked<M>;
}

/** A check of all the messages of a table, told apart by `type`. */
export function makeMessageCheck<T extends FrameTable>(table: T): MessageCheck<MessageOf<T>> {
  const schemas = new Map<string, z.ZodType>();
  for (const [type, fields] of Object.entries(table)) schemas.set(type, recordOf(fields));

  return (value) => {
    if (!isRecord(value)) return refused('bad-request', '', 'A message is a JSON object.');
    const type = value['type'];
    if (typeof type !== 'string') return refused('bad-request', 'type', 'A message has a "type", which is a text.');
    const schema = schemas.get(type);
    const fields = table[type];
    if (schema === undefined || fields === undefined) return refused('unknown-type', 'type', unknownType(type, table));
    const parsed = schema.safeParse(value);
    if (!parsed.success) return explained(type, fields, value, parsed.error.issues[0]?.path ?? []);
    // The schema was built from this very type's fields, and Object.assign keeps what it let through.
    return { ok: true, message: Object.assign({ type }, parsed.data) as MessageOf<T> };
  };
}

export const checkClientMessage: MessageCheck<ClientMessage> = makeMessageCheck(CLIENT_FRAMES);

const refused = (code: 'bad-request' | 'unknown-type', param: string, text: string): SchemaChecked<never> => ({
  ok: false,
  code,
  param,
  text,
});

const unknownType = (type: string, table: FrameTable): string =>
  `There is no message of the type ${JSON.stringify(type.slice(0, 40))}; known are ${Object.keys(table).join(', ')}.`;

/** Follows the path of the first issue through the table, to say what was given and what is allowed. */
function explained(type: string, fields: Fields, message: unknown, path: readonly PropertyKey[]): SchemaChecked<never> {
  let field: Field = { kind: 'record', fields };
  let value = message;
  for (const key of path) {
    if (field.kind === 'record') field = field.fields[String(key)] ?? field;
    else if (field.kind === 'list') field = field.item;
    value = isRecord(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined;
  }
  const param = path.map(String).join('.');
  return refused(
    'bad-request',
    param,
    `"${param}" of "${type}" is ${givenInWords(field, value)}; allowed is ${allowedInWords(field)}.`,
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
