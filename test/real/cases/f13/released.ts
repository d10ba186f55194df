import type { Bench } from '../../support/bench.ts';
import type { CoordinatorProcess } from '../../support/coordinator-process.ts';
import { addMs, entriesOf, msBetween, now, quantile, type EntryOf } from '../../support/log.ts';

const TTL_MS = 3_000;
const SPREAD_MS = 3;
const GRANTED_MS_MAX = 100;
/** Rounds that follow one after the other on one name; on a second one beside it, and so on. */
const LANES = 4;
const EVERY_MS = 100;
/** A timer may come late, and rounds in which the two did not meet do not count: as many more are played, so often. */
const SPARE = 1.2;
const BATCHES_MAX = 4;

/** A releases within `SPREAD_MS` before or behind B's claim, at least `wanted` times. Each process stamps its own part. */
export async function releasedAtEnqueue(bench: Bench, { url }: CoordinatorProcess, wanted: number): Promise<void> {
  const options = { idleMs: 60_000 };
  const leaving = bench.process().client('A', url, options);
  const coming = bench.process().client('B', url, options);
  await Promise.all([leaving.ready(), coming.ready()]);
  const rounds: Round[] = [];
  for (let batch = 0; batch < BATCHES_MAX && metOf(rounds).length < wanted; batch += 1) {
    const missing = wanted - metOf(rounds).length;
    const meetings = {
      prefix: `meet-${batch}-`,
      from: String(addMs(now(), 200)),
      everyMs: EVERY_MS,
      rounds: Math.ceil((missing * SPARE) / LANES),
      lanes: LANES,
      spreadMs: SPREAD_MS - 0.5,
      options: { ttlMs: TTL_MS },
    };
    const limitMs = 20_000 + 10 * EVERY_MS * meetings.rounds;
    const left = leaving.meet({ ...meetings, part: 'leaves' }, limitMs);
    const came = coming.meet({ ...meetings, part: 'comes' }, limitMs);
    await Promise.all([left.settled, came.settled]);
    rounds.push(...roundsOf(bench, left.call, came.call));
  }
  measure(bench, rounds, wanted);
}

interface Round {
  /** From B's claim to A's release; negative: A released first. */
  readonly apartMs: number;
  /** From the later of the two to B's grant. */
  readonly tookMs: number;
}

const metOf = (rounds: readonly Round[]): readonly Round[] =>
  rounds.filter(({ apartMs }) => Math.abs(apartMs) <= SPREAD_MS);

function roundsOf(bench: Bench, left: string, came: string): readonly Round[] {
  const { entries } = bench.log;
  const releases = byKey(entriesOf(entries, 'called', 'A'), ({ call }) => call, left);
  const claims = byKey(entriesOf(entries, 'called', 'B'), ({ call }) => call, came);
  const before = byKey(entriesOf(entries, 'held', 'A'), ({ key }) => key, left);
  const grants = byKey(entriesOf(entries, 'held', 'B'), ({ key }) => key, came);
  return [...claims].flatMap(([key, claimed]) => {
    const [released, had, held] = [releases.get(key), before.get(key), grants.get(key)];
    if (released === undefined || had === undefined || held === undefined)
      return [{ apartMs: Number.NaN, tookMs: Infinity }];
    // A machine that is too busy brought A behind B: there was no release to wait for.
    if (had.token > held.token) return [];
    const bothAt = released.at > claimed.at ? released.at : claimed.at;
    return [{ apartMs: msBetween(claimed.at, released.at), tookMs: msBetween(bothAt, held.at) }];
  });
}

/** Lane and round, which both parts have in common, to the entry. */
function byKey<T extends EntryOf<'called'> | EntryOf<'held'>>(
  entries: readonly T[],
  keyOf: (entry: T) => string,
  call: string,
): Map<string, T> {
  const ofCall = entries.filter((entry) => keyOf(entry).startsWith(`${call}.`));
  return new Map(ofCall.map((entry) => [keyOf(entry).slice(call.length + 1), entry]));
}

function measure(bench: Bench, rounds: readonly Round[], wanted: number): void {
  const met = metOf(rounds);
  const before = met.filter(({ apartMs }) => apartMs < 0).length;
  bench.measure(
    `rounds in which A released within ${SPREAD_MS} ms of B's claim`,
    `${met.length} of ${rounds.length} played, ${before} of them before it`,
    `at least ${wanted}, and both orders`,
    met.length >= wanted && before > wanted / 10 && met.length - before > wanted / 10,
  );
  // Of all that were played: those that did not meet are no less to be granted.
  const took = rounds.map(({ tookMs }) => tookMs);
  const slowest = Math.max(...took);
  bench.measure(
    'both facts to the grant, slowest of all rounds',
    `${slowest.toFixed(1)} ms (median ${quantile(took, 0.5).toFixed(1)} ms)`,
    `at most ${GRANTED_MS_MAX} ms; none waits for W = ${TTL_MS} ms or a poll`,
    slowest <= GRANTED_MS_MAX,
  );
}
