import type { Bench } from '../../real/support/bench.ts';
import type { FieldCase } from '../../real/support/field-case.ts';
import { entriesOf, msBetween, now } from '../../real/support/log.ts';
import { sleep } from '../../real/support/waiting.ts';
import type { Stage } from '../support/stage.ts';
import type { Tab } from '../support/tab.ts';
import { grantFor, measureSlowest, standFor, standingFor } from './support/names.ts';
import { onStage } from './support/on-stage.ts';

const TTL_MS = 10_000;
const PROMOTED_MS_MAX = 200;
const AGAIN_AFTER_MS = 50;
/** By then whoever is told of a hand-over has been. */
const SETTLES_MS = 300;

export const F44: FieldCase = {
  id: 'F44',
  title: 'S9 a leader that stops its election while its page stays is followed at once, and stands anew at the tail',
  async run(bench, size) {
    const rounds = size === 'full' ? 10 : 2;
    await onStage(bench, async (stage) => {
      const tabs = [
        await stage.tab('tab-1', TTL_MS),
        await stage.tab('tab-2', TTL_MS),
        await stage.tab('tab-3', TTL_MS),
      ] as const;
      const took: { readonly stopped: number[]; readonly inHook: number[] } = { stopped: [], inHook: [] };
      for (let round = 0; round < rounds; round += 1) {
        took.stopped.push(await stopped(bench, stage, tabs, round));
        took.inHook.push(await inHook(bench, stage, tabs, round));
      }
      measureSlowest(bench, 'stopped: the follower leads', took.stopped, PROMOTED_MS_MAX);
      measureSlowest(bench, 'stopped in its own listener: the follower leads', took.inHook, PROMOTED_MS_MAX);
    });
  },
};

type Tabs = readonly [Tab, Tab, Tab];

/** The leader stops, writes as if it still led, and stands again 50 ms later behind those who stood. */
async function stopped(bench: Bench, { log }: Stage, [leader, next, last]: Tabs, round: number): Promise<number> {
  const name = `stopped-${round}`;
  for (const { client } of [leader, next, last]) await standFor(log, client, name);
  const stopping = now();
  const stop = leader.client.stopElection(name);
  const late = await leader.client.setState(name, { by: 'the old leader' });
  bench.measure('a write of the old leader', late.ok ? 'acknowledged' : late.code, 'refused', !late.ok);
  const { at } = await grantFor(log, next.client, name, stopping, TTL_MS);
  await stop;
  await sleep(AGAIN_AFTER_MS);
  const again = now();
  await standFor(log, leader.client, name);
  const { position } = await standingFor(log, leader.client, name, again);
  bench.measure(
    `started again ${AGAIN_AFTER_MS} ms later`,
    `position ${String(position)}`,
    'position 1: behind the one who waits',
    position === 1,
  );
  const called = entriesOf(log.entries, 'called', leader.label).findLast(({ what }) => what === 'stop');
  for (const tab of [last, next, leader]) await tab.client.stopElection(name);
  return msBetween(called?.at ?? stopping, at);
}

/** It steps down in its listener for `elected`, and is seen as the leader by nobody from then on. */
async function inHook(bench: Bench, { log }: Stage, [leader, next]: Tabs, round: number): Promise<number> {
  const name = `hook-${round}`;
  await standFor(log, next.client, name);
  // It stands behind the other, so that its election has begun before it leads.
  leader.write({ do: 'stop-in-hook', client: leader.label, call: name, key: name, name });
  await sleep(SETTLES_MS);
  await next.client.resign(name);
  const held = await grantFor(log, leader.client, name, 0n, TTL_MS);
  const after = await grantFor(log, next.client, name, held.at, TTL_MS);
  await sleep(SETTLES_MS);
  const said = entriesOf(log.entries, 'election', leader.label).filter((entry) => entry.name === name);
  const asLeader = said.filter(({ isLeader, status, leads }) => isLeader || status === 'leading' || leads !== null);
  bench.measure(
    'stopped in its own listener: seen as leader',
    `${asLeader.length} times of ${said.length}, at last ${said.at(-1)?.status ?? 'nothing'}`,
    'never again, stopped',
    said.length > 0 && asLeader.length === 0 && said.at(-1)?.status === 'stopped',
  );
  await next.client.stopElection(name);
  return msBetween(held.at, after.at);
}
