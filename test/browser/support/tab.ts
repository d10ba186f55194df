import type { Browser, CDPSession, Page } from 'puppeteer-core';
import { ClientHandle, type Owner } from '../../real/support/client-process.ts';
import { now, type EntryOf, type What } from '../../real/support/log.ts';
import type { ConnectOptions } from '../../real/support/program/commands.ts';
import type { RunLog } from '../../real/support/run-log.ts';
import { within } from '../../real/support/waiting.ts';
import { BINDING, type PageOrder } from '../page/orders.ts';
import { PageLog } from './page-log.ts';
import { rendererOf } from './renderer.ts';

const ARRIVES_MS = 10_000;

interface Parts {
  readonly page: Page;
  readonly pageLog: PageLog;
  readonly cdp: CDPSession;
  /** Of the renderer. */
  readonly pid: number;
  readonly origin: bigint;
}

/** Where pages come from. */
interface Site {
  readonly origin: string;
}

/**
 * A tab with the test page in it, and one client in that. It has a window and a profile of its own: so it is visible,
 * and its renderer is its alone and can be killed without harm to another tab.
 */
export class Tab implements Owner {
  readonly log: RunLog;
  readonly label: string;
  readonly client: ClientHandle;
  readonly page: Page;
  readonly cdp: CDPSession;
  /** What the clock of its first document counts from, in nanoseconds of `process.hrtime`. */
  readonly origin: bigint;
  readonly #pid: number;
  readonly #site: Site;
  readonly #pageLog: PageLog;
  #other: Page | null = null;
  #living = true;

  private constructor(log: RunLog, label: string, site: Site, { page, pageLog, cdp, pid, origin }: Parts) {
    this.log = log;
    this.label = label;
    this.client = new ClientHandle(this, label);
    this.page = page;
    this.cdp = cdp;
    this.origin = origin;
    this.#pid = pid;
    this.#site = site;
    this.#pageLog = pageLog;
  }

  static async open(log: RunLog, label: string, browser: Browser, site: Site): Promise<Tab> {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    const cdp = await page.createCDPSession();
    const pageLog = new PageLog(log);
    cdp.on('Runtime.bindingCalled', ({ payload }) => pageLog.arrived(payload));
    await cdp.send('Runtime.enable');
    await cdp.send('Runtime.addBinding', { name: BINDING });
    page.on('pageerror', (error) => log.add({ at: now(), client: label, event: 'unhandled', text: String(error) }));
    await page.goto(`${site.origin}/page#${label}`);
    const origin = await originOf(cdp);
    pageLog.originIs(origin);
    const tab = new Tab(log, label, site, { page, pageLog, cdp, origin, pid: await rendererOf(browser, cdp) });
    // A client that throws as it is loaded is told by this rather than by all that is asked of it.
    await tab.told('pageshow', 0n);
    return tab;
  }

  get living(): boolean {
    return this.#living;
  }

  /** Its page connects a client of this label; a document that came by a reload is another client than the one before. */
  connect(label: string, url: string, options: ConnectOptions): ClientHandle {
    this.write({ do: 'connect', client: label, url, options, record: true });
    return new ClientHandle(this, label);
  }

  write(order: PageOrder): void {
    void this.#send(order).catch((error: unknown) => {
      // A page that has gone obeys no more; whoever waits for an answer says so.
      if (this.#living) this.#tell({ event: 'unhandled', text: String(error) });
    });
  }

  /** What the page goes through, from `since` on. */
  told(what: string, since: bigint, ms = ARRIVES_MS): Promise<EntryOf<'page'>> {
    const fits = (entry: EntryOf<'page'>): boolean =>
      entry.client === this.label && entry.what === what && entry.at >= since;
    return this.log.find('page', fits, ms, `${this.label} tells '${what}'`);
  }

  /** SIGKILL to its renderer. The instant in the log lies before the signal. */
  kill(): void {
    this.#ends({ event: 'killed' });
    process.kill(this.#pid, 'SIGKILL');
  }

  /** SIGSTOP to its renderer: no event tells the page. */
  suspend(): void {
    this.#tell({ event: 'suspended' });
    process.kill(this.#pid, 'SIGSTOP');
  }

  resume(): void {
    this.#tell({ event: 'continued' });
    process.kill(this.#pid, 'SIGCONT');
  }

  /** As a person closes it: the page hears `pagehide`. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.page.once('close', resolve));
    await this.page.close({ runBeforeUnload: true });
    await within(closed, ARRIVES_MS, `${this.label} closes`);
    this.#ends({ event: 'exited', code: 0, signal: null });
  }

  /** Another tab of its window is brought to the front. */
  async hide(): Promise<void> {
    const since = now();
    this.#other ??= await this.page.browserContext().newPage();
    await this.#other.bringToFront();
    await this.told('hidden', since);
  }

  async show(): Promise<void> {
    const since = now();
    await this.page.bringToFront();
    await this.told('visible', since);
  }

  /** Only a hidden page can be frozen. Resolves with what the page told then. */
  async freeze(): Promise<EntryOf<'page'>> {
    const since = now();
    await this.cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
    return this.told('freeze', since);
  }

  async thaw(): Promise<void> {
    await this.cdp.send('Page.setWebLifecycleState', { state: 'active' });
  }

  /** As a person reloads it; the new document has no client until it connects one. */
  async reload(): Promise<void> {
    const since = now();
    await this.page.reload();
    this.#pageLog.originIs(await originOf(this.cdp));
    await this.told('pageshow', since);
  }

  /** As on a processor that many times slower. */
  async slowDown(times: number): Promise<void> {
    await this.cdp.send('Emulation.setCPUThrottlingRate', { rate: times });
  }

  async leave(): Promise<void> {
    await this.page.goto(`${this.#site.origin}/elsewhere`);
  }

  /** Back to the page that was left. What it told as it was left arrives now. */
  async back(): Promise<void> {
    const since = now();
    await this.cdp.send('Runtime.evaluate', { expression: 'history.back()' });
    await this.told('pageshow persisted', since);
  }

  async #send(order: PageOrder): Promise<void> {
    const expression = `obey(${JSON.stringify(order)})`;
    const { exceptionDetails } = await this.cdp.send('Runtime.evaluate', { expression });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }

  #ends(what: What): void {
    this.#living = false;
    this.#tell(what);
  }

  #tell(what: What): void {
    this.log.add({ at: now(), client: this.label, ...what });
  }
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
