import { leaseName } from '../../../shared/ids.ts';
import { copySession } from './copy.ts';
import type { SimulatedClient } from './client.ts';
import type { Coordinator } from './coordinator.ts';
import type { History } from './history.ts';
import type { Host } from './host.ts';
import type { Network } from './network.ts';
import { COORDINATOR, type Fault, type FaultKind } from './plan.ts';
import type { World } from './world.ts';

export interface Stage {
  readonly world: World;
  readonly network: Network;
  readonly coordinator: Coordinator;
  readonly clients: readonly [SimulatedClient, ...SimulatedClient[]];
  readonly history: History;
}

/** What all clients contend for. */
export const NAMES = [leaseName('name-1'), leaseName('name-2')] as const;

/** Longer than any window in the simulation, and than what a drift of 0.1 % makes of it. */
const QUIET_MS = 6_100;

type ToClient = (client: SimulatedClient, fault: Fault, stage: Stage) => void;
type ToCoordinator = (stage: Stage, fault: Fault) => void;

const TO_CLIENT: Partial<Record<FaultKind, ToClient>> = {
  reset: ({ id }, _, { network }) => {
    for (const connection of network.of(id)) connection.reset();
  },
  partition: ({ id }, { ms }, { network }) => network.partition(id, ms),
  swallow: ({ id }, { size }, { network }) => {
    for (const connection of network.of(id)) connection.swallow(size === 0 ? 'client' : 'coordinator');
  },
  'lose-close': ({ id }, _, { network }) => {
    for (const connection of network.of(id)) connection.loseClose();
  },
  slow: ({ id }, { ms, size }, { network }) => network.slow(id, size, ms),
  'slow-up': ({ id }, { ms, size }, { network }) => network.slow(id, size, ms, 'coordinator'),
  'slow-down': ({ id }, { ms, size }, { network }) => network.slow(id, size, ms, 'client'),
  pause: ({ host }, { ms }) => host.pause(ms),
  stutter: ({ host }, fault, { world }) => stutter(world, host, fault),
  sleep: ({ host, id }, { ms, size }, { network }) => {
    if (size > 0) network.slow(id, size, ms + size);
    host.sleep(ms);
  },
  step: (client, { size }) => {
    // A step that nobody sees before a sleep is not covered, and the documentation says so.
    if (!client.host.isRunning) return;
    client.host.stepWall(size);
    client.handle({ kind: 'wake' });
  },
  restart: (client, _, { history }) => {
    client.restart();
    history.counts.clientRestarts += 1;
  },
  farewell: (client, { ms }, { history }) => {
    if (!client.host.isRunning) return;
    history.counts.farewells += 1;
    client.handle({ kind: 'close', keep: [] });
    client.host.after(ms, () => {
      client.handle({ kind: 'close-now' });
      client.host.after(1, () => client.restart());
    });
  },
  copy: (client, _, stage) => copySession(client, stage),
  reload: (client, { ms, size }, { clients, history }) => {
    if (!client.host.isRunning) return;
    history.counts.reloaded += 1;
    // Firefox closes the sockets of a page before it is told: whoever comes after it brings its last word.
    if (size >= 4) client.cut();
    const left = client.leave();
    // A page that is kept in a cache goes on itself, whoever else has what it left.
    const isCached = size % 4 >= 2;
    client.host.after(ms, () => (isCached ? client.handle({ kind: 'brought-back' }) : client.restart(left)));
    // A tab that was duplicated has what was left as well: it is another process, with clocks of its own.
    const copy = clients[(clients.indexOf(client) + 1) % clients.length];
    if (size % 2 === 1 && copy?.host.isRunning) copy.host.after(ms, () => copy.restart(left));
  },
  deny: (client, { ms }, { history }) => {
    if (client.isDenied || !client.host.isRunning) return;
    history.counts.denied += 1;
    client.deny();
    client.host.after(ms, () => client.restart());
  },
  'put-away': (client, { ms }, { history }) => {
    if (!client.host.isRunning) return;
    client.handle({ kind: 'put-away' });
    client.host.after(ms, () => client.handle({ kind: 'brought-back' }));
    history.counts.putAway += 1;
  },
};

