import { entriesOf, now } from '../../real/support/log.ts';
import { sleep } from '../../real/support/waiting.ts';
import { grantOf, KEY, OFFICE, stand } from '../support/scenes.ts';
import { measureWithin, TTL_MS, type Story } from './story.ts';

const RELOADS = { resumeOnReload: true };
const LOADS_MS = 10_000;

export const RELOADED: Story = {
  id: 'reloaded',
  rule: 'S2 a page that is loaded again keeps its token',
  situation: 'reloaded with `resumeOnReload`',
  how: () => 'its tab is loaded again within its window of 10 s',
  async play({ bench, stage }) {
    const ttlMs = 10_000;
    const tab = await stage.tab('before', ttlMs, RELOADS);
    await stand(stage.log, tab.client);
    const { client: next } = stage.process('next', ttlMs);
    await stand(stage.log, next);
    const [{ token } = { token: 0 }] = entriesOf(stage.log.entries, 'held', tab.label);
    await tab.reload();
    stage.log.add({ at: now(), client: 'after', event: 'descends', from: tab.label });
    const client = tab.connect('after', stage.url, { ttlMs, ...RELOADS });
    await client.elect(KEY, OFFICE);
    const held = await grantOf(stage.log, client, 0n, LOADS_MS);
    // What nobody asked for again would be given back by then.
    await sleep(TTL_MS);
    const read = await client.read(KEY);
    bench.measure('its token', held.token === token ? 'the same' : 'another', 'the same', held.token === token);
    bench.measure('later', read.status, 'held', read.status === 'held');
    const grants = entriesOf(stage.log.entries, 'held', next.label).length;
    bench.measure('grants to the next meanwhile', grants, '0', grants === 0);
    // Otherwise it would ask to be kept as its tab is closed.
    await client.close();
    return null;
  },
};

const RESTART_TTL_MS = 30_000;
/** The longest pause of the client between two dials is 8 s, and the browser may have one of its own. */
const BACK_MS_MAX = 10_000;

export const RESTARTED: Story = {
  id: 'restarted',
  rule: 'S5 a tab keeps its lease over a restart of the coordinator, and is back within 10 s',
  situation: 'the coordinator is restarted under it',
  how: () => 'the coordinator is killed and started again while the tab leads, TTL 30 s',
  async play({ bench, stage, size }) {
    const tab = await stage.tab('leader', RESTART_TTL_MS);
    await stand(stage.log, tab.client);
    await stage.coordinator.kill();
    await sleep(size.downMs);
    await bench.restart(stage.coordinator);
    const up = now();
    const fits = ({ client, status, at }: { client: string; status: string; at: bigint }): boolean =>
      client === tab.label && status === 'open' && at >= up;
    const { at } = await stage.log.find('status', fits, 60_000, 'the tab is back');
    const what = `down for ${(size.downMs / 1_000).toFixed(0)} s: from its start until the tab is back`;
    measureWithin(bench, what, up, at, BACK_MS_MAX);
    const { status } = await tab.client.read(KEY);
    const losses = entriesOf(stage.log.entries, 'lost', tab.label).length;
    bench.measure(
      'its lease over all that',
      `${status}, lost ${losses} times`,
      'held',
      losses === 0 && status === 'held',
    );
    await tab.client.close();
    return null;
  },
};
