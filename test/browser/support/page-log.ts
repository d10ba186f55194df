import { fromLine } from '../../real/support/log.ts';
import type { RunLog } from '../../real/support/run-log.ts';
import type { Told, ToldLine } from '../page/orders.ts';

/** Puts what one tab's documents tell into the log of the run, each line once and by the clock of all processes. */
export class PageLog {
  /** The stamps of the document that was placed last are wrong by this much at most. */
  withinMs = 0;
  readonly #log: RunLog;
  /** What the clock of each document counts from, in nanoseconds of `process.hrtime`. */
  readonly #origins = new Map<string, bigint>();
  readonly #seen = new Set<string>();
  #waiting: ToldLine[] = [];
  /** Of the document that is loaded now, where the harness tells it: that may be before the document tells anything. */
  #present: bigint | null = null;

  constructor(log: RunLog) {
    this.#log = log;
  }

  arrived(text: string): void {
    const told = JSON.parse(text) as Told; // Written by our own page.
    if ('origin' in told) {
      this.withinMs = told.withinMs;
      this.#place(told.document, BigInt(told.origin));
      return;
    }
    const id = `${told.document} ${told.index}`;
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    this.#waiting.push(told);
    const origin = this.#origins.get(told.document) ?? this.#present;
    if (origin !== null) this.#place(told.document, origin);
  }

  /** What comes from a document that is not known yet is of the next one, whose origin is not known either. */
  loads(): void {
    this.#present = null;
  }

  /** Of the document that has just been loaded. */
  originIs(origin: bigint): void {
    this.#present = origin;
    for (const { document } of this.#waiting) this.#place(document, origin);
  }

  #place(document: string, origin: bigint): void {
    this.#origins.set(document, origin);
    const placed = this.#waiting.filter((told) => told.document === document);
    this.#waiting = this.#waiting.filter((told) => told.document !== document);
    for (const told of placed) this.#add(told, origin);
  }

  #add({ line }: ToldLine, origin: bigint): void {
    const entry = fromLine(line);
    this.#log.add({ ...entry, at: entry.at + origin });
  }
}
