import type { Random } from './random.ts';
import { randomFrom } from './random.ts';

/** Everything that a seed decides ahead of time, as data: a failing seed is made smaller by taking some of it out. */
export interface Plan {
  readonly seed: number;
  readonly workload: Workload;
  readonly clients: number;
  readonly names: 1 | 2;
  readonly faultyMs: number;
  readonly calmMs: number;
  readonly faults: readonly Fault[];
}

/** One harm. What lasts ends by itself after `ms`; `size` is what else there is to say of it. */
export interface Fault {
  readonly at: number;
  readonly kind: FaultKind;
  /** A client, `all` of them, or the coordinator. */
  readonly who: string;
  readonly ms: number;
  readonly size: number;
}

export const WORKLOADS = [
  'mutex',
  'election',
  'counter',
  'mass-expiry',
  'restarts',
  'rolling',
  'steal',
  'hand-over',
  'disk',
  'restore',
  'lag',
  'crowd',
  'naps',
  'outages',
] as const;
/** Programs that call whatever they like, whenever they like; some seeds are theirs, so that the others stay as they are. */
const ODD_EVERY = 20;
const ODD = new Map<number, 'callers' | 'fickle'>([
  [19, 'callers'],
  [13, 'fickle'],
]);
export type Workload = (typeof WORKLOADS)[number] | 'callers' | 'fickle';

const KINDS = [
  'reset',
  'partition',
  'swallow',
  'lose-close',
  'slow',
  'slow-up',
  'slow-down',
  'pause',
  'stutter',
  'sleep',
  'step',
  'restart',
  'farewell',
  'copy',
  'put-away',
  'kill',
  'revoke',
  'revoke-now',
  'disk-slow',
  'disk-full',
  'backup',
  'restore',
  'disk-lost',
  'limit',
  'drain',
  'deny',
  'reload',
] as const;
export type FaultKind = (typeof KINDS)[number];

export const COORDINATOR = 'coordinator';
export const clientsOf = ({ clients }: Pick<Plan, 'clients'>): readonly string[] =>
  ['a', 'b', 'c', 'd'].slice(0, clients);

type Weights = Partial<Record<FaultKind, number>>;

const COMMON: Weights = {
  reset: 3,
  partition: 3,
  swallow: 3,
  'lose-close': 2,
  slow: 3,
  pause: 5,
  sleep: 3,
  step: 4,
  restart: 3,
  copy: 1,
  'put-away': 2,
  kill: 5,
  revoke: 2,
  'disk-slow': 3,
  'disk-full': 3,
  limit: 2,
};

/** What a workload has more of. */
const MORE: Record<Workload, Weights> = {
  mutex: { limit: 10, partition: 6, slow: 4, sleep: 3 },
  election: {},
  counter: { slow: 12, pause: 12, partition: 6 },
  'mass-expiry': { partition: 8, pause: 16, slow: 12, sleep: 10, restart: 4 },
  restarts: { kill: 30, 'disk-slow': 12, partition: 8, slow: 4 },
  rolling: { farewell: 20, copy: 6, reload: 20 },
  steal: { revoke: 20, 'revoke-now': 3, slow: 6, pause: 10 },
  'hand-over': { slow: 6, sleep: 6 },
  disk: { 'disk-slow': 20, 'disk-full': 16, kill: 12, limit: 12 },
  restore: { kill: 4, backup: 8, restore: 6, 'disk-lost': 4 },
  lag: { stutter: 10, 'slow-up': 10 },
  crowd: { stutter: 10, 'disk-slow': 10 },
  naps: { 'slow-down': 10 },
  outages: { partition: 4 },
  callers: { drain: 6, deny: 4, farewell: 3, kill: 6, 'revoke-now': 3 },
  fickle: { drain: 4, deny: 8 },
};

/** Faults that do harm in one order only, and how often a workload has such a row of them instead of a single one. */
type Row = (random: Random, at: number, who: string) => readonly Fault[];
const ROWS: Partial<
  Record<Workload, { readonly often: number; readonly all: number; readonly rows: readonly [Row, ...Row[]] }>
> = {
  lag: { often: 0.8, all: 0.2, rows: [lag] },
  crowd: { often: 0.8, all: 1, rows: [crowd] },
  naps: { often: 0.6, all: 0.5, rows: [nap, nap, setBack] },
  outages: { often: 0.8, all: 0.9, rows: [deafTwice, deafTwice, deafAndWider] },
};

