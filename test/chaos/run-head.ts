import type { ChaosRun, FaultSpan } from './run.ts';

/** The first line of a kept run: all but the entries, instants as text. */
export type Head = Omit<ChaosRun, 'from' | 'to' | 'faults' | 'entries'> & {
  readonly from: string;
  readonly to: string;
  readonly faults: readonly (Omit<FaultSpan, 'from' | 'to'> & { readonly from: string; readonly to: string })[];
  readonly found: readonly string[];
  /** How many lines follow; null in a log of a time when nobody noted it. */
  readonly entryCount: number | null;
};

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isInstant: Check = (value) => typeof value === 'string' && /^\d+$/.test(value);
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const SPAN: Readonly<Record<string, Check>> = { kind: isText, victim: isText, from: isInstant, to: isInstant };
const FIELDS: Readonly<Record<string, Check>> = {
  seed: Number.isSafeInteger,
  command: isText,
  commit: isText,
  date: isText,
  machine: isText,
  from: isInstant,
  to: isInstant,
  clients: listOf(isText),
  names: listOf(isText),
  faults: listOf((span) => isFields(span) && lackingIn(span, SPAN) === undefined),
  found: listOf(isText),
  leftOut: (value) => value === null || listOf(isText)(value),
  entryCount: (value) => value === null || Number.isSafeInteger(value),
};

const lackingIn = (fields: Fields, checks: Readonly<Record<string, Check>>): string | undefined =>
  Object.entries(checks).find(([field, check]) => !check(fields[field]))?.[0];

/** The head in that line, or why there is none. */
export function headIn(line: string): Head | string {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return line === '' ? 'it is empty' : 'its first line is no JSON';
  }
  if (!isFields(read)) return 'its first line is no head of a run';
  // Older logs have neither.
  const fields = { leftOut: null, entryCount: null, ...read };
  const lacking = lackingIn(fields, FIELDS);
  if (lacking !== undefined) return `its first line is no head of a run: "${lacking}" is missing or wrong`;
  return fields as unknown as Head; // Each field was looked at above.
}
