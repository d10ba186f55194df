import type { Measured } from '../../real/support/bench.ts';
import { Bench } from '../../real/support/bench.ts';
import type { ClientHandle } from '../../real/support/client-process.ts';
import { msBetween, type EntryOf } from '../../real/support/log.ts';
import type { RunLog } from '../../real/support/run-log.ts';
import { onStage } from '../cases/support/on-stage.ts';
import type { BrowserName, Driver } from '../support/driver.ts';
import { stand } from '../support/scenes.ts';
import type { Stage } from '../support/stage.ts';
import type { Tab } from '../support/tab.ts';

/** What may come on top of a window: the coordinator's step, the way, and a busy machine. */
export const SLACK_MS = 250;
/** Within this somebody leads who is next after a farewell. */
export const FAREWELL_MS_MAX = 300;
/** Of the leases of pages that are in sight. */
export const TTL_MS = 3_000;

export interface StorySize {
  readonly hiddenMs: number;
  /** How often a leader is frozen. */
  readonly rounds: number;
  /** How long no coordinator is there. */
  readonly downMs: number;
}

export interface Scene {
  readonly bench: Bench;
  readonly stage: Stage;
  readonly browser: BrowserName;
  readonly size: StorySize;
}

/** What befalls tabs, the same in every browser. */
export interface Story {
  readonly id: string;
  /** In the present tense, with the promise that it shows. */
  readonly rule: string;
  /** In a few words: a row of the table. */
  readonly situation: string;
  /** What is done to bring it about in that browser. */
  readonly how: (browser: BrowserName) => string;
  readonly together?: boolean;
  readonly relayed?: boolean;
  /** Measures into the bench. Returns why this browser cannot do it, or null. */
  readonly play: (scene: Scene) => Promise<string | null>;
}

/** How one story went in one browser. */
export interface StoryPlayed {
  readonly browser: BrowserName;
  readonly version: string;
  readonly story: string;
  readonly size: StorySize;
  readonly tookMs: number;
  readonly measured: readonly Measured[];
  /** Why this browser cannot do it; null: it can. */
  readonly cannot: string | null;
  /** Empty: all is as it is right. */
  readonly wrong: readonly string[];
}

/** On a stage of its own, in a browser that is running; judged by the oracles of every run. */
export async function playStory(story: Story, driver: Driver, size: StorySize): Promise<StoryPlayed> {
  const startedAt = performance.now();
  await using bench = new Bench();
  const wrong: string[] = [];
  let cannot: string | null = null;
  const play = async (stage: Stage): Promise<void> => {
    cannot = await story.play({ bench, stage, browser: driver.name, size });
    // Each tab of these leaves a session behind, until its silence is over.
    if (!saysFarewell(driver.name)) bench.ghosts = stage.tabs;
  };
  try {
    await onStage(bench, play, { driver, together: story.together ?? false, relayed: story.relayed ?? false });
    await bench.finish();
  } catch (error) {
    wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  wrong.push(...bench.violations);
  for (const { what, value, right, ok } of bench.measured) if (!ok) wrong.push(`${what}: ${value}; RIGHT is ${right}`);
  if (bench.measured.length === 0 && cannot === null) wrong.push('nothing was measured');
  const { name: browser, version } = driver;
  const tookMs = performance.now() - startedAt;
  return { browser, version, story: story.id, size, tookMs, measured: bench.measured, cannot, wrong };
}

/** Measured: its sockets are closed as a tab is closed or goes to another page, and `pagehide` comes some 50 ms later. */
export const saysFarewell = (browser: BrowserName): boolean => browser !== 'Firefox';
export const NO_FAREWELL =
  'it closes the sockets of a page before it tells the page that it goes: nothing can be said then';

/** The tab leads; the process stands behind it. */
export async function leaderAndNext(
  stage: Stage,
  label: string,
  ttlMs: number,
): Promise<{ readonly tab: Tab; readonly next: ClientHandle }> {
  const tab = await stage.tab(label, ttlMs);
  await stand(stage.log, tab.client);
  const { client: next } = stage.process('next', ttlMs);
  await stand(stage.log, next);
  return { tab, next };
}

/** From `from` to `to` as a time that has a limit. */
export function measureWithin(bench: Bench, what: string, from: bigint, to: bigint, msMax: number): void {
  const ms = msBetween(from, to);
  bench.measure(what, `${ms.toFixed(0)} ms`, `at most ${msMax} ms`, ms <= msMax);
}

const TELLS_MS = 10_000;

/** The page is told that it goes. */
export function leaves(log: RunLog, tab: Tab, since: bigint): Promise<EntryOf<'page'>> {
  const fits = ({ client, what, at }: EntryOf<'page'>): boolean =>
    client === tab.label && what.startsWith('pagehide') && at >= since;
  return log.find('page', fits, TELLS_MS, `${tab.label} tells that it goes`);
}