/** How far a wall clock is set, forward and back. */
const STEPS_MS = [-60_000, -900, -25, 30, 700, 4_000, 3_600_000] as const;
const COORDINATOR_STEPS_MS = [-86_400_000, -5_000, 5_000, 3_600_000] as const;

export function planFor(seed: number): Plan {
  const random = randomFrom(seed).fork();
  const workload = ODD.get(seed % ODD_EVERY) ?? WORKLOADS[seed % WORKLOADS.length] ?? 'mutex';
  const clients = random.pick([2, 2, 3, 3, 4]);
  const faultyMs = random.pick([6_000, 10_000, 14_000]);
  const names = random.pick<1 | 2>([1, 2]);
  return {
    seed,
    workload,
    clients,
    names,
    faultyMs,
    calmMs: 20_000,
    faults: faultsFor(random, workload, clients, faultyMs),
  };
}

function faultsFor(random: Random, workload: Workload, clients: number, until: number): readonly Fault[] {
  const meanMs = random.pick([300, 800, 2_000]);
  const kinds = KINDS.flatMap((kind) =>
    Array.from({ length: (COMMON[kind] ?? 0) + (MORE[workload][kind] ?? 0) }, () => kind),
  );
  const whos = [...clientsOf({ clients })] as [string, ...string[]]; // There are two at least.
  const faults: Fault[] = [];
  const inRows = ROWS[workload];
  for (let at = random.between(0, 2 * meanMs); at < until; at += random.between(0, 2 * meanMs)) {
    if (inRows !== undefined && random.chance(inRows.often)) {
      const row = random.pick(inRows.rows)(
        random,
        Math.round(at),
        random.chance(inRows.all) ? 'all' : random.pick(whos),
      );
      faults.push(...row.filter((fault) => fault.at < until));
      at = Math.max(...row.map((fault) => fault.at));
      continue;
    }
    const kind = kinds[random.whole(0, kinds.length - 1)] ?? 'pause';
    const who = whoFor(random, kind, workload, whos);
    faults.push({ at: Math.round(at), kind, who, ...sizeFor(random, kind, who, workload) });
  }
  return faults;
}

/** A host falls asleep while what it sent, or what answers it, lies on a slow way. */
function nap(random: Random, at: number, who: string): readonly Fault[] {
  const ms = random.pick([random.whole(300, 1_000), random.whole(1_000, 6_000)]);
  const size = random.pick([100, 400, 1_000]);
  return [
    { at, kind: 'slow', who, ms: ms + 4 * size, size },
    { at: at + random.whole(size, 3 * size), kind: 'sleep', who, ms, size: 0 },
  ];
}

/** A wall clock is set back, and before anything can be renewed its host is cut off. */
function setBack(random: Random, at: number, who: string): readonly Fault[] {
  return [
    { at, kind: 'partition', who, ms: random.whole(2_000, 6_000), size: 0 },
    { at: at + random.whole(0, 200), kind: 'step', who, ms: 0, size: random.pick([-60_000, -5_000, -900]) },
  ];
}

/** What clients say comes late, to a coordinator that stutters without losing time: it finds much of it at the last moment. */
function lag(random: Random, at: number, who: string): readonly Fault[] {
  const ms = random.whole(2_000, 6_000);
  return [
    { at, kind: 'slow-up', who, ms, size: random.pick([1_000, 1_500]) },
    { at, kind: 'stutter', who: COORDINATOR, ms, size: random.pick([100, 140]) },
  ];
}

/** The coordinator stutters, and its disk takes as long: what was stored and what came meanwhile is one turn. */
function crowd(random: Random, at: number): readonly Fault[] {
  const ms = random.whole(2_000, 6_000);
  return [
    { at, kind: 'disk-slow', who: COORDINATOR, ms, size: random.pick([50, 150]) },
    { at, kind: 'stutter', who: COORDINATOR, ms, size: random.pick([200, 400]) },
  ];
}

