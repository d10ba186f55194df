import type { Told } from './orders.ts';

/**
 * How the page's log reaches the harness: through the binding that the harness added, or, in a browser that has none, in
 * posts to the server that the page came from.
 */
declare global {
  var tellHarness: ((text: string) => void) | undefined;
}

/** In the session storage of the tab. */
const LAST_WORDS = 'last words';
const EXCHANGES = 20;
/** What these browsers round their clocks to, up or down. */
const STEP_NS = 1_000_000n;

export class Telling {
  /** One of each document. */
  readonly document: string = crypto.randomUUID();
  readonly #told: string[] = [];
  readonly #label: string;
  #waiting: string[] = [];
  /** The post that is on its way. One that the page was put away under never ends. */
  #isPosting = false;
  #leaving = false;

  constructor(label: string) {
    this.#label = label;
    if (globalThis.tellHarness === undefined) void this.#measureClock();
    else this.#lastWords();
  }

  line(line: string): void {
    const news: Told = { document: this.document, index: this.#told.length, line };
    const text = JSON.stringify(news);
    this.#told.push(text);
    this.#tell(text);
  }

  /** The page is put away: a post would be cut off, a beacon goes on its way. */
  leaves(): void {
    this.#leaving = true;
    this.#beacon();
  }

  /** What was told while the page was put away did not arrive: all is told again. */
  isBack(): void {
    this.#leaving = false;
    this.#isPosting = false;
    sessionStorage.removeItem(LAST_WORDS);
    for (const news of this.#told) this.#tell(news);
  }

  #tell(text: string): void {
    if (globalThis.tellHarness !== undefined) {
      globalThis.tellHarness(text);
      if (this.#leaving) sessionStorage.setItem(LAST_WORDS, `${sessionStorage.getItem(LAST_WORDS) ?? ''}${text}\n`);
      return;
    }
    this.#waiting.push(text);
    if (this.#leaving) this.#beacon();
    else if (!this.#isPosting) void this.#posts();
  }

  /** What goes through the binding as a document is unloaded may not arrive: the one in its place tells it again. */
  #lastWords(): void {
    const words = sessionStorage.getItem(LAST_WORDS);
    sessionStorage.removeItem(LAST_WORDS);
    for (const news of (words ?? '').split('\n').filter(Boolean)) globalThis.tellHarness?.(news);
  }

  #take(): string {
    const text = this.#waiting.join('\n');
    this.#waiting = [];
    return text;
  }

  #beacon(): void {
    if (globalThis.tellHarness === undefined && this.#waiting.length > 0)
      navigator.sendBeacon(`/told/${this.#label}`, this.#take());
  }

  async #posts(): Promise<void> {
    this.#isPosting = true;
    while (this.#waiting.length > 0 && !this.#leaving)
      await fetch(`/told/${this.#label}`, { method: 'POST', body: this.#take(), keepalive: true }).catch(
        () => undefined,
      );
    this.#isPosting = false;
  }

  /** What `performance.now()` counts from, on the clock of the harness: it was read between the asking and the answer. */
  async #measureClock(): Promise<void> {
    let [least, most] = [0n, 1n << 63n];
    for (let exchange = 0; exchange < EXCHANGES; exchange += 1) {
      const asked = performance.now();
      const at = BigInt(await (await fetch('/clock', { method: 'POST' })).text());
      const answered = performance.now();
      const early = at - BigInt(Math.round(answered * 1e6)) - STEP_NS;
      const late = at - BigInt(Math.round(asked * 1e6)) + STEP_NS;
      if (early > least) least = early;
      if (late < most) most = late;
    }
    const withinMs = Number((most - least) / 2n + STEP_NS) / 1e6;
    const news: Told = { document: this.document, origin: String((least + most) / 2n), withinMs };
    this.#tell(JSON.stringify(news));
  }
}
