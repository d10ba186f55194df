import { describe, expect, test } from 'vitest';
import { entriesOf, msBetween, now } from '../real/support/log.ts';
import { sleep } from '../real/support/waiting.ts';
import { CHROMIUM } from './support/browser.ts';
import { LockTabs } from './support/lock-tabs.ts';

const NAME = 'office';
const FAREWELL_MS = 300;
/** The browser finds out that a renderer is gone: measured 60 ms on a machine that has nothing else to do. */
const KILLED_MS = 1_000;
const STOPPED_MS = 3_000;

/** Never two leaders at once, and nobody dialled. */
function expectSound(tabs: LockTabs, leaders: readonly string[]): void {
  expect(tabs.overlaps(), tabs.story()).toEqual([]);
  expect(entriesOf(tabs.log.entries, 'unhandled')).toEqual([]);
  expect(tabs.reigns().map(({ label }) => label)).toEqual(leaders);
}

// Without Chromium there is no tab; `npm run setup` installs it.
describe.skipIf(CHROMIUM === null)("tabs with an election of scope 'browser', without a coordinator", () => {
  test('have one leader, known to all; one that is closed is followed within 300 ms, one that is killed when the browser sees it; offline, too', async () => {
    await using tabs = await LockTabs.open();
    const one = await tabs.stand(NAME, 'tab-1');
    await tabs.stand(NAME, 'tab-2');
    await tabs.stand(NAME, 'tab-3');
    await tabs.says('tab-3', ({ leader, position }) => leader === 'tab-1' && position === 1, 0n, 'knows the leader');
    await tabs.offline();
    const closing = now();
    await one.close();
    const second = await tabs.leads('tab-2', closing);
    const { at } = await one.told('pagehide', closing);
    expect(msBetween(at, second.at)).toBeLessThanOrEqual(FAREWELL_MS);
    await tabs.says('tab-3', ({ leader, position }) => leader === 'tab-2' && position === 0, second.at, 'is told');
    const killed = tabs.kill('tab-2');
    const third = await tabs.leads('tab-3', killed);
    expect(msBetween(killed, third.at)).toBeLessThanOrEqual(KILLED_MS);
    expectSound(tabs, ['tab-1', 'tab-2', 'tab-3']);
  });

  test('a leader that is frozen gives the lock back in its event, is followed within 300 ms, and stands as a waiter once it is thawed', async () => {
    await using tabs = await LockTabs.open();
    const one = await tabs.stand(NAME, 'tab-1');
    const two = await tabs.stand(NAME, 'tab-2');
    for (const [frozen, label, next] of [
      [one, 'tab-1', 'tab-2'],
      [two, 'tab-2', 'tab-1'],
    ] as const) {
      const at = await tabs.freeze(frozen);
      const over = await tabs.says(label, ({ isLeader }) => !isLeader, at, 'leads no more');
      const followed = await tabs.leads(next, at);
      expect(msBetween(over.at, followed.at)).toBeGreaterThan(0);
      expect(msBetween(at, followed.at)).toBeLessThanOrEqual(FAREWELL_MS);
      const thawing = now();
      await tabs.thaw(frozen);
      const first = await tabs.says(label, () => true, thawing, 'is read as it goes on');
      expect(first.isLeader).toBe(false);
      await tabs.says(label, ({ leader, position }) => leader === next && position === 0, thawing, 'waits');
    }
    expectSound(tabs, ['tab-1', 'tab-2', 'tab-1']);
  });

  test('a frozen waiter is in the way of nobody', async () => {
    await using tabs = await LockTabs.open();
    const one = await tabs.stand(NAME, 'tab-1');
    const two = await tabs.stand(NAME, 'tab-2');
    await tabs.stand(NAME, 'tab-3');
    const at = await tabs.freeze(two);
    await tabs.says('tab-3', ({ position }) => position === 0, at, 'moves up');
    const closing = now();
    await one.close();
    await tabs.leads('tab-3', closing);
    await tabs.thaw(two);
    await tabs.says('tab-2', ({ leader, position }) => leader === 'tab-3' && position === 0, closing, 'waits');
    expectSound(tabs, ['tab-1', 'tab-3']);
  });

  test('a page that a person leaves is followed, is kept for the way back, and stands again then', async () => {
    await using tabs = await LockTabs.open();
    const one = await tabs.stand(NAME, 'tab-1');
    await tabs.stand(NAME, 'tab-2');
    const leaving = now();
    await one.leave();
    await tabs.leads('tab-2', leaving);
    const returning = now();
    expect(await one.back()).toBe('restored');
    await tabs.says('tab-1', ({ leader, position }) => leader === 'tab-2' && position === 0, returning, 'waits');
    expectSound(tabs, ['tab-1', 'tab-2']);
  });

  test('a leader that stands still without an event keeps the lock: nobody leads beside it, and it goes on', async () => {
    await using tabs = await LockTabs.open();
    const one = await tabs.stand(NAME, 'tab-1');
    await tabs.stand(NAME, 'tab-2');
    one.suspend();
    await sleep(STOPPED_MS);
    expect(tabs.reigns().map(({ label }) => label)).toEqual(['tab-1']);
    one.resume();
    const closing = now();
    await one.close();
    await tabs.leads('tab-2', closing);
    expectSound(tabs, ['tab-1', 'tab-2']);
  });
});