const TO_COORDINATOR: Partial<Record<FaultKind, ToCoordinator>> = {
  pause: ({ coordinator }, { ms }) => coordinator.host.pause(ms),
  stutter: ({ coordinator, world }, fault) => stutter(world, coordinator.host, fault),
  sleep: ({ coordinator }, { ms }) => coordinator.host.sleep(ms),
  step: ({ coordinator }, { size }) => coordinator.host.stepWall(size),
  kill: (stage, fault) => kill(stage, fault, 0),
  revoke: ({ coordinator, history }, { size }) => {
    history.counts.revoked += 1;
    coordinator.revoke(NAMES[size === 0 ? 0 : 1], false);
  },
  'revoke-now': ({ coordinator, history, world }, { size }) => {
    if (!coordinator.isUp) return;
    const name = NAMES[size === 0 ? 0 : 1];
    history.counts.forced += 1;
    history.add({ kind: 'forced', at: world.now, name });
    coordinator.revoke(name, true);
  },
  'disk-slow': ({ coordinator, world }, { ms, size }) => {
    coordinator.disk.ms = size;
    world.plan(world.now + ms, () => {
      coordinator.disk.ms = 1;
    });
  },
  'disk-full': ({ coordinator, world }, { ms }) => {
    coordinator.disk.full = true;
    world.plan(world.now + ms, () => {
      coordinator.disk.full = false;
    });
  },
  limit: ({ coordinator, world }, { ms, size }) => {
    coordinator.limit(size);
    world.plan(world.now + ms, () => coordinator.limit(null));
  },
  drain: (stage, { ms }) => {
    const { coordinator, history, world } = stage;
    if (!coordinator.isUp) return;
    history.counts.drained += 1;
    coordinator.drain(ms);
    world.plan(world.now + ms, () => kill(stage, { ms: RESTART_MS, size: 0 }, 0));
  },
  backup: ({ coordinator }) => coordinator.backup(),
  restore: (stage, fault) => {
    if (!stage.coordinator.isUp) return;
    kill(stage, fault, QUIET_MS);
    stage.coordinator.restore(QUIET_MS);
    stage.history.counts.restored += 1;
    stage.history.add({ kind: 'disk-replaced', at: stage.world.now });
  },
  'disk-lost': (stage, fault) => {
    if (!stage.coordinator.isUp) return;
    kill(stage, fault, QUIET_MS);
    stage.coordinator.lose(QUIET_MS);
    stage.history.counts.disksLost += 1;
    stage.history.add({ kind: 'disk-replaced', at: stage.world.now });
  },
};

/** Between the end of one run, which was announced, and the next. */
const RESTART_MS = 200;

/** How long a loop that stutters runs between two pauses. */
const BETWEEN_MS = 20;

/** A loop that stands still again and again: each time all that lay in its sockets is read in one turn. */
function stutter(world: World, host: Host, { ms, size }: Fault): void {
  for (let after = 0; after < ms; after += size + BETWEEN_MS) world.plan(world.now + after, () => host.pause(size));
}

function kill({ coordinator, history, world }: Stage, { ms, size }: Pick<Fault, 'ms' | 'size'>, quietMs: number): void {
  if (!coordinator.isUp) return;
  coordinator.kill(size === 1);
  history.add({ kind: 'killed', at: world.now });
  history.counts.restarts += 1;
  world.plan(world.now + ms, () => coordinator.start(quietMs));
}

function inflict(stage: Stage, fault: Fault): void {
  const { clients, history, world } = stage;
  const { kind, who, ms, size } = fault;
  history.note(world.now, `fault ${kind} ${who} ${ms} ${size}`);
  history.counts.faults += 1;
  const toClient = TO_CLIENT[kind];
  if (who === COORDINATOR || toClient === undefined) TO_COORDINATOR[kind]?.(stage, fault);
  else for (const client of clients) if (who === 'all' || who === client.id) toClient(client, fault, stage);
}

/** Each in its time. */
export function plague(stage: Stage, faults: readonly Fault[]): void {
  for (const fault of faults) stage.world.plan(fault.at, () => inflict(stage, fault));
}
