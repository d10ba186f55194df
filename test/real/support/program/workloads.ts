import type { Lease } from 'leasehold';
import type { Json } from '../../../../shared/json.ts';
import { sleep } from '../waiting.ts';
import type { AcquireOptions, Order } from './commands.ts';
import type { DrivenClient } from './driven-client.ts';
import { codeOf, plain } from './in-words.ts';

type Of<D extends Order['do']> = Extract<Order, { readonly do: D }>;

/** Acquire, hold, release; the next acquire goes out in the same turn as the release, so it stands at the tail. */
export async function loop(driven: DrivenClient, { call, name, times, holdMs, options }: Of<'loop'>): Promise<Json> {
  const acquire = (turn: number): ReturnType<DrivenClient['client']['acquire']> => {
    const onQueued = ({ position }: { readonly position: number }): void => {
      driven.log({ event: 'queued', key: `${call}.${turn}`, name, position });
    };
    return driven.client.acquire(name, { ...options, onQueued });
  };
  driven.holdBack();
  let next = acquire(0);
  for (let turn = 0; turn < times; turn += 1) {
    const lease = await next;
    driven.hold(`${call}.${turn}`, lease);
    await sleep(holdMs);
    const released = lease.release();
    if (turn + 1 < times) next = acquire(turn + 1);
    await released;
    driven.forget(`${call}.${turn}`);
  }
  driven.writeOut();
  return times;
}

/** Many names at once; under each grant one state write, whose value names the token that wrote it. */
export async function burst(
  driven: DrivenClient,
  { call, prefix, count, spreadMs, options }: Of<'burst'>,
): Promise<Json> {
  const one = async (index: number): Promise<void> => {
    const key = `${prefix}${index}`;
    await sleep(index * spreadMs);
    const lease = await driven.client.acquire(key, options);
    driven.hold(key, lease);
    driven.settle(`${call}.state.${index}`, `setState ${key}`, () => lease.setState({ written: lease.fencingToken }));
  };
  await Promise.all(Array.from({ length: count }, (_, index) => one(index)));
  return count;
}

/** Acquires, holds and releases without end, several names in parallel. */
export async function churn(
  driven: DrivenClient,
  { call, prefix, workers, holdMs, pauseMs, options }: Of<'churn'>,
): Promise<Json> {
  let cycles = 0;
  const work = async (worker: number): Promise<void> => {
    while (!driven.stopped) {
      const key = `${call}.${worker}.${cycles}`;
      const lease = await driven.client.acquire(`${prefix}${worker}`, options);
      driven.hold(key, lease);
      await readWhile(driven, key, holdMs);
      await lease.release();
      driven.forget(key);
      cycles += 1;
      await sleep(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return cycles;
}

export async function contend(
  driven: DrivenClient,
  { call, prefix, names, from, holdMs, pauseMs, readMs, options }: Of<'contend'>,
): Promise<Json> {
  let turns = 0;
  for (; !driven.stopped; turns += 1) {
    const key = `${call}.${turns}`;
    const lease = await claimed(driven, key, `${prefix}${(from + turns) % names}`, options);
    if (lease !== null) {
      await readWhile(driven, key, holdMs, readMs);
      await lease.release();
      driven.forget(key);
    }
    await sleep(pauseMs);
  }
  return turns;
}

/** Null when the claim failed; how, the log says. */
function claimed(driven: DrivenClient, key: string, name: string, options: AcquireOptions): Promise<Lease | null> {
  return new Promise((resolve) => {
    const acquire = async (): Promise<Json> => {
      const lease = await driven.client.acquire(name, options);
      driven.hold(key, lease);
      resolve(lease);
      return lease.fencingToken;
    };
    const told = (error: unknown): never => {
      resolve(null);
      throw error;
    };
    driven.settle(key, `acquire ${name}`, () => acquire().catch(told), options.waitMs);
  });
}

const READ_MS = 50;

/** As work would that looks at its lease before each step; it ends early when the lease does. */
async function readWhile(driven: DrivenClient, key: string, holdMs: number, readMs = READ_MS): Promise<void> {
  for (let left = holdMs; left > 0 && driven.read(key); left -= readMs) await sleep(Math.min(left, readMs));
}

/** Writes `{ n: 1 }` to `{ n: count }`; the lease itself puts them in line. Settles with the last version. */
export async function write(driven: DrivenClient, { key, count, everyMs }: Of<'write'>): Promise<Json> {
  const lease = driven.lease(key);
  const writes: Promise<number>[] = [];
  const from = performance.now();
  for (let n = 1; n <= count; n += 1) {
    writes.push(lease.setState({ n }));
    // Against the clock, so that timers that come late do not slow the whole down.
    await sleep(Math.max(0, from + n * everyMs - performance.now()));
  }
  const versions = await Promise.all(writes);
  return versions.at(-1) ?? 0;
}

/** Work that is wedged: it awaits for ever, and looks at nothing but the signal that it was given at its start. */
export async function run(driven: DrivenClient, { key, name, options }: Of<'run'>): Promise<Json> {
  return driven.client.run(name, options, (lease) => {
    driven.hold(key, lease);
    const { signal } = lease;
    return new Promise<null>((resolve) => {
      signal.addEventListener('abort', () => {
        const of = { key, name, token: lease.fencingToken };
        driven.log({ event: 'aborted', code: codeOf(signal.reason), ...of });
        resolve(null);
      });
    });
  });
}

export async function once(driven: DrivenClient, { key, name, options, holdMs, value }: Of<'once'>): Promise<Json> {
  const result = await driven.client.once(name, options, async (lease) => {
    driven.hold(key, lease);
    await sleep(holdMs);
    return value;
  });
  return plain(result);
}