/** The coordinator dies and clients are cut off; and just when they are back the same again, with the disk behind. */
function deafTwice(random: Random, at: number, who: string): readonly Fault[] {
  const cutMs = random.whole(400, 3_000);
  const again = at + cutMs + random.pick([random.whole(20, 500), random.whole(500, 2_500)]);
  return [
    { at, kind: random.pick(['partition', 'pause']), who, ms: cutMs, size: 0 },
    { at, kind: 'kill', who, ms: random.pick([50, 200, 800]), size: random.whole(0, 1) },
    diskBehind(random, at + cutMs),
    ...deaf(random, again, who),
  ];
}

/** A lowered limit is lifted, and before the disk has caught up with it the coordinator dies. */
function deafAndWider(random: Random, at: number, who: string): readonly Fault[] {
  const ms = random.whole(1_000, 4_000);
  return [
    { at, kind: 'limit', who, ms, size: 1_000 },
    diskBehind(random, at + ms),
    ...deaf(random, at + ms + random.whole(100, 2_000), who),
  ];
}

const diskBehind = (random: Random, at: number): Fault => ({
  at: at - random.whole(0, 300),
  kind: random.pick(['disk-slow', 'disk-full']),
  who: COORDINATOR,
  ms: 3_000,
  size: 2_000,
});

/** The coordinator is gone for an instant, and clients hear nothing of it for long. */
const deaf = (random: Random, at: number, who: string): readonly Fault[] => [
  { at, kind: 'partition', who, ms: random.whole(3_000, 7_000), size: 0 },
  { at, kind: 'kill', who, ms: random.pick([50, 200]), size: 1 },
];

function whoFor(random: Random, kind: FaultKind, workload: Workload, whos: readonly [string, ...string[]]): string {
  if ((kind === 'pause' || kind === 'step') && random.chance(0.45)) return COORDINATOR;
  if (kind === 'stutter' && random.chance(0.8)) return COORDINATOR;
  if (kind === 'sleep' && random.chance(0.15)) return COORDINATOR;
  if (workload === 'mass-expiry' && random.chance(0.5)) return 'all';
  return random.pick(whos);
}

function sizeFor(random: Random, kind: FaultKind, who: string, workload: Workload): Pick<Fault, 'ms' | 'size'> {
  const whole = (from: number, to: number): number => random.whole(from, to);
  switch (kind) {
    case 'partition':
      return { ms: whole(200, 6_000), size: 0 };
    case 'slow':
    case 'slow-up':
    case 'slow-down':
      return { ms: whole(1_000, 6_000), size: random.pick([100, 400, 1_000, 2_500]) };
    case 'pause':
      return { ms: random.pick([60, 300, 1_200, 4_000]), size: 0 };
    case 'stutter':
      return { ms: whole(500, 5_000), size: random.pick([60, 200, 500]) };
    case 'sleep':
      // With `size` its network is slow at the same time, so that what it is told of before lies on the way.
      return { ms: whole(300, 9_000), size: random.pick([0, 0, 1_000, 2_500]) };
    case 'step': {
      if (who !== COORDINATOR) return { ms: 0, size: random.pick(STEPS_MS) };
      // After a restore nothing but the wall clock keeps tokens rising: back at once with both they may fall (S2).
      return { ms: 0, size: workload === 'restore' ? 5_000 : random.pick(COORDINATOR_STEPS_MS) };
    }
    case 'farewell':
    case 'put-away':
      return { ms: random.pick([0, 100, 1_500, 4_000]), size: 0 };
    case 'reload':
      return {
        ms: random.pick([20, 100, 500, 1_500, 4_000]),
        size: random.pick([0, 0, 0, 0, 1, 1, 2, 3, 4, 4, 5, 5, 6, 7]),
      };
    case 'kill':
    case 'restore':
    case 'disk-lost':
      return { ms: random.pick([50, 200, whole(50, 4_000)]), size: random.chance(0.3) ? 1 : 0 };
    case 'disk-slow':
      return { ms: whole(500, 5_000), size: random.pick([50, 500, 2_000]) };
    case 'drain':
      return { ms: random.pick([50, 500, 1_500]), size: 0 };
    case 'deny':
      return { ms: random.pick([500, 3_000]), size: 0 };
    case 'disk-full':
      return { ms: whole(200, 3_000), size: 0 };
    case 'limit':
      return { ms: whole(500, 6_000), size: random.pick([1_000, 1_500, 2_500]) };
    default:
      return { ms: 0, size: whole(0, 1) };
  }
}
