import type { CDPSession, Page } from 'puppeteer-core';

export type BrowserName = 'Chromium' | 'Firefox' | 'WebKitGTK';

/** One started browser. Each page that it opens has a window of its own: so it is visible until it is hidden. */
export interface Driver extends AsyncDisposable {
  readonly name: BrowserName;
  readonly version: string;
  /**
   * `told` is given each line of the page's log where the browser brings them itself; `failed` what the page threw. Pages
   * of one `profile` share storage, locks and workers, as the tabs of a person do; absent: it is alone with them, where
   * the browser has several profiles at once.
   */
  open(url: string, hears: Hears, profile?: string): Promise<Driven>;
}

export interface Hears {
  readonly told: (text: string) => void;
  readonly failed: (text: string) => void;
}

/** One page in a browser, and what can be done to it. */
export interface Driven {
  /** Of its renderer. */
  readonly pid: number;
  readonly chromium: ChromiumOnly | null;
  /** Runs `expression` in the page; throws what it throws. */
  evaluate(expression: string): Promise<void>;
  goTo(url: string): Promise<void>;
  reload(): Promise<void>;
  /** As a person closes it: the page hears `pagehide`. */
  close(): Promise<void>;
  hide(): Promise<void>;
  show(): Promise<void>;
}

/** What only Chromium lets a harness do. */
export interface ChromiumOnly {
  readonly page: Page;
  readonly cdp: CDPSession;
  /** What the clock of the present document counts from, in nanoseconds of `process.hrtime`. */
  readonly origin: () => Promise<bigint>;
}
