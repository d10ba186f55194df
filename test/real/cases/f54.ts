import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../../../scripts/support/system.ts';
import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { entriesOf, msBetween, quantile } from '../support/log.ts';
import { renewalTimes } from '../support/renewals.ts';
import { viewsOf } from '../support/views.ts';
import { sleep } from '../support/waiting.ts';

const FSYNC_MS = 300;
const HOLDERS = 50;
const TTL_MS = 3_000;
const PAIR_EVERY_MS = 100;
const RENEWAL_P99_MS_MAX = 500;
/** At ten pairs a second, and some three syncs in it. */
const GRANTS_PER_SYNC_MIN = 2;

export const F54: FieldCase = {
  id: 'F54',
  title:
    'S4 S9 a sync of 300 ms costs no lease and delays no renewal; grants share syncs, and none is told before its own',
  async run(bench, size) {
    if (onPath('strace') === null) throw new Error('a slow disk needs strace (Debian package strace)');
    const data = bench.dataFile();
    // The file is made on a quick disk: what is slow here is the running, not the first start.
    await (await bench.coordinator({ data })).stop();
    const trace = join(bench.folder(), 'syncs');
    const coordinator = await bench.coordinator({ data, under: slowSyncs(trace), readyWithinMs: 60_000 });
    await measureSlow(bench, coordinator, trace, size === 'full' ? 60_000 : 5_000);
    await measureKills(bench, coordinator, trace, size === 'full' ? 5 : 1);
  },
};

/** Delays these calls and nothing else, and writes a line for each. */
const slowSyncs = (trace: string): readonly string[] => [
  'strace',
  '-f',
  '-qq',
  '--seccomp-bpf',
  '-o',
  trace,
  '-e',
  'trace=fsync,fdatasync',
  '-e',
  `inject=fsync,fdatasync:delay_enter=${FSYNC_MS}ms`,
];

const syncsIn = (trace: string): number => readFileSync(trace, 'utf8').match(/ = 0\b/g)?.length ?? 0;

async function measureSlow(bench: Bench, coordinator: CoordinatorProcess, trace: string, forMs: number): Promise<void> {
  const owner = bench.process();
  const holders = Array.from({ length: HOLDERS }, (_, index) => owner.client(`h${index}`, coordinator.url, {}, true));
  await Promise.all(holders.map((holder) => holder.acquire('a', holder.label, { ttlMs: TTL_MS })));
  const other = bench.process().client('other', coordinator.url);
  await other.ready();
  const syncsBefore = syncsIn(trace);
  const pairs: Promise<void>[] = [];
  const until = performance.now() + forMs;
  for (let n = 0; performance.now() < until; n += 1) {
    pairs.push(pair(other, `pair-${n}`));
    await sleep(PAIR_EVERY_MS);
  }
  await Promise.all(pairs);
  const syncs = syncsIn(trace) - syncsBefore;
  const { entries } = bench.log;
  const lost = entriesOf(entries, 'lost').length;
  bench.measure(`leases lost of ${HOLDERS} at W = 3 s, in ${forMs / 1_000} s`, lost, '0', lost === 0);
  const renewals = renewalTimes(entries);
  const p99 = quantile(renewals, 0.99);
  bench.measure(
    `${renewals.length} renewals to their answers, p99`,
    `${p99.toFixed(1)} ms`,
    `under ${RENEWAL_P99_MS_MAX} ms`,
    renewals.length >= HOLDERS && p99 < RENEWAL_P99_MS_MAX,
  );
  measureGrants(bench, syncs);
  await measureShown(bench, coordinator);
  await owner.end();
  // A session outlives its farewell a little; the coordinator is killed before it has stored that they are over.
  bench.ghosts += HOLDERS + 1;
}

async function pair(client: ClientHandle, name: string): Promise<void> {
  const acquired = await client.acquire(name, name, { ttlMs: 30_000 });
  if (acquired.ok) await client.release(name);
}

function measureGrants(bench: Bench, syncs: number): void {
  const { entries } = bench.log;
  const calledAt = new Map(entriesOf(entries, 'called', 'other').map(({ call, at }) => [call, at]));
  const took = entriesOf(entries, 'settled', 'other')
    .filter(({ ok, what }) => ok && what.startsWith('acquire'))
    .map(({ call, at }) => msBetween(calledAt.get(call) ?? at, at));
  const perSync = took.length / syncs;
  bench.measure(
    `${took.length} grants and as many releases, in syncs`,
    `${syncs}: ${perSync.toFixed(1)} grants a sync`,
    `few: at least ${GRANTS_PER_SYNC_MIN} grants a sync`,
    syncs > 0 && perSync >= GRANTS_PER_SYNC_MIN,
  );
  const least = quantile(took, 0);
  bench.measure(
    'quickest of these grants',
    `${least.toFixed(0)} ms`,
    `no less than a sync, ${FSYNC_MS} ms`,
    least >= FSYNC_MS,
  );
}

/** Until there are metrics, `/readyz` tells how long the last batch took. */
async function measureShown(bench: Bench, { port }: CoordinatorProcess): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  const { appendMs } = (await answer.json()) as { readonly appendMs?: number }; // Our own coordinator's page.
  bench.measure(
    'time of the last append as it is shown (/readyz appendMs)',
    appendMs === undefined ? 'not shown' : `${appendMs} ms`,
    `shown, at least ${FSYNC_MS} ms`,
    appendMs !== undefined && appendMs >= FSYNC_MS,
  );
}

/** SIGKILL at the first word of a grant, then a start: what was told is there. */
async function measureKills(bench: Bench, first: CoordinatorProcess, trace: string, rounds: number): Promise<void> {
  const client = bench.process().client('told', first.url);
  let coordinator = first;
  let missing = 0;
  let told = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const name = `told-${round}`;
    const held = bench.log.next('held', (entry) => entry.name === name, 10_000, `${name} is granted`);
    const killed = held.then(async ({ token }) => {
      await coordinator.kill();
      return token;
    });
    void client.acquire(name, name, { ttlMs: 60_000 });
    const token = await killed;
    // The one that is read is quick; the next round is slow again.
    const reader = await bench.restart(coordinator, { under: [] });
    const shown = await viewsOf(await bench.raw(reader), 'told-');
    told += 1;
    if (shown.get(name)?.holders[0]?.fencingToken !== token) missing += 1;
    // Who is between two dials when it is closed says no farewell, and leaves its lease behind.
    await client.release(name);
    if (round === rounds) break;
    await reader.kill();
    coordinator = await bench.restart(reader, { under: slowSyncs(`${trace}-${round}`), readyWithinMs: 60_000 });
  }
  bench.measure(
    'grants told, then kill -9 at once and a start: missing',
    `${missing} of ${told}`,
    '0',
    told === rounds && missing === 0,
  );
}
