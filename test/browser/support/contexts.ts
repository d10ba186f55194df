import type { Browser, BrowserContext } from 'puppeteer-core';

/** The profiles of one browser by the names that the harness gives them. */
export class Profiles {
  readonly #browser: Browser;
  readonly #contexts = new Map<string, Promise<BrowserContext>>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Without a name, a new one. */
  context(name?: string): Promise<BrowserContext> {
    const known = name === undefined ? undefined : this.#contexts.get(name);
    if (known !== undefined) return known;
    const made = this.#browser.createBrowserContext();
    if (name !== undefined) this.#contexts.set(name, made);
    return made;
  }
}

/** What must not be done beside another of its kind. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(act: () => Promise<T>): Promise<T> {
    const acted = this.#last.then(act);
    this.#last = acted.catch(() => undefined);
    return acted;
  }
}
