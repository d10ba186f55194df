import { entriesOf, msBetween, now } from '../../real/support/log.ts';
import { sleep } from '../../real/support/waiting.ts';
import { measureSlowest } from '../cases/support/names.ts';
import type { BrowserName } from '../support/driver.ts';
import { grantOf, KEY, stand, standing } from '../support/scenes.ts';
import type { Tab } from '../support/tab.ts';
import { TTL_MS, type Scene, type Story } from './story.ts';

const WINDOWS = 4;
const LEADS_MS_MAX = TTL_MS + 1_000;
const PROBE_MS = 100;
/** For whatever is late to show. */
const LOOKS_MS = 1_500;

const HOW: Record<BrowserName, string> = {
  Chromium: 'hidden and frozen by the browser (the call that its own energy saver makes), then thawed',
  Firefox: 'its renderer stands still by SIGSTOP, then goes on: this browser freezes no page',
  WebKitGTK: 'its renderer stands still by SIGSTOP, then goes on: nothing lets a harness freeze a page',
};

export const FROZEN: Story = {
  id: 'frozen',
  rule: 'S1 of a leader that stands still for four windows the next leads in time, and it never reads held again',
  situation: 'frozen for four windows while it leads',
  how: (browser) => HOW[browser],
  async play(scene) {
    const { stage, size } = scene;
    let [leader, other] = [await stage.tab('first', TTL_MS), await stage.tab('second', TTL_MS)];
    await stand(stage.log, leader.client);
    await stand(stage.log, other.client);
    const rounds: Round[] = [];
    for (let round = 0; round < size.rounds; round += 1) {
      rounds.push(await freeze(scene, leader, other));
      // Whoever leads now is the next to be frozen.
      [leader, other] = [other, leader];
    }
    tell(scene, rounds);
    return null;
  },
};

interface Round {
  readonly leadsMs: number;
  /** What the lease of the frozen tab read, from the first line on that ran again. */
  readonly reads: readonly string[];
  readonly grants: number;
}

async function freeze({ stage: { log }, browser }: Scene, leader: Tab, other: Tab): Promise<Round> {
  const freezes = browser === 'Chromium';
  leader.write({ do: 'probe', client: leader.label, key: KEY, everyMs: PROBE_MS });
  // It obeyed, and is not stopped in front of that order.
  await leader.client.read(KEY);
  if (freezes) await leader.hide();
  const from = freezes ? (await leader.freeze()).at : now();
  if (!freezes) leader.suspend();
  const next = await grantOf(log, other.client, from, 2 * WINDOWS * TTL_MS);
  await sleep(Math.max(0, WINDOWS * TTL_MS - msBetween(from, now())));
  const thawed = now();
  if (freezes) await leader.thaw();
  else leader.resume();
  await standing(log, leader.client, thawed);
  await sleep(LOOKS_MS);
  if (freezes) await leader.show();
  const { entries } = log;
  return {
    leadsMs: msBetween(from, next.at),
    reads: entriesOf(entries, 'read', leader.label)
      .filter(({ at }) => at > thawed)
      .map(({ status }) => status),
    grants: entriesOf(entries, 'held').filter(({ at }) => at >= from).length,
  };
}

function tell({ bench }: Scene, rounds: readonly Round[]): void {
  measureSlowest(bench, 'the other leads', rounds.map(({ leadsMs }) => leadsMs), LEADS_MS_MAX); // prettier-ignore
  const reads = rounds.flatMap((round) => round.reads);
  const held = reads.filter((status) => status !== 'lost' && status !== 'released').length;
  bench.measure(
    'thawed: readings of its lease, from the first line on',
    `${reads.length}, ${held} of them held`,
    'some each round, none held',
    rounds.every((round) => round.reads.length > 0) && held === 0,
  );
  const grants = rounds.map((round) => round.grants);
  bench.measure(
    'changes of the lead',
    grants.join(', '),
    'one a round',
    grants.every((count) => count === 1),
  );
}
