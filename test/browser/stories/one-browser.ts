import type { ConnectOptions } from '../../real/support/program/commands.ts';
import { entriesOf, now, type EntryOf } from '../../real/support/log.ts';
import type { RunLog } from '../../real/support/run-log.ts';
import { grantOf, KEY, OFFICE, stand } from '../support/scenes.ts';
import type { Tab } from '../support/tab.ts';
import { FAREWELL_MS_MAX, leaves, measureWithin, TTL_MS, type Story } from './story.ts';

const SHARED: ConnectOptions = { share: 'shared-worker' };
const TELLS_MS = 10_000;

export const SHARING: Story = {
  id: 'sharing',
  rule: 'tabs that share a worker have one socket and a session each, and hand over at once',
  situation: "two tabs with `share: 'shared-worker'`",
  how: () => 'two tabs of one profile; a relay counts their sockets; then the one that leads is closed',
  together: true,
  relayed: true,
  async play({ bench, stage }) {
    const tabs = [await stage.tab('first', TTL_MS, SHARED), await stage.tab('second', TTL_MS, SHARED)] as const;
    for (const tab of tabs) await stand(stage.log, tab.client);
    const isThere = await hasGlobal(stage.log, tabs[0], 'SharedWorker');
    const over = tabs.map((tab) => entriesOf(stage.log.entries, 'transport', tab.label).at(-1)?.over ?? 'socket');
    const { accepted } = stage.relay;
    const counts = await stage.coordinator.counts();
    const [right, sockets] = isThere ? (['shared-worker', 1] as const) : (['socket', 2] as const);
    bench.measure(
      isThere ? 'this browser has SharedWorker' : 'this browser has no SharedWorker',
      `transport ${over.join(' and ')}, ${accepted} sockets, ${counts?.sessions} sessions`,
      `transport ${right}, ${sockets} sockets, 2 sessions`,
      over.every((one) => one === right) && accepted === sockets && counts?.sessions === 2,
    );
    const closing = now();
    await tabs[0].close();
    const { at } = await grantOf(stage.log, tabs[1].client, closing, 2 * TTL_MS);
    const { at: left } = await leaves(stage.log, tabs[0], closing);
    measureWithin(bench, 'from the end of the one that leads until the other does', left, at, FAREWELL_MS_MAX);
    // A worker that ends with the last of its pages may not pass its farewell on.
    await tabs[1].client.close();
    return null;
  },
};

export const IN_BROWSER: Story = {
  id: 'in-browser',
  rule: 'of tabs that elect in their browser alone one leads, and the next when it is closed',
  situation: "two tabs with `scope: 'browser'`",
  how: () => 'two tabs of one profile elect over native locks; then the one that leads is closed',
  together: true,
  async play({ bench, stage }) {
    const [first, second] = [await stage.blank('first'), await stage.blank('second')];
    const { log } = stage;
    for (const tab of [first, second]) {
      tab.connect(tab.label, stage.url, { ttlMs: TTL_MS });
      tab.write({ do: 'elect-browser', client: tab.label, call: tab.label, key: KEY, name: OFFICE });
      await says(log, tab, ({ isLeader, position }) => isLeader || position !== null, 0n);
    }
    const leaders = [first, second].filter((tab) => lastOf(log, tab)?.isLeader === true).map(({ label }) => label);
    bench.measure('who leads', leaders.join(', '), 'the first alone', leaders.join() === first.label);
    const closing = now();
    await first.close();
    const { at } = await says(log, second, ({ isLeader }) => isLeader, closing);
    const { at: left } = await leaves(log, first, closing);
    measureWithin(bench, 'from the end of the one that leads until the other does', left, at, FAREWELL_MS_MAX);
    return null;
  },
};

/** Whether the page has it, as the page says. */
async function hasGlobal(log: RunLog, tab: Tab, global: string): Promise<boolean> {
  tab.write({ do: 'look-for', global });
  const fits = ({ client, what }: EntryOf<'page'>): boolean => client === tab.label && what.endsWith(` ${global}`);
  const { what } = await log.find('page', fits, TELLS_MS, `${tab.label} looks for ${global}`);
  return what === `has ${global}`;
}

type Said = EntryOf<'election'>;

const says = (log: RunLog, tab: Tab, fits: (said: Said) => boolean, since: bigint): Promise<Said> =>
  log.find('election', (said) => said.client === tab.label && said.at >= since && fits(said), TELLS_MS, tab.label);

const lastOf = (log: RunLog, tab: Tab): Said | undefined => entriesOf(log.entries, 'election', tab.label).at(-1);
