import type { LeaseView } from 'leasehold';
import type { Bench } from '../../support/bench.ts';
import type { CoordinatorProcess } from '../../support/coordinator-process.ts';
import { JournalOnDisk } from '../../support/journal-on-disk.ts';
import { entriesOf, now, type EntryOf } from '../../support/log.ts';
import { Attempts, type Place } from './tenants.ts';

/** Behind the last append the log of the journal is put into the file; then its old pages take small writes again. */
const WRITTEN_BACK_WITHIN_MS = 15_000;
const PAUSE_MS = 5;
const REFUSAL_WITHIN_MS = 30_000;
const DIALS_WITHIN_MS = 15_000;

/**
 * Once more the disk is full; now with writes that for a while find room in what the journal has. It is killed at the
 * first refusal, among answers: whatever was answered has to be there at the next start.
 */
export async function measureStored(
  bench: Bench,
  { coordinator, data, disk, tenants }: Place,
): Promise<CoordinatorProcess> {
  using journal = new JournalOnDisk(coordinator, data);
  await journal.writtenBack(now(), WRITTEN_BACK_WITHIN_MS);
  disk.fill();
  const fullAt = now();
  const attempts = new Attempts(bench, tenants, { pauseMs: PAUSE_MS, characters: 0, release: false });
  await attempts.refused(REFUSAL_WITHIN_MS);
  const held = new Set(beliefs(bench));
  attempts.stop();
  await coordinator.kill();
  const answered = attempts.tried.filter(({ settled }) => settled.ok);
  disk.free();
  const next = await bench.restart(coordinator);
  const reader = bench.process().client('reader', next.url, {}, false);
  const listed = await reader.list('');
  // Those that ended since, by their windows or by the kill, are no beliefs any more.
  const still = new Set(beliefs(bench));
  await attempts.end();
  const views = new Map(
    ((listed.ok ? listed.value : []) as unknown as readonly LeaseView[]).map((view) => [view.name, view]),
  ); // As the client's own program wrote them.
  const writes = answered.filter(({ what }) => what === 'state write');
  measureThere(bench, 'state writes', writes, ({ name, n, settled }) => {
    const view = views.get(name);
    // What was on its way at the kill is written behind it, over what was answered, under the version that follows.
    const later = numberIn(view) > n ? 1 : 0;
    return numberIn(view) >= n && settled.ok && Number(view?.state?.version) >= Number(settled.value) + later;
  });
  const leases = [...held].filter((lease) => still.has(lease));
  const acquired = new Set(answered.filter(({ what }) => what === 'acquire').map(({ name }) => name));
  const isThere = ({ name, token }: EntryOf<'held'>): boolean =>
    views.get(name)?.holders.some(({ fencingToken }) => fencingToken === token) === true;
  measureThere(
    bench,
    'grants',
    leases.filter(({ name }) => acquired.has(name)),
    isThere,
  );
  measureThere(
    bench,
    'leases from before',
    leases.filter(({ at }) => at < fullAt),
    isThere,
  );
  const highest = Math.max(...entriesOf(bench.log.entries, 'held').map(({ token }) => token));
  const probe = await reader.acquire('probe', 'probe');
  const token = probe.ok ? Number(probe.value) : Number.NaN;
  bench.measure(
    'first token behind the restart, above the highest one granted',
    token - highest,
    'above 0',
    token > highest,
  );
  // A client that wants nothing does not dial again, and could say no farewell.
  const { holders, waiters, newcomer } = tenants;
  await Promise.all([...holders, ...waiters, newcomer].map((client) => client.ready(DIALS_WITHIN_MS)));
  return next;
}

/** Leases that began and have not ended. */
function beliefs({ log: { entries } }: Bench): readonly EntryOf<'held'>[] {
  const ended = new Set([...entriesOf(entries, 'lost'), ...entriesOf(entries, 'released')].map(({ token }) => token));
  return entriesOf(entries, 'held').filter(({ token }) => !ended.has(token));
}

const numberIn = (view: LeaseView | undefined): number =>
  Number((view?.state?.value as { readonly n?: unknown } | null | undefined)?.n); // Written by `Attempts`.

function measureThere<T>(bench: Bench, what: string, answered: readonly T[], isThere: (one: T) => boolean): void {
  const there = answered.filter(isThere).length;
  bench.measure(
    `${what} answered until the kill on a full disk, that are there at the next start`,
    `${there} of ${answered.length}`,
    'all',
    there === answered.length && answered.length > 0,
  );
}
