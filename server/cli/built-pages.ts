import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageFile, PageFiles } from '../net/example-pages.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** The example pages, which lie beside the built command. From source there are none, and none are served. */
const FOLDER = fileURLToPath(new URL('./examples/', import.meta.url));

/** Read once, at the start: what is served is what is in this map. */
export function builtPages(folder: string = FOLDER): PageFiles {
  const pages = new Map<string, PageFile>();
  for (const path of pathsIn(folder)) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    pages.set(`examples/${path.replace(/(^|\/)index\.html$/, '$1')}`, {
      type,
      body: readFileSync(`${folder}/${path}`),
    });
  }
  return pages;
}

/** With slashes, relative to the folder, in the order of their names; none where there is no such folder. */
function pathsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .toSorted();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
