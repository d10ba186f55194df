import type { Bench } from '../../real/support/bench.ts';
import type { FieldCase } from '../../real/support/field-case.ts';
import { addMs, entriesOf, msBetween, now, type Entry } from '../../real/support/log.ts';
import { stillMs, stillnessOf } from '../../real/support/stillness.ts';
import { sleep } from '../../real/support/waiting.ts';
import { grantOf, KEY, stand, standing } from '../support/scenes.ts';
import type { Stage } from '../support/stage.ts';
import type { Tab } from '../support/tab.ts';
import { onStage } from './support/on-stage.ts';

const TTL_MS = 3_000;
const LEADS_MS_MAX = TTL_MS + 1_000;
/** A page that stood still for so long may have missed its renewal: a third of its window less the stop margin. */
const STARVED_MS = 500;
/** Hidden timers run once a second: by then at least one of them has. */
const LOOKS_MS = 1_200;

/** `frozen` tells the page by an event; `stopped` (its process given no processor, as in sleep) does not. */
type Stop = 'frozen' | 'stopped';

export const F40: FieldCase = {
  id: 'F40',
  title: 'S1 S9 a frozen leader is followed, never reads held when it runs again, and stands as a waiter',
  async run(bench, size) {
    const plan = size === 'full' ? { rounds: 5, frozen: 4, stopped: 4 } : { rounds: 1, frozen: 0.5, stopped: 1.2 };
    await onStage(bench, async (stage) => {
      const tabs = [await stage.tab('tab-1', TTL_MS), await stage.tab('tab-2', TTL_MS)] as const;
      for (const { client } of tabs) await stand(stage.log, client);
      let [leader, other] = tabs;
      for (const stop of ['frozen', 'stopped'] as const) {
        const rounds: Round[] = [];
        for (let n = 0; n < plan.rounds; n += 1) {
          rounds.push(await stopLeader(stage, { leader, other }, stop, plan[stop] * TTL_MS));
          // Whoever leads now is the next to be stopped.
          [leader, other] = [other, leader];
        }
        tell(bench, `${stop} for ${plan[stop]} windows, ${plan.rounds} times`, rounds);
      }
    });
  },
};

interface Round {
  readonly leadsMs: number;
  /** What the lease of the stopped tab read, from the first line on that ran again. */
  readonly reads: readonly string[];
  readonly ends: number;
  readonly grants: number;
  /** Leases that the one who follows lost since the machine gave its page no processor; each lets another lead. */
  readonly starved: number;
}

async function stopLeader(
  { log }: Stage,
  { leader, other }: { readonly leader: Tab; readonly other: Tab },
  stop: Stop,
  forMs: number,
): Promise<Round> {
  const token = entriesOf(log.entries, 'held', leader.label).at(-1)?.token;
  leader.write({ do: 'probe', client: leader.label, key: KEY, everyMs: 100 });
  if (stop === 'frozen') await leader.hide();
  const from = stop === 'frozen' ? (await leader.freeze()).at : now();
  if (stop === 'stopped') leader.suspend();
  const next = await grantOf(log, other.client, from, LEADS_MS_MAX + 5_000);
  await sleep(Math.max(0, forMs - msBetween(from, now())));
  const thawed = now();
  if (stop === 'frozen') await leader.thaw();
  else leader.resume();
  await standing(log, leader.client, thawed);
  await sleep(LOOKS_MS);
  if (stop === 'frozen') await leader.show();
  const { entries } = log;
  const isOfIt = (entry: { readonly token: number; readonly client: string }): boolean =>
    entry.token === token && entry.client === leader.label;
  return {
    leadsMs: msBetween(from, next.at),
    reads: entriesOf(entries, 'read')
      .filter((read) => isOfIt(read) && read.at > thawed)
      .map(({ status }) => status),
    ends: [...entriesOf(entries, 'lost'), ...entriesOf(entries, 'released')].filter(isOfIt).length,
    grants: entriesOf(entries, 'held').filter(({ at }) => at >= from).length,
    starved: starvedOf(entries, other, from),
  };
}

function starvedOf(entries: readonly Entry[], { label }: Tab, from: bigint): number {
  const still = stillnessOf(entries).get(label) ?? [];
  const isStarved = ({ at }: Entry): boolean => stillMs(still, addMs(at, -TTL_MS), at) >= STARVED_MS;
  return entriesOf(entries, 'lost', label).filter((lost) => lost.at >= from && isStarved(lost)).length;
}

function tell(bench: Bench, what: string, rounds: readonly Round[]): void {
  const slowest = Math.max(...rounds.map(({ leadsMs }) => leadsMs));
  bench.measure(
    `${what}: the other leads, slowest`,
    `${slowest.toFixed(0)} ms`,
    `at most W + 1 s = ${LEADS_MS_MAX} ms`,
    slowest <= LEADS_MS_MAX,
  );
  const reads = rounds.flatMap((one) => one.reads);
  const isOver = (status: string): boolean => status === 'lost' || status === 'released';
  bench.measure(
    `${what}: it runs again`,
    `${reads.length} readings, ${reads.filter((status) => !isOver(status)).length} of them held`,
    'none is held, from its first line on',
    rounds.every((one) => one.reads.length > 0) && reads.every(isOver),
  );
  const ends = rounds.map((one) => one.ends);
  bench.measure(
    `${what}: ends told of its lease`,
    ends.join(', '),
    'one a round',
    ends.every((count) => count === 1),
  );
  const starved = rounds.reduce((sum, one) => sum + one.starved, 0);
  bench.measure(
    `${what}: changes of the lead`,
    `${rounds.map(({ grants }) => grants).join(', ')}${starved === 0 ? '' : `; ${starved} lost for want of a processor`}`,
    'one a round, and at most one more for each lease lost for want of a processor',
    rounds.every((one) => one.grants >= 1 && one.grants <= 1 + one.starved),
  );
}
