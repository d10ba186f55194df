import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const COORDINATOR_COMMAND = join(ROOT, 'server/bin/leasehold.js');

const SOURCES = ['shared', 'client', 'server'];
const BUILT = ['client/dist/index.js', 'server/dist/index.js', 'server/dist/cli.js'];

/** Processes run what is shipped, so a `dist` that is older than the newest source would test something else. */
export function requireFreshBuild(): void {
  const newest = SOURCES.flatMap((folder) => sourcesIn(join(ROOT, folder))).reduce(
    (found, path) => (modifiedAt(path) > modifiedAt(found) ? path : found),
    join(ROOT, 'shared/limits.ts'),
  );
  for (const built of BUILT) {
    if (modifiedAt(join(ROOT, built)) < modifiedAt(newest)) {
      throw new Error(`${built} is missing or older than ${newest}: run \`npm run build\` first`);
    }
  }
}

function sourcesIn(folder: string): readonly string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'dist' || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...sourcesIn(path));
    else if (entry.name.endsWith('.ts')) found.push(path);
  }
  return found;
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
