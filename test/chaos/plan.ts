import { seeded } from '../real/support/seeded.ts';
import type { Chance, Fault } from './fault.ts';

/** One or two faults at the same time, then a pause. */
export interface Step {
  readonly faults: readonly { readonly fault: Fault; readonly chance: Chance }[];
  readonly pauseMs: number;
}

const PAUSE_MS = 2_000;
/** Of the steps, how many have a second fault. */
const TWICE = 0.35;
const TWICE_WANTED = 0.7;

/**
 * The faults of a seed, without end. Each kind has its turn, some two, before it starts over in another order; whom a fault hits, for how long and in which way is by chance.
 */
export function* planOf(seed: number, faults: readonly Fault[]): Generator<Step, never> {
  let drawn = seed * 1_000_003;
  const chance = (): number => {
    drawn += 1;
    return seeded(drawn);
  };
  const chances = (): Chance => ({ victim: chance(), strength: chance(), way: chance() });
  const all = faults.flatMap((fault) => Array.from({ length: fault.times ?? 1 }, () => fault));
  let bag: Fault[] = [];
  for (;;) {
    if (bag.length === 0) bag = shuffled(all, chance);
    const [first] = bag.splice(0, 1);
    if (first === undefined) throw new Error('no fault is left to play');
    const at = secondOf(first, bag, chance());
    const both = at < 0 ? [first] : [first, ...bag.splice(at, 1)];
    yield { faults: both.map((fault) => ({ fault, chance: chances() })), pauseMs: chance() * PAUSE_MS };
  }
}

/** Where in the bag the second fault of a step is; -1: it has one only. */
function secondOf({ group, besides }: Fault, bag: readonly Fault[], chance: number): number {
  const wanted = besides === undefined ? -1 : bag.findIndex((fault) => besides.includes(fault.group));
  if (wanted >= 0 && chance < TWICE_WANTED) return wanted;
  return chance < TWICE ? bag.findIndex((fault) => fault.group !== group) : -1;
}

function shuffled<T>(items: readonly T[], chance: () => number): T[] {
  return items
    .map((item) => ({ item, place: chance() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
