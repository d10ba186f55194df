/**
 * Makes the pictures of docs/ again: `examples/tabs` with four candidates in one page, served by the built command, light
 * and dark. Takes half a minute, since the candidates have to lead in turn. Needs chromium; the pictures come out in the
 * fonts of the machine (Debian's fonts-inter is what the page would like best).
 */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import puppeteer, { type Browser, type Frame, type Page } from 'puppeteer-core';
import { staleness } from './support/doors.ts';
import { root } from './support/files.ts';
import { onPath } from './support/system.ts';

const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];

const CANDIDATES = 4;
const VIEW = { width: 1080, height: 900, deviceScaleFactor: 2 } as const;
const BYTES_MAX = 400_000;
/** The place in the page's list of labels from which the first candidate goes on: it makes the colours of the picture. */
const FIRST_PLACE = '10';

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

async function openBoard(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewport(VIEW);
  await page.evaluateOnNewDocument(
    `localStorage.getItem('leasehold.examples.tabs') ?? localStorage.setItem('leasehold.examples.tabs', '${FIRST_PLACE}')`,
  );
  await page.goto(`${url}/examples/tabs/?frames=${CANDIDATES}`);
  return page;
}

/** As soon as somebody leads who is not `before`; the frame that does. */
async function nextLeader(board: Page, before: Frame | null): Promise<Frame> {
  for (const untilMs = Date.now() + 20_000; Date.now() < untilMs; await sleep(50)) {
    for (const frame of board.mainFrame().childFrames()) {
      const part = await frame.evaluate(`document.getElementById('card')?.dataset.part`);
      if (part === 'leads' && frame !== before) return frame;
    }
  }
  throw new Error('nobody leads');
}

const press = (frame: Frame, id: string): Promise<unknown> =>
  frame.evaluate(`document.getElementById('${id}').click()`);

/** One steps down, one is cut off from the network and loses it, and comes back: all of it is in the picture. */
async function play(board: Page): Promise<void> {
  const first = await nextLeader(board, null);
  await sleep(7_000);
  await press(first, 'resign');
  const second = await nextLeader(board, first);
  await sleep(4_000);
  await press(second, 'cut');
  const third = await nextLeader(board, second);
  await sleep(3_000);
  await press(second, 'cut');
  await sleep(5_000);
  await press(third, 'resign');
  const last = await nextLeader(board, third);
  await sleep(9_000);
  // Neither just renewed nor about to be: everybody has heard of the last renewal by then.
  const left = `parseFloat(/[\\d.]+/.exec(document.getElementById('left').textContent)?.[0])`;
  await last.waitForFunction(`${left} > 1.8 && ${left} < 2.4`, { polling: 20 });
}

async function shoot(page: Page, scheme: Scheme, path: string): Promise<void> {
  // Without motion the colours change at once.
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  const isDark = await page.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`);
  const moving = await page.evaluate(`document.getAnimations().length`);
  if (isDark !== (scheme === 'dark') || moving !== 0) throw new Error(`the page is not ${scheme} all over yet`);
  // What was drawn before the change is drawn over by the first one, which counts for nothing.
  await page.screenshot({ encoding: 'base64' });
  const panel = await page.$('.together');
  const { x = 0, y = 0, height = 0 } = (await panel?.boundingBox()) ?? {};
  // Down to the end of the timeline, and as much below it as there is at the sides.
  const clip = { x: 0, y: 0, width: VIEW.width, height: Math.ceil(y + height + x) };
  await page.screenshot({ path: join(root, path), clip, optimizeForSpeed: false });
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
  const board = await openBoard(browser, served.url);
  await play(board);
  // All of it stops at the same moment, which taking pictures is too slow for; colours are the style's affair.
  await board.setJavaScriptEnabled(false);
  for (const scheme of SCHEMES) await shoot(board, scheme, `docs/tabs-${scheme}.png`);
} finally {
  await browser.close();
  served.stop();
}
