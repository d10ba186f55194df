import type { Json } from '../../../../shared/json.ts';

/** Values of the client, as a line of the log can carry them. */
export function codeOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code);
  return error instanceof Error ? error.name : String(error);
}

export function textOf(value: unknown): string {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null)) as Json; // JSON text parses to JSON.
