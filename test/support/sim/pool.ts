import { build } from 'esbuild';
import { rmSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { RECORDING } from './cells/recording.ts';
import { planting, REPOSITORY, type Patch } from './mutants/patch.ts';
import type { Shrunk } from './shrink.ts';
import { emptyTally, join, type Tally } from './tally.ts';
import type { Answer, Range, Single } from './worker.ts';

export interface PoolOptions {
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
  readonly twice?: boolean;
  /** A bug that is planted in the product's code before it is played. */
  readonly patches?: readonly Patch[];
  /** Ends once so many seeds have a problem. */
  readonly stopAfter?: number;
  /** `before`: all seeds below this one were played, whatever threads have done of those above. */
  readonly onProgress?: (tally: Tally, before: number) => void;
}

/** Seeds a message: small, so that both cores are busy to the end. */
const RANGE_SEEDS = 20;

/** Plays seeds on threads, each with a bundle of its own of simulator and product. */
export const playSeeds = (options: PoolOptions): Promise<Tally> =>
  // What a product with a bug visits is of no interest.
  withBundle(options.patches ?? RECORDING, (file) => playIn(file, options));

/** Makes the plan of a seed that fails smaller. */
export const shrinkSeed = (seed: number, patches: readonly Patch[] = []): Promise<Shrunk> =>
  single({ kind: 'shrink', seed }, patches, (answer) => (answer.kind === 'shrink' ? answer.shrunk : null));

/** What happened in a seed, in words. */
export const tellSeed = (seed: number, patches: readonly Patch[] = []): Promise<readonly string[]> =>
  single({ kind: 'tell', seed }, patches, (answer) => (answer.kind === 'tell' ? answer.lines : null));

async function single<T>(asked: Single, patches: readonly Patch[], read: (answer: Answer) => T | null): Promise<T> {
  let found: T | null = null;
  let next: Single | null = asked;
  await withBundle(patches, (file) =>
    onThread(
      file,
      () => {
        const now = next;
        next = null;
        return now;
      },
      (answer) => {
        found = read(answer);
      },
    ),
  );
  if (found === null) throw new Error(`no answer to ${JSON.stringify(asked)}`);
  return found;
}

async function playIn(file: string, options: PoolOptions): Promise<Tally> {
  const { from, seeds, workers, twice = false, stopAfter = Infinity, onProgress } = options;
  const tally = emptyTally();
  let next = from;
  const open = new Set<number>();
  const range = (): Range | null => {
    const count = Math.min(RANGE_SEEDS, from + seeds - next);
    if (count <= 0 || tally.failed.length >= stopAfter) return null;
    open.add(next);
    next += count;
    return { kind: 'play', from: next - count, count, twice, stopAfter };
  };
  const threads = Array.from({ length: workers }, () =>
    onThread(file, range, (answer) => {
      if (answer.kind !== 'play') return;
      join(tally, answer.tally);
      open.delete(answer.from);
      onProgress?.(tally, Math.min(next, ...open));
    }),
  );
  await Promise.all(threads);
  tally.failed.sort((a, b) => a.seed - b.seed);
  return tally;
}

function onThread(file: string, next: () => Range | Single | null, answered: (answer: Answer) => void): Promise<void> {
  const worker = new Worker(pathToFileURL(file));
  return new Promise<void>((resolve, reject) => {
    const go = (): void => {
      const asked = next();
      if (asked !== null) worker.postMessage(asked);
      else void worker.terminate().then(() => resolve());
    };
    worker.on('error', reject);
    worker.on('message', (answer: Answer) => {
      answered(answer);
      go();
    });
    go();
  });
}

let bundles = 0;
const written = new Set<string>();

/** Those of this process that still lie there: for an end in the middle of it. */
export function removeBundles(): void {
  for (const file of written) rmSync(file, { force: true });
}

async function withBundle<T>(patches: readonly Patch[], job: (file: string) => Promise<T>): Promise<T> {
  const file = joinPath(REPOSITORY, `build/sim/${process.pid}-${(bundles += 1)}.mjs`);
  written.add(file);
  await build({
    entryPoints: [joinPath(REPOSITORY, 'test/support/sim/worker.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'es2024',
    logLevel: 'silent',
    plugins: [planting(patches)],
  });
  try {
    return await job(file);
  } finally {
    rmSync(file, { force: true });
    written.delete(file);
  }
}
