import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../real/support/built.ts';
import { entriesOf } from '../real/support/log.ts';
import { CHROMIUM } from './support/browser.ts';
import { staged } from './support/stage.ts';

/** What only Node has, or its bundlers put in its place. */
const OF_NODE = ['process', 'Buffer', 'require', 'module', 'global', 'setImmediate'];

// Without Chromium there is no page; `npm run setup` installs it.
describe.skipIf(CHROMIUM === null)('client/dist/index.js', () => {
  test('runs as it is in a page of the strictest policy, with nothing of Node in it', async () => {
    await staged(async (stage) => {
      const tab = await stage.tab('tab', 30_000);
      const there = await tab.page.evaluate((names) => names.filter((name) => name in globalThis), OF_NODE);
      expect(there).toEqual([]);
      expect(await tab.client.acquire('a', 'job')).toMatchObject({ ok: true });
      expect(await tab.client.setState('a', { done: 1 })).toMatchObject({ ok: true });
      expect(await tab.client.release('a')).toMatchObject({ ok: true, value: true });
      expect(entriesOf(stage.log.entries, 'unhandled')).toEqual([]);
    });
  });

  test('imports nothing at once, and later only what lies beside it', () => {
    const text = readFileSync(join(ROOT, 'client/dist/index.js'), 'utf8');
    const imported = [...text.matchAll(/\b(?:import|require)\s*\(\s*[^)]*|^\s*import\b|["']node:|\bfrom\s*["']/gm)].map(
      String,
    );
    expect(imported.filter((one) => !/^import\("\.\/[\w-]+\.js"$/.test(one))).toEqual([]);
    for (const one of imported) expect(existsSync(join(ROOT, 'client/dist', one.slice(10, -1)))).toBe(true);
  });
});
