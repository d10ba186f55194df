import { readFileSync } from 'node:fs';

let known: string | null = null;

/** The version of `leasehold-server`. Read when it is asked for: one folder up from here, and from `dist` too. */
export function version(): string {
  if (known !== null) return known;
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const value: unknown = JSON.parse(text);
  const found = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  known = typeof found === 'string' ? found : 'unknown';
  return known;
}
