import { entriesOf, now, type EntryOf } from '../../real/support/log.ts';
import { grantOf, KEY, lastWindowOf, renewalOf, stand, standing } from '../support/scenes.ts';
import type { Return, Tab } from '../support/tab.ts';
import {
  FAREWELL_MS_MAX,
  leaderAndNext,
  leaves,
  measureWithin,
  NO_FAREWELL,
  saysFarewell,
  SLACK_MS,
  TTL_MS,
  type Scene,
  type Story,
} from './story.ts';

export const CLOSED: Story = {
  id: 'closed',
  rule: 'S7 a tab that is closed is followed at once after a farewell, else when its window is over',
  situation: 'closed',
  how: () => 'its tab is closed as a person closes it',
  async play(scene) {
    const { stage } = scene;
    const { tab, next } = await leaderAndNext(stage, 'closed', TTL_MS);
    const closing = now();
    await tab.close();
    const grant = await grantOf(stage.log, next, closing, 2 * TTL_MS);
    await measureHandOver(scene, tab, closing, grant);
    return null;
  },
};

export const CRASHED: Story = {
  id: 'crashed',
  rule: 'S7 a tab whose renderer is killed is followed when its window is over',
  situation: 'crashed',
  how: () => 'its renderer is killed by SIGKILL',
  async play({ bench, stage }) {
    const { tab, next } = await leaderAndNext(stage, 'crashed', TTL_MS);
    const answer = await renewalOf(stage.log, tab.client, TTL_MS);
    tab.kill();
    const { at } = await grantOf(stage.log, next, answer.at, 2 * TTL_MS);
    const ms = TTL_MS + SLACK_MS;
    measureWithin(bench, 'from the answer to its last renewal until the next leads', answer.at, at, ms);
    return null;
  },
};

export const AWAY: Story = {
  id: 'away',
  rule: 'S7 a tab that goes to another page is followed at once after a farewell, else when its window is over',
  situation: 'navigated away',
  how: () => 'its tab goes to another page',
  async play(scene) {
    const { tab, leaving, grant } = await away(scene);
    await measureHandOver(scene, tab, leaving, grant);
    return null;
  },
};

export const BACK: Story = {
  id: 'back',
  rule: 'S1 a page that comes back from the cache reads no lease that it had, and stands again',
  situation: 'back from the back/forward cache',
  how: () => 'its tab goes to another page and, once the next leads, back in its history',
  async play(scene) {
    const { bench, stage } = scene;
    const { tab, grant, back, returned, next } = await away(scene);
    if (returned === 'loaded') {
      await loadedAnew(scene, tab);
      return 'it keeps no page with an open WebSocket: the way back loads the page anew, which then stands as a new one';
    }
    await standing(stage.log, tab.client, back);
    const reads = entriesOf(stage.log.entries, 'read', tab.label).filter(({ at }) => at >= back);
    const held = reads.filter(({ status }) => status === 'held').length;
    bench.measure(
      'restored while the other leads: readings of its lease, from the first line on',
      `${reads.length}, ${held} of them held`,
      'none is held',
      reads.length > 0 && held === 0,
    );
    const resigned = now();
    await next.resign(KEY);
    const again = await grantOf(stage.log, tab.client, resigned, 2 * TTL_MS);
    measureWithin(bench, 'from the resignation until it leads again', resigned, again.at, FAREWELL_MS_MAX);
    bench.measure('its new token', again.token > grant.token ? 'higher' : 'not higher', 'higher', again.token > grant.token); // prettier-ignore
    return null;
  },
};

/** What a person meets who goes back to a page that was not kept. */
async function loadedAnew({ bench, stage }: Scene, tab: Tab): Promise<void> {
  const asking = now();
  const client = tab.connect('loaded-anew', stage.url, { ttlMs: TTL_MS });
  await stand(stage.log, client);
  const { at } = await standing(stage.log, client);
  measureWithin(bench, 'the page that is loaded instead: from asking until it stands', asking, at, 1_000);
}

interface Away {
  readonly tab: Tab;
  readonly next: Awaited<ReturnType<typeof leaderAndNext>>['next'];
  readonly leaving: bigint;
  readonly grant: EntryOf<'held'>;
  /** When it was sent back. */
  readonly back: bigint;
  readonly returned: Return;
}

/** In Chromium what the page told as it was left arrives when it is back. */
async function away({ stage }: Scene): Promise<Away> {
  const { tab, next } = await leaderAndNext(stage, 'away', TTL_MS);
  tab.write({ do: 'probe', client: tab.label, key: KEY, everyMs: 50 });
  await tab.client.read(KEY);
  const leaving = now();
  await tab.leave();
  const grant = await grantOf(stage.log, next, leaving, 2 * TTL_MS);
  const back = now();
  const returned = await tab.back();
  return { tab, next, leaving, grant, back, returned };
}

/** At once after a farewell; otherwise when its window is over. */
async function measureHandOver(
  { bench, stage, browser }: Scene,
  tab: Tab,
  since: bigint,
  grant: EntryOf<'held'>,
): Promise<void> {
  if (saysFarewell(browser)) {
    const farewell = await leaves(stage.log, tab, since);
    measureWithin(bench, 'from its farewell until the next leads', farewell.at, grant.at, FAREWELL_MS_MAX);
    return;
  }
  const answered = lastWindowOf(stage.log.entries, tab.client);
  const what = `${NO_FAREWELL}; from its last renewal until the next leads`;
  measureWithin(bench, what, answered, grant.at, TTL_MS + SLACK_MS);
}
