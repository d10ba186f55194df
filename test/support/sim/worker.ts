/** A thread that plays seeds: told a range, it answers with what they came to, and asks for the next by that. */
import { parentPort } from 'node:worker_threads';
import { addTo, emptyTally, type Tally } from './tally.ts';
import { runSeed } from './seed.ts';

export interface Range {
  readonly from: number;
  readonly count: number;
  readonly twice: boolean;
  /** Nothing more is played after this many seeds with a problem. */
  readonly stopAfter: number;
}

const port = parentPort;
port?.on('message', ({ from, count, twice, stopAfter }: Range) => {
  const tally: Tally = emptyTally();
  for (let seed = from; seed < from + count && tally.failed.length < stopAfter; seed += 1)
    addTo(tally, runSeed(seed, twice));
  port.postMessage(tally);
});
