import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { msBetween, now } from '../../real/support/log.ts';
import { RunLog } from '../../real/support/run-log.ts';
import { eventually } from '../../real/support/waiting.ts';
import type { CandidateTold } from '../page/lock-candidate.ts';
import { driveChromium } from './drive-chromium.ts';
import type { Driver } from './driver.ts';
import { PageServer } from './page-server.ts';
import { story } from './story.ts';
import { Tab } from './tab.ts';

const PROGRAM = fileURLToPath(new URL('../page/lock-candidate.ts', import.meta.url));
const BINDING = 'tellCandidate';
const WITHIN_MS = 10_000;

/** What a candidate told, by the clock of all processes. */
export interface Heard extends Omit<CandidateTold, 'atMs'> {
  readonly at: bigint;
  readonly label: string;
}

/** Tabs of one profile with a candidate in each, and no coordinator anywhere: pages may connect nowhere. */
export class LockTabs implements AsyncDisposable {
  readonly log = new RunLog();
  /** What all of them told, as it came in. */
  readonly heard: Heard[] = [];
  readonly #program: string;
  readonly #server: PageServer;
  readonly #driver: Driver;
  readonly #opened: AsyncDisposableStack;
  readonly #tabs = new Map<string, Tab>();
  /** Whoever was killed believes nothing from then on. */
  readonly #killed = new Map<string, bigint>();

  private constructor(program: string, server: PageServer, driver: Driver, opened: AsyncDisposableStack) {
    this.#program = program;
    this.#server = server;
    this.#driver = driver;
    this.#opened = opened;
  }

  static async open(): Promise<LockTabs> {
    await using opened = new AsyncDisposableStack();
    const server = opened.use(await PageServer.open());
    const driver = opened.use(await driveChromium(true));
    return new LockTabs(await programText(), server, driver, opened.move());
  }

  /** A tab whose candidate stands, and has its place behind those that came before. */
  async stand(name: string, label: string): Promise<Tab> {
    const tab = await Tab.open(this.log, label, this.#driver, this.#server);
    this.#tabs.set(label, tab);
    const cdp = await tab.page.createCDPSession();
    cdp.on('Runtime.bindingCalled', ({ name: binding, payload }) => {
      if (binding !== BINDING) return;
      const { atMs, ...told } = JSON.parse(payload) as CandidateTold; // Written by our own page.
      if (this.heard.some((one) => one.label === label && one.index === told.index)) return;
      this.heard.push({ ...told, label, at: tab.origin + BigInt(Math.round(atMs * 1e6)) });
    });
    await cdp.send('Runtime.enable');
    await cdp.send('Runtime.addBinding', { name: BINDING });
    await cdp.send('Runtime.evaluate', { expression: this.#program });
    const expression = `candidate.stand(${JSON.stringify(name)}, ${JSON.stringify(label)})`;
    await cdp.send('Runtime.evaluate', { expression, awaitPromise: true });
    await this.says(label, ({ isLeader, position }) => isLeader || position !== null, 0n, 'stands');
    return tab;
  }

  /** The first word of that tab from `since` on that fits. */
  says(label: string, fits: (heard: Heard) => boolean, since: bigint, what: string, ms = WITHIN_MS): Promise<Heard> {
    const find = (): Heard | null =>
      this.heard.find((one) => one.label === label && one.at >= since && fits(one)) ?? null;
    return eventually(find, ms, `${label} ${what}`).catch((cause: unknown) => {
      throw new Error(`${String(cause)}\n${this.story()}`, { cause });
    });
  }

  leads(label: string, since = 0n): Promise<Heard> {
    return this.says(label, ({ isLeader }) => isLeader, since, 'leads');
  }

  /** Hidden first, since only such a page can be frozen; resolves with the instant of its event. */
  async freeze(tab: Tab): Promise<bigint> {
    const since = now();
    await setWindow(tab, 'minimized');
    await tab.told('hidden', since);
    return (await tab.freeze()).at;
  }

  /** Runs again, and is visible. */
  async thaw(tab: Tab): Promise<void> {
    await tab.thaw();
    await setWindow(tab, 'normal');
  }

  kill(label: string): bigint {
    const at = now();
    this.#killed.set(label, at);
    this.#tabs.get(label)?.kill();
    return at;
  }

  async offline(): Promise<void> {
    for (const { page, living } of this.#tabs.values()) if (living) await page.setOfflineMode(true);
  }

  /** From when until when each of them believed that it led, in the order of time. */
  reigns(): readonly { readonly label: string; readonly from: bigint; readonly to: bigint }[] {
    const reigns = [...this.#tabs.keys()].flatMap((label) => {
      const told = this.heard.filter((one) => one.label === label).toSorted((a, b) => a.index - b.index);
      const end = this.#killed.get(label) ?? now();
      return told.flatMap(({ isLeader, at }, index) => {
        if (!isLeader || told[index - 1]?.isLeader === true) return [];
        return [{ label, from: at, to: told.slice(index).find((one) => !one.isLeader)?.at ?? end }];
      });
    });
    return reigns.toSorted((a, b) => Number(a.from - b.from));
  }

  /** Two that believed that they led at one moment, in words. */
  overlaps(): readonly string[] {
    const reigns = this.reigns();
    return reigns.flatMap(({ label, to }, index) =>
      reigns.slice(index + 1).flatMap((other) => {
        const forMs = msBetween(other.from, to);
        return forMs > 0 ? [`${label} and ${other.label} both believe that they lead, for ${forMs} ms`] : [];
      }),
    );
  }

  story(): string {
    const [{ at: start } = { at: 0n }] = this.heard;
    const told = this.heard.map(
      ({ at, label, ...rest }) => `${msBetween(start, at).toFixed(1)} ms ${label} ${JSON.stringify(rest)}`,
    );
    return [...told, story(this.log.entries)].join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}

/** A tab in front of it would open in another window than its own. */
async function setWindow({ cdp }: Tab, windowState: 'minimized' | 'normal'): Promise<void> {
  const { windowId } = await cdp.send('Browser.getWindowForTarget');
  await cdp.send('Browser.setWindowBounds', { windowId, bounds: { windowState } });
}

/** The program as an expression; the client comes from the server, as built. */
async function programText(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [PROGRAM],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    write: false,
    plugins: [
      {
        name: 'the built client',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^leasehold$/ }, () => ({ path: '/client/index.js', external: true })),
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}
