import type { Browser, CDPSession, Page } from 'puppeteer-core';
import { within } from '../../real/support/waiting.ts';
import { BINDING } from '../page/orders.ts';
import { launch } from './browser.ts';
import { OneAtATime, Profiles } from './contexts.ts';
import type { ChromiumOnly, Driven, Driver, Hears } from './driver.ts';
import { rendererOf } from './renderer.ts';

const CLOSES_MS = 10_000;

/** `together`: its pages have one profile, as the tabs of a person have; else each has one of its own. */
export async function driveChromium(together = false): Promise<Driver> {
  const browser = await launch();
  const profiles = new Profiles(browser);
  const opens = new OneAtATime();
  const blank = async (profile?: string): Promise<Page> =>
    together ? browser.newPage({ type: 'window' }) : (await profiles.context(profile)).newPage({ type: 'window' });
  return {
    name: 'Chromium',
    version: (await browser.version()).replace(/^.*\//, ''),
    // Beside another one nobody could tell which renderer is its own.
    open: (url, hears, profile) => opens.run(async () => ChromiumPage.open(browser, await blank(profile), url, hears)),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** In a window of its own. Its renderer is its alone and can be killed without harm to another page. */
class ChromiumPage implements Driven {
  readonly pid: number;
  readonly chromium: ChromiumOnly;
  readonly #page: Page;
  #front: Page | null = null;

  private constructor(page: Page, cdp: CDPSession, pid: number) {
    this.#page = page;
    this.chromium = { page, cdp, origin: () => originOf(cdp) };
    this.pid = pid;
  }

  static async open(browser: Browser, page: Page, url: string, { told, failed }: Hears): Promise<Driven> {
    const cdp = await page.createCDPSession();
    cdp.on('Runtime.bindingCalled', ({ payload }) => told(payload));
    await cdp.send('Runtime.enable');
    await cdp.send('Runtime.addBinding', { name: BINDING });
    page.on('pageerror', (error) => failed(String(error)));
    await page.goto(url);
    const root = browser.process()?.pid;
    if (root === undefined) throw new Error('the browser was not started here');
    return new ChromiumPage(page, cdp, await rendererOf(root, (expression) => evaluate(cdp, expression)));
  }

  evaluate(expression: string): Promise<void> {
    return evaluate(this.chromium.cdp, expression);
  }

  async goTo(url: string): Promise<void> {
    await this.#page.goto(url);
  }

  async reload(): Promise<void> {
    await this.#page.reload();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#page.once('close', resolve));
    await this.#page.close({ runBeforeUnload: true });
    await within(closed, CLOSES_MS, 'a page of Chromium closes');
  }

  /** Another tab of its window is brought to the front. */
  async hide(): Promise<void> {
    this.#front ??= await this.#page.browserContext().newPage();
    await this.#front.bringToFront();
  }

  async show(): Promise<void> {
    await this.#page.bringToFront();
  }
}

async function evaluate(cdp: CDPSession, expression: string): Promise<void> {
  const { exceptionDetails } = await cdp.send('Runtime.evaluate', { expression });
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
}

/**
 * What the document's clock counts from, in nanoseconds of `process.hrtime`: Chromium's `NavigationStart` is of the same
 * clock (measured: within 0.06 ms).
 */
async function originOf(cdp: CDPSession): Promise<bigint> {
  await cdp.send('Performance.enable');
  const { metrics } = await cdp.send('Performance.getMetrics');
  await cdp.send('Performance.disable');
  const seconds = metrics.find(({ name }) => name === 'NavigationStart')?.value;
  if (seconds === undefined) throw new Error('Chromium tells no NavigationStart');
  return BigInt(Math.round(seconds * 1e9));
}
