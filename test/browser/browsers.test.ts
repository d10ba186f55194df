import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CRASHED, CLOSED } from './stories/endings.ts';
import { HIDDEN } from './stories/hidden.ts';
import { RELOADED, RESTARTED } from './stories/returning.ts';
import { playStory, type Story, type StoryPlayed } from './stories/story.ts';
import { BROWSERS } from './support/browsers.ts';
import type { Driver } from './support/driver.ts';

/** The rest is played by `npm run browsers`, as long as it is meant. Chromium has longer tests of its own for all of them. */
const SIZE = { hiddenMs: 15_000, rounds: 1, downMs: 1_000 };
const SIDE_BY_SIDE = [[HIDDEN], [CLOSED], [RELOADED, RESTARTED]];
/** It may take a browser's driver with it. */
const AT_LAST = [CRASHED];
const ALL_MS_MAX = 180_000;

for (const { name, path, start } of BROWSERS.filter((browser) => browser.name !== 'Chromium')) {
  // Without the browser there is no page; `npm run setup` installs it.
  describe.skipIf(path === null)(`tabs in ${name}`, () => {
    const played = new Map<Story, StoryPlayed>();
    let driver: Driver | undefined;

    beforeAll(async () => {
      const started = await start();
      driver = started;
      const inTurn = async (stories: readonly Story[]): Promise<void> => {
        for (const story of stories) played.set(story, await playStory(story, started, SIZE));
      };
      await Promise.all(SIDE_BY_SIDE.map(inTurn));
      await inTurn(AT_LAST);
    }, ALL_MS_MAX);

    afterAll(async () => {
      await driver?.[Symbol.asyncDispose]();
    });

    test.each([...SIDE_BY_SIDE.flat(), ...AT_LAST])('$rule ($situation)', (story) => {
      expect(played.get(story)?.wrong).toEqual([]);
    });
  });
}
