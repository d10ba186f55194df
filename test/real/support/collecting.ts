import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a process under test by `NODE_OPTIONS`: collects its garbage when SIGUSR2 comes, so that the memory that it
 * is seen to have is what it keeps. Without that V8 takes its time, by tens of MB.
 */
export const COLLECTING = `--expose-gc --import=${import.meta.url}`;

if (isMainThread && globalThis.gc !== undefined) process.on('SIGUSR2', () => globalThis.gc?.());
