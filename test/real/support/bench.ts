import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireFreshBuild } from './built.ts';
import { ClientProcess } from './client-process.ts';
import { CoordinatorProcess, type CoordinatorOptions } from './coordinator-process.ts';
import { toLine } from './log.ts';
import { judge } from './oracles.ts';
import { RawClient } from './raw-client.ts';
import { Relay } from './relay.ts';
import { RunLog } from './run-log.ts';

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
  readonly #coordinators: CoordinatorProcess[] = [];
  readonly #relays: Relay[] = [];
  readonly #folders: string[] = [];

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

  async restart(
    coordinator: CoordinatorProcess,
    change: Partial<CoordinatorOptions> = {},
  ): Promise<CoordinatorProcess> {
    const next = await coordinator.restart(change);
    this.#coordinators.push(next);
    return next;
  }

  process(): ClientProcess {
    const child = new ClientProcess(this.log);
    this.#processes.push(child);
    return child;
  }

  async relay(target: () => CoordinatorProcess): Promise<Relay> {
    const relay = await Relay.open(() => target().port);
    this.#relays.push(relay);
    return relay;
  }

  async raw(coordinator: CoordinatorProcess): Promise<RawClient> {
    const { client } = await RawClient.welcome(coordinator.url);
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

  /** Closes the clients politely, as at the end of a program, and holds the run against O1-O5. */
  async finish(): Promise<void> {
    // A standard WebSocket cannot be cut: its close waits for the peer's, so a dead connection keeps a Node process.
    for (const relay of this.#relays) relay.bury();
    await Promise.all(this.#processes.map((child) => child.end()));
    this.violated(judge(this.log.entries));
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
