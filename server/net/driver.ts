import { TICK_MS } from '../../shared/limits.ts';
import { between, later, type ListeningMs, type MonoMs } from '../../shared/time.ts';
import type { CoordinatorCore, Input, Output } from '../core/core-types.ts';
import type { Batch, Journal } from '../core/journal-port.ts';
import type { Loop } from './loop.ts';

/** Where a turn's outputs go; appends go to the journal by the driver itself. */
export type Spoken = Exclude<Output, { readonly kind: 'append' }>;

export interface DriverOptions {
  readonly core: CoordinatorCore;
  readonly journal: Journal;
  readonly loop: Loop;
  /** Reads the listening clock; each reading advances it (R6). */
  readonly read: (now: MonoMs) => ListeningMs;
  readonly speak: (output: Spoken) => void;
  readonly appendFailed: (error: unknown) => void;
  /** The core threw: a defect. Nothing is decided after it. */
  readonly broken: (error: unknown) => void;
}

/** A tick that comes this much late, or more, makes `isListening` false for as long as STALL_SHOWN_MS. */
const STALL_MS = 1_000;
const STALL_SHOWN_MS = 2_000;

/**
 * Turns the core: takes what came in while the sockets of one loop iteration were read, has all of it decided at
 * once, starts the append, then speaks.
 *
 * Two readings of the listening clock go into a turn. `now` is taken after the sockets were read: windows count from
 * it. `expiry` is taken before they were read: what is over by it ends, so that a renewal that lay in a socket during
 * a stall is seen before the deadline it moves (S9, R6). It is the reading of the tick, or else of the turn before,
 * behind which the loop has read its sockets again.
 */
export class Driver {
  readonly #options: DriverOptions;
  #inputs: Input[] = [];
  #expiry: ListeningMs;
  #turnIsDue = false;
  #stopped = false;
  #cancelTick: (() => void) | null = null;
  #stalledAt: MonoMs | null = null;
  #inFlight: Promise<void> = Promise.resolve();
  #lastAppendMs: number | null = null;

  constructor(options: DriverOptions) {
    this.#options = options;
    this.#expiry = options.read(options.loop.mono());
    this.#planTick();
  }

  /** Takes something for the turn of this loop iteration. */
  input(input: Input): void {
    if (this.#stopped) return;
    this.#inputs.push(input);
    this.#askForTurn();
  }

  /** Whether the loop has come round as it must; false for a while after it stood still. */
  get isListening(): boolean {
    return this.#stalledAt === null || between(this.#stalledAt, this.#options.loop.mono()) >= STALL_SHOWN_MS;
  }

  /** The listening clock's last reading, without advancing it. */
  get lastReading(): ListeningMs {
    return this.#expiry;
  }

  /** How long the last batch took to become durable: what a grant waits for. Null before the first. */
  get lastAppendMs(): number | null {
    return this.#lastAppendMs;
  }

  /** Resolves when the append in flight, if any, has ended. */
  settled(): Promise<void> {
    return this.#inFlight;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTick?.();
    this.#cancelTick = null;
  }

  #askForTurn(): void {
    if (this.#turnIsDue) return;
    this.#turnIsDue = true;
    this.#options.loop.soon(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#turnIsDue = false;
    if (this.#stopped) return;
    const { core, loop, read } = this.#options;
    const now = read(loop.mono());
    const inputs = this.#inputs;
    this.#inputs = [];
    let outputs: readonly Output[];
    try {
      outputs = core.turn({ expiry: this.#expiry, now, wall: loop.wall(), inputs });
    } catch (error) {
      this.stop();
      this.#options.broken(error);
      return;
    }
    this.#expiry = now;
    for (const output of outputs) {
      if (output.kind === 'append') this.#append(output.batch);
      else this.#options.speak(output);
    }
    this.#planTick();
  }

  #append(batch: Batch): void {
    const { journal, loop } = this.#options;
    const began = loop.mono();
    this.#inFlight = journal.append(batch).then(
      () => this.#stored(batch, between(began, loop.mono())),
      (error: unknown) => {
        this.#options.appendFailed(error);
        this.input({ kind: 'appended', sequence: batch.sequence, ok: false });
      },
    );
  }

  #stored({ sequence }: Batch, tookMs: number): void {
    this.#lastAppendMs = tookMs;
    this.input({ kind: 'appended', sequence, ok: true });
  }

  /** While anything is held, waits or is due, the clock is read at least once each 75 ms, or it would lose time. */
  #planTick(): void {
    const { core, loop } = this.#options;
    this.#cancelTick?.();
    this.#cancelTick = null;
    const wake = core.nextWake();
    if (this.#stopped || (wake === null && !core.mustListen)) return;
    const ms = wake === null ? TICK_MS : Math.min(TICK_MS, Math.max(1, between(this.#expiry, wake)));
    const due = later(loop.mono(), ms);
    this.#cancelTick = loop.after(ms, () => this.#tick(due));
  }

  #tick(due: MonoMs): void {
    const { core, loop, read } = this.#options;
    this.#cancelTick = null;
    const mono = loop.mono();
    if (between(due, mono) >= STALL_MS) this.#stalledAt = mono;
    this.#expiry = read(mono);
    const wake = core.nextWake();
    if (wake !== null && wake <= this.#expiry) this.#askForTurn();
    else this.#planTick();
  }
}
