import type { Bench } from '../support/bench.ts';
import type { ClientHandle, ClientProcess } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import { deadlinesOf } from '../support/deadlines.ts';
import type { FieldCase } from '../support/field-case.ts';
import { entriesOf, isOf, msBetween, now, quantile } from '../support/log.ts';
import { seeded } from '../support/seeded.ts';
import { sleep } from '../support/waiting.ts';

const TTL_MS = 10_000;
const RATE_OVER_MS = 500;
const GAP_MS = 1_000;
const HAND_OVER_MS_MAX = 250;

export const F49: FieldCase = {
  id: 'F49',
  title: 'S5 a coordinator killed and started again keeps owners, queue, state and tokens, and grants nobody earlier',
  async run(bench, size) {
    const plan = size === 'full' ? { rounds: 30, deadEvery: 3 } : { rounds: 3, deadEvery: 3 };
    let coordinator = await bench.coordinator();
    const others = bench.process();
    const rounds: Round[] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      const dead = (round + 1) % plan.deadEvery === 0;
      // A client of its own each round: one whose connections never live for 5 s dials more and more slowly.
      const churner = others.client(`churn${round}`, coordinator.url, options);
      // 10 workers that each acquire and release about every 40 ms: 500 operations a second.
      const churning = churner.churn('churn-', { workers: 10, pauseMs: 35 }, { ttlMs: TTL_MS });
      const played = await playRound(bench, coordinator, others, { round, dead });
      coordinator = played.coordinator;
      rounds.push(played.outcome);
      churner.stop();
      await churning;
    }
    // Clients that want nothing do not dial again after a crash, and so say no farewell: their sessions end by silence.
    bench.ghosts = 4 * plan.rounds;
    measureRounds(bench, rounds);
  },
};

const options = { connectTimeoutMs: 1_000, maxBackoffMs: 500, idleMs: 60_000 };

interface Round {
  readonly dead: boolean;
  /** Lost or another token, where the holder lived. */
  readonly kept: boolean;
  readonly inOrder: boolean;
  readonly stateKept: boolean;
  readonly tokenRose: boolean;
  /** Acquires and releases of others in the last half second before the kill, as a rate. */
  readonly perSecond: number;
  /** From the release, where the holder lived. */
  readonly handedOverMs: number;
  /** Before (negative) or after the dead holder's local deadline. */
  readonly afterDeadlineMs: number;
  /** Since its last acknowledged word. */
  readonly sinceWordMs: number;
}

interface Plan {
  readonly round: number;
  readonly dead: boolean;
}

async function playRound(
  bench: Bench,
  coordinator: CoordinatorProcess,
  others: ClientProcess,
  plan: Plan,
): Promise<{ readonly outcome: Round; readonly coordinator: CoordinatorProcess }> {
  const { round, dead } = plan;
  const name = `owned-${round}`;
  const holding = bench.process();
  const holder = holding.client(`A${round}`, coordinator.url, options, true);
  const [b, c] = ['B', 'C'].map((label) => others.client(`${label}${round}`, coordinator.url, options)) as [
    ClientHandle,
    ClientHandle,
  ]; // Two labels, two handles.
  const first = await holder.acquire('a', name, { ttlMs: TTL_MS });
  await holder.setState('a', { round });
  const waitingB = b.acquire('b', name, { ttlMs: TTL_MS }, 60_000);
  await bench.log.find('queued', ({ client }) => client === b.label, 5_000, `${b.label} queues`);
  const waitingC = c.acquire('c', name, { ttlMs: TTL_MS }, 60_000);
  await bench.log.find('queued', ({ client }) => client === c.label, 5_000, `${c.label} queues`);
  await sleep(500 + seeded(round) * 1_000);
  const killedAt = now();
  await coordinator.kill();
  if (dead) holding.kill();
  await sleep(GAP_MS);
  const next = await bench.restart(coordinator);
  const probe = await others
    .client(`probe${round}`, next.url, options)
    .acquire('p', `probe-${round}`, { ttlMs: TTL_MS });
  const state = await b.inspect(name);
  const releasedAt = dead ? 0n : await releaseWhenBack(bench, holder);
  await waitingB;
  const grantB = entriesOf(bench.log.entries, 'held', b.label).find((entry) => entry.name === name);
  await b.release('b');
  await waitingC;
  await c.release('c');
  const deadline = deadlinesOf(bench.log.entries.filter(({ client }) => client === holder.label))
    .get(holder.label)
    ?.get(tokenOf(first));
  const outcome: Round = {
    dead,
    kept:
      entriesOf(bench.log.entries, 'lost', holder.label).length === 0 &&
      entriesOf(bench.log.entries, 'held', holder.label).length === 1,
    inOrder: ranInOrder(bench, name),
    stateKept:
      state.ok &&
      JSON.stringify((state.value as { readonly state?: { readonly value?: unknown } }).state?.value) ===
        JSON.stringify({ round }), // A LeaseView as JSON.
    perSecond: rateBefore(bench, killedAt),
    tokenRose: tokenOf(probe) > largestTokenBefore(bench, killedAt),
    handedOverMs: dead || grantB === undefined ? 0 : msBetween(releasedAt, grantB.at),
    afterDeadlineMs: dead ? msBetween(deadline ?? 0n, grantB?.at ?? 0n) : 0,
    sinceWordMs: dead ? msBetween((deadline ?? 0n) - BigInt(TTL_MS) * 1_000_000n, grantB?.at ?? 0n) : 0,
  };
  return { outcome, coordinator: next };
}

