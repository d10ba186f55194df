import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

/** Text of a source file of the product, and what stands there instead. */
export interface Patch {
  /** From the repository's folder. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

export const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));

/** A patch whose text is gone, or stands there twice, plants nothing that anybody has thought about. */
export function patched(source: string, { file, find, put }: Patch): string {
  const [before, after, ...more] = source.split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${file} has this text ${more.length + (after === undefined ? 0 : 1)} times, not once: ${find}`);
  return `${before}${put}${after}`;
}

/** Plants the patches in what is bundled. One whose file is not part of the bundle is an error as well. */
export function planting(patches: readonly Patch[]): Plugin {
  const files = new Map<string, Patch[]>();
  for (const patch of patches) {
    const path = `${REPOSITORY}${patch.file}`;
    files.set(path, [...(files.get(path) ?? []), patch]);
  }
  return {
    name: 'planting',
    setup(build) {
      const missing = new Set(files.keys());
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const planted = files.get(path);
        if (planted === undefined) return undefined;
        missing.delete(path);
        return { contents: planted.reduce(patched, readFileSync(path, 'utf8')), loader: 'ts' };
      });
      build.onEnd(() =>
        missing.size === 0 ? undefined : { errors: [{ text: `not simulated: ${[...missing].join(', ')}` }] },
      );
    },
  };
}
