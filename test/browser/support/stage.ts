import { Bench } from '../../real/support/bench.ts';
import type { ClientHandle, ClientProcess } from '../../real/support/client-process.ts';
import type { CoordinatorProcess } from '../../real/support/coordinator-process.ts';
import type { ConnectOptions } from '../../real/support/program/commands.ts';
import type { Relay } from '../../real/support/relay.ts';
import type { RunLog } from '../../real/support/run-log.ts';
import { driveChromium } from './drive-chromium.ts';
import type { Driver } from './driver.ts';
import { PageServer } from './page-server.ts';
import { story } from './story.ts';
import { Tab } from './tab.ts';

const LEAVES_MS = 500;

/** A client in a process of its own. */
export interface Actor {
  readonly process: ClientProcess;
  readonly client: ClientHandle;
}

export interface StagePlan {
  /** Of a run that somebody else finishes and judges. */
  readonly bench?: Bench;
  /** Tabs connect through a relay. */
  readonly relayed?: boolean;
  /** A browser that is running and goes on afterwards; otherwise a Chromium of its own. */
  readonly driver?: Driver;
  /** The tabs have one profile, and may share a worker. */
  readonly together?: boolean;
}

interface Parts {
  readonly bench: Bench;
  readonly server: PageServer;
  readonly coordinator: CoordinatorProcess;
  readonly relay: Relay | null;
  readonly driver: Driver;
  readonly profile: string | undefined;
}

/** A coordinator, a browser with tabs, processes, and one log of them all, by which the oracles judge. */
export class Stage implements AsyncDisposable {
  readonly coordinator: CoordinatorProcess;
  readonly #parts: Parts;
  readonly #tabs: Tab[] = [];
  readonly #opened: AsyncDisposableStack;

  private constructor(parts: Parts, opened: AsyncDisposableStack) {
    this.coordinator = parts.coordinator;
    this.#parts = parts;
    this.#opened = opened;
  }

  static async open({ bench: given, relayed = false, driver: running, together }: StagePlan = {}): Promise<Stage> {
    await using opened = new AsyncDisposableStack();
    const bench = given ?? opened.use(new Bench());
    const server = opened.use(await PageServer.open());
    const [coordinator, driver] = await Promise.all([
      bench.coordinator({ args: ['--origin', server.origin] }),
      running ?? driveChromium(together),
    ]);
    if (running === undefined) opened.use(driver);
    const relay = relayed ? await bench.relay(() => coordinator) : null;
    server.connectTo = [server.origin, coordinator.url, ...(relay === null ? [] : [relay.url])].join(' ');
    const profile = together === true ? server.origin : undefined;
    return new Stage({ bench, server, coordinator, relay, driver, profile }, opened.move());
  }

  get log(): RunLog {
    return this.#parts.bench.log;
  }

  get relay(): Relay {
    if (this.#parts.relay === null) throw new Error('this stage has no relay');
    return this.#parts.relay;
  }

  /** As many as were opened. */
  get tabs(): number {
    return this.#tabs.length;
  }

  /** Where tabs connect. */
  get url(): string {
    return (this.#parts.relay ?? this.coordinator).url;
  }

  async tab(label: string, ttlMs: number, options: ConnectOptions = {}): Promise<Tab> {
    const tab = await this.blank(label);
    tab.connect(label, this.url, { ttlMs, ...options });
    return tab;
  }

  /** A tab whose page has not connected yet. */
  async blank(label: string): Promise<Tab> {
    const { driver, server, profile } = this.#parts;
    const tab = await Tab.open(this.log, label, driver, server, profile);
    this.#tabs.push(tab);
    return tab;
  }

  process(label: string, ttlMs: number): Actor {
    const child = this.#parts.bench.process();
    return { process: child, client: child.client(label, this.coordinator.url, { ttlMs, idleMs: 60_000 }, true) };
  }

  /** Their clients are closed first: what a page that is closed leaves behind is kept for 2 s, in case it comes back. */
  async closeTabs(): Promise<void> {
    const living = this.#tabs.filter((tab) => tab.living);
    // One that is frozen does not hear of it.
    await Promise.allSettled(living.map((tab) => tab.leaveClients(LEAVES_MS)));
    for (const tab of living) await tab.close();
  }

  /** Everybody leaves politely; then the whole run is held against the oracles. */
  async finish(): Promise<void> {
    const { bench } = this.#parts;
    await this.closeTabs();
    await bench.finish();
    if (bench.violations.length > 0) throw new Error(bench.violations.join('\n'));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync();
  }
}

/** Plays `scene` and judges it. What goes wrong comes with the story of the run. */
export async function staged(scene: (stage: Stage) => Promise<void>, plan: StagePlan = {}): Promise<void> {
  await using stage = await Stage.open(plan);
  try {
    await scene(stage);
    await stage.finish();
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${what}\n\nWhat happened:\n${story(stage.log.entries)}\n`, { cause });
  }
}
