import type { Field, Fields, FrameTable } from '../../../shared/frame-table.ts';
import { codesIn, headingsUnder, rowsUnder } from './markdown.ts';

type FieldKind = Omit<Field, 'optional'>;

/** Every message and field of a table as `type.path: kind`, nested ones with dots, items of a list with `[]`. */
export function fieldsOfTable(table: FrameTable): readonly string[] {
  return Object.entries(table).flatMap(([type, fields]) => [type, ...pathsOf(`${type}.`, fields)]);
}

/** The same, as the page has it: a heading for each message, a table with field and kind below it. */
export function fieldsOfPage(page: string, title: string): readonly string[] {
  return headingsUnder(page, title, 3).flatMap((heading) => {
    const [type = heading] = codesIn(heading);
    const rows = rowsUnder(page, heading).map(
      ([field = '', kind = '']) => `${type}.${codesIn(field).join('')}: ${kind}`,
    );
    return [type, ...rows];
  });
}

function pathsOf(before: string, fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const own = `${before}${key}: ${kindInWords(field)}${field.optional === true ? ', optional' : ''}`;
    return [own, ...inside(`${before}${key}`, field)];
  });
}

function inside(path: string, field: Field | Extract<Field, { kind: 'list' }>['item']): readonly string[] {
  if (field.kind === 'record') return pathsOf(`${path}.`, field.fields);
  return field.kind === 'list' ? inside(`${path}[]`, field.item) : [];
}

/** A kind as the page writes it. */
export function kindInWords(field: FieldKind): string {
  // A field without its optionality has the same kinds.
  const of = field as Field;
  switch (of.kind) {
    case 'duration':
      return of.max === Number.MAX_SAFE_INTEGER ? 'ms' : `ms ${of.min} to ${of.max}`;
    case 'integer':
      return of.max === Number.MAX_SAFE_INTEGER ? 'count' : `integer ${of.min} to ${of.max}`;
    case 'text':
      return `text, ${of.bytesMax} bytes`;
    case 'json':
      return `JSON, ${of.bytesMax} bytes`;
    case 'id':
      return `${of.of} id`;
    case 'one-of':
      return of.values.map((value) => `\`${value}\``).join(' or ');
    case 'list':
      return `list of ${kindInWords(of.item)}, ${of.max}`;
    case 'name':
    case 'token':
    case 'number':
    case 'flag':
    case 'frame':
    case 'record':
      return of.kind;
    default:
      return of satisfies never;
  }
}
