import { addMs, msBetween, now, type Entry } from '../real/support/log.ts';
import { beliefsNeverOverlap, tokensRise } from '../real/support/oracles.ts';
import type { Floor } from './floor.ts';
import type { FaultSpan } from './run.ts';

/** A run is judged at its end. On the way only what came lately is looked at, so that nothing is held up by it. */
const LATELY = 4_000;
/** Lines of the log that are younger may overtake each other. */
const SETTLED_MS = 3_000;

/** Tells how a run goes: one line each time. */
export class SoFar {
  readonly #floor: Floor;
  readonly #spans: readonly FaultSpan[];
  readonly #from = now();
  readonly #wrong = new Set<string>();
  #read = 0;
  #grants = 0;
  #losses = 0;

  constructor(floor: Floor, spans: readonly FaultSpan[]) {
    this.#floor = floor;
    this.#spans = spans;
  }

  line(): string {
    const { entries } = this.#floor.bench.log;
    for (; this.#read < entries.length; this.#read += 1) {
      const event = entries[this.#read]?.event;
      if (event === 'held') this.#grants += 1;
      if (event === 'lost') this.#losses += 1;
    }
    for (const wrong of judgedLately(entries)) this.#wrong.add(wrong);
    const seconds = Math.round(msBetween(this.#from, now()) / 1_000);
    const { starts, found } = this.#floor.supervisor;
    return [
      `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`,
      `${this.#grants} grants`,
      `${this.#losses} losses`,
      `${starts - 1} restarts`,
      `${this.#spans.length} faults`,
      `${this.#wrong.size + found.length} violations so far`,
    ].join(', ');
  }
}

function judgedLately(entries: readonly Entry[]): readonly string[] {
  const until = addMs(now(), -SETTLED_MS);
  const lately = entries.slice(-LATELY).filter(({ at }) => at < until);
  return [...tokensRise(lately), ...beliefsNeverOverlap(lately)];
}
