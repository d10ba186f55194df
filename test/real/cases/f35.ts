import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import { deadlinesOf } from '../support/deadlines.ts';
import type { FieldCase, Size } from '../support/field-case.ts';
import { entriesOf, msBetween, now, type EntryOf } from '../support/log.ts';
import type { Relay } from '../support/relay.ts';
import { sleep } from '../support/waiting.ts';

const TTL_MS = 3_000;
/** Of a holder: its renewals. */
const RENEWAL_MS = 2_000;
export const CURRENT_MS_MAX = 1_000;
/** What a socket that was given up may take to be gone: a second in which nothing passes, and the timers of the runtime. */
const DESTROYED_MS_MAX = 2_000;
const PROVEN_MS = 5_500;
export const OPTIONS = { maxBackoffMs: 500, connectTimeoutMs: 500, idleMs: 120_000 };

interface Plan {
  readonly holeMs: number;
  /** How often whoever is idle is pinged. */
  readonly heartbeatMs: number;
}

export const F35: FieldCase = {
  id: 'F35',
  title:
    'S10 a socket that says OPEN while nobody is there is given up by idle clients and holders, and not waited for',
  async run(bench, size) {
    const coordinator = await bench.coordinator();
    const relay = await bench.relay(() => coordinator);
    const owner = bench.process().client('owner', coordinator.url, OPTIONS);
    const holder = bench.process().client('holder', relay.url, OPTIONS, true);
    const idle = bench.process().client('idle', relay.url, OPTIONS, true);
    await Promise.all([owner, holder, idle].map((client) => client.ready(30_000)));
    await playHole(bench, { relay, owner, holder, idle, canCut: true, currentMsMax: CURRENT_MS_MAX }, size);
  },
};

/** Also of clients that are not in processes. */
export async function playHole(bench: Bench, cast: Cast, size: Size): Promise<void> {
  const { owner, holder, idle } = cast;
  await owner.acquire('o', 'seen', { ttlMs: 60_000 });
  // Full: it only watches, and is pinged each 15 s. Short: it waits in a queue, and is pinged each sixth of its window.
  const plan: Plan = size === 'full' ? { holeMs: 60_000, heartbeatMs: 15_000 } : { holeMs: 3_500, heartbeatMs: 1_000 };
  if (size === 'full') idle.watch('w', 'seen');
  else void idle.acquire('w', 'seen', { ttlMs: 6_000 });
  await bench.log.find(size === 'full' ? 'viewed' : 'queued', ({ client }) => client === 'idle', 5_000, 'it is there');
  const token = await holder.acquire('h', 'held', { ttlMs: TTL_MS });
  // Where a busy machine broke a connection at the start, the next one has to prove itself, or a pause follows its end.
  const dialled = entriesOf(bench.log.entries, 'dialled').filter(({ client }) => client !== 'owner');
  const isProven = size === 'ci' && dialled.length === 2;
  // Between two pings and two renewals.
  await sleep(isProven ? 2_500 : PROVEN_MS);
  await hole(bench, cast, plan);
  measureLoss(bench, token.ok ? Number(token.value) : Number.NaN);
  await holder.release('again');
  // Dials that the black hole swallowed may have made sessions that nobody knows.
  bench.ghosts = 2;
}

export interface Cast {
  readonly relay: Relay;
  readonly owner: ClientHandle;
  readonly holder: ClientHandle;
  readonly idle: ClientHandle;
  /** A process cuts a connection; a page can only close its socket, and its browser waits long for the peer's answer. */
  readonly canCut: boolean;
  /** After the network healed. */
  readonly currentMsMax: number;
}

