import { entriesOf, msBetween, quantile } from '../support/log.ts';
import type { Bench } from '../support/bench.ts';
import type { FieldCase } from '../support/field-case.ts';

const TTL_MS = 3_000;
const HOLD_MS = 10;
const NAME = 'queue';

export const F08: FieldCase = {
  id: 'F08',
  title: 'S8 an owner that releases and asks again stands at the tail: grants run in strict order of arrival',
  async run(bench, size) {
    const times = size === 'full' ? 50 : 10;
    const coordinator = await bench.coordinator();
    const [a, b, c, d] = ['A', 'B', 'C', 'D'].map((label) =>
      bench.process().client(label, coordinator.url, { idleMs: 60_000 }),
    );
    if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error('four clients');
    await a.acquire('first', NAME, { ttlMs: TTL_MS });
    const loops = [];
    for (const follower of [b, c, d]) {
      await follower.ready();
      loops.push(follower.loop(NAME, times, HOLD_MS, { ttlMs: TTL_MS }));
      await queued(bench, coordinator.url, follower.label);
    }
    // One after the other on one socket: the release arrives first, the next claim right behind it.
    a.order({ do: 'release', call: 'A#first-release', key: 'first' });
    loops.push(a.loop(NAME, times, HOLD_MS, { ttlMs: TTL_MS }));
    await Promise.all(loops);
    measureOrder(bench, times);
    measurePositions(bench);
  },
};

/** The loop writes its entries only at its end, so the queue's length tells that the follower stands in it. */
async function queued(bench: Bench, url: string, label: string): Promise<void> {
  const wanted = { B: 1, C: 2, D: 3 }[label];
  const { watcher } = watcherOf(bench, url);
  for (let tries = 0; tries < 100; tries += 1) {
    const seen = await watcher.inspect(NAME);
    if (seen.ok && (seen.value as { readonly queue?: number }).queue === wanted) return; // A LeaseView as JSON.
  }
  throw new Error(`${label} never stood in the queue`);
}

const watchers = new WeakMap<Bench, ReturnType<typeof makeWatcher>>();
const makeWatcher = (bench: Bench, url: string) => ({
  watcher: bench.process().client('watcher', url, { idleMs: 60_000 }),
});
function watcherOf(bench: Bench, url: string): ReturnType<typeof makeWatcher> {
  const made = watchers.get(bench) ?? makeWatcher(bench, url);
  watchers.set(bench, made);
  return made;
}

function measureOrder(bench: Bench, times: number): void {
  const grants = entriesOf(bench.log.entries, 'held').toSorted((x, y) => x.token - y.token);
  const order = grants.map(({ client }) => client).join('');
  const expected = `${'ABCD'.repeat(times)}A`;
  const wrongAt = grants.findIndex(({ client }, index) => client !== expected.charAt(index));
  const shown =
    wrongAt < 0
      ? `A, B, C, D, ${times} times over`
      : `differs at grant ${wrongAt}: ...${order.slice(Math.max(0, wrongAt - 4), wrongAt + 4)}`;
  bench.measure(`order of ${grants.length} grants`, shown, 'A, B, C, D, A, ...', order === expected);
  const ends = entriesOf(bench.log.entries, 'released');
  const gaps = grants.slice(1).map((grant, index) => {
    const before = ends.find((end) => end.token === grants[index]?.token);
    return before === undefined ? Number.NaN : msBetween(before.at, grant.at);
  });
  bench.measure('hand-over, median', `${quantile(gaps, 0.5).toFixed(2)} ms`, 'told only', true);
}

function measurePositions(bench: Bench): void {
  const lastOf = new Map<string, number>();
  let rises = 0;
  const told = entriesOf(bench.log.entries, 'queued');
  for (const { key, position } of told) {
    if (position > (lastOf.get(key) ?? Infinity)) rises += 1;
    lastOf.set(key, position);
  }
  bench.measure(
    'queue positions shown',
    `${told.length} shown, ${rises} rises`,
    'only fall',
    rises === 0 && told.length > 0,
  );
}
