import type { SmallDisk } from '../../../chaos/small-disk.ts';
import type { Bench } from '../../support/bench.ts';
import type { ClientHandle, Settled } from '../../support/client-process.ts';
import type { CoordinatorProcess } from '../../support/coordinator-process.ts';
import { now } from '../../support/log.ts';
import { eventually, sleep } from '../../support/waiting.ts';

const HOLDERS = 20;
const WAITERS = 5;
const WRITERS = 5;
/** Dials again soon once the coordinator is killed. */
const PATIENT = { connectTimeoutMs: 1_000, maxBackoffMs: 500, idleMs: 60_000 };

/** 20 that hold, of which 5 have one that waits for them, and 5 write states; and one that tries for more. */
interface Tenants {
  readonly ttlMs: number;
  readonly holders: readonly ClientHandle[];
  readonly waiters: readonly ClientHandle[];
  readonly writers: readonly ClientHandle[];
  readonly newcomer: ClientHandle;
}

export interface Place {
  readonly coordinator: CoordinatorProcess;
  /** Its file. */
  readonly data: string;
  readonly disk: SmallDisk;
  readonly tenants: Tenants;
}

export async function settledTenants(bench: Bench, { url }: CoordinatorProcess, ttlMs: number): Promise<Tenants> {
  const [holding, others] = [bench.process(), bench.process()];
  // Writers are not recorded: their frames are large.
  const holders = Array.from({ length: HOLDERS }, (_, index) =>
    holding.client(`holder-${index}`, url, PATIENT, index < HOLDERS - WRITERS),
  );
  await Promise.all(holders.map((holder) => holder.acquire('a', holder.label, { ttlMs })));
  const waiters = holders.slice(0, WAITERS).map(({ label }) => others.client(`waits-for-${label}`, url, PATIENT));
  await Promise.all(
    waiters.map(async (waiter, index) => {
      const queued = bench.log.next('queued', ({ client }) => client === waiter.label, 5_000, 'a claim waits');
      // Most of them wait to the end, which is no concern of this case.
      waiter.acquire('a', `holder-${index}`, { ttlMs }, 120_000).catch(() => undefined);
      await queued;
    }),
  );
  const newcomer = others.client('newcomer', url, PATIENT);
  await newcomer.ready();
  return { ttlMs, holders, waiters, writers: holders.slice(-WRITERS), newcomer };
}

/** How a call ended, and when, by the clock of the process that made it. */
export interface Tried {
  readonly what: 'acquire' | 'state write';
  readonly name: string;
  /** Of a state write, what it wrote. */
  readonly n: number;
  readonly calledAt: bigint;
  readonly at: bigint;
  readonly settled: Settled;
}

interface Trying {
  readonly pauseMs: number;
  /** In each state, beside its number. */
  readonly characters: number;
  /** What is acquired is released again. */
  readonly release: boolean;
}

/** Acquires and state writes, side by side. */
export class Attempts {
  readonly tried: Tried[] = [];
  static #count = 0;
  readonly #bench: Bench;
  readonly #how: Trying;
  readonly #ended: Promise<unknown>;
  #over = false;

  constructor(bench: Bench, { newcomer, writers, ttlMs }: Tenants, how: Trying) {
    this.#bench = bench;
    this.#how = how;
    const lanes = [() => this.#acquire(newcomer, ttlMs), ...writers.map((writer) => () => this.#write(writer))];
    this.#ended = Promise.all(lanes.map((once) => this.#lane(once)));
    // Whoever waits for the end is told; a case that fails before does not wait.
    this.#ended.catch(() => undefined);
  }

  /** The first that ended so, of those called later than `since`; null: there is none yet. */
  first(what: Tried['what'], ok: boolean, since: bigint): Tried | null {
    return this.tried.find((one) => one.what === what && one.settled.ok === ok && one.calledAt > since) ?? null;
  }

  /** Resolves at the first refusal; where there is none, when that time is over: then what is measured says so. */
  async refused(withinMs: number): Promise<void> {
    const isRefused = (): true | null => (this.tried.some(({ settled }) => !settled.ok) ? true : null);
    await eventually(isRefused, withinMs, 'a refusal').catch(() => undefined);
  }

  /** Nothing more is begun. */
  stop(): void {
    this.#over = true;
  }

  /** All that were begun have settled then. */
  async end(): Promise<void> {
    this.stop();
    await this.#ended;
  }

  async #lane(once: () => Promise<void>): Promise<void> {
    while (!this.#over) {
      await once();
      await sleep(this.#how.pauseMs);
    }
  }

  async #acquire(newcomer: ClientHandle, ttlMs: number): Promise<void> {
    Attempts.#count += 1;
    const name = `new-${Attempts.#count}`;
    const granted = await this.#note('acquire', name, 0, newcomer, () => newcomer.tryAcquire(name, name, { ttlMs }));
    if (granted && this.#how.release) await newcomer.release(name);
  }

  async #write(writer: ClientHandle): Promise<void> {
    Attempts.#count += 1;
    const n = Attempts.#count;
    const value = { n, text: 'x'.repeat(this.#how.characters) };
    await this.#note('state write', writer.label, n, writer, () => writer.setState('a', value));
  }

  async #note(
    what: Tried['what'],
    name: string,
    n: number,
    { label }: ClientHandle,
    act: () => Promise<Settled>,
  ): Promise<boolean> {
    let calledAt = now();
    const stop = this.#bench.log.watch((entry) => {
      if (entry.event === 'called' && entry.client === label) calledAt = entry.at;
    });
    const settled = await act().finally(stop);
    this.tried.push({ what, name, n, calledAt, at: settled.at, settled });
    return settled.ok;
  }
}
