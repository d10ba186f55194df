import type { Bench } from '../../real/support/bench.ts';
import type { FieldCase } from '../../real/support/field-case.ts';
import { entriesOf, isOf, msBetween, now, type Entry, type EntryOf } from '../../real/support/log.ts';
import { seeded } from '../../real/support/seeded.ts';
import { sleep } from '../../real/support/waiting.ts';
import { KEY, OFFICE } from '../support/scenes.ts';
import type { Stage } from '../support/stage.ts';
import type { Tab } from '../support/tab.ts';
import { onStage } from './support/on-stage.ts';

const TTL_MS = 3_000;
const PROMOTED_MS_MAX = 500;
/** Twelve tabs that dial at once on two cores, while others have them too. */
const STANDS_MS = 60_000;
/** As the case says it: with sixfold slowness a bare echo takes half a second here. */
const SLOWER = 2;

interface Plan {
  readonly tabs: number;
  readonly closes: number;
  readonly everyMs: number;
  /** Between two tabs that are hidden or shown. */
  readonly flipMs: number;
}

export const F45: FieldCase = {
  id: 'F45',
  title: 'S1 many tabs at once on a busy machine have one leader, and each that closes is followed once',
  async run(bench, size) {
    const plan: Plan =
      size === 'full'
        ? { tabs: 12, closes: 10, everyMs: 30_000, flipMs: 1_500 }
        : { tabs: 4, closes: 2, everyMs: 1_500, flipMs: 400 };
    await onStage(bench, async (stage) => {
      // Loaded one after the other, since twelve renderers that start take seconds; they connect and stand at once.
      const tabs: Tab[] = [];
      for (let n = 1; n <= plan.tabs; n += 1) {
        const tab = await stage.blank(`tab-${n}`);
        await tab.slowDown(SLOWER);
        tabs.push(tab);
      }
      await standAtOnce(bench, stage, tabs);
      const closes = await closeLeaders(stage, tabs, plan);
      tell(bench, closes);
      // Whose connection is just being made anew cannot say farewell.
      bench.ghosts = closes.filter((close) => !isClean(bench.log.entries, close)).length;
    });
  },
};

/** Everybody asks within 50 ms. */
async function standAtOnce(bench: Bench, stage: Stage, tabs: readonly Tab[]): Promise<void> {
  for (const tab of tabs) {
    tab.connect(tab.label, stage.url, { ttlMs: TTL_MS });
    tab.client.order({ do: 'elect', call: `${tab.label} elect`, key: KEY, name: OFFICE, options: {} });
  }
  const stands = ({ label }: Tab): Promise<unknown> =>
    stage.log.find(
      'election',
      ({ client, position, status }) => client === label && (position !== null || status === 'leading'),
      STANDS_MS,
      `${label} stands`,
    );
  await Promise.all(tabs.map(stands));
  const asked = entriesOf(bench.log.entries, 'called').filter(({ call }) => call.endsWith(' elect'));
  const instants = asked.map(({ at }) => at).toSorted((a, b) => Number(a - b));
  const ms = msBetween(instants[0] ?? 0n, instants.at(-1) ?? 0n);
  bench.measure(
    `${tabs.length} tabs, slowed down ${SLOWER} times, ask`,
    `within ${ms.toFixed(0)} ms`,
    'told only',
    asked.length === tabs.length,
  );
}

interface Close {
  readonly label: string;
  readonly from: bigint;
  /** When the leader's page heard that it goes. */
  readonly at: bigint;
}

