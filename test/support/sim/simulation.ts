import { durationMs } from '../../../shared/time.ts';
import { SimulatedClient, type Mutant } from './client.ts';
import { Coordinator } from './coordinator.ts';
import { plague, type Stage } from './faults.ts';
import { fallenTokens, History, overlaps } from './history.ts';
import { Host } from './host.ts';
import { Worker, type Mood } from './mutex.ts';
import { Network } from './network.ts';
import { randomFrom, type Random } from './random.ts';
import { Watcher } from './watcher.ts';
import { World } from './world.ts';

export interface Simulated {
  readonly history: History;
  readonly problems: readonly string[];
  readonly steps: number;
}

export interface SimulationOptions {
  readonly mutant?: Mutant;
  readonly faultyMs?: number;
  readonly calmMs?: number;
}

/** Clock rates differ by less than 0.1 % (S1). */
const DRIFT = 0.000_49;
/** What lasts longest (a pause, a sleep, a partition) is over by then, and so is any pause of a dial. */
export const HEALED_MS = 10_000;
/** Claims are granted or over by then, fixed windows too, and what is told once a second is told. */
export const RESTED_MS = 15_000;
/** A loop that never comes to rest makes more events than this a second. */
const STEPS_PER_SECOND_MAX = 20_000;

/** One seed: faults first, then none, then whether all goes on (TigerBeetle's order). */
export function simulate(
  seed: number,
  { mutant = 'none', faultyMs = 14_000, calmMs = 45_000 }: SimulationOptions = {},
): Simulated {
  const random = randomFrom(seed);
  const stage = stageFor(random, mutant);
  const { world, history, clients } = stage;
  const mood: Mood = { calm: false, atRest: false, names: random.whole(1, 2) };
  const workers = clients.map((client) => new Worker(client, stage, random.fork(), mood));
  plague(stage, random.fork(), faultyMs);
  const watchers = clients.filter(() => random.chance(0.7)).map((client) => new Watcher(client, stage));
  world.runUntil(faultyMs + HEALED_MS);
  mood.calm = true;
  world.runUntil(faultyMs + HEALED_MS + calmMs);
  mood.atRest = true;
  world.runUntil(world.now + RESTED_MS);
  const unseen = watchers.flatMap((watcher) => watcher.problems());
  for (const client of clients) client.finish();
  const stuck = workers.flatMap(({ client, calmGrants }) =>
    calmGrants === 0 ? [`${client.id} was granted nothing in ${calmMs} ms without a fault`] : [],
  );
  return { history, problems: [...broken(stage), ...unseen, ...stuck], steps: world.steps };
}

/** What holds of every history. */
export function broken({ world, history }: Stage): readonly string[] {
  const busy = world.steps > (world.now / 1_000) * STEPS_PER_SECOND_MAX ? [`${world.steps} events`] : [];
  return [...overlaps(history), ...fallenTokens(history), ...history.broken, ...busy];
}

/** A coordinator that runs, and two or three clients that have asked for nothing yet. */
export function stageFor(random: Random, mutant: Mutant): Stage {
  const world = new World();
  const history = new History();
  const network = new Network(world, random.fork());
  const newHost = (): Host => new Host(world, 1 + random.between(-DRIFT, DRIFT), random.between(0, 1e7));
  const coordinator = new Coordinator(newHost(), random.fork());
  const settings = {
    urls: ['ws://coordinator'],
    metadata: undefined,
    connectTimeoutMs: durationMs(random.pick([500, 2_000])),
    maxBackoffMs: durationMs(random.pick([500, 2_000])),
    idleMs: durationMs(random.pick([100, 5_000])),
    pingMs: random.chance(0.5) ? undefined : durationMs(500),
    clockResolutionMs: 0,
  };
  const coalesces = random.chance(0.5);
  const newClient = (id: string): SimulatedClient =>
    new SimulatedClient(id, {
      host: newHost(),
      network,
      coordinator,
      history,
      random: random.fork(),
      settings,
      mutant,
      coalesces,
    });
  const clients = [newClient('a'), newClient('b'), ...(random.chance(0.5) ? [newClient('c')] : [])] as const;
  const stage: Stage = { world, network, coordinator, clients, history };
  watch(stage);
  coordinator.start();
  return stage;
}

/** The coordinator's own events: grants, in their order, and those that somebody waited for. */
function watch({ world, coordinator, history }: Stage): void {
  const waited = new Set<string>();
  coordinator.onEvents = (events) => {
    for (const event of events) {
      if (event.kind === 'queued') waited.add(event.request);
      if (event.kind === 'grant-undone') history.counts.undone += 1;
      if (event.kind !== 'granted' || event.repeat) continue;
      const { name, fencingToken: token } = event.lease;
      history.grants.push({ at: world.now, name, token });
      if (waited.delete(event.request)) history.counts.contested += 1;
    }
  };
  coordinator.onNote = (text) => history.note(world.now, text);
}
