import { fromLine } from '../../real/support/log.ts';
import type { RunLog } from '../../real/support/run-log.ts';
import type { Told } from '../page/orders.ts';

/** Puts what one tab's documents tell into the log of the run, each line once and by the clock of all processes. */
export class PageLog {
  readonly #log: RunLog;
  /** What the clock of each document counts from, in nanoseconds of `process.hrtime`. */
  readonly #origins = new Map<string, bigint>();
  readonly #seen = new Set<string>();
  #waiting: Told[] = [];

  constructor(log: RunLog) {
    this.#log = log;
  }

  arrived(text: string): void {
    const told = JSON.parse(text) as Told; // Written by our own page.
    const id = `${told.document} ${told.index}`;
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    const origin = this.#origins.get(told.document);
    if (origin === undefined) this.#waiting.push(told);
    else this.#add(told, origin);
  }

  /** Of the document that has just been loaded: what it told until now can be placed. */
  originIs(origin: bigint): void {
    const placed = this.#waiting;
    this.#waiting = [];
    for (const told of placed) {
      this.#origins.set(told.document, origin);
      this.#add(told, origin);
    }
  }

  #add({ line }: Told, origin: bigint): void {
    const entry = fromLine(line);
    this.#log.add({ ...entry, at: entry.at + origin });
  }
}
