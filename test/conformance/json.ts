export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** A message of the protocol, or any other JSON object. */
export type Message = { readonly [key: string]: Json };

export const isRecord = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
export const isText = (value: Json | undefined): value is string => typeof value === 'string';
export const isNumber = (value: Json | undefined): value is number => typeof value === 'number';

/** A text as it is, everything else as JSON. */
export const textOf = (value: Json | undefined): string => (isText(value) ? value : (JSON.stringify(value) ?? ''));

export const typeOf = (message: Message): string => textOf(message['type']);

/** A frame is one message or a list of them; null for everything else. */
export function messagesOf(text: string): readonly Message[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  return list.length > 0 && list.every(isRecord) ? list : null;
}

/** For people: long values are cut. */
export function inShort(value: Json | undefined, charsMax = 400): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > charsMax ? `${text.slice(0, charsMax)}... (${text.length} characters)` : text;
}
