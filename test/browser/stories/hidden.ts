import type { ClientHandle } from '../../real/support/client-process.ts';
import { entriesOf, msBetween, now, type Entry } from '../../real/support/log.ts';
import { sleep } from '../../real/support/waiting.ts';
import { standFor } from '../cases/support/names.ts';
import type { BrowserName } from '../support/driver.ts';
import type { Tab } from '../support/tab.ts';
import type { Scene, Story } from './story.ts';

/** The windows that a tab out of sight is promised to keep. */
const TTLS_MS: Record<BrowserName, readonly number[]> = {
  Chromium: [3_000, 6_000, 10_000, 30_000],
  Firefox: [6_000, 10_000, 30_000],
  WebKitGTK: [6_000, 10_000, 30_000],
};
const TICK_MS = 250;
/** A renewal is due when this much of the window is left. */
const LEFT_AT_RENEWAL = 1 / 3;

const HOW: Record<BrowserName, string> = {
  Chromium: 'another tab of its window is in front',
  Firefox: 'another tab of its window is in front',
  WebKitGTK: 'its window is made small',
};

export const HIDDEN: Story = {
  id: 'hidden',
  rule: 'S6 a hidden leader keeps its lease while somebody waits behind it',
  situation: 'hidden for long while it leads',
  how: (browser) => HOW[browser],
  async play(scene) {
    const { stage, browser, size } = scene;
    const control = await stage.blank('control');
    const leaders: Leader[] = [];
    for (const ttlMs of TTLS_MS[browser]) leaders.push(await leaderOf(scene, ttlMs));
    control.write({ do: 'tick', everyMs: TICK_MS });
    const from = now();
    for (const tab of [control, ...leaders.map((leader) => leader.tab)]) await tab.hide();
    await sleep(size.hiddenMs);
    const gaps = gapsOf(stage.log.entries, control.label, from);
    for (const leader of leaders) await tell(scene, leader, from, gaps);
    scene.bench.measure(
      `a bare page beside them, timers of ${TICK_MS} ms`,
      `longest gaps ${longest(gaps)}`,
      'it is slowed down, or nothing is proven',
      gaps.some(({ ms }) => ms >= 2 * TICK_MS),
    );
    return null;
  },
};

interface Leader {
  readonly ttlMs: number;
  readonly tab: Tab;
  readonly next: ClientHandle;
}

async function leaderOf({ stage }: Scene, ttlMs: number): Promise<Leader> {
  const name = `hidden-${ttlMs}`;
  const tab = await stage.tab(`tab-${ttlMs}`, ttlMs);
  await standFor(stage.log, tab.client, name);
  const { client: next } = stage.process(`next-${ttlMs}`, ttlMs);
  await standFor(stage.log, next, name);
  return { ttlMs, tab, next };
}

/** Kept, or lost for no other reason than that the browser let no page run. */
async function tell({ bench, size }: Scene, leader: Leader, from: bigint, gaps: readonly Gap[]): Promise<void> {
  const { ttlMs, tab, next } = leader;
  const read = await tab.client.read(`hidden-${ttlMs}`);
  const { entries } = bench.log;
  const since = <T extends Entry>(of: readonly T[]): readonly T[] => of.filter(({ at }) => at > from);
  const risks = since(entriesOf(entries, 'at-risk', tab.label));
  const losses = since(entriesOf(entries, 'lost', tab.label));
  const grants = entriesOf(entries, 'held', next.label).length;
  const stood = (at: bigint): boolean =>
    gaps.some(
      (gap) => gap.ms >= ttlMs * LEFT_AT_RENEWAL && gap.from <= at && msBetween(gap.from, at) <= gap.ms + ttlMs,
    );
  const isKept = risks.length === 0 && losses.length === 0 && grants === 0 && read.status === 'held';
  const excused = !isKept && [...risks, ...losses].every(({ at }) => stood(at));
  const renewals = since(entriesOf(entries, 'received', tab.label)).filter(({ messages }) =>
    messages.some(({ type }) => type === 'renewed'),
  ).length;
  bench.measure(
    `TTL ${ttlMs / 1_000} s, hidden for ${(size.hiddenMs / 1_000).toFixed(0)} s, somebody waits behind it`,
    `at risk ${risks.length} times, lost ${losses.length} times, ${renewals} renewals, then ${read.status}` +
      (excused ? '; each time the bare page stood still as well' : ''),
    'kept all the time',
    isKept || excused,
  );
  // Not every browser lets a page say good-bye as it is closed.
  await tab.client.close();
}

interface Gap {
  readonly from: bigint;
  readonly ms: number;
}

/** Between two ticks of the page that has no client, longest first. */
function gapsOf(entries: readonly Entry[], label: string, from: bigint): readonly Gap[] {
  const isTick = ({ what, at }: { readonly what: string; readonly at: bigint }): boolean =>
    what === 'tick' && at > from;
  const ticks = entriesOf(entries, 'page', label).filter(isTick);
  const gaps = ticks.map(({ at }, index) => ({ from: at, ms: msBetween(at, ticks[index + 1]?.at ?? at) }));
  return gaps.toSorted((a, b) => b.ms - a.ms);
}

const longest = (gaps: readonly Gap[]): string =>
  gaps
    .slice(0, 3)
    .map(({ ms }) => `${ms.toFixed(0)} ms`)
    .join(', ');
