import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { FieldCase, Size } from '../support/field-case.ts';
import { addMs, entriesOf, msBetween } from '../support/log.ts';

const TTL_MS = 3_000;
const SPIN_MS = 1.5 * TTL_MS;
const STALL_MS = 500;
const STALL_EVERY_MS = 2_000;
/** A stall is noticed by a timer that comes late: the renewal's, at the latest. */
const TIMER_MS_MAX = 2_000;
const NAME = 'stalled';

export const F31: FieldCase = {
  id: 'F31',
  title:
    'S6 a loop that stalls past its window finds its lease lost before it does anything else; short stalls lose nothing',
  async run(bench, size) {
    const coordinator = await bench.coordinator();
    const url = coordinator.url;
    const [holder, waiter, steady] = [
      bench.process().client('holder', url, {}, true),
      bench.process().client('waiter', url),
      bench.process().client('steady', url, {}, true),
    ];
    await Promise.all([longStall(bench, holder, waiter), shortStalls(bench, size, steady)]);
  },
};

async function longStall(bench: Bench, holder: ClientHandle, waiter: ClientHandle): Promise<void> {
  await holder.acquire('a', NAME, { ttlMs: TTL_MS });
  const waiting = waiter.acquire('b', NAME, { ttlMs: TTL_MS });
  await bench.log.find('queued', ({ client }) => client === 'waiter', 5_000, 'the waiter queues');
  const wrote = await holder.spin('a', SPIN_MS, 'written after the stall');
  await waiting;
  const view = await waiter.inspect(NAME);
  measureLook(bench);
  bench.measure(
    'the write in that turn',
    wrote.ok ? 'accepted' : `refused, ${wrote.code}; state ${stateIn(view)}`,
    'refused, state untouched',
    !wrote.ok && wrote.code === 'missed-ack' && stateIn(view) === 'null',
  );
  measureOrder(bench);
  measureWarning(bench);
  await waiter.release('b');
}

const stateIn = (settled: { readonly ok: boolean; readonly value?: unknown }): string =>
  JSON.stringify((settled.value as { readonly state?: unknown } | undefined)?.state ?? null); // A LeaseView as JSON.

function measureLook(bench: Bench): void {
  const { entries } = bench.log;
  const [read] = entriesOf(entries, 'read', 'holder');
  // The spin itself: the machine may have kept the process still besides.
  const stall = entriesOf(entries, 'stood-still', 'holder').find(({ forMs }) => forMs === SPIN_MS);
  const lookedMs = read && stall ? msBetween(addMs(stall.at, stall.forMs), read.at) : Number.NaN;
  bench.measure(
    '"held?" in the turn that ends the stall',
    `${read?.status}, signal ${read?.aborted ? 'aborted' : 'not aborted'}, asked ${lookedMs.toFixed(1)} ms after`,
    'not held',
    read?.status === 'lost' && read.aborted && lookedMs < 100,
  );
  const [first] = entriesOf(entries, 'held', 'holder');
  const [next] = entriesOf(entries, 'held', 'waiter');
  bench.measure(
    "the waiter's token by then",
    `${first?.token} -> ${next?.token}, ${read && next ? msBetween(next.at, read.at).toFixed(0) : '?'} ms before`,
    'higher already',
    first !== undefined && next !== undefined && read !== undefined && next.token > first.token && next.at < read.at,
  );
}

/** By place in the log of one process, which writes down each thing as it happens. */
function measureOrder(bench: Bench): void {
  const order = bench.log.entries.flatMap((entry) => {
    if (entry.client !== 'holder') return [];
    if (entry.event === 'lost') return ['lost'];
    return entry.event === 'settled' && (entry.what === 'spin' || entry.what === 'renew') ? [entry.what] : [];
  });
  bench.measure(
    'lost, then what was awaited',
    order.map((what) => ({ spin: 'write' })[what] ?? what).join(', '),
    'lost comes first',
    order.length === 3 && order[0] === 'lost',
  );
}

function measureWarning(bench: Bench): void {
  const told = entriesOf(bench.log.entries, 'warning', 'holder').find(({ text }) => text.startsWith('stalled'));
  const ms = Number(/(\d+) ms/.exec(told?.text ?? '')?.[1]);
  bench.measure(
    'the stall in the warning',
    told?.text ?? 'no warning',
    `${SPIN_MS} ms, less at most ${TIMER_MS_MAX} ms until the next timer was due`,
    ms <= SPIN_MS + 250 && ms >= SPIN_MS - TIMER_MS_MAX - 50,
  );
}

async function shortStalls(bench: Bench, size: Size, steady: ClientHandle): Promise<void> {
  const times = size === 'full' ? 30 : 4;
  await steady.acquire('s', 'steady', { ttlMs: TTL_MS });
  const held = await steady.stalls('s', { forMs: STALL_MS, everyMs: STALL_EVERY_MS, times });
  const { entries } = bench.log;
  const [lost, atRisk] = [entriesOf(entries, 'lost', 'steady').length, entriesOf(entries, 'at-risk', 'steady').length];
  bench.measure(
    `${times} stalls of ${STALL_MS} ms`,
    `held after ${held.ok ? Number(held.value) : held.code}, ${lost} lost, ${atRisk} at risk`,
    'none loses',
    held.ok && held.value === times && lost === 0,
  );
  await steady.release('s');
}
