import type { Bench } from '../../real/support/bench.ts';
import type { FieldCase } from '../../real/support/field-case.ts';
import { entriesOf, msBetween, now, type EntryOf } from '../../real/support/log.ts';
import { sleep } from '../../real/support/waiting.ts';
import { deadlineOf, KEY, stand, standing } from '../support/scenes.ts';
import type { Stage } from '../support/stage.ts';
import type { Tab } from '../support/tab.ts';
import { onStage } from './support/on-stage.ts';

const TICK_MS = 250;
/** Chromium runs a hidden page's timers once a second, and from a minute on chains of them once a minute. */
const slowedToMs = (hiddenMs: number): number => (hiddenMs > 200_000 ? 55_000 : 900);
const RIGHT_MS_MAX = 1_000;

export const F39: FieldCase = {
  id: 'F39',
  title: 'S6 a hidden tab keeps its lead though its timers are throttled, and reads no lease past its deadline',
  async run(bench, size) {
    const [ttlMs, spans] = size === 'full' ? [15_000, [600_000, 10_000]] : [3_000, [3_500]];
    await onStage(
      bench,
      async (stage) => {
        const options = { maxBackoffMs: 500, connectTimeoutMs: 500 };
        const tab = await stage.tab('hidden', ttlMs, options);
        const second = await stage.tab('second', ttlMs, options);
        await stand(stage.log, tab.client);
        await stand(stage.log, second.client);
        tab.write({ do: 'tick', everyMs: TICK_MS });
        for (const hiddenMs of spans) await hidden(bench, tab, hiddenMs);
        await silent(bench, stage, [tab, second], ttlMs);
      },
      { relayed: true },
    );
  },
};

async function hidden(bench: Bench, tab: Tab, hiddenMs: number): Promise<void> {
  const what = `hidden for ${hiddenMs / 1_000} s`;
  const from = now();
  await tab.hide();
  await sleep(hiddenMs);
  await tab.show();
  const shown = await tab.told('visible', from);
  const read = await tab.client.read(KEY);
  const { entries } = bench.log;
  const since = <T extends { readonly at: bigint }>(of: readonly T[]): readonly T[] => of.filter(({ at }) => at > from);
  const risks = since(entriesOf(entries, 'at-risk', tab.label)).length;
  const handedOver = since(entriesOf(entries, 'held')).length;
  bench.measure(
    `${what}: its lead`,
    `${handedOver} hand-overs, at risk ${risks} times`,
    'kept all the time',
    handedOver === 0,
  );
  const gapMs = longestGapMs(entriesOf(entries, 'page', tab.label), from, shown.at);
  bench.measure(
    `${what}: longest gap between timers of ${TICK_MS} ms`,
    `${gapMs.toFixed(0)} ms`,
    `throttled: at least ${slowedToMs(hiddenMs)} ms`,
    gapMs >= slowedToMs(hiddenMs),
  );
  const ms = msBetween(shown.at, read.at);
  bench.measure(
    `${what}: shown again`,
    `reads ${read.status} after ${ms.toFixed(0)} ms`,
    `held, within ${RIGHT_MS_MAX} ms`,
    read.status === 'held' && ms <= RIGHT_MS_MAX,
  );
}

/** Hidden, cut off, and no timer of it runs until its deadline is over. */
async function silent(bench: Bench, { relay, log }: Stage, tabs: readonly [Tab, Tab], ttlMs: number): Promise<void> {
  const [tab, second] = tabs;
  await tab.hide();
  relay.blackHole();
  const deadline = deadlineOf(log.entries, tab.client);
  const next = log.next('read', ({ client }) => client === tab.label, 2 * ttlMs, 'it reads its lease');
  tab.write({ do: 'block', client: tab.label, key: KEY, forMs: 1.05 * ttlMs });
  const read = await next;
  bench.measure(
    'cut off, and no timer ran until its deadline was over',
    `reads ${read.status} ${msBetween(deadline, read.at).toFixed(0)} ms past it`,
    'lost in the first line that runs then',
    read.status === 'lost' && read.aborted && read.at > deadline,
  );
  const healed = now();
  relay.heal();
  await tab.show();
  await Promise.all([standing(log, tab.client, healed), standing(log, second.client, healed)]);
}

/** Between two ticks, or from the last one to the end. */
function longestGapMs(entries: readonly EntryOf<'page'>[], from: bigint, end: bigint): number {
  const ticks = entries.filter(({ what, at }) => what === 'tick' && at > from && at < end).map(({ at }) => at);
  return Math.max(...ticks.map((at, index) => msBetween(at, ticks[index + 1] ?? end)));
}
