import { readFileSync } from 'node:fs';
import type { Bench } from './bench.ts';
import type { Coordinating } from './coordinating.ts';

interface Processor {
  readonly ranMs: number;
  readonly waitedMs: number;
}

/** How long its main thread has run, and how long it could have run but had no processor. */
export function processorOf({ pid }: Pick<Coordinating, 'pid'>): Processor {
  const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return { ranMs: Number(ran) / 1e6, waitedMs: Number(waited) / 1e6 };
}

/** Told beside what was measured of a coordinator: where it waited much, it is the machine that was measured. */
export function tellProcessor(bench: Bench, coordinator: Coordinating, since: Processor): void {
  const { ranMs, waitedMs } = processorOf(coordinator);
  bench.measure(
    'the coordinator, meanwhile',
    `ran ${(ranMs - since.ranMs).toFixed(0)} ms, waited ${(waitedMs - since.waitedMs).toFixed(0)} ms for a processor`,
    'told only',
    true,
  );
}
