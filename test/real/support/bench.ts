import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SESSION_SILENCE_MS_MIN } from '../../../shared/limits.ts';
import { requireFreshBuild } from './built.ts';
import { ClientProcess } from './client-process.ts';
import type { Coordinating } from './coordinating.ts';
import { CoordinatorProcess, type CoordinatorOptions } from './coordinator-process.ts';
import { HostedCoordinator } from './hosted-coordinator.ts';
import type { HostStart } from './hosted/lines.ts';
import { entriesOf, toLine } from './log.ts';
import { atRest, gaveUpDial, judge } from './oracles.ts';
import { RawClient } from './raw-client.ts';
import { Relay } from './relay.ts';
import { RunLog } from './run-log.ts';
import { eventually } from './waiting.ts';

const REST_MS = 5_000;

export interface Measured {
  readonly what: string;
  readonly value: string;
  /** The RIGHT value, in words. */
  readonly right: string;
  readonly ok: boolean;
}

/**
 * Everything that one run starts: processes, relays, folders. Disposing ends exactly those. What was measured and
 * what the oracles say is kept beside it.
 */
export class Bench implements AsyncDisposable {
  readonly log = new RunLog();
  readonly measured: Measured[] = [];
  readonly violations: string[] = [];
  readonly #processes: ClientProcess[] = [];
  readonly #coordinators: Coordinating[] = [];
  readonly #relays: Relay[] = [];
  readonly #raws: RawClient[] = [];
  readonly #folders: string[] = [];
  /** Clients whose farewell does not come through, beside those that are killed: their sessions end by silence. */
  ghosts = 0;

  constructor() {
    requireFreshBuild();
  }

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'leasehold-real-'));
    this.#folders.push(folder);
    return folder;
  }

  dataFile(): string {
    return join(this.folder(), 'leasehold.db');
  }

  async coordinator(options: Partial<CoordinatorOptions> = {}): Promise<CoordinatorProcess> {
    const coordinator = this.spawnCoordinator(options);
    await coordinator.ready();
    return coordinator;
  }

  spawnCoordinator(options: Partial<CoordinatorOptions> = {}): CoordinatorProcess {
    const coordinator = CoordinatorProcess.spawn({ data: options.data ?? this.dataFile(), ...options });
    this.#coordinators.push(coordinator);
    return coordinator;
  }

  /** In a program of its own, which can do to it while it runs what the command cannot. */
  async hosted(limits: HostStart['limits'] = {}): Promise<HostedCoordinator> {
    const coordinator = new HostedCoordinator({ data: this.dataFile(), limits });
    this.#coordinators.push(coordinator);
    await coordinator.ready();
    return coordinator;
  }

  async restart(
    coordinator: CoordinatorProcess,
    change: Partial<CoordinatorOptions> = {},
  ): Promise<CoordinatorProcess> {
    const next = await coordinator.restart(change);
    this.#coordinators.push(next);
    return next;
  }

  process(env: Readonly<Record<string, string>> = {}, under: readonly string[] = []): ClientProcess {
    const child = new ClientProcess(this.log, env, under);
    this.#processes.push(child);
    return child;
  }

  async relay(target: () => Pick<Coordinating, 'port'>): Promise<Relay> {
    const relay = await Relay.open(() => target().port);
    this.#relays.push(relay);
    return relay;
  }

  async raw(coordinator: Pick<Coordinating, 'url'>): Promise<RawClient> {
    const { client } = await RawClient.welcome(coordinator.url);
    this.#raws.push(client);
    return client;
  }

  measure(what: string, value: string | number, right: string, ok: boolean): void {
    this.measured.push({
      what,
      value: typeof value === 'number' ? String(Number(value.toFixed(3))) : value,
      right,
      ok,
    });
  }

  violated(violations: readonly string[]): void {
    this.violations.push(...violations);
  }

  /** Closes the clients politely, as at the end of a program, and holds the run against O1-O6. */
  async finish(): Promise<void> {
    await this.rest();
    this.violated(judge(this.log.entries));
  }

  /** The first half of `finish`: closes the clients and holds what is left against O6. */
  async rest(): Promise<void> {
    // A standard WebSocket cannot be cut: its close waits for the peer's, so a dead connection keeps a Node process.
    for (const relay of this.#relays) relay.bury();
    await Promise.all(this.#processes.map((child) => child.end()));
    for (const raw of this.#raws) raw.send({ type: 'bye', keepMs: 0 });
    for (const coordinator of this.#coordinators)
      if (coordinator.living) this.violated(await this.#restOf(coordinator));
  }

  /**
   * O6: what a coordinator still counts 5 s after the last client has gone. A dial that its client gave up may have been
   * welcomed all the same, and then nobody says good-bye: such a session is over after its 30 s of silence, no later.
   */
  async #restOf(coordinator: Coordinating): Promise<readonly string[]> {
    const ghosts = this.ghosts + entriesOf(this.log.entries, 'killed').length;
    let left: readonly string[] = [];
    const calm = async (): Promise<true | null> => {
      const counts = await coordinator.counts();
      if (counts === null) return null;
      const none = { sockets: 0, leases: 0, claims: 0, watches: 0 };
      left = atRest(counts, { ...none, sessions: Math.min(counts.sessions, ghosts) });
      return left.length === 0 ? true : null;
    };
    const patience = gaveUpDial(this.log.entries) ? SESSION_SILENCE_MS_MIN + REST_MS : REST_MS;
    await eventually(calm, patience, 'rest').catch(() => undefined);
    return left;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const relay of this.#relays) relay.close();
    for (const child of this.#processes) if (child.living) child.kill();
    await Promise.all(this.#coordinators.map((coordinator) => coordinator.kill()));
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
    this.#keepLog();
  }

  /** `LEASEHOLD_RUN_LOG=FOLDER` keeps the log of each run, for whoever looks for the cause of a failure. */
  #keepLog(): void {
    const folder = process.env['LEASEHOLD_RUN_LOG'];
    if (folder === undefined) return;
    const path = join(folder, `run-${process.pid}-${Math.round(performance.now())}.jsonl`);
    writeFileSync(path, this.log.entries.map((entry) => `${toLine(entry)}\n`).join(''));
  }
}
