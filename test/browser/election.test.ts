import { describe, expect, test } from 'vitest';
import type { ClientHandle } from '../real/support/client-process.ts';
import { entriesOf, msBetween, now } from '../real/support/log.ts';
import { sleep } from '../real/support/waiting.ts';
import { CHROMIUM } from './support/browser.ts';
import { deadlineOf, grantOf, OFFICE, KEY, renewalOf, stand, standing } from './support/scenes.ts';
import { staged, type Stage } from './support/stage.ts';

const TTL_MS = 3_000;
const SLACK_MS = 250;
const FAREWELL_MS = 300;

// Without Chromium there is no tab; `npm run setup` installs it.
describe.skipIf(CHROMIUM === null)('an election', () => {
  test('S1 of two processes and three tabs has one leader: killed ones are followed at the end of their TTL, those who say farewell at once', async () => {
    await staged(async (stage) => {
      const process = stage.process('process-1', TTL_MS);
      const other = stage.process('process-2', TTL_MS).client;
      const [killed, closed, left] = [
        await stage.tab('tab-1', TTL_MS),
        await stage.tab('tab-2', TTL_MS),
        await stage.tab('tab-3', TTL_MS),
      ];
      // They come to lead in the order in which they stand.
      for (const client of [process.client, killed.client, closed.client, other, left.client])
        await stand(stage.log, client);

      await killedIsFollowed(stage, process.client, () => process.process.kill(), killed.client);
      await killedIsFollowed(stage, killed.client, () => killed.kill(), closed.client);

      const closing = now();
      await closed.close();
      const afterClose = await grantOf(stage.log, other, closing, TTL_MS);
      const hidden = await closed.told('pagehide', closing);
      expect(msBetween(hidden.at, afterClose.at)).toBeLessThanOrEqual(FAREWELL_MS);

      const resigned = now();
      await other.resign(KEY);
      await grantOf(stage.log, left.client, resigned, TTL_MS);
      await standing(stage.log, other, resigned);
      const leaving = now();
      await left.leave();
      const afterLeave = await grantOf(stage.log, other, leaving, TTL_MS);
      // What the page told as it was left arrives when it is back.
      await left.back();
      const farewell = await left.told('pagehide persisted', leaving);
      expect(msBetween(farewell.at, afterLeave.at)).toBeLessThanOrEqual(FAREWELL_MS);
      await standing(stage.log, left.client, afterLeave.at);

      expect(leadersOf(stage)).toEqual(['process-1', 'tab-1', 'tab-2', 'process-2', 'tab-3', 'process-2']);
    });
  });
});

/** From the kill of a leader, between two renewals, until the next one leads. */
async function killedIsFollowed(
  { log }: Stage,
  leader: ClientHandle,
  kill: () => void,
  next: ClientHandle,
): Promise<void> {
  const answer = await renewalOf(log, leader, TTL_MS);
  // Between two renewals, so that none is on its way when it dies.
  await sleep(300);
  const deadline = deadlineOf(log.entries, leader);
  const killedAt = now();
  kill();
  const held = await grantOf(log, next, killedAt, 2 * TTL_MS);
  expect(msBetween(deadline, held.at)).toBeGreaterThanOrEqual(0);
  expect(msBetween(answer.at, held.at)).toBeLessThanOrEqual(TTL_MS + SLACK_MS);
}

/** By the order of their tokens. */
const leadersOf = ({ log }: Stage): readonly string[] =>
  entriesOf(log.entries, 'held')
    .filter(({ name }) => name === OFFICE)
    .toSorted((a, b) => a.token - b.token)
    .map(({ client }) => client);