async function hole(bench: Bench, cast: Cast, plan: Plan): Promise<void> {
  const { relay, owner, holder, idle, canCut, currentMsMax } = cast;
  const from = now();
  relay.blackHole();
  await bench.log.find('lost', ({ client }) => client === 'holder', 2 * TTL_MS, 'the holder has lost it');
  // It wants its lease back, and so has something to dial for.
  const again = holder.acquire('again', 'held', { ttlMs: TTL_MS }, 2 * plan.holeMs);
  await owner.setState('o', { seen: 'meanwhile' });
  await sleep(plan.holeMs - msBetween(from, now()));
  measureDials(bench, 'holder', from, { heartbeatMs: RENEWAL_MS, canCut });
  measureDials(bench, 'idle', from, { heartbeatMs: plan.heartbeatMs, canCut });
  const healed = now();
  // The connections that went dead stay dead.
  relay.heal();
  const settled = await again;
  const measureCurrent = (what: string, at: bigint, ok = true): void => {
    const ms = msBetween(healed, at);
    const isRight = ok && ms <= currentMsMax;
    bench.measure(`${what}, after the network healed`, `${ms.toFixed(0)} ms`, `at most ${currentMsMax} ms`, isRight);
  };
  measureCurrent('holder, granted anew', settled.at, settled.ok);
  const open = await bench.log.find(
    'status',
    ({ client, status, at }) => client === 'idle' && status === 'open' && at > healed,
    5_000 + currentMsMax,
    'the idle client is there again',
  );
  measureCurrent('idle, connected', open.at);
  if (plan.heartbeatMs === 15_000) {
    const isNews = ({ client, value, at }: EntryOf<'viewed'>): boolean =>
      client === 'idle' && at > healed && JSON.stringify(value) === '{"seen":"meanwhile"}';
    const viewed = await bench.log.find('viewed', isNews, 5_000, 'the watch shows what was missed');
    measureCurrent('idle, shown what it missed', viewed.at);
    // A page that is closed ends no watch.
    idle.unwatch('w');
    return;
  }
  await owner.release('o');
  await bench.log.find('held', ({ client }) => client === 'idle', 5_000, 'the waiter has its turn');
  await idle.release('w');
}

/** The socket that looked open as the hole began, the next dial, and the end of the first. */
function measureDials(
  bench: Bench,
  label: string,
  from: bigint,
  { heartbeatMs, canCut }: { readonly heartbeatMs: number; readonly canCut: boolean },
): void {
  const { entries } = bench.log;
  const dials = entriesOf(entries, 'dialled', label);
  const old = dials.findLast(({ at }) => at < from)?.dial;
  const next = dials.find(({ at }) => at > from);
  const gone = entriesOf(entries, 'socket-closed', label).find(({ dial }) => dial === old);
  const ms = next === undefined ? Number.NaN : msBetween(from, next.at);
  bench.measure(
    `${label}: black hole to a new dial`,
    `${ms.toFixed(0)} ms, ${gone === undefined || (next && gone.at > next.at) ? 'before' : 'after'} the end of the old socket`,
    `at most 2 heartbeats of ${heartbeatMs} ms, without waiting for the end of the old one`,
    ms <= 2 * heartbeatMs && (gone === undefined || (next !== undefined && gone.at > next.at)),
  );
  const goneMs = gone === undefined || next === undefined ? Number.NaN : msBetween(next.at, gone.at);
  bench.measure(
    `${label}: the old socket`,
    gone === undefined ? 'not destroyed' : `destroyed ${goneMs.toFixed(0)} ms after it was given up`,
    canCut ? `destroyed within ${DESTROYED_MS_MAX} ms` : 'told only: a page can close it, not cut it',
    !canCut || goneMs <= DESTROYED_MS_MAX,
  );
}

function measureLoss(bench: Bench, token: number): void {
  const lost = entriesOf(bench.log.entries, 'lost', 'holder').find((entry) => entry.token === token);
  const deadline = deadlinesOf(bench.log.entries).get('holder')?.get(token);
  const ms = lost === undefined || deadline === undefined ? Number.NaN : msBetween(lost.at, deadline);
  bench.measure('holder: lost', `${ms.toFixed(0)} ms before its local deadline`, 'by its local deadline', ms >= 0);
}
