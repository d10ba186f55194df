/** A thread that plays: told a range, it answers with what its seeds came to, and so asks for the next. */
import { parentPort } from 'node:worker_threads';
import { takeVisited } from './cells/visited.ts';
import { planFor } from './plan.ts';
import { runSeed } from './seed.ts';
import { shrink, type Shrunk } from './shrink.ts';
import { addTo, emptyTally, type Tally } from './tally.ts';
import { tellingOf } from './telling.ts';

export interface Range {
  readonly kind: 'play';
  readonly from: number;
  readonly count: number;
  readonly twice: boolean;
  /** Nothing more is played after this many seeds with a problem. */
  readonly stopAfter: number;
}

/** One seed, made small, or told in words. */
export interface Single {
  readonly kind: 'shrink' | 'tell';
  readonly seed: number;
}

export type Answer =
  | { readonly kind: 'play'; readonly from: number; readonly tally: Tally }
  | { readonly kind: 'shrink'; readonly shrunk: Shrunk }
  | { readonly kind: 'tell'; readonly lines: readonly string[] };

function answer(asked: Range | Single): Answer {
  switch (asked.kind) {
    case 'shrink':
      return { kind: 'shrink', shrunk: shrink(planFor(asked.seed)) };
    case 'tell':
      return { kind: 'tell', lines: tellingOf(planFor(asked.seed)) };
    case 'play':
      return { kind: 'play', from: asked.from, tally: tallyOf(asked) };
    default:
      return asked satisfies never;
  }
}

function tallyOf({ from, count, twice, stopAfter }: Range): Tally {
  const tally = emptyTally();
  for (let seed = from; seed < from + count && tally.failed.length < stopAfter; seed += 1)
    addTo(tally, runSeed(seed, twice));
  for (const cell of takeVisited()) tally.cells.add(cell);
  return tally;
}

const port = parentPort;
port?.on('message', (asked: Range | Single) => port.postMessage(answer(asked)));
