import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase, Size } from '../support/field-case.ts';
import { JournalOnDisk } from '../support/journal-on-disk.ts';
import { entriesOf, msBetween, now } from '../support/log.ts';
import type { AcquireOptions } from '../support/program/commands.ts';
import { sleep } from '../support/waiting.ts';
import { measureReader } from './f51/outside-reader.ts';

const MIB = 1024 * 1024;
const LOG_BYTES_MAX = 64 * MIB;
const SHRUNK_WITHIN_MS = 60_000;
/** About 4 MiB of it are kept, and written over from their start. */
const LOG_BYTES_AT_REST = 5 * MIB;
const CLIENTS = 10;
const PER_CLIENT = 30;
/** By one more lease of each client, whose window is long, that often: 50 a second. */
const WRITE_EVERY_MS = 200;
const WRITER = 'writer';
const WRITER_TTL_MS = 60_000;
/** One page for each would be 4,096. */
const BYTES_PER_RENEWAL_MAX = 40;

/** In short, as often and with more time for each: a machine that is busy would lose the leases of the case. */
const PLANS: Readonly<
  Record<Size, { readonly writeMs: number; readonly renewMs: number; readonly options: AcquireOptions }>
> = {
  full: { writeMs: 600_000, renewMs: 60_000, options: { ttlMs: 1_000 } },
  ci: { writeMs: 3_000, renewMs: 1_000, options: { ttlMs: 6_000, renewRatio: 1 / 9 } },
};

/**
 * The case has an outside reader pin the log. Here no reader can: the file is opened for the coordinator alone, and
 * whoever comes is refused, which is what is shown instead. What can pin the log is a slow backup by the coordinator
 * itself; there is none yet, and whoever builds it has this part of the case to play.
 */
export const F51: FieldCase = {
  id: 'F51',
  title: 'S9 the log beside the journal stays small under many renewals and writes, and renewals write next to nothing',
  async run(bench, size) {
    const plan = PLANS[size];
    const data = bench.dataFile();
    const coordinator = await bench.coordinator({ data });
    const clients = await holdAll(bench, coordinator, plan.options);
    using disk = new JournalOnDisk(coordinator, data);
    measureReader(bench, data);
    const both = await during(bench, disk, () => writeAll(clients, plan.writeMs));
    const restAt = now();
    measureReader(bench, data);
    await measureRest(bench, disk, restAt);
    const alone = await during(bench, disk, () => sleep(plan.renewMs).then(() => 0));
    measureRates(bench, both, alone, size);
  },
};

/** 300 leases. They are renewed by themselves. */
async function holdAll(
  bench: Bench,
  { url }: CoordinatorProcess,
  options: AcquireOptions,
): Promise<readonly ClientHandle[]> {
  const owner = bench.process();
  const clients = Array.from({ length: CLIENTS }, (_, index) => owner.client(`c${index}`, url, {}, true));
  const keys = Array.from({ length: PER_CLIENT }, (_, index) => String(index));
  const acquired = clients.flatMap((client) =>
    keys.map((key) => client.acquire(key, `${client.label}/${key}`, options)),
  );
  const writers = clients.map((client) =>
    client.acquire(WRITER, `${client.label}/${WRITER}`, { ttlMs: WRITER_TTL_MS }),
  );
  await Promise.all([...acquired, ...writers]);
  return clients;
}

/** Resolves, with how many state writes were answered, when all have been. */
async function writeAll(clients: readonly ClientHandle[], ms: number): Promise<number> {
  const count = Math.round(ms / WRITE_EVERY_MS);
  const all = await Promise.all(clients.map((client) => client.write(WRITER, count, WRITE_EVERY_MS, ms + 60_000)));
  return all.filter(({ ok }) => ok).length * count;
}

interface Rates {
  readonly seconds: number;
  readonly renewals: number;
  readonly writes: number;
  readonly bytes: number;
}

async function during(bench: Bench, disk: JournalOnDisk, act: () => Promise<number>): Promise<Rates> {
  const [from, bytes] = [now(), disk.writtenBytes];
  const writes = await act();
  const to = now();
  const renewals = entriesOf(bench.log.entries, 'received')
    .filter(({ at }) => at > from && at < to)
    .flatMap(({ messages }) => messages)
    .reduce((sum, { type, leases }) => sum + (type === 'renewed' && Array.isArray(leases) ? leases.length : 0), 0);
  return { seconds: msBetween(from, to) / 1_000, renewals, writes, bytes: disk.writtenBytes - bytes };
}

function measureRates(bench: Bench, both: Rates, alone: Rates, size: Size): void {
  const pace = ({ renewals, seconds }: Rates): string => `${(renewals / seconds).toFixed(0)} renewals`;
  const kib = ({ bytes, seconds }: Rates): string => `${(bytes / 1024 / seconds).toFixed(1)} KiB written`;
  const writesPerSecond = both.writes / both.seconds;
  // What was not there to be written would show nothing. A busy machine loses leases whose renewals have 333 ms.
  const [renewalsMin, writesMin] = size === 'full' ? [400, 45] : [1, 1];
  const isBusy = both.renewals / both.seconds >= renewalsMin && writesPerSecond >= writesMin;
  bench.measure(
    'a second of both',
    `${pace(both)}, ${writesPerSecond.toFixed(0)} state writes, ${kib(both)}`,
    size === 'full' ? 'at least 400 and 45, something written' : 'some of each, something written',
    isBusy && both.bytes > 0,
  );
  const each = alone.bytes / alone.renewals;
  bench.measure(
    'a second of renewals alone',
    `${pace(alone)}, ${kib(alone)}, ${each.toFixed(1)} bytes for each`,
    `at most ${BYTES_PER_RENEWAL_MAX} bytes for each`,
    alone.renewals > 0 && each <= BYTES_PER_RENEWAL_MAX,
  );
  const lost = entriesOf(bench.log.entries, 'lost').length;
  bench.measure(`leases lost of ${CLIENTS * PER_CLIENT}, meanwhile`, lost, 'told only', true);
}

async function measureRest(bench: Bench, disk: JournalOnDisk, since: bigint): Promise<void> {
  const most = disk.largestLogBytes;
  bench.measure(
    'log, at its largest',
    `${(most / MIB).toFixed(2)} MiB`,
    '64 MiB at most',
    most > 0 && most <= LOG_BYTES_MAX,
  );
  const ok = (await disk.writtenBack(since, SHRUNK_WITHIN_MS)) && disk.logBytes <= LOG_BYTES_AT_REST;
  bench.measure(
    'log, behind the last state write',
    `${ok ? 'in the file' : 'not in the file'} ${msBetween(since, now()).toFixed(0)} ms later, ${(disk.logBytes / MIB).toFixed(2)} MiB`,
    `in the file within ${SHRUNK_WITHIN_MS} ms, and at most ${LOG_BYTES_AT_REST / MIB} MiB`,
    ok,
  );
}
