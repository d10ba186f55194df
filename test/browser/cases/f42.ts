import type { Bench } from '../../real/support/bench.ts';
import type { ClientHandle } from '../../real/support/client-process.ts';
import type { FieldCase } from '../../real/support/field-case.ts';
import { entriesOf, msBetween, now } from '../../real/support/log.ts';
import { eventually, sleep } from '../../real/support/waiting.ts';
import type { Stage } from '../support/stage.ts';
import type { Tab } from '../support/tab.ts';
import { grantFor, standFor, standingFor } from './support/names.ts';
import { onStage } from './support/on-stage.ts';
import { reloadTab } from './support/reloading.ts';
import { copyInto, storedIn } from './support/storage.ts';

const TTL_MS = 3_000;
const OPTIONS = { ttlMs: TTL_MS, resumeOnReload: true };
const RESTS_MS = 2_000;
/** Beyond a renewal, which comes 2,000 ms after the one before at the latest. */
const RENEWED_MS = 2_300;

export const F42: FieldCase = {
  id: 'F42',
  title: 'S1 S10 a duplicated tab is another session, and a page that is loaded again goes on with its own lease alone',
  async run(bench, size) {
    await onStage(bench, async (stage) => {
      for (let round = 0; round < (size === 'full' ? 5 : 1); round += 1) {
        await duplicated({ bench, stage, round });
        await copied({ bench, stage, round });
      }
    });
  },
};

interface Place {
  readonly bench: Bench;
  readonly stage: Stage;
  readonly round: number;
}

/** As it is written: the leader's tab is duplicated, then the duplicate is, then the first is loaded again. */
async function duplicated({ bench, stage, round }: Place): Promise<void> {
  const { log } = stage;
  const name = `duplicated-${round}`;
  const first = await stage.tab(`first-${round}`, TTL_MS, OPTIONS);
  await standFor(log, first.client, name);
  const { token } = await grantFor(log, first.client, name, 0n, 10_000);
  const second = await duplicate(stage, first, `second-${round}`);
  await standFor(log, second.client, name);
  const third = await duplicate(stage, second, `third-${round}`);
  await standFor(log, third.client, name);
  await sleep(RENEWED_MS);
  const read = await first.client.read(name);
  measureSessions(bench, 'three tabs, two of them duplicates', await sessionsOf(stage, 3));
  const risks = entriesOf(log.entries, 'at-risk', first.label).length;
  bench.measure(
    'the leader that was duplicated',
    `${read.status}, ${read.token === token ? 'its token' : 'another token'}, at risk ${risks} times`,
    'held all the time, with its token',
    read.status === 'held' && read.token === token && risks === 0,
  );
  const places = await Promise.all([second, third].map(({ client }) => standingFor(log, client, name)));
  bench.measure(
    'the duplicates',
    places.map(({ position }) => `position ${String(position)}`).join(', '),
    'wait',
    places.every(({ position }) => position !== null),
  );

  const gone = await reloadTab(first);
  const again = reconnect(stage, first, `${first.label}-again`, first.label);
  await again.elect(name, name);
  const held = await grantFor(log, again, name, gone, 2 * TTL_MS);
  await sleep(RENEWED_MS);
  const grants = new Set(
    entriesOf(log.entries, 'held')
      .filter((entry) => entry.name === name)
      .map((entry) => entry.token),
  );
  bench.measure(
    'the first, loaded again',
    `held again after ${msBetween(gone, held.at).toFixed(0)} ms, ${held.token === token ? 'its token' : 'another token'}; grants to others ${grants.size - 1}`,
    'resumes its own lease, and no other is granted',
    held.token === token && grants.size === 1,
  );
  measureSessions(bench, 'the first, loaded again', await sessionsOf(stage, 3));
  for (const tab of [third, second, first]) await tab.close();
}

/** What a page left is given to two: a tab that was closed and opened again twice, say; and the page itself comes back. */
async function copied({ bench, stage, round }: Place): Promise<void> {
  const { log } = stage;
  const name = `copied-${round}`;
  const left = await stage.tab(`left-${round}`, TTL_MS, OPTIONS);
  const copies = [await stage.blank(`copy-1-${round}`), await stage.blank(`copy-2-${round}`)];
  await standFor(log, left.client, name);
  const { token } = await grantFor(log, left.client, name, 0n, 10_000);
  const leaving = now();
  await left.leave();
  const stored = await storedIn(left);
  for (const tab of copies) await copyInto(tab, stored);
  const clients = copies.map((tab) => reconnect(stage, tab, tab.label, left.label));
  for (const client of clients)
    client.order({ do: 'elect', call: `${client.label} elect`, key: name, name, options: {} });
  for (const client of clients) await standingFor(log, client, name, leaving);
  await left.back();
  await standingFor(log, left.client, name, leaving);
  await sleep(RENEWED_MS);
  const grants = entriesOf(log.entries, 'held').filter((entry) => entry.name === name && entry.at > leaving);
  bench.measure(
    'what a page left, given to two while it may come back',
    `${Object.keys(stored).length} record; held then by ${grants.map(({ client, token: of }) => `${client} (${of === token ? 'the same token' : 'another token'})`).join(', ')}`,
    'one goes on with the lease',
    Object.keys(stored).length === 1 && grants.length === 1 && grants[0]?.token === token,
  );
  measureSessions(bench, 'the two copies, and the page itself', await sessionsOf(stage, 3));
  for (const tab of [...copies, left]) await tab.close();
}

function measureSessions(bench: Bench, what: string, sessions: number): void {
  bench.measure(`${what}: sessions`, sessions, '3', sessions === 3);
}

/** A new page with a copy of the session storage. */
async function duplicate(stage: Stage, of: Tab, label: string): Promise<Tab> {
  const tab = await stage.blank(label);
  await copyInto(tab, await storedIn(of));
  reconnect(stage, tab, label, of.label);
  return tab;
}

function reconnect(stage: Stage, tab: Tab, label: string, from: string): ClientHandle {
  stage.log.add({ at: now(), client: label, event: 'descends', from });
  return tab.connect(label, stage.url, OPTIONS);
}

/** At rest. */
async function sessionsOf({ coordinator }: Stage, wanted: number): Promise<number> {
  let seen = Number.NaN;
  const ask = async (): Promise<true | null> => {
    seen = (await coordinator.counts())?.sessions ?? Number.NaN;
    return seen === wanted ? true : null;
  };
  await eventually(ask, RESTS_MS, 'rest').catch(() => undefined);
  return seen;
}
