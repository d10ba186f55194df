import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core';
import { onPath } from '../../../scripts/support/system.ts';
import { within } from '../../real/support/waiting.ts';
import { OneAtATime, Profiles } from './contexts.ts';
import type { Driven, Driver, Hears } from './driver.ts';
import { rendererOf } from './renderer.ts';

export const FIREFOX = onPath('firefox-esr') ?? onPath('firefox');

const CLOSES_MS = 10_000;
/** It takes 3 s where nothing else runs. */
const STARTS_MS = 90_000;

/** What Firefox writes of a socket that did not open or was cut: nothing in the page threw it. */
const OF_A_DIAL = /^Error: (Firefox can.t establish a connection to|The connection to) /;

/** By WebDriver BiDi, as Firefox understands it without a program in between. */
export async function driveFirefox(): Promise<Driver> {
  if (FIREFOX === null) throw new Error('no firefox-esr on the path: run `npm run setup`');
  const options = { browser: 'firefox', executablePath: FIREFOX, headless: true, timeout: STARTS_MS } as const;
  const browser = await puppeteer.launch(options);
  const profiles = new Profiles(browser);
  const windows = new OneAtATime();
  return {
    name: 'Firefox',
    version: (await browser.version()).replace(/^.*\//, ''),
    open: (url, hears, profile) =>
      windows.run(async () => FirefoxPage.open(browser, await profiles.context(profile), windows, url, hears)),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** In a window and a container of its own: so its renderer is its alone. */
class FirefoxPage implements Driven {
  readonly pid: number;
  readonly chromium = null;
  readonly #page: Page;
  readonly #windows: OneAtATime;
  #front: Page | null = null;

  private constructor(page: Page, pid: number, windows: OneAtATime) {
    this.#page = page;
    this.pid = pid;
    this.#windows = windows;
  }

  static async open(
    browser: Browser,
    context: BrowserContext,
    windows: OneAtATime,
    url: string,
    { failed }: Hears,
  ): Promise<Driven> {
    const page = await context.newPage({ type: 'window' });
    page.on('pageerror', (error) => {
      if (!OF_A_DIAL.test(String(error))) failed(String(error));
    });
    await page.goto(url);
    const root = browser.process()?.pid;
    if (root === undefined) throw new Error('the browser was not started here');
    const pid = await rendererOf(root, async (expression) => void (await page.evaluate(expression)));
    return new FirefoxPage(page, pid, windows);
  }

  async evaluate(expression: string): Promise<void> {
    await this.#page.evaluate(`void ${expression}`);
  }

  /** By a line in the page, as a link does it: the library waits in vain for the end of some navigations. */
  async goTo(url: string): Promise<void> {
    await this.evaluate(`(location.href = ${JSON.stringify(url)})`);
  }

  async reload(): Promise<void> {
    await this.evaluate('location.reload()');
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#page.once('close', resolve));
    await this.#page.close({ runBeforeUnload: true });
    await within(closed, CLOSES_MS, 'a page of Firefox closes');
  }

  /** Another tab of its window is brought to the front; Firefox opens it in the window that was in front last. */
  hide(): Promise<void> {
    return this.#windows.run(async () => {
      await this.#page.bringToFront();
      this.#front ??= await this.#page.browserContext().newPage({ type: 'tab' });
      await this.#front.bringToFront();
    });
  }

  show(): Promise<void> {
    return this.#windows.run(() => this.#page.bringToFront());
  }
}
