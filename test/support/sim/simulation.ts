import type { TableEvent } from '../../../server/core/table-types.ts';
import type { Json } from '../../../shared/json.ts';
import { durationMs, listeningMs } from '../../../shared/time.ts';
import { SimulatedCandidate, type ElectionMood } from './candidate.ts';
import { beginCells } from './cells/names.ts';
import { callAnything } from './caller.ts';
import { problemsIn, type Problem } from './checkers/all.ts';
import { SimulatedClient } from './client.ts';
import { Coordinator } from './coordinator.ts';
import { Counters } from './counters.ts';
import { NAMES, plague, type Stage } from './faults.ts';
import { History } from './history.ts';
import { Host } from './host.ts';
import { countIn, Worker, writerIn, type Mood } from './mutex.ts';
import { Network } from './network.ts';
import { clientsOf, type Plan } from './plan.ts';
import { randomFrom, type Random } from './random.ts';
import { Watcher } from './watcher.ts';
import { World } from './world.ts';

export interface Simulated {
  readonly history: History;
  readonly problems: readonly Problem[];
  readonly steps: number;
}

/** Clock rates differ by less than 0.1 % (S1). */
const DRIFT = 0.000_49;
/** What lasts longest (a pause, a sleep, a partition) is over by then. */
const HEALED_MS = 10_000;
/** The longest pause before a dial, of a client that was dropped soon after its welcome several times in a row. */
const PAUSE_MS_MAX = 31_000;
/** The longest hold that began while there were faults, and the window behind it where it is renewed no more. */
const LINGERS_MS = 16_000;
/** The longest pause of a candidate after setbacks. */
const PACED_MS = 30_000;
/** Claims are granted or over by then, fixed windows too, and what is told once a second is told. */
const RESTED_MS = 15_000;
/** Each leads for a second or two, one after the other. */
const ELECTIONS_MS = 10_000;
/** A loop that never comes to rest makes more events than this a second. */
const STEPS_PER_SECOND_MAX = 20_000;

/** Faults first, then none, then whether all goes on (TigerBeetle's order). `onMessage` hears what leaves. */
export function play(plan: Plan, onMessage?: (text: string) => void): Simulated {
  beginCells();
  const random = randomFrom(plan.seed);
  const stage = stageFor(plan, random);
  const { network, history } = stage;
  if (onMessage !== undefined) network.onMessage = (client, to, text) => onMessage(`${client} ${to} ${text}`);
  try {
    const stuck =
      plan.workload === 'election' || plan.workload === 'fickle'
        ? elections(plan, stage, random)
        : work(plan, stage, random);
    return { history, problems: problemsOf(stage, stuck), steps: stage.world.steps };
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { history, problems: [{ by: 'crash', text }], steps: stage.world.steps };
  }
}

function problemsOf({ world, history, coordinator }: Stage, stuck: readonly string[]): readonly Problem[] {
  for (const name of NAMES) {
    const version = coordinator.image.states.get(name)?.version ?? 0;
    history.add({ kind: 'state-left', at: world.now, name, version });
  }
  const { core, image } = coordinator;
  const onDisk = [...image.leases.values()].map(({ fencingToken }) => fencingToken);
  const held = NAMES.flatMap((name) => core?.show(listeningMs(0), name).holders ?? []);
  history.add({ kind: 'leases-left', at: world.now, onDisk, held: held.map(({ fencingToken }) => fencingToken) });
  const busy = world.steps > (world.now / 1_000) * STEPS_PER_SECOND_MAX ? [`${world.steps} events`] : [];
  return [
    ...problemsIn(history.events),
    ...history.broken.map((text) => ({ by: 'observer', text }) as const),
    ...[...stuck, ...busy].map((text) => ({ by: 'liveness', text }) as const),
  ];
}

/** Clients that claim, hold, write and let go. Returns what did not go on. */
function work({ names, workload, faults, faultyMs, calmMs }: Plan, stage: Stage, random: Random): readonly string[] {
  const { world, network, history, clients } = stage;
  const mood: Mood = { calm: false, atRest: false, names, workload };
  const counters = new Counters(stage);
  const workers = clients.map((client) => new Worker(client, stage, counters, random.fork(), mood));
  const watchers = clients.filter(() => random.chance(0.3)).map((client) => new Watcher(client, stage));
  if (workload === 'callers') for (const client of clients) callAnything(client, random.fork(), mood);
  plague(stage, faults);
  world.runUntil(faultyMs + HEALED_MS);
  // A sleep may leave its machine a slow network, which outlasts it.
  const isHealing = (): boolean =>
    clients.some(
      ({ id, core: { status } }) => status === 'backing-off' || status === 'connecting' || network.isLate(id),
    );
  while (isHealing() && world.now < faultyMs + HEALED_MS + PAUSE_MS_MAX) world.runUntil(world.now + 1_000);
  mood.calm = true;
  history.add({ kind: 'calm', at: world.now });
  const lateMs = world.now + LINGERS_MS;
  while (workers.some(({ lingers }) => lingers) && world.now < lateMs) world.runUntil(world.now + 1_000);
  world.runUntil(world.now + calmMs);
  history.add({ kind: 'over', at: world.now });
  mood.atRest = true;
  world.runUntil(world.now + RESTED_MS);
  for (const client of clients) client.finish();
  return [
    ...watchers.flatMap((watcher) => watcher.problems()),
    ...workers.flatMap(({ client, calmGrants }) =>
      calmGrants === 0 ? [`${client.id} was granted nothing in ${calmMs} ms without a fault`] : [],
    ),
  ];
}

