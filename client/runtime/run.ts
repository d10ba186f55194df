import { DRAIN_MS_DEFAULT } from '../../shared/limits.ts';
import type { AcquireTerms } from '../core/types.ts';
import type { Claims } from './claims.ts';
import { isLeaseError } from './errors.ts';
import type { Held } from './lease.ts';
import { after } from './platform.ts';
import type { Lease, UnprotectedLease } from './public-lease.ts';
import type { RunOptions } from './public-options.ts';

/** What a function in `run` has: the client's `close` asks it to end, and keeps what it holds until then. */
export type Running = Pick<Held, 'stop'> & Partial<Pick<Held, 'key'>>;

export type Work<T> = (lease: Lease) => T | PromiseLike<T>;

/** `client.run`, after its options were checked. `ready` rejects when no coordinator can be reached. */
export async function run<T>(
  claims: Claims,
  ready: () => Promise<void>,
  running: Set<Running>,
  terms: AcquireTerms,
  options: RunOptions,
  work: Work<T>,
): Promise<T | undefined> {
  const { drainMs = DRAIN_MS_DEFAULT, ifUnavailable = 'reject', signal } = options;
  let doing: Running | undefined;
  try {
    const held = await claims.claim(
      terms,
      ifUnavailable === 'reject' ? options : { ...options, signal: unlessUnreachable(ready, terms, signal) },
    );
    running.add((doing = held));
    return await hold(held, drainMs, signal, work);
  } catch (error) {
    if (doing !== undefined || ifUnavailable === 'reject' || !isLeaseError(error, 'unavailable')) throw error;
    if (ifUnavailable === 'skip') return undefined;
    const controller = new AbortController();
    running.add((doing = { stop: () => controller.abort() }));
    const lease: UnprotectedLease = {
      name: terms.shownAs ?? terms.name,
      protected: false,
      fencingToken: null,
      signal: controller.signal,
    };
    // With `ifUnavailable: 'run'` the overloads of `Client.run` take only a work that accepts this, too.
    return await work(lease as UnprotectedLease & Lease);
  } finally {
    if (doing !== undefined) running.delete(doing);
  }
}

/** A claim that waits without limit would never find the coordinator unavailable: it is given up when `ready` is. */
function unlessUnreachable(
  ready: () => Promise<void>,
  { waitMs }: AcquireTerms,
  signal: AbortSignal | undefined,
): AbortSignal {
  const controller = new AbortController();
  if (waitMs === null) ready().catch((error: unknown) => controller.abort(error));
  return signal === undefined ? controller.signal : AbortSignal.any([controller.signal, signal]);
}

async function hold<T>(held: Held, drainMs: number, signal: AbortSignal | undefined, work: Work<T>): Promise<T> {
  const { lease } = held;
  if (signal?.aborted === true) await lease.release();
  signal?.throwIfAborted();
  if (held.look().remainingMs === 0 && held.ended !== null) throw held.ended;
  type Result = { readonly value: T } | { readonly error: unknown };
  let drain: ReturnType<typeof setTimeout> | undefined;
  const drained = new Promise<Result>((resolve) => {
    lease.on('lost', (error) => (drain = after(drainMs, () => resolve({ error }))));
  });
  const done = new Promise<T>((resolve) => resolve(work(lease)));
  const settled = done.then(
    (value): Result => ({ value }),
    (error: unknown): Result => ({ error }),
  );
  const result = await Promise.race([settled, drained]);
  // Only now that the work has settled, or its time is over. A lease that is lost it leaves alone.
  await lease.release();
  clearTimeout(drain);
  const { ended } = held;
  if (ended !== null && ended.code !== 'released') {
    if ('error' in result && result.error !== ended) ended.cause ??= result.error;
    throw ended;
  }
  if ('error' in result) throw result.error;
  return result.value;
}
