import { build } from 'esbuild';
import { rm } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { planting, REPOSITORY, type Patch } from './mutants/patch.ts';
import { emptyTally, join, type Tally } from './tally.ts';
import type { Range } from './worker.ts';

export interface PoolOptions {
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
  readonly twice?: boolean;
  /** A bug that is planted in the product's code before it is played. */
  readonly patches?: readonly Patch[];
  /** Ends once so many seeds have a problem. */
  readonly stopAfter?: number;
  readonly onProgress?: (tally: Tally) => void;
}

/** Seeds a message: small, so that both cores are busy to the end. */
const RANGE_SEEDS = 20;

/** Plays seeds on threads, each with a bundle of its own of simulator and product. */
export async function playSeeds(options: PoolOptions): Promise<Tally> {
  const file = await bundled(options.patches ?? []);
  try {
    return await playIn(file, options);
  } finally {
    await rm(file, { force: true });
  }
}

async function playIn(file: string, options: PoolOptions): Promise<Tally> {
  const { from, seeds, workers, twice = false, stopAfter = Infinity, onProgress } = options;
  const tally = emptyTally();
  let next = from;
  const range = (): Range | null => {
    const count = Math.min(RANGE_SEEDS, from + seeds - next);
    if (count <= 0 || tally.failed.length >= stopAfter) return null;
    next += count;
    return { from: next - count, count, twice, stopAfter };
  };
  const finished = Array.from({ length: workers }, () =>
    onThread(file, range, (part) => {
      join(tally, part);
      onProgress?.(tally);
    }),
  );
  await Promise.all(finished);
  tally.failed.sort((a, b) => a.seed - b.seed);
  return tally;
}

function onThread(file: string, range: () => Range | null, played: (part: Tally) => void): Promise<void> {
  const worker = new Worker(pathToFileURL(file));
  return new Promise<void>((resolve, reject) => {
    const go = (): void => {
      const part = range();
      if (part !== null) worker.postMessage(part);
      else void worker.terminate().then(() => resolve());
    };
    worker.on('error', reject);
    worker.on('message', (part: Tally) => {
      played(part);
      go();
    });
    go();
  });
}

let bundles = 0;

async function bundled(patches: readonly Patch[]): Promise<string> {
  const outfile = joinPath(REPOSITORY, `build/sim/${process.pid}-${(bundles += 1)}.mjs`);
  await build({
    entryPoints: [joinPath(REPOSITORY, 'test/support/sim/worker.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'es2024',
    logLevel: 'silent',
    plugins: [planting(patches)],
  });
  return outfile;
}