/** Clients that stand for ever. In the end one leads, and everybody knows which. */
function elections({ workload, faults, faultyMs, calmMs }: Plan, stage: Stage, random: Random): readonly string[] {
  const { world, history, clients } = stage;
  const mood: ElectionMood = { calm: false, atRest: false, hasty: true };
  const candidates = clients.map((client) => new SimulatedCandidate(client, stage, random.fork(), mood));
  if (workload === 'fickle') for (const candidate of candidates) candidate.fidget(random.fork());
  plague(stage, faults);
  world.runUntil(faultyMs);
  mood.hasty = false;
  // A pause after setbacks is over by then as well.
  world.runUntil(faultyMs + HEALED_MS + PACED_MS);
  mood.calm = true;
  history.add({ kind: 'calm', at: world.now });
  world.runUntil(world.now + calmMs + ELECTIONS_MS);
  history.add({ kind: 'over', at: world.now });
  mood.atRest = true;
  world.runUntil(world.now + RESTED_MS);
  const leaders = candidates.filter(({ isLeading }) => isLeading);
  const wrong = candidates.flatMap((candidate) => candidate.problems(candidate === leaders[0]));
  for (const client of clients) client.finish();
  history.note(world.now, `candidates ${JSON.stringify(candidates.map(({ counts }) => counts))}`);
  return [...(leaders.length === 1 ? [] : [`${leaders.length} lead at rest`]), ...wrong];
}

/** A coordinator that runs, and clients that have asked for nothing yet. */
function stageFor(plan: Plan, random: Random): Stage {
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
      coalesces,
    });
  const [first = 'a', ...others] = clientsOf(plan);
  const clients = [newClient(first), ...others.map(newClient)] as const;
  const stage: Stage = { world, network, coordinator, clients, history };
  listen(stage);
  coordinator.start();
  return stage;
}

/** What the coordinator did, and what its disk has. */
function listen({ world, coordinator, history }: Stage): void {
  const waited = new Set<string>();
  /** By token: a disk may be slow between the decision and its being told. */
  const unheard = new Map<number, number>();
  const { counts } = history;
  coordinator.onEvents = (events) => {
    for (const event of events) {
      noteOrder(event, coordinator, history, world.now);
      if (event.kind === 'queued') waited.add(event.request);
      if (event.kind === 'grant-decided')
        unheard.set(event.lease.fencingToken, coordinator.unheardMs(event.lease.terms.session));
      if (event.kind === 'grant-undone') counts.undone += 1;
      if (event.kind === 'claim-ended' && event.code === 'gone') counts.gone += 1;
      if (event.kind === 'ending' && event.code === 'stolen') counts.stolen += 1;
      if (event.kind === 'ended') {
        const { name, fencingToken: token, code } = event;
        history.add({ kind: 'ended', at: world.now, name, token, byTime: code === 'expired' || code === 'ceiling' });
      }
      if (event.kind !== 'granted' || event.repeat) continue;
      const { name, fencingToken: token, deadline, ceilingAt } = event.lease;
      const [unheardMs, fixed] = [unheard.get(token) ?? Infinity, ceilingAt <= deadline];
      history.add({ kind: 'granted', at: world.now, name, token, unheardMs, fixed });
      if (waited.delete(event.request)) counts.contested += 1;
    }
  };
  coordinator.onStored = ({ events }) => {
    const at = world.now;
    for (const event of events) {
      if (event.kind === 'granted') history.add({ kind: 'grant-stored', at, token: event.lease.fencingToken });
      if (event.kind === 'ended') history.add({ kind: 'end-stored', at, token: event.fencingToken });
      if (event.kind !== 'state') continue;
      const { name, fencingToken: token, version, valueJson } = event.state;
      const written = JSON.parse(valueJson ?? 'null') as Json; // What the workers wrote, as JSON.
      history.add({
        kind: 'state-stored',
        at,
        name,
        token,
        version,
        value: valueJson ?? '',
        count: countIn(written),
        by: writerIn(written),
      });
    }
  };
  coordinator.onRenewal = (kind, renewal, token) => history.add({ kind, at: world.now, renewal, token });
  coordinator.onNote = (text) => history.note(world.now, text);
}

/** A waiter is pinged at a sixth of its window, of 1 s at least, and passed over after two of them. */
const PRESENT_MS = 250;

/** Who stands in the queues, and who is chosen from them. */
function noteOrder(event: TableEvent, coordinator: Coordinator, history: History, at: number): void {
  switch (event.kind) {
    case 'queued': {
      const { name, request: claim, session } = event;
      return history.add({ kind: 'queued', at, name, claim, session });
    }
    case 'grant-decided': {
      const { name, request: claim, session } = event.lease.terms;
      return history.add({ kind: 'chosen', at, name, claim, session, present: coordinator.presentFor(PRESENT_MS) });
    }
    case 'grant-undone':
      return history.add({ kind: 'put-back', at, claim: event.request, session: event.session });
    case 'claim-ended':
      return history.add({ kind: 'left-queue', at, claim: event.request, session: event.session });
    default:
      return undefined;
  }
}
