import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository, without a slash at its end. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const SKIPPED = new Set(['node_modules', 'dist', 'build', '.git', 'coverage']);

/** Files under `folder` (relative to the repository) that `wanted` picks, as paths from the repository's folder. */
export function filesUnder(folder: string, wanted: (path: string) => boolean): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (SKIPPED.has(entry.name)) continue;
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...filesUnder(path, wanted));
    else if (wanted(path)) found.push(path);
  }
  return found;
}

export const isTypeScript = (path: string): boolean => path.endsWith('.ts') && !path.endsWith('.d.ts');

export const modifiedMs = (path: string): number => statSync(join(root, path)).mtimeMs;
