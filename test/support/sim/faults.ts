import { leaseName } from '../../../shared/ids.ts';
import type { SimulatedClient } from './client.ts';
import type { Coordinator } from './coordinator.ts';
import type { History } from './history.ts';
import type { Network, Side } from './network.ts';
import type { Random } from './random.ts';
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

type Fault = (stage: Stage, random: Random) => string;

/** Each does one harm and says in words which. What lasts ends by itself. */
const FAULTS: readonly [Fault, ...Fault[]] = [
  ({ network, clients }, random) => {
    const { id } = random.pick(clients);
    for (const connection of network.of(id)) connection.reset();
    return `reset ${id}`;
  },
  ({ network, clients }, random) => {
    const { id } = random.pick(clients);
    const ms = random.between(200, 6_000);
    network.partition(id, ms);
    return `partition ${id} ${ms.toFixed(0)}`;
  },
  ({ network, clients }, random) => {
    const { id } = random.pick(clients);
    const to = random.pick<Side>(['client', 'coordinator']);
    for (const connection of network.of(id)) connection.swallow(to);
    return `swallow ${id} to ${to}`;
  },
  ({ network, clients }, random) => {
    const { id } = random.pick(clients);
    const delayMs = random.pick([100, 400, 1_000, 2_500]);
    network.slow(id, delayMs, random.between(1_000, 6_000));
    return `slow ${id} ${delayMs}`;
  },
  ({ clients }, random) => {
    const { id, host } = random.pick(clients);
    const ms = random.pick([60, 300, 1_200, 5_000]);
    host.pause(ms);
    return `pause ${id} ${ms}`;
  },
  ({ clients }, random) => {
    const { id, host } = random.pick(clients);
    const ms = random.between(300, 9_000);
    host.sleep(ms);
    return `sleep ${id} ${ms.toFixed(0)}`;
  },
  ({ clients }, random) => {
    const client = random.pick(clients);
    const ms = random.pick([-60_000, -900, -25, 30, 700, 4_000, 3_600_000]);
    // A step that nobody sees before a sleep is not covered, and the documentation says so.
    if (!client.host.isRunning) return 'no step';
    client.host.stepWall(ms);
    client.handle({ kind: 'wake' });
    return `step ${client.id} ${ms}`;
  },
  ({ clients }, random) => {
    const client = random.pick(clients);
    client.restart();
    return `restart ${client.id}`;
  },
  ({ clients, history }, random) => {
    const client = random.pick(clients);
    const ms = random.pick([0, 100, 1_500, 5_000]);
    if (!client.host.isRunning) return 'nothing put away';
    client.handle({ kind: 'put-away' });
    client.host.after(ms, () => client.handle({ kind: 'brought-back' }));
    history.counts.putAway += 1;
    return `put away ${client.id} ${ms}`;
  },
  ({ coordinator }, random) => {
    const ms = random.pick([100, 400, 1_500, 4_000]);
    coordinator.host.pause(ms);
    return `pause coordinator ${ms}`;
  },
  kill,
  kill,
  ({ coordinator, history }, random) => {
    const name = random.pick(NAMES);
    coordinator.revoke(name);
    history.counts.revoked += 1;
    return `revoke ${name}`;
  },
  ({ coordinator, world }, random) => {
    coordinator.disk.ms = random.pick([50, 500, 2_000]);
    world.plan(world.now + random.between(500, 5_000), () => {
      coordinator.disk.ms = 1;
    });
    return `disk ${coordinator.disk.ms}`;
  },
  ({ coordinator, world }, random) => {
    coordinator.disk.full = true;
    world.plan(world.now + random.between(200, 3_000), () => {
      coordinator.disk.full = false;
    });
    return 'disk full';
  },
  ({ coordinator }, random) => {
    const ms = random.pick([-86_400_000, -5_000, 5_000, 3_600_000]);
    coordinator.host.stepWall(ms);
    return `step coordinator ${ms}`;
  },
];

function kill({ coordinator, history, world }: Stage, random: Random): string {
  if (!coordinator.isUp) return 'down already';
  const withTheMachine = random.chance(0.3);
  coordinator.kill(withTheMachine);
  history.counts.restarts += 1;
  world.plan(world.now + random.between(50, 4_000), () => coordinator.start());
  return `kill coordinator${withTheMachine ? ' and its machine' : ''}`;
}

/** Faults at random until `until`. */
export function plague(stage: Stage, random: Random, until: number): void {
  const { world, history } = stage;
  const meanMs = random.pick([400, 1_200, 3_000]);
  const next = (): void => {
    const at = world.now + random.between(0, 2 * meanMs);
    if (at >= until) return;
    world.plan(at, () => {
      history.note(world.now, random.pick(FAULTS)(stage, random));
      history.counts.faults += 1;
      next();
    });
  };
  next();
}
