import { connect } from 'leasehold';
import type { Browser, Page } from 'puppeteer-core';
import { COORDINATOR_COMMAND } from '../../real/support/built.ts';
import { eachLine, exitOf, startChild } from '../../real/support/children.ts';
import { eventually, within } from '../../real/support/waiting.ts';

const NAME = 'examples/tabs';

/** What a person sees in one tab. */
export interface Seen {
  readonly me: string;
  readonly part: string | undefined;
  readonly headline: string;
  readonly title: string;
  readonly count: number;
  /** What the bar shows: until the lease ends, or this tab stops. */
  readonly leftMs: number;
  readonly token: string;
  readonly place: string;
  readonly connection: string;
  /** Newest first. */
  readonly log: readonly string[];
}

/** One write of the counter, as somebody who watches heard of it. */
export interface Write {
  readonly count: number;
  readonly token: number;
}

/** `leasehold dev`, the page that it serves in tabs of one browser, and somebody who watches. */
export class TabsPage implements AsyncDisposable {
  readonly url: string;
  /** Whatever a browser would complain of: a violated policy, an error, a file that is not there. */
  readonly complaints: string[] = [];
  readonly writes: Write[] = [];
  readonly #browser: Browser;
  readonly #stop: () => Promise<void>;
  readonly #watching = new AbortController();
  readonly #watched: Promise<void>;

  private constructor(browser: Browser, url: string, stop: () => Promise<void>) {
    this.#browser = browser;
    this.url = url;
    this.#stop = stop;
    this.#watched = this.#watch();
  }

  static async open(browser: Browser): Promise<TabsPage> {
    const child = startChild(process.execPath, [COORDINATOR_COMMAND, 'dev', '--port', '0']);
    const line = await within(new Promise<string>((resolve) => eachLine(child.stdout, resolve)), 15_000, 'dev listens');
    const url = line.replace('leasehold listening on ', '');
    return new TabsPage(browser, `${url}/examples/tabs/`, async () => {
      // It is all in memory, and who drains is another test's affair.
      child.kill('SIGKILL');
      await within(exitOf(child), 10_000, 'dev ends');
    });
  }

  /** Each in a window of its own, so that it is in sight; or beside the others, of which one is in sight then. */
  async tab(type: 'window' | 'tab' = 'window'): Promise<Page> {
    const page = await this.#opened('', type);
    await until(page, ({ part }) => part === 'leads' || part === 'follows', 'the tab stands');
    return page;
  }

  /** Several candidates in one page. */
  async board(count: number): Promise<Page> {
    const page = await this.#opened(`?frames=${count}`, 'window');
    await eventually(
      async () => {
        const seen = await cardsIn(page);
        return seen.length === count && seen.every(({ part }) => part === 'leads' || part === 'follows') ? true : null;
      },
      20_000,
      'all candidates stand',
    );
    return page;
  }

  async #opened(query: string, type: 'window' | 'tab'): Promise<Page> {
    const page = await this.#browser.newPage({ type });
    page.on('console', (message) => this.complaints.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('requestfailed', (request) => this.complaints.push(`failed: ${request.url()}`));
    page.on('response', (response) => {
      if (response.status() >= 400) this.complaints.push(`${response.status()}: ${response.url()}`);
    });
    await page.evaluateOnNewDocument(() =>
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        reportError(new Error(`the policy is violated: ${violatedDirective} ${blockedURI}`)),
      ),
    );
    await page.goto(this.url + query);
    return page;
  }

  async #watch(): Promise<void> {
    await using client = connect(new URL('/', this.url), { label: 'the test' });
    for await (const { state } of client.watch(NAME, { signal: this.#watching.signal })) {
      const { value, fencingToken: token } = state ?? {};
      if (typeof value !== 'object' || value === null || token === undefined) continue;
      const count: unknown = Reflect.get(value, 'count');
      if (typeof count === 'number' && this.writes.at(-1)?.count !== count) this.writes.push({ count, token });
    }
  }

  /** Closes every tab without a farewell, and the coordinator. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#watching.abort();
    await this.#watched;
    for (const page of await this.#browser.pages()) if (page.url().startsWith(this.url)) await page.close();
    await this.#stop();
  }
}

export const seenIn = (page: Page): Promise<Seen> =>
  page.evaluate(() => {
    const textOf = (id: string): string => document.getElementById(id)?.textContent ?? '';
    return {
      me: textOf('me'),
      part: document.getElementById('leader')?.dataset['part'],
      headline: textOf('leader-name'),
      title: document.title,
      count: Number(textOf('count')),
      leftMs: Number.parseFloat(textOf('left')) * 1_000,
      token: textOf('token-head') + textOf('token-tail'),
      place: textOf('place'),
      connection: textOf('connection'),
      log: [...document.querySelectorAll('#log li')].map((line) => line.textContent ?? ''),
    };
  });

/** What is seen as soon as it fits. */
export function until(page: Page, fits: (seen: Seen) => boolean, what: string, ms = 20_000): Promise<Seen> {
  return eventually(
    async () => {
      const seen = await seenIn(page);
      return fits(seen) ? seen : null;
    },
    ms,
    what,
  );
}

/** When the line with these words was written, by the machine's clock; the newest, where there are several. */
export async function writtenAt(page: Page, words: string): Promise<number> {
  const line = (await linesIn(page)).find(({ text }) => text.includes(words));
  if (line === undefined) throw new Error(`no line has "${words}"`);
  return line.atMs;
}

/** What a tab wrote of itself, newest first. */
export interface Line {
  readonly atMs: number;
  readonly text: string;
}

export const linesIn = (page: Page): Promise<readonly Line[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('#log li')].map((line) => ({
      atMs: Date.parse(line.querySelector('time')?.dateTime ?? ''),
      text: line.querySelector('span')?.textContent ?? '',
    })),
  );

/** One candidate of a board. */
export interface Card {
  readonly me: string;
  readonly part: string | undefined;
  readonly token: string;
}

/** In the order in which they stand on the board; one that has not begun yet is left out. */
export async function cardsIn(board: Page): Promise<readonly Card[]> {
  return board.evaluate(() =>
    [...document.querySelectorAll('iframe')].flatMap(({ contentDocument }) => {
      const textOf = (id: string): string => contentDocument?.getElementById(id)?.textContent ?? '';
      const part = contentDocument?.getElementById('card')?.dataset['part'];
      return part === undefined ? [] : [{ me: textOf('me'), part, token: textOf('token') }];
    }),
  );
}