/** Once the holder has renewed in the new run, or says that it holds: then it gives the lease back. */
async function releaseWhenBack(bench: Bench, holder: ClientHandle): Promise<bigint> {
  await holder.ready(10_000);
  const { status } = await holder.read('a');
  bench.violated(status === 'held' ? [] : [`F49 ${holder.label} reads ${status} after the restart`]);
  await holder.release('a');
  return entriesOf(bench.log.entries, 'released', holder.label).at(-1)?.at ?? 0n;
}

/** A, then B, then C, with rising tokens. */
function ranInOrder(bench: Bench, name: string): boolean {
  const grants = bench.log.entries.filter((entry) => isOf(entry, 'held') && entry.name === name);
  return grants.map(({ client }) => client.charAt(0)).join('') === 'ABC';
}

const tokenOf = (settled: { readonly ok: boolean; readonly value?: unknown }): number =>
  settled.ok ? Number(settled.value) : Number.NaN;

function largestTokenBefore(bench: Bench, at: bigint): number {
  return entriesOf(bench.log.entries, 'held').reduce(
    (most, held) => (held.at < at ? Math.max(most, held.token) : most),
    0,
  );
}

function rateBefore(bench: Bench, at: bigint): number {
  const operations = bench.log.entries.filter(
    (entry) =>
      entry.client.startsWith('churn') &&
      (entry.event === 'held' || entry.event === 'released') &&
      entry.at < at &&
      msBetween(entry.at, at) < RATE_OVER_MS,
  );
  return (operations.length * 1_000) / RATE_OVER_MS;
}

function measureRounds(bench: Bench, rounds: readonly Round[]): void {
  const living = rounds.filter(({ dead }) => !dead);
  const orphaned = rounds.filter(({ dead }) => dead);
  const count = (what: string, of: readonly Round[], holds: (round: Round) => boolean): void => {
    const good = of.filter(holds).length;
    bench.measure(what, `${good} of ${of.length}`, 'every round', good === of.length && of.length > 0);
  };
  count('holder resumed with its token, nothing lost', living, ({ kept }) => kept);
  count('waiters kept their places', rounds, ({ inOrder }) => inOrder);
  count('state is the last acknowledged one', rounds, ({ stateKept }) => stateKept);
  count('next token higher than every acknowledged one', rounds, ({ tokenRose }) => tokenRose);
  const slowest = Math.max(...living.map(({ handedOverMs }) => handedOverMs));
  bench.measure(
    'release to the waiter after a restart, slowest',
    `${slowest.toFixed(1)} ms`,
    `at most ${HAND_OVER_MS_MAX} ms`,
    slowest <= HAND_OVER_MS_MAX,
  );
  const early = Math.min(...orphaned.map(({ afterDeadlineMs }) => afterDeadlineMs));
  const late = Math.max(...orphaned.map(({ sinceWordMs }) => sinceWordMs));
  bench.measure(
    'waiter of a dead holder, earliest',
    `${early.toFixed(0)} ms after its local deadline`,
    'not before it',
    early >= 0,
  );
  bench.measure(
    'waiter of a dead holder, latest',
    `${late.toFixed(0)} ms after its last word`,
    `at most 2 W = ${2 * TTL_MS} ms`,
    late <= 2 * TTL_MS,
  );
  const rate = quantile(
    rounds.map(({ perSecond }) => perSecond),
    0.5,
  );
  bench.measure('operations of others a second when the kill comes, median', rate.toFixed(0), 'about 500', rate > 250);
}
