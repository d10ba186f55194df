import type { Bench } from '../../support/bench.ts';
import type { ClientHandle, ClientProcess } from '../../support/client-process.ts';
import type { Coordinating } from '../../support/coordinating.ts';
import { entriesOf, isOf, type Entry } from '../../support/log.ts';
import type { RawClient } from '../../support/raw-client.ts';
import { viewsOf } from '../../support/views.ts';
import { sleep, within } from '../../support/waiting.ts';

export interface Plan {
  /** With the holders and those that do not answer. */
  readonly clients: number;
  readonly holders: number;
}

const TTL_MS = 30_000;
/** Sockets that read nothing, and clients of a process that is stopped. */
const HUSHED = 2;
const STOPPED = 3;
/** How long it is looked on after all are back, for whoever might be granted something. */
const LOOK_ON_MS = 1_000;
const BACK_MS_MAX = 20_000;

type Measure = (what: string, value: string, right: string, ok: boolean) => void;

/** The clients of one coordinator: some hold, the others wait behind them, a few are about to answer nothing. */
export class Crowd {
  readonly unresponsive = HUSHED + STOPPED;
  readonly #bench: Bench;
  readonly #holders: readonly ClientHandle[];
  readonly #waiters: readonly ClientHandle[];
  readonly #stopped: readonly ClientHandle[];
  readonly #stopping: ClientProcess;
  readonly #hushed: readonly RawClient[];
  readonly #reading: RawClient;

  private constructor(bench: Bench, { url }: Coordinating, plan: Plan, raws: readonly [RawClient, ...RawClient[]]) {
    const clients = (owner: ClientProcess, kind: string, count: number): readonly ClientHandle[] =>
      Array.from({ length: count }, (_, index) => owner.client(`${kind}${index}`, url, { idleMs: 60_000 }, true));
    this.#bench = bench;
    [this.#reading, ...this.#hushed] = raws;
    this.#stopping = bench.process();
    const owner = bench.process();
    this.#holders = clients(owner, 'h', plan.holders);
    this.#waiters = clients(owner, 'q', plan.clients - plan.holders - HUSHED - STOPPED - 1);
    this.#stopped = clients(this.#stopping, 's', STOPPED);
  }

  static async gather(bench: Bench, coordinator: Coordinating, plan: Plan): Promise<Crowd> {
    const raw = (): Promise<RawClient> => bench.raw(coordinator);
    const raws = [await raw(), await raw(), await raw()] as const;
    // Their sessions end by silence, which is longer than the case.
    bench.ghosts += raws.length;
    const crowd = new Crowd(bench, coordinator, plan, raws);
    await crowd.#settle();
    return crowd;
  }

  async #settle(): Promise<void> {
    const { log } = this.#bench;
    const nameAt = (index: number): string => `job-${index % this.#holders.length}`;
    await Promise.all(this.#holders.map((holder, index) => holder.acquire('a', nameAt(index), { ttlMs: TTL_MS })));
    const waiting = [...this.#waiters, ...this.#stopped];
    await Promise.all(
      waiting.map((waiter, index) => {
        const queued = log.next('queued', ({ client }) => client === waiter.label, 20_000, `${waiter.label} queues`);
        // Until the end of the run: its end is the client's.
        waiter.acquire('a', nameAt(index), { ttlMs: TTL_MS }, 600_000).catch(() => undefined);
        return queued;
      }),
    );
  }

  /** From now on these answer nothing. */
  stun(): void {
    for (const raw of this.#hushed) raw.hush();
    this.#stopping.suspend();
  }

  /** The stopped ones go on; resolves when all are back. */
  async rouse(since: bigint): Promise<void> {
    this.#stopping.resume();
    const { log } = this.#bench;
    const all = [...this.#holders, ...this.#waiters, ...this.#stopped];
    await Promise.all(
      all.map(({ label }) =>
        log.find(
          'received',
          (entry) => entry.client === label && entry.at > since && tells(entry, 'welcome'),
          BACK_MS_MAX,
          `${label} is back`,
        ),
      ),
    );
    await sleep(LOOK_ON_MS);
  }

  /** Written by hand, it does not hang up by itself. */
  async #measureReading(measure: Measure): Promise<void> {
    const { code } = await within(this.#reading.closed, 1_000, 'one that only reads is closed');
    const hint = this.#reading.received.find(({ message }) => message['type'] === 'draining')?.message['retryAfterMs'];
    measure(
      'one that only reads',
      `closed ${code}, retryAfterMs ${JSON.stringify(hint)}`,
      'closed 1001 or 1012, with a retry hint',
      (code === 1001 || code === 1012) && Number(hint) > 0,
    );
  }

  async measure(next: Coordinating, signalledAt: bigint, measure: Measure): Promise<void> {
    const { entries } = this.#bench.log;
    const answering = [...this.#holders, ...this.#waiters];
    const farewells = answering.map(({ label }) => farewellOf(entries, label, signalledAt));
    const hinted = farewells.filter(({ retryAfterMs }) => retryAfterMs > 0);
    measure(
      'told when to come again',
      `${hinted.length} of ${answering.length}`,
      'all that answer',
      hinted.length === answering.length,
    );
    const codes = new Map<number, number>();
    for (const { code } of farewells) codes.set(code, (codes.get(code) ?? 0) + 1);
    // The library hangs up itself, with 1000, once it is told; that may cross the coordinator's close.
    const closed = farewells.filter(
      ({ code, retryAfterMs }) => code === 1001 || code === 1012 || (code === 1000 && retryAfterMs > 0),
    ).length;
    measure(
      'closed',
      [...codes].map(([code, count]) => `${count} with ${code}`).join(', '),
      'all that answer, with 1001 or 1012, or by themselves once they were told',
      closed === answering.length,
    );
    await this.#measureReading(measure);

    const held = entriesOf(entries, 'held');
    const later = held.filter(({ at }) => at > signalledAt).length + grantsSince(entries, signalledAt);
    measure('granted since the signal', String(later), '0', later === 0);
    const lost = entriesOf(entries, 'lost').length + entriesOf(entries, 'released').length;
    measure('lost or released', String(lost), '0', lost === 0);
    const shown = await viewsOf(await this.#bench.raw(next), 'job-');
    const same = held.filter(({ name, token, client }) => {
      const [holder] = shown.get(name)?.holders ?? [];
      return holder?.fencingToken === token && holder.label === client;
    }).length;
    measure(
      'the next run shows the same holders with the same tokens',
      `${same} of ${shown.size}`,
      `all ${this.#holders.length}`,
      same === this.#holders.length && shown.size === same,
    );
  }
}

const tells = (entry: Entry, type: string): boolean =>
  isOf(entry, 'received') && entry.messages.some((message) => message['type'] === type);

const grantsSince = (entries: readonly Entry[], since: bigint): number =>
  entries.filter((entry) => entry.at > since && tells(entry, 'granted')).length;

/** How the coordinator took leave of one client. */
function farewellOf(
  entries: readonly Entry[],
  client: string,
  since: bigint,
): { readonly code: number; readonly retryAfterMs: number } {
  const own = entries.filter((entry) => entry.client === client && entry.at > since);
  const [closed] = entriesOf(own, 'socket-closed');
  const hints = entriesOf(own, 'received').flatMap(({ messages }) =>
    messages.flatMap(({ type, retryAfterMs }) => (type === 'draining' ? [Number(retryAfterMs)] : [])),
  );
  return { code: closed?.code ?? 0, retryAfterMs: hints[0] ?? 0 };
}