/** Each pause is spent hiding and showing tabs at random; then the leader's tab is closed. */
async function closeLeaders({ log }: Stage, tabs: readonly Tab[], plan: Plan): Promise<readonly Close[]> {
  const closes: Close[] = [];
  const hidden = new Set<Tab>();
  let draws = 0;
  const flip = async (): Promise<void> => {
    const living = tabs.filter((one) => one.living);
    const tab = living[Math.floor(seeded((draws += 1)) * living.length)];
    if (tab === undefined) return;
    await (hidden.has(tab) ? tab.show() : tab.hide());
    if (!hidden.delete(tab)) hidden.add(tab);
  };
  const pause = async (): Promise<void> => {
    const from = now();
    while (msBetween(from, now()) < plan.everyMs) {
      await sleep(plan.flipMs);
      await flip();
    }
  };
  for (let close = 0; close < plan.closes; close += 1) {
    await pause();
    // A page that is given no processor loses its lead; until the next leads there is nobody to close.
    const label = leaderIn(log.entries) ?? (await log.next('held', () => true, STANDS_MS, 'somebody leads')).client;
    const tab = tabs.find((one) => one.label === label);
    if (tab === undefined) throw new Error('nobody leads');
    const since = now();
    await tab.close();
    closes.push({ label: tab.label, from: since, at: (await tab.told('pagehide', since)).at });
    await log.find('held', ({ at }) => at > since, STANDS_MS, 'somebody follows');
  }
  await pause();
  return closes;
}

/** Who was granted the lead last, and believes in it still. */
function leaderIn(entries: readonly Entry[]): string | undefined {
  const last = inOrder(entriesOf(entries, 'held')).at(-1);
  return entriesOf(entries, 'lost').some(({ token }) => token === last?.token) ? undefined : last?.client;
}

const inOrder = <T extends Entry>(entries: readonly T[]): readonly T[] =>
  entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));

function tell(bench: Bench, closes: readonly Close[]): void {
  const { entries } = bench.log;
  const grants = inOrder(entriesOf(entries, 'held'));
  const late = closes.map((close, index) => followed(entries, grants, close, closes[index + 1]?.from));
  const promotions = late.map(({ count }) => count);
  const losses = late.map((one) => one.losses);
  bench.measure(
    `${closes.length} closed leaders: promotions behind each`,
    `${promotions.join(', ')}; leases lost between: ${losses.join(', ')}`,
    'exactly one, and at most one more for each lease that was lost',
    late.every(({ count, losses: lost }) => count >= 1 && count <= 1 + lost),
  );
  const clean = late.filter((_one, index) => isClean(entries, closes[index]));
  const slowest = Math.max(0, ...clean.map(({ ms }) => ms));
  const beyond = Math.max(0, ...clean.map(({ ms, stillMs }) => ms - stillMs));
  bench.measure(
    `from the farewell until the next leads, slowest of ${clean.length}`,
    `${slowest.toFixed(0)} ms; ${beyond.toFixed(0)} ms beyond the worst delay that its page recorded`,
    `at most ${PROMOTED_MS_MAX} ms beyond it`,
    beyond <= PROMOTED_MS_MAX,
  );
  const others = late.filter((one) => !clean.includes(one)).map(({ ms }) => `${ms.toFixed(0)} ms`);
  bench.measure(
    'closed while its connection was being made anew, so without a farewell',
    others.join(', ') || 'none',
    // Where a coordinator that is given no processor cuts its readings of the clock, windows last longer.
    'told only: the next leads when its window is over',
    true,
  );
}

/** Its farewell went out. */
const isClean = (entries: readonly Entry[], close: Close | undefined): boolean =>
  entriesOf(entries, 'sent', close?.label).some(({ messages }) => messages.some(({ type }) => type === 'bye'));

interface Followed {
  readonly ms: number;
  /** The worst delay of its loop that the successor's page recorded. */
  readonly stillMs: number;
  readonly count: number;
  readonly losses: number;
}

function followed(
  entries: readonly Entry[],
  grants: readonly EntryOf<'held'>[],
  close: Close,
  until: bigint | undefined,
): Followed {
  const isSince = ({ at }: Entry): boolean => at >= close.from && (until === undefined || at < until);
  // What ends in the farewell is no loss beside it.
  const isFarewell = ({ client, at }: Entry): boolean => client === close.label && at >= close.at;
  const since = grants.filter(isSince);
  const [next] = since;
  const stills = entries.filter((entry): entry is EntryOf<'stood-still'> => isOf(entry, 'stood-still'));
  return {
    ms: next === undefined ? Number.POSITIVE_INFINITY : msBetween(close.at, next.at),
    stillMs: Math.max(0, ...stills.filter(({ client }) => client === next?.client).map(({ forMs }) => forMs)),
    count: since.length,
    losses: entriesOf(entries, 'lost').filter((entry) => isSince(entry) && !isFarewell(entry)).length,
  };
}
