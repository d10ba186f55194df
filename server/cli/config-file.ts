import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { inWords, unknownKeyProblem } from '../../shared/options.ts';
import { LIMIT_KEYS, LIMIT_RANGES, limitsFrom } from '../net/limit-ranges.ts';
import type { Settings } from './settings.ts';
import { LOG_LEVELS, TEXT_SETTINGS } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** As `--print-config` writes it: the same words, durations as text with their unit. */
const limits = z.strictObject(
  Object.fromEntries(
    LIMIT_KEYS.map((key) => [key, z.int().min(LIMIT_RANGES[key].min).max(LIMIT_RANGES[key].max).optional()]),
  ),
);

const file = z.strictObject({
  port: z.int().min(0).max(65_535).optional(),
  host: z.string().min(1).optional(),
  data: z.string().min(1).nullable().optional(),
  origins: z.array(z.string()).optional(),
  allowHosts: z.array(z.string()).optional(),
  quiet: z.string().optional(),
  insecure: z.boolean().optional(),
  logLevel: z.enum(LOG_LEVELS).optional(),
  limits: limits.optional(),
});

const KEYS = Object.keys(file.shape);

/** What each may be, in words; `limits` have words of their own. */
const ALLOWED: Readonly<Record<keyof typeof file.shape, string>> = {
  port: 'are whole numbers from 0 to 65535',
  host: 'is a text, not an empty one',
  data: 'is the name of a file, or null for none',
  origins: 'is a list of texts',
  allowHosts: 'is a list of texts',
  quiet: 'is a text with its unit: "500ms", "30s", "5m" or "1h"',
  insecure: 'is true or false',
  logLevel: `is one of ${LOG_LEVELS.join(', ')}`,
  limits: 'is an object',
};

/** The settings that a file gives; a key that is not one is refused with the nearest. */
export function readConfigFile(path: string): Partial<Settings> {
  try {
    return settingsOf(parsed(path));
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`config file ${path}: ${error.message}`);
    throw error;
  }
}

function parsed(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`it cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`it is not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

function settingsOf(value: unknown): Partial<Settings> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`it is ${inWords(value)}; it must be an object`);
  refuse(unknownKeyProblem(value, KEYS)?.problem);
  if ('limits' in value && typeof value.limits === 'object' && value.limits !== null) {
    const result = limitsFrom(value.limits);
    refuse(result.ok ? undefined : result.problem.problem);
  }
  const checked = file.safeParse(value);
  if (!checked.success) {
    throw new UsageError(kindProblem(value, checked.error.issues[0]?.path ?? []));
  }
  const { quiet, origins, allowHosts, data, ...others } = checked.data;
  return withoutHoles({
    ...others,
    data: typeof data === 'string' ? TEXT_SETTINGS.data.read(data) : data,
    // The same words and bounds as on the command line.
    origins: origins === undefined ? undefined : TEXT_SETTINGS.origins.read(origins.join(',')),
    allowHosts: allowHosts === undefined ? undefined : TEXT_SETTINGS.allowHosts.read(allowHosts.join(',')),
    quietMs: quiet === undefined ? undefined : TEXT_SETTINGS.quietMs.read(quiet),
  });
}

/** `path` leads to what is wrong: a key, or an item of its list. */
function kindProblem(value: object, path: readonly PropertyKey[]): string {
  let found: unknown = value;
  for (const key of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
  const [key, item] = path;
  // Unknown keys were refused before, so that it is one of the table.
  const allowed = item === undefined ? ALLOWED[key as keyof typeof ALLOWED] : 'is a text';
  return `${path.map(String).join('.')} is ${inWords(found)}; allowed ${allowed}`;
}

const refuse = (problem: string | undefined): void => {
  if (problem !== undefined) throw new UsageError(problem);
};

/** Leaves out what is undefined, so that it covers nothing when settings are laid over one another. */
export function withoutHoles<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Filtered by value, which is what the type says.
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
