import { injectInto, type Injection } from '../real/journal/support/strace.ts';
import type { Relay } from '../real/support/relay.ts';
import { sleep } from '../real/support/waiting.ts';
import type { Chance, Fault } from './fault.ts';
import type { Floor } from './floor.ts';
import type { Tenant } from './tenant.ts';
import { WINDOW_MS } from './workload.ts';

const RESTART_MS = 3_000;
const SWALLOW_WITHIN_MS = 8_000;

const withRelay = (tenants: readonly Tenant[]): readonly Tenant[] =>
  tenants.filter(({ place }) => place.relay !== null);

const withNetwork = (tenants: readonly Tenant[]): readonly Tenant[] =>
  tenants.filter(({ place }) => place.network !== null);

const anyTenant = (floor: Floor, { victim }: Chance): string => floor.victim(victim).name;

/** One of a relay: `begin` breaks it, and after up to `lastMs` it is whole again. */
const ofRelay = (kind: string, lastMs: number, begin: (relay: Relay, chance: Chance) => void): Fault => ({
  kind,
  group: 'relay',
  needs: [],
  victim: (floor, { victim }) => floor.victim(victim, withRelay(floor.tenants)).name,
  play: async (floor, chance, victim) => {
    const { relay } = floor.tenant(victim).place;
    if (relay === null) return;
    begin(relay, chance);
    await sleep(lasting(chance, lastMs));
    relay.heal();
    relay.delayMs.up = 0;
    relay.delayMs.down = 0;
  },
});

/** Long ones show the most; short ones come, too. */
const lasting = ({ strength }: Chance, ms: number): number => (0.1 + 0.9 * Math.sqrt(strength)) * ms;

const pick = <T>(from: readonly T[], chance: number): T => from[Math.floor(chance * from.length)] as T; // `chance` < 1.

const SWALLOWED = ['granted', 'renewed', 'released', 'ended'];

const swallow: Fault = {
  kind: 'swallow',
  group: 'relay',
  needs: [],
  victim: (floor, { victim }) => floor.victim(victim, withRelay(floor.tenants)).name,
  play: async (floor, { way }, victim) => {
    const type = pick(SWALLOWED, way);
    let stop = (): void => undefined;
    const swallowed = new Promise<void>((resolve) => {
      stop =
        floor.tenant(victim).place.relay?.watch(({ direction, messages }) => {
          if (direction !== 'down' || !messages.some((message) => message['type'] === type)) return 'pass';
          stop();
          resolve();
          return 'swallow';
        }) ?? stop;
    });
    await Promise.race([swallowed, sleep(SWALLOW_WITHIN_MS)]);
    stop();
  },
};

const killCoordinator: Fault = {
  kind: 'kill-coordinator',
  times: 2,
  group: 'coordinator',
  // A holder that cannot come back at once needs what is left of its window.
  besides: ['relay', 'link', 'tracer'],
  needs: [],
  victim: () => 'coordinator',
  play: ({ supervisor }, { strength, way }) => supervisor.kill(way < 0.3 ? 0 : strength * RESTART_MS),
};

const stopCoordinator: Fault = {
  kind: 'stop-coordinator',
  group: 'coordinator',
  needs: [],
  victim: () => 'coordinator',
  play: async ({ supervisor }, chance) => {
    const { coordinator } = supervisor;
    coordinator.signal('SIGSTOP');
    await sleep(lasting(chance, 1.5 * WINDOW_MS));
    coordinator.signal('SIGCONT');
  },
};

const killClient: Fault = {
  kind: 'kill-client',
  group: 'process',
  needs: [],
  victim: anyTenant,
  play: async (floor, { strength }, victim) => {
    const tenant = floor.tenant(victim);
    tenant.kill();
    await sleep(strength * WINDOW_MS);
    tenant.replace();
  },
};

/** Of those that are stopped, how many are stopped between their read of the number and their write. */
const AMID_ADDING = 0.75;
/** Beyond the window, so that others have added meanwhile when it goes on. */
const OUTLIVES = 1.25;

