/**
 * A job of 200 numbered items that is done in order, by one worker at a time, and goes on where it stopped when the
 * worker dies. Start a coordinator (`npm start`), then, in two terminals:
 *
 *     npx node examples/job/job.ts A
 *     npx node examples/job/job.ts B
 *
 * A works and B waits. Now `kill -9` A, as it says itself: within 3 s B takes over at the item at which A stopped. How
 * far the job is stands in the *state* of the lease, which outlives its holder; the results are in build/job.db:
 *
 *     npx node examples/job/job.ts LABEL FILE URL PAUSE_MS     (here: B build/job.db ws://127.0.0.1:7400 100)
 *
 * *An item may be done again*, never left out: a worker writes the item, then its checkpoint, and may die between the
 * two. The next one does that item once more. It meets its row, since items are numbered, and the same item gives the
 * same row: `times` in the table counts it and nothing else changes.
 *
 * *What no lease can prevent* is a worker that is paused between its check and its write, and writes when it wakes, long
 * after somebody else took over. Therefore each write shows the fencing token, and the table refuses one that is older
 * than the largest it has seen. To see it, stop A (`kill -STOP`) in the middle, wait until B has taken over, and wake it
 * (`kill -CONT`): most of an item's time passes between check and write, so A wakes there, and is refused.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { connect, isLeaseError, type Lease, type QueuedInfo } from 'leasehold';
import { placeOf, tellOf } from './connection.ts';
import { orderIn } from './order.ts';
import { makeSay } from './say.ts';
import { isTableError, openTable } from './table.ts';

const ITEMS = 200;
const { label, file, url, pauseMs } = orderIn(process.argv.slice(2));

const say = makeSay(label, ITEMS);
const table = madeBy(() => {
  mkdirSync(dirname(file), { recursive: true });
  return openTable(file);
});
// With its process's id: two workers may have been given one label.
const client = madeBy(() => connect(url, { label: `${label} (pid ${process.pid})`, ttlMs: 3_000 }));
tellOf(client, url, (text) => say.line(text));

/** What was last said of the queue, so that it is said once. */
let place = '';

/** What is slow about an item: asking others, computing, the way to the database. A worker that is paused wakes here. */
const work = async (item: number): Promise<number> => {
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  return item * item;
};

/** How many items are done, as the last holder left it. */
function checkpointOf({ state }: Lease): number {
  const { done = 0 } = (state ?? {}) as { readonly done?: number }; // Nobody else writes the state of this name.
  return done;
}

/** Goes on from the checkpoint. Returns how many items are done now: fewer than all of them when the lease ended first. */
async function goOn(lease: Lease): Promise<number> {
  place = '';
  const from = checkpointOf(lease);
  say.begins(from, lease.fencingToken);
  lease.on('lost', ({ code }) => say.ends(`lost the lease: ${code}`));
  if (!table.raiseFence(lease.fencingToken)) throw new Error(`${file} has seen token ${table.fence}, which is newer`);
  const { rows } = table;
  // One row more is what a worker leaves that dies between write and checkpoint; this is another coordinator's memory.
  const isForgotten = rows > from + 1;
  if (isForgotten)
    say.line(
      `the table has ${rows} rows already, the lease's state knows of ${from}: items ${from + 1} to ${rows} are done again`,
    );
  for (let item = from + 1; item <= ITEMS; item += 1) {
    // The check. Whatever happens from here on, the write below has to stand on its own.
    if (lease.signal.aborted) return item - 1;
    const result = await work(item);
    const written = table.write(lease.fencingToken, { item, result, worker: label });
    if (written === 'refused') {
      say.line(
        `was refused by the table: token ${lease.fencingToken} is older than ${table.fence}; item ${item} is not mine`,
      );
      return item - 1;
    }
    if (written === 'written again' && !isForgotten)
      say.line(`did item ${item} again: it was written, but not checkpointed`);
    await lease.setState({ done: item });
    say.progress(item);
  }
  return ITEMS;
}

function onQueued(info: QueuedInfo): void {
  const before = place;
  place = placeOf(info);
  if (place !== before) say.line(place);
}

/** Holds, works, and stands in line again after a loss, until the job is done or this worker is told to stop. */
async function takePart(): Promise<void> {
  for (;;) {
    try {
      const done = await client.run(table.leaseName, { onQueued }, goOn);
      say.ends(done === ITEMS ? `is through: all ${ITEMS} items are done` : `stops after item ${done}`);
      return;
    } catch (error) {
      if (isLeaseError(error, 'closed')) return say.ends('stops');
      // Lost: another one may go on meanwhile, and this one stands behind it.
      if (!isLeaseError(error) || !error.retryable) throw error;
    }
  }
}

/** What `make` makes; or this process ends with one line that says why not. */
function madeBy<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    return giveUp(error);
  }
}

function giveUp(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  say.ends(`gives up: ${isTableError(error) ? `${file}: ` : ''}${text}`);
  process.exit(1);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void client.close());
const failure = await takePart().catch((error: unknown) => ({ error }));
await client.close();
table.close();
if (failure !== undefined) giveUp(failure.error);
