import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, isTypeScript, modifiedMs, root } from './files.ts';

/** What each package offers: the file in `dist` and the source that it is built from. */
export const DOORS: Readonly<Record<'client' | 'server', Readonly<Record<string, string>>>> = {
  client: { index: 'client/index.ts', 'shared-worker': 'client/shared-worker/worker.ts' },
  server: { index: 'server/index.ts', cli: 'server/cli/main.ts', 'journal-worker': 'server/journal/worker.ts' },
};

/** Doors that are one file each, whatever they share with others: a worker's program is named by one URL. */
export const ALONE: readonly string[] = ['shared-worker'];

/** Doors that people import: those whose types are published. The others are started, not imported. */
export const TYPED_DOORS: Readonly<Record<'client' | 'server', readonly string[]>> = {
  client: ['client/index.ts'],
  server: ['server/index.ts'],
};

/** Pages that the coordinator's command serves: the folder of each, whose program bears its name. */
export const PAGES: readonly string[] = ['examples/tabs'];

/** The program of a page, once it is built. */
export const pageProgram = (page: string): string => `server/dist/${page}/${page.slice(page.lastIndexOf('/') + 1)}.js`;

/** Why what is in `dist` cannot be trusted to be what the sources say, or null when it can. */
export function staleness(): string | null {
  const sources = ['shared', 'client', 'server'].flatMap((folder) => filesUnder(folder, isTypeScript));
  const newest = Math.max(...sources.map(modifiedMs));
  for (const side of ['client', 'server'] as const) {
    for (const door of Object.keys(DOORS[side])) {
      const path = `${side}/dist/${door}.js`;
      if (!existsSync(join(root, path))) return `${path} is not built`;
      if (modifiedMs(path) < newest) return `${path} is older than its sources`;
    }
  }
  for (const page of PAGES) {
    const path = pageProgram(page);
    const parts = filesUnder(page, (part) => /\.(?:ts|html|css)$/.test(part));
    if (!existsSync(join(root, path))) return `${path} is not built`;
    if (modifiedMs(path) < Math.max(newest, ...parts.map(modifiedMs))) return `${path} is older than its sources`;
  }
  return null;
}