const stopClient: Fault = {
  kind: 'stop-client',
  group: 'process',
  needs: [],
  times: 2,
  victim: async (floor, chance) => {
    const adder = chance.way < AMID_ADDING ? await floor.nextAdder() : null;
    return adder ?? anyTenant(floor, chance);
  },
  play: async (floor, { way, strength }, victim) => {
    const tenant = floor.tenant(victim);
    tenant.suspend();
    const windows = way < AMID_ADDING ? OUTLIVES + (2 - OUTLIVES) * strength : 2 * strength;
    await sleep(windows * WINDOW_MS);
    tenant.resume();
  },
};

const linkDown: Fault = {
  kind: 'link-down',
  group: 'link',
  needs: ['namespaces'],
  victim: (floor, { victim }) => floor.victim(victim, withNetwork(floor.tenants)).name,
  play: async (floor, chance, victim) => {
    const { network } = floor.tenant(victim).place;
    network?.down();
    await sleep(lasting(chance, 2 * WINDOW_MS));
    network?.up();
  },
};

const diskFull: Fault = {
  kind: 'disk-full',
  group: 'disk',
  needs: ['mounts'],
  victim: () => 'disk',
  play: async ({ disk }, chance) => {
    disk?.fill();
    await sleep(lasting(chance, 2 * WINDOW_MS));
    disk?.free();
  },
};

/** A coordinator that cannot start while the disk is full, and can as soon as there is space. */
const killOnFullDisk: Fault = {
  kind: 'kill-on-full-disk',
  group: 'coordinator',
  needs: ['mounts'],
  victim: () => 'coordinator',
  play: async ({ disk, supervisor }, chance) => {
    disk?.fill();
    const restarted = supervisor.kill(0);
    await sleep(lasting(chance, WINDOW_MS));
    disk?.free();
    await restarted;
  },
};

/** System calls of the coordinator that runs now. One that is killed takes the tracer with it. */
const ofCalls = (kind: string, calls: string, what: (chance: Chance) => string): Fault => ({
  kind,
  group: 'tracer',
  needs: ['strace'],
  victim: () => 'disk',
  play: async ({ supervisor }, chance) => {
    const { pid } = supervisor.coordinator;
    // It may be killed just now.
    const injection: Injection | null = await injectInto(pid, calls, what(chance)).catch(() => null);
    await sleep(lasting(chance, 1.5 * WINDOW_MS));
    await injection?.undo();
  },
});

const SYNCS = 'fsync,fdatasync';

const HOUR_S = 3_600;
const STEPS_S = [HOUR_S, -HOUR_S, -40 * 24 * HOUR_S];

const stepClock = (kind: string, whose: 'coordinator' | 'client'): Fault => ({
  kind,
  group: 'clock',
  needs: ['faketime'],
  victim: (floor, chance) => (whose === 'coordinator' ? 'coordinator' : anyTenant(floor, chance)),
  play: async (floor, chance, victim) => {
    const clock = whose === 'coordinator' ? floor.clock : floor.tenant(victim).place.clock;
    clock.step(pick(STEPS_S, chance.way));
    await sleep(lasting(chance, WINDOW_MS));
    clock.step(0);
  },
});

export const FAULTS: readonly Fault[] = [
  killCoordinator,
  stopClient,
  ofRelay('black-hole', 2 * WINDOW_MS, (relay) => {
    // What went dead long ago is reset, as a network does in the end.
    relay.bury();
    relay.blackHole();
  }),
  killClient,
  linkDown,
  diskFull,
  ofRelay('drop-up', 2 * WINDOW_MS, (relay) => relay.drop('up')),
  ofRelay('drop-down', 2 * WINDOW_MS, (relay) => relay.drop('down')),
  stopCoordinator,
  ofCalls('fsync-error', SYNCS, () => 'error=EIO'),
  // The log is written over from its start, so that a full disk is seldom felt by what is open; this is.
  ofCalls('no-space', 'pwrite64', () => 'error=ENOSPC'),
  killOnFullDisk,
  ofCalls('slow-fsync', SYNCS, ({ way }) => `delay_enter=${way < 0.5 ? '400ms' : '1500ms'}`),
  swallow,
  stepClock('step-coordinator', 'coordinator'),
  stepClock('step-client', 'client'),
  ofRelay('delay', WINDOW_MS, (relay, { way }) => {
    relay.delayMs.up = 600 * way;
    relay.delayMs.down = 600 * (1 - way);
  }),
  ofRelay('reset', 0, (relay) => relay.reset()),
];
