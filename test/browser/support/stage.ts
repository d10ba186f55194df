import type { Browser } from 'puppeteer-core';
import { Bench } from '../../real/support/bench.ts';
import type { ClientHandle, ClientProcess } from '../../real/support/client-process.ts';
import type { CoordinatorProcess } from '../../real/support/coordinator-process.ts';
import type { RunLog } from '../../real/support/run-log.ts';
import { launch } from './browser.ts';
import { PageServer } from './page-server.ts';
import { story } from './story.ts';
import { Tab } from './tab.ts';

/** A client in a process of its own. */
export interface Actor {
  readonly process: ClientProcess;
  readonly client: ClientHandle;
}

/** A coordinator, a browser with tabs, processes, and one log of them all, by which the oracles judge. */
export class Stage implements AsyncDisposable {
  readonly coordinator: CoordinatorProcess;
  readonly #bench: Bench;
  readonly #server: PageServer;
  readonly #browser: Browser;
  readonly #tabs: Tab[] = [];

  private constructor(bench: Bench, server: PageServer, coordinator: CoordinatorProcess, browser: Browser) {
    this.#bench = bench;
    this.#server = server;
    this.coordinator = coordinator;
    this.#browser = browser;
  }

  static async open(): Promise<Stage> {
    await using opened = new AsyncDisposableStack();
    const bench = opened.use(new Bench());
    const server = opened.use(await PageServer.open());
    const coordinator = await bench.coordinator({ args: ['--origin', server.origin] });
    server.connectTo = coordinator.url;
    const browser = opened.adopt(await launch(), (started) => started.close());
    const stage = new Stage(bench, server, coordinator, browser);
    opened.move();
    return stage;
  }

  get log(): RunLog {
    return this.#bench.log;
  }

  async tab(label: string, ttlMs: number): Promise<Tab> {
    const tab = await Tab.open(this.log, label, this.#browser, this.#server);
    this.#tabs.push(tab);
    tab.write({ do: 'connect', client: label, url: this.coordinator.url, options: { ttlMs }, record: true });
    return tab;
  }

  process(label: string, ttlMs: number): Actor {
    const child = this.#bench.process();
    return { process: child, client: child.client(label, this.coordinator.url, { ttlMs, idleMs: 60_000 }, true) };
  }

  /** Everybody leaves politely; then the whole run is held against the oracles. */
  async finish(): Promise<void> {
    for (const tab of this.#tabs) if (tab.living) await tab.close();
    await this.#bench.finish();
    if (this.#bench.violations.length > 0) throw new Error(this.#bench.violations.join('\n'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.#bench[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }
}

/** Plays `scene` and judges it. What goes wrong comes with the story of the run. */
export async function staged(scene: (stage: Stage) => Promise<void>): Promise<void> {
  await using stage = await Stage.open();
  try {
    await scene(stage);
    await stage.finish();
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${what}\n\nWhat happened:\n${story(stage.log.entries)}\n`, { cause });
  }
}
