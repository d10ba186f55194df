import type { CDPSession, Page } from 'puppeteer-core';
import { ClientHandle, type Owner } from '../../real/support/client-process.ts';
import { now, type EntryOf, type What } from '../../real/support/log.ts';
import type { ConnectOptions } from '../../real/support/program/commands.ts';
import type { RunLog } from '../../real/support/run-log.ts';
import type { PageOrder } from '../page/orders.ts';
import type { ChromiumOnly, Driven, Driver } from './driver.ts';
import { PageLog } from './page-log.ts';

const ARRIVES_MS = 10_000;
/** The window of a browser that starts or loads takes its time where others have the processor. */
const LOADS_MS = 30_000;
const LAST_WORDS_MS = 500;

/** Where pages come from. */
interface Site {
  readonly origin: string;
  /** Gives whatever pages of this label post. */
  hear(label: string, told: (text: string) => void): void;
}

/** How a page came back: as it was put away, or made anew. */
export type Return = 'restored' | 'loaded';

/** A tab with the test page in it, and clients in that. */
export class Tab implements Owner {
  readonly log: RunLog;
  readonly label: string;
  readonly client: ClientHandle;
  readonly #driven: Driven;
  readonly #site: Site;
  readonly #pageLog: PageLog;
  #origin = 0n;
  #living = true;

  private constructor(log: RunLog, label: string, site: Site, driven: Driven, pageLog: PageLog) {
    this.log = log;
    this.label = label;
    this.client = new ClientHandle(this, label);
    this.#driven = driven;
    this.#site = site;
    this.#pageLog = pageLog;
  }

  static async open(log: RunLog, label: string, driver: Driver, site: Site, profile?: string): Promise<Tab> {
    const pageLog = new PageLog(log);
    const told = (text: string): void => pageLog.arrived(text);
    const failed = (text: string): void => log.add({ at: now(), client: label, event: 'unhandled', text });
    site.hear(label, told);
    const driven = await driver.open(`${site.origin}/page#${label}`, { told, failed }, profile);
    const tab = new Tab(log, label, site, driven, pageLog);
    await tab.#placed();
    // A client that throws as it is loaded is told by this rather than by all that is asked of it.
    await tab.told('pageshow', 0n, LOADS_MS);
    return tab;
  }

  get living(): boolean {
    return this.#living;
  }

  get page(): Page {
    return this.#chromium.page;
  }

  get cdp(): CDPSession {
    return this.#chromium.cdp;
  }

  /** What the clock of its present document counts from, in nanoseconds of `process.hrtime`; in Chromium. */
  get origin(): bigint {
    return this.#origin;
  }

  get #chromium(): ChromiumOnly {
    if (this.#driven.chromium === null) throw new Error('only Chromium lets a harness do that');
    return this.#driven.chromium;
  }

  /** Its page connects a client of this label; a document that came by a reload is another client than the one before. */
  connect(label: string, url: string, options: ConnectOptions): ClientHandle {
    const { withinMs } = this.#pageLog;
    if (withinMs > 0) this.log.add({ at: now(), client: label, event: 'clock', withinMs });
    // What goes over a shared worker no socket of the page can record.
    const record = options.share === undefined;
    this.write({ do: 'connect', client: label, url, options, record });
    return new ClientHandle(this, label);
  }

  write(order: PageOrder): void {
    const said = this.#driven.evaluate(`obey(${JSON.stringify(order)})`);
    void said.catch((error: unknown) => {
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
    process.kill(this.#driven.pid, 'SIGKILL');
  }

  /** SIGSTOP to its renderer: no event tells the page. */
  suspend(): void {
    this.#tell({ event: 'suspended' });
    process.kill(this.#driven.pid, 'SIGSTOP');
  }

  resume(): void {
    this.#tell({ event: 'continued' });
    process.kill(this.#driven.pid, 'SIGCONT');
  }

  /** Its clients are closed, and the page stays. */
  async leaveClients(ms: number): Promise<void> {
    const since = now();
    this.write({ do: 'leave' });
    await this.told('left', since, ms);
  }

  /** As a person closes it: the page hears `pagehide`. */
  async close(): Promise<void> {
    const since = now();
    await this.#driven.close();
    const at = this.#driven.chromium === null ? await this.#lastSaid(since) : now();
    this.#ends({ event: 'exited', code: 0, signal: null }, at);
  }

  /**
   * Without a binding the last words of a page are beacons, and its browser drops some of them. Nothing of a page that is
   * closed runs behind its `pagehide`, so that whatever it said last, it had come to its end then.
   */
  async #lastSaid(since: bigint): Promise<bigint> {
    const hidden = await this.told('pagehide', since, LAST_WORDS_MS).catch(() => null);
    if (hidden === null) return now();
    const ends = this.log.entries.filter(({ client, at }) => client === this.label && at >= hidden.at);
    return ends.reduce((last, { at }) => (at > last ? at : last), hidden.at);
  }

  async hide(): Promise<void> {
    const since = now();
    await this.#driven.hide();
    await this.told('hidden', since);
  }

  async show(): Promise<void> {
    const since = now();
    await this.#driven.show();
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
    this.#pageLog.loads();
    await this.#driven.reload();
    await this.#placed();
    await this.told('pageshow', since, LOADS_MS);
  }

  /** As on a processor that many times slower. */
  async slowDown(times: number): Promise<void> {
    await this.cdp.send('Emulation.setCPUThrottlingRate', { rate: times });
  }

  async leave(): Promise<void> {
    await this.#driven.goTo(`${this.#site.origin}/elsewhere`);
  }

  /** Back to the page that was left. What it told as it was left has arrived then, where it was put away and restored. */
  async back(): Promise<Return> {
    const since = now();
    await this.#driven.evaluate('history.back()');
    const fits = ({ client, what, at }: EntryOf<'page'>): boolean =>
      client === this.label && what.startsWith('pageshow') && at >= since;
    const { what } = await this.log.find('page', fits, LOADS_MS, `${this.label} is shown again`);
    return what === 'pageshow persisted' ? 'restored' : 'loaded';
  }

  /** Chromium tells what the clock of a new document counts from; elsewhere the page finds out and posts it. */
  async #placed(): Promise<void> {
    const { chromium } = this.#driven;
    if (chromium === null) return;
    this.#origin = await chromium.origin();
    this.#pageLog.originIs(this.#origin);
  }

  #ends(what: What, at = now()): void {
    this.#living = false;
    this.#tell(what, at);
  }

  #tell(what: What, at = now()): void {
    this.log.add({ at, client: this.label, ...what });
  }
}
