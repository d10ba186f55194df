import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../real/support/bench.ts';
import { LooseNumber } from '../real/support/loose-number.ts';
import type { Relay } from '../real/support/relay.ts';
import { OwnNetwork } from './own-network.ts';
import { SmallDisk } from './small-disk.ts';
import { Supervisor } from './supervisor.ts';
import { Tenant } from './tenant.ts';
import { faketimeLibrary, OWN_SESSION, type Tool } from './tools.ts';
import { WallClock } from './wall-clock.ts';
import { NUMBER, WINDOW_MS, WORK } from './workload.ts';

const DISK_MB = 24;

/** Everything that is broken in a run: one coordinator on a disk of its own, and processes of clients. */
export class Floor implements AsyncDisposable {
  readonly bench: Bench;
  readonly supervisor: Supervisor;
  readonly tenants: readonly Tenant[];
  readonly disk: SmallDisk | null;
  readonly clock: WallClock;
  readonly loose: LooseNumber;
  /** Of the processes, by what they got last: the number's owner, and the owner of anything. */
  #adder = 0;
  #holder = 0;

  private constructor(parts: Pick<Floor, 'bench' | 'supervisor' | 'tenants' | 'disk' | 'clock' | 'loose'>) {
    this.bench = parts.bench;
    this.supervisor = parts.supervisor;
    this.tenants = parts.tenants;
    this.disk = parts.disk;
    this.clock = parts.clock;
    this.loose = parts.loose;
    this.bench.log.watch((entry) => {
      if (entry.event !== 'held') return;
      this.#holder = Number(entry.client[1]);
      if (entry.name === NUMBER) this.#adder = this.#holder;
    });
  }

  static async open(bench: Bench, missing: ReadonlyMap<Tool, string>): Promise<Floor> {
    const folder = bench.folder();
    const library = missing.has('faketime') ? null : faketimeLibrary();
    const clockOf = (name: string): WallClock => new WallClock(join(folder, `clock-${name}`), library);
    const disk = missing.has('mounts') ? null : new SmallDisk(DISK_MB);
    const network = missing.has('namespaces') ? null : new OwnNetwork(0);
    const clock = clockOf('coordinator');
    const loose = await LooseNumber.open();
    const data = join(disk?.folder ?? folder, 'data');
    mkdirSync(data);
    const supervisor = await Supervisor.start(bench, {
      data: join(data, 'leasehold.db'),
      env: clock.env,
      under: OWN_SESSION,
      readyWithinMs: 30_000,
      args: ['--log-level', 'warn', ...(network === null ? [] : ['--host', '0.0.0.0', '--insecure'])],
    });
    const last = WORK.length - 1;
    const tenants: Tenant[] = [];
    for (let index = 0; index < WORK.length; index += 1) {
      const own = index === last ? network : null;
      const relay: Relay | null = own === null ? await bench.relay(() => supervisor.coordinator) : null;
      const url = (): string => relay?.url ?? `ws://${own?.address ?? ''}:${supervisor.coordinator.port}`;
      const place = { index, clock: clockOf(`p${index}`), relay, network: own, url, loose: loose.url };
      tenants.push(new Tenant(bench, place));
    }
    return new Floor({ bench, supervisor, tenants, disk, clock, loose });
  }

  /** Mostly whoever got a lease last: faults that hit nobody who holds would show little. */
  victim(chance: number, among: readonly Tenant[] = this.tenants): Tenant {
    const wanted = chance < 0.35 ? this.#adder : chance < 0.7 ? this.#holder : -1;
    const found = among.find(({ place }) => place.index === wanted) ?? among[Math.floor(chance * among.length)];
    if (found === undefined) throw new Error('there is nobody to break');
    return found;
  }

  /** Whoever is granted the number next, at that instant; null where nobody is for a while. */
  async nextAdder(): Promise<string | null> {
    const isNumber = ({ name }: { readonly name: string }): boolean => name === NUMBER;
    const held = await this.bench.log.next('held', isNumber, 2 * WINDOW_MS, 'one adds').catch(() => null);
    return held === null ? null : `p${held.client[1]}`;
  }

  tenant(name: string): Tenant {
    const found = this.tenants.find((tenant) => tenant.name === name);
    if (found === undefined) throw new Error(`no process ${name}`);
    return found;
  }

  /** Before all this is gone every process has to be. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.supervisor.stop();
    await this.loose[Symbol.asyncDispose]();
    this.disk?.[Symbol.dispose]();
    for (const { place } of this.tenants) place.network?.[Symbol.dispose]();
  }
}
