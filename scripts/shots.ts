/**
 * Makes the pictures of docs/ again: three real tabs of `examples/tabs`, served by the built command, side by side in
 * one picture, light and dark. Takes a minute, since the tabs have to lead in turn. Needs chromium; the pictures come out
 * in the fonts of the machine (Debian's fonts-inter is what the page would like best).
 */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { staleness } from './support/doors.ts';
import { root } from './support/files.ts';
import { onPath } from './support/system.ts';

const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];

const TAB = { width: 400, height: 652 } as const;
/** How far the counter goes under each of the tabs before the next one leads. */
const STEPS_EACH = 16;
const GAP = 24;
const BYTES_MAX = 400_000;
/** The place in the page's list of labels from which the first tab goes on: it makes the colours of the picture. */
const FIRST_PLACE = '10';

interface Shot {
  readonly title: string;
  readonly icon: string;
  /** PNG in base64. */
  readonly image: string;
}

/** `leasehold dev` on a free port, until it is stopped. */
async function coordinator(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const child = spawn(process.execPath, [join(root, 'server/bin/leasehold.js'), 'dev', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) {
    const url = /^leasehold listening on (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return { url, stop: () => void child.kill('SIGTERM') };
  }
  throw new Error('the coordinator ended before it listened');
}

async function openTab(browser: Browser, url: string): Promise<Page> {
  // A window each: only what is in sight is drawn.
  const page = await browser.newPage({ type: 'window' });
  await page.setViewport({ ...TAB, deviceScaleFactor: 2 });
  await page.evaluateOnNewDocument(
    `localStorage.getItem('leasehold.examples.tabs') ?? localStorage.setItem('leasehold.examples.tabs', '${FIRST_PLACE}')`,
  );
  await page.goto(url);
  await page.waitForSelector('#leader:is([data-part="leads"], [data-part="follows"])');
  return page;
}

const counted = (page: Page, count: number): Promise<unknown> =>
  page.waitForFunction(`Number(document.getElementById('count').textContent) >= ${count}`, { timeout: 60_000 });

/** Neither just renewed nor about to be: everybody has heard of the last renewal by then. */
const leftIn = `parseFloat(document.getElementById('left').textContent)`;

/** What stands on the tab itself. */
async function faceOf(page: Page): Promise<Omit<Shot, 'image'>> {
  // A click on a button has scrolled to it.
  await page.evaluate(() => window.scrollTo(0, 0));
  const icon = await page.$eval('link[rel=icon]', (link) => link.getAttribute('href') ?? '');
  const title = await page.title();
  return { icon, title };
}

async function shoot(page: Page, scheme: Scheme): Promise<string> {
  // A window behind others may be drawn late; and without motion the colours change at once.
  await page.bringToFront();
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  const isDark = await page.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`);
  const moving = await page.evaluate(`document.getAnimations().length`);
  if (isDark !== (scheme === 'dark') || moving !== 0) throw new Error(`a tab is not ${scheme} all over yet`);
  // What was drawn before the change is drawn over by the first one, which counts for nothing.
  await page.screenshot({ encoding: 'base64' });
  return page.screenshot({ encoding: 'base64' });
}

/** One picture of several: each below its title and icon, as in a browser. */
async function compose(browser: Browser, shots: readonly Shot[], scheme: Scheme, path: string): Promise<void> {
  const page = await browser.newPage();
  await page.setViewport({
    width: shots.length * (TAB.width + GAP) - GAP + 2,
    height: TAB.height,
    deviceScaleFactor: 2,
  });
  const [bar, edge, ink] = scheme === 'light' ? ['#efede8', '#dad7d0', '#1b1d1f'] : ['#232629', '#34383c', '#eae8e4'];
  const tabs = shots.map(
    ({ title, icon, image }) =>
      `<figure><figcaption><img src="${icon}">${title}</figcaption><img src="data:image/png;base64,${image}"></figure>`,
  );
  await page.setContent(`<!doctype html><style>
    body { margin: 0; padding: 1px; display: flex; gap: ${GAP}px; font: 550 13px/1 Inter, system-ui, sans-serif; }
    figure { margin: 0; width: ${TAB.width}px; overflow: hidden; border-radius: 12px; outline: 1px solid ${edge}; }
    figcaption { display: flex; align-items: center; gap: 10px; height: 38px; padding: 0 14px; background: ${bar}; color: ${ink}; }
    figcaption img { width: 16px; height: 16px; }
    figure > img { display: block; width: 100%; }
  </style>${tabs.join('')}`);
  const body = await page.$('body');
  await body?.screenshot({ path: join(root, path), omitBackground: true, optimizeForSpeed: false });
  await page.close();
  const { size } = statSync(join(root, path));
  console.log(`${path}: ${size} bytes of at most ${BYTES_MAX}`);
  if (size > BYTES_MAX) throw new Error(`${path} is too large for a page that opens with it`);
}

const stale = staleness();
if (stale !== null) throw new Error(`${stale}: run "npm run build" first`);
const chromium = onPath('chromium');
if (chromium === null) throw new Error('no chromium on the path: run "npm run setup"');

const served = await coordinator();
const browser = await puppeteer.launch({
  executablePath: chromium,
  args: ['--no-sandbox', '--hide-scrollbars', '--force-color-profile=srgb'],
});
try {
  const tabs: Page[] = [];
  for (let index = 0; index < 3; index += 1) tabs.push(await openTab(browser, `${served.url}/examples/tabs/`));
  for (const [index, tab] of tabs.entries()) {
    await counted(tab, STEPS_EACH * (index + 1));
    // The last one goes on leading: it is in the picture.
    if (index < tabs.length - 1) await tab.click('#resign');
  }
  // The one that leads stands first in the picture.
  const shown = [...tabs.slice(-1), ...tabs.slice(0, -1)];
  const faces = await Promise.all(shown.map(faceOf));
  const [leader] = shown;
  await leader?.waitForFunction(`${leftIn} > 1.8 && ${leftIn} < 2.4`, { polling: 20 });
  // They stop at the same moment, which taking pictures is too slow for; colours are the style's affair.
  await Promise.all(shown.map((tab) => tab.setJavaScriptEnabled(false)));
  for (const scheme of SCHEMES) {
    const shots: Shot[] = [];
    for (const [index, tab] of shown.entries()) {
      const { title = '', icon = '' } = faces[index] ?? {};
      shots.push({ title, icon, image: await shoot(tab, scheme) });
    }
    await compose(browser, shots, scheme, `docs/tabs-${scheme}.png`);
  }
} finally {
  await browser.close();
  served.stop();
}
