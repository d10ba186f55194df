import type { Bench } from '../../real/support/bench.ts';
import type { ClientHandle } from '../../real/support/client-process.ts';
import type { FieldCase } from '../../real/support/field-case.ts';
import { entriesOf, msBetween, now } from '../../real/support/log.ts';
import { sleep } from '../../real/support/waiting.ts';
import type { Stage } from '../support/stage.ts';
import type { Tab } from '../support/tab.ts';
import { grantFor, measureSlowest, standFor } from './support/names.ts';
import { onStage } from './support/on-stage.ts';
import { reloadTab } from './support/reloading.ts';

const TTL_MS = 3_000;
/** What an expiry may take beside its window (F03). */
const EXPIRY_MS = 250;
const FAREWELL_MS_MAX = 300;
/** A page that is reloaded so soon has just been granted its lease. */
const RELOADED_AFTER_MS = 50;
const ENDS_MS_MAX = TTL_MS + EXPIRY_MS;

export const F41: FieldCase = {
  id: 'F41',
  title: 'S7 a tab that ends without a farewell is followed at the end of its window, with one at once',
  async run(bench, size) {
    const runs = size === 'full' ? 10 : 1;
    await onStage(bench, async (stage) => {
      const { client: waiter } = stage.process('waiter', TTL_MS);
      const place = { stage, waiter };
      const ends: Ends[] = [];
      for (let run = 0; run < runs; run += 1) {
        const doomed = await tabsOf(stage, run);
        // Each waits for the end of a window, of a name of its own.
        const [crash, workerMs] = await Promise.all([crashed(place, doomed, run), closedWorker(place, doomed, run)]);
        ends.push({ ...crash, workerMs, ...(await reloadedAndClosed(place, run)) });
      }
      tell(bench, ends);
      // A worker that ends with its page says no farewell, and leaves a session behind for a while.
      bench.ghosts = runs;
    });
  },
};

interface Place {
  readonly stage: Stage;
  readonly waiter: ClientHandle;
}

/** From the end of a tab until somebody leads. */
interface Ends {
  readonly crashedMs: number;
  readonly reopenedMs: number;
  readonly workerMs: number;
  readonly reloadedMs: number;
  readonly closedMs: number;
}

interface Doomed {
  readonly tab: Tab;
  readonly reopened: Tab;
  readonly withWorker: Tab;
}

/** One after the other, since a renderer is told by what it alone takes of memory. */
const tabsOf = async (stage: Stage, run: number): Promise<Doomed> => ({
  tab: await stage.tab(`crashed-${run}`, TTL_MS),
  reopened: await stage.tab(`reopened-${run}`, TTL_MS),
  withWorker: await stage.blank(`worker-${run}`),
});

/** Of one name the waiter is next; of the other nobody but the same page, opened again. */
async function crashed(
  { stage, waiter }: Place,
  { tab, reopened }: Doomed,
  run: number,
): Promise<Pick<Ends, 'crashedMs' | 'reopenedMs'>> {
  const { log } = stage;
  const [name, alone] = [`crash-${run}`, `alone-${run}`];
  for (const one of [name, alone]) await standFor(log, tab.client, one);
  await standFor(log, waiter, name);
  const killed = now();
  tab.kill();
  const standing = standFor(log, reopened.client, alone);
  const next = await grantFor(log, waiter, name, killed, 2 * TTL_MS);
  const again = await grantFor(log, reopened.client, alone, killed, 2 * TTL_MS);
  await standing;
  await waiter.stopElection(name);
  await reopened.close();
  return { crashedMs: msBetween(killed, next.at), reopenedMs: msBetween(killed, again.at) };
}

/** A dedicated worker ends with its page, and no event tells it. */
async function closedWorker({ stage, waiter }: Place, { withWorker: tab }: Doomed, run: number): Promise<number> {
  const { log } = stage;
  const name = `worker-${run}`;
  tab.write({ do: 'in-worker', client: tab.label, url: stage.url, options: { ttlMs: TTL_MS } });
  await standFor(log, tab.client, name);
  await standFor(log, waiter, name);
  const closing = now();
  await tab.close();
  const next = await grantFor(log, waiter, name, closing, 2 * TTL_MS);
  await waiter.stopElection(name);
  return msBetween(closing, next.at);
}

async function reloadedAndClosed(
  { stage, waiter }: Place,
  run: number,
): Promise<Pick<Ends, 'reloadedMs' | 'closedMs'>> {
  const { log } = stage;
  const name = `reload-${run}`;
  const tab = await stage.tab(`reloaded-${run}`, TTL_MS);
  await standFor(log, tab.client, name);
  await sleep(RELOADED_AFTER_MS);
  await reloadTab(tab);
  const asking = now();
  const again = tab.connect(`${tab.label}-again`, stage.url, { ttlMs: TTL_MS });
  await again.elect(name, name);
  const held = await grantFor(log, again, name, asking, 2 * TTL_MS);
  await standFor(log, waiter, name);
  const closing = now();
  await tab.close();
  const next = await grantFor(log, waiter, name, closing, 2 * TTL_MS);
  const { at } = await tab.told('pagehide', closing);
  await waiter.stopElection(name);
  return { reloadedMs: msBetween(asking, held.at), closedMs: msBetween(at, next.at) };
}

function tell(bench: Bench, ends: readonly Ends[]): void {
  const of = (end: keyof Ends): readonly number[] => ends.map((one) => one[end]);
  measureSlowest(bench, 'renderer killed: the next leads', of('crashedMs'), ENDS_MS_MAX);
  measureSlowest(bench, 'renderer killed: the page alone, opened again, leads', of('reopenedMs'), ENDS_MS_MAX);
  measureSlowest(
    bench,
    'closed, its lease in a worker, which hears no farewell: the next leads',
    of('workerMs'),
    ENDS_MS_MAX,
  );
  measureSlowest(bench, 'closed: from its farewell until the next leads', of('closedMs'), FAREWELL_MS_MAX);
  measureSlowest(bench, 'reloaded: from asking again until it leads', of('reloadedMs'), FAREWELL_MS_MAX);
  const seen = new Set(
    entriesOf(bench.log.entries, 'election')
      .filter(({ client }) => client.startsWith('reopened-') || client.endsWith('-again'))
      .map(({ status }) => status),
  );
  bench.measure(
    'what a page that came again shows until it leads',
    [...seen].join(', '),
    'that it waits, no error',
    !seen.has('refused') && seen.has('leading'),
  );
}
