import type { LeaseView } from 'leasehold';
import type { Bench } from '../support/bench.ts';
import type { ClientHandle, ClientProcess } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { entriesOf, msBetween, type EntryOf } from '../support/log.ts';
import { processorOf, tellProcessor } from '../support/processor.ts';
import type { Relay } from '../support/relay.ts';
import { sleep } from '../support/waiting.ts';

const TTL_MS = 2_000;
const SLACK_MS = 250;
/** Into the silence, when the view of the name is asked for. */
const LOOK_AFTER_MS = 1_000;
/** The coordinator reads its clock at least this often; a view is as of such a reading. */
const TICK_MS = 75;

/**
 * There are no metrics yet; what tells of a window today is the client, its messages and the views of a name.
 */
export const F03: FieldCase = {
  id: 'F03',
  title:
    'S6 a lease whose holder falls silent is over one window after its last renewal, and the window told is that one',
  async run(bench, size) {
    const { rounds, atOnce } = size === 'full' ? { rounds: 20, atOnce: 1 } : { rounds: 1, atOnce: 4 };
    const coordinator = await bench.coordinator();
    const place = { bench, coordinator, holders: bench.process(), waiters: bench.process() };
    const observer = bench.process().client('observer', coordinator.url, { idleMs: 60_000 });
    await observer.ready(30_000);
    const before = processorOf(coordinator);
    const outcomes: Outcome[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const runs = Array.from({ length: atOnce }, (_, index) => round * atOnce + index);
      outcomes.push(...(await Promise.all(runs.map((run) => silenced({ ...place, observer, run })))));
    }
    // Cut off when they are closed, so that they may not be able to say so.
    bench.ghosts = outcomes.length;
    measure(bench, outcomes);
    tellProcessor(bench, coordinator, before);
  },
};

interface Place {
  readonly bench: Bench;
  readonly coordinator: CoordinatorProcess;
  readonly holders: ClientProcess;
  readonly waiters: ClientProcess;
  readonly observer: ClientHandle;
  readonly run: number;
}

/** What the relay saw of the last renewal: it was processed somewhere between the two. */
interface Renewal {
  readonly upAt: bigint;
  readonly downAt: bigint;
}

interface Outcome extends Renewal {
  readonly grantedAt: bigint;
  /** Every window that somebody was told of, in ms. */
  readonly told: readonly number[];
  /** The last renewal's age and what a view showed to be left, together: at least and at most so much. */
  readonly shown: { readonly least: number; readonly most: number };
}

async function silenced({ bench, coordinator, holders, waiters, observer, run }: Place): Promise<Outcome> {
  const name = `silent-${run}`;
  const relay = await bench.relay(() => coordinator);
  const patience = { connectTimeoutMs: 500, maxBackoffMs: 500 };
  const holder = holders.client(`holder-${run}`, relay.url, patience, true);
  const waiter = waiters.client(`waiter-${run}`, coordinator.url, { idleMs: 60_000 });
  await Promise.all([holder.ready(30_000), waiter.ready(30_000)]);
  await holder.acquire('a', name, { ttlMs: TTL_MS });
  const granted = waiter.acquire('b', name, { ttlMs: TTL_MS });
  // Every second time its holder hears of the renewal, every other time the answer is lost with everything else.
  const renewal = await lastRenewal(relay, run % 2 === 0);
  const { ttlMs } = await holder.read('a');
  await sleep(LOOK_AFTER_MS);
  const shown = await leftShown(bench, observer, name, renewal);
  await granted;
  const held = await heldBy(bench, waiter, name);
  await waiter.release('b');
  relay.heal();
  relay.bury();
  await holder.close();
  return { ...renewal, grantedAt: held.at, told: [Number(ttlMs), ...windowsTold(bench, holder)], shown };
}

async function lastRenewal(relay: Relay, heard: boolean): Promise<Renewal> {
  const { at: upAt } = await relay.next('up', ({ type }) => type === 'renew');
  const { at: downAt } = await relay.next(
    'down',
    ({ type }) => type === 'renewed',
    () => {
      if (heard) queueMicrotask(() => relay.blackHole());
      else relay.blackHole();
    },
  );
  return { upAt, downAt };
}

async function leftShown(
  bench: Bench,
  observer: ClientHandle,
  name: string,
  { upAt, downAt }: Renewal,
): Promise<Outcome['shown']> {
  const settled = await observer.inspect(name);
  const called = await bench.log.find('called', ({ call }) => call === settled.call, 1_000, 'the call is in the log');
  const view = settled.ok ? (settled.value as unknown as LeaseView) : null; // `inspect` gave it.
  const leftMs = view?.holders[0]?.remainingMs ?? Number.NaN;
  return { least: leftMs + msBetween(downAt, called.at), most: leftMs + msBetween(upAt, settled.at) };
}

const heldBy = (bench: Bench, client: ClientHandle, name: string): Promise<EntryOf<'held'>> =>
  bench.log.find('held', (entry) => entry.client === client.label && entry.name === name, 1_000, 'the waiter holds');

/** In every message to that client. */
function windowsTold(bench: Bench, { label }: ClientHandle): readonly number[] {
  return entriesOf(bench.log.entries, 'received', label).flatMap(({ messages }) =>
    messages.flatMap((message) => {
      if (message['type'] === 'granted') return [Number(message['ttlMs'])];
      if (message['type'] !== 'renewed' || !Array.isArray(message['leases'])) return [];
      return (message['leases'] as readonly { readonly ttlMs?: number }[]).map(({ ttlMs }) => Number(ttlMs)); // Of our protocol.
    }),
  );
}

function measure(bench: Bench, outcomes: readonly Outcome[]): void {
  const latest = outcomes.map(({ upAt, grantedAt }) => msBetween(upAt, grantedAt));
  const earliest = outcomes.map(({ downAt, grantedAt }) => msBetween(downAt, grantedAt));
  bench.measure(
    `waiter granted after the last renewal, ${outcomes.length} runs`,
    `${Math.min(...earliest).toFixed(0)} to ${Math.max(...latest).toFixed(0)} ms`,
    `${TTL_MS} to ${TTL_MS + SLACK_MS} ms in every run`,
    Math.min(...latest) >= TTL_MS && Math.max(...earliest) <= TTL_MS + SLACK_MS,
  );
  const told = new Set(outcomes.flatMap((outcome) => outcome.told));
  bench.measure(
    'window told by grant, renewals and the lease',
    [...told].map((ms) => `${ms} ms`).join(', '),
    `${TTL_MS} ms and no other`,
    told.size === 1 && told.has(TTL_MS),
  );
  const [least, most] = [outcomes.map(({ shown }) => shown.least), outcomes.map(({ shown }) => shown.most)];
  bench.measure(
    `age of the last renewal and what a view shows to be left, together`,
    `${Math.min(...least).toFixed(0)} to ${Math.max(...most).toFixed(0)} ms`,
    `${TTL_MS} ms, within a reading of the clock (${TICK_MS} ms)`,
    Math.max(...least) <= TTL_MS + TICK_MS && Math.min(...most) >= TTL_MS - TICK_MS,
  );
}
