import { makeCoordinatorCore } from '../../server/core/coordinator-core.ts';
import {
  socketId,
  type CoordinatorCore,
  type Ids,
  type Input,
  type Output,
  type SocketId,
} from '../../server/core/core-types.ts';
import {
  applyBatch,
  beginRun,
  contentsOf,
  emptyImage,
  outOfSequence,
  type JournalImage,
} from '../../server/core/journal-fold.ts';
import type { Batch, DurableEvent } from '../../server/core/journal-port.ts';
import { LIMITS_DEFAULT, type Limits } from '../../server/core/limits.ts';
import type { TableEvent } from '../../server/core/table-types.ts';
import { journalId, secret, sessionId } from '../../shared/ids.ts';
import { durationMs, listeningMs, wallMs, type WallMs } from '../../shared/time.ts';
import { hashOf, RawClient } from './raw-client.ts';

/** The wall clock at reading 0 of the first run's listening clock: a credible one, so that tokens have their floor. */
export const WALL_START = wallMs(Date.UTC(2027, 0, 1));

export interface CoreDriverOptions {
  readonly limits?: Partial<Limits>;
  readonly quietMs?: number;
  /** What an earlier run left behind. */
  readonly image?: JournalImage;
  readonly wall?: WallMs;
}

/**
 * A coordinator core with a clock, a disk and clients that a test moves by hand. What a client sends waits for
 * `turn()`; `settle()` turns until the disk is done. Time passes in `pass()` alone, which turns whenever the core
 * wants to be woken.
 */
export class CoreDriver {
  readonly image: JournalImage;
  readonly core: CoordinatorCore;
  readonly limits: Limits;
  now = 0;
  /** `ok`: an append ends in the next turn; `slow`: when `finishAppend` says so; `full`: it fails in the next turn. */
  disk: 'ok' | 'slow' | 'full' = 'ok';
  /** All appends that were asked for, failed ones too. */
  readonly appends: Batch[] = [];
  readonly happened: TableEvent[] = [];
  readonly notes: Extract<Output, { kind: 'note' }>[] = [];
  readonly answers: Extract<Output, { kind: 'answer' }>[] = [];
  /** The outputs of the last turn, in order. */
  last: readonly Output[] = [];
  inFlight: Batch | null = null;
  #inputs: Input[] = [];
  readonly #clients = new Map<SocketId, RawClient>();
  /** Also those who have no socket in this run. */
  readonly #everyone = new Set<RawClient>();
  readonly #wall: WallMs;

  constructor(options: CoreDriverOptions = {}) {
    this.image = options.image ?? emptyImage(journalId('journal-1'));
    this.#wall = options.wall ?? WALL_START;
    this.limits = { ...LIMITS_DEFAULT, ...options.limits };
    beginRun(this.image);
    this.core = makeCoordinatorCore({
      contents: contentsOf(this.image),
      limits: this.limits,
      ids: countedIds(this.image.run),
      quietMs: durationMs(options.quietMs ?? 0),
      wall: this.#wall,
    });
  }

  /** The coordinator is killed, and started again on what is durable. What is in flight is lost, or stored unheard. */
  restart(options: Omit<CoreDriverOptions, 'image'> & { readonly stored?: boolean } = {}): CoreDriver {
    if (this.inFlight !== null && options.stored === true) applyBatch(this.image, this.inFlight);
    const next = new CoreDriver({ limits: this.limits, wall: this.wall(), ...options, image: this.image });
    for (const client of this.#everyone) {
      client.movedTo(next);
      next.#everyone.add(client);
    }
    return next;
  }

  /** The wall clock as it stands, `backMs` set back. */
  wall(backMs = 0): WallMs {
    return wallMs(this.#wall + this.now - backMs);
  }

  client(label = 'client'): RawClient {
    const client = new RawClient(this, label);
    this.#everyone.add(client);
    return client;
  }

  /** For `RawClient`: a new socket, the messages of which go to it. */
  open(client: RawClient): SocketId {
    const socket = socketId(this.image.run * 1_000 + this.#clients.size);
    this.#clients.set(socket, client);
    return socket;
  }

  input(...inputs: readonly Input[]): this {
    this.#inputs.push(...inputs);
    return this;
  }

  /** One turn with all that waits. `expiryAgoMs`: how long before `now` the sockets were read. */
  turn(expiryAgoMs = 0): readonly Output[] {
    const inputs = this.#inputs;
    this.#inputs = [];
    const now = listeningMs(this.now);
    this.last = this.core.turn({
      expiry: listeningMs(this.now - expiryAgoMs),
      now,
      wall: this.wall(),
      inputs,
    });
    for (const output of this.last) this.#carryOut(output);
    return this.last;
  }

  /** Turns until nothing is left to do now. */
  settle(): this {
    do this.turn();
    while (this.#inputs.length > 0);
    return this;
  }

  /** Lets time pass, with a turn whenever the core wants one, and one at the end. */
  pass(ms: number): this {
    const end = this.now + ms;
    while (this.now < end) {
      const wake = this.core.nextWake() ?? end;
      this.now = Math.min(end, Math.max(wake, this.now + 1));
      this.settle();
    }
    return this;
  }

  /** The append in flight ends, which the next turn hears. */
  finishAppend(ok = true): this {
    const batch = this.inFlight;
    if (batch === null) throw new Error('no append is in flight');
    this.inFlight = null;
    if (ok) applyBatch(this.image, batch);
    return this.input({ kind: 'appended', sequence: batch.sequence, ok });
  }

  /** Durable events of all appends so far, of one kind. */
  written<K extends DurableEvent['kind']>(kind: K): readonly Extract<DurableEvent, { kind: K }>[] {
    return this.appends
      .flatMap((batch) => batch.events)
      .filter((event): event is Extract<DurableEvent, { kind: K }> => event.kind === kind);
  }

  #carryOut(output: Output): void {
    switch (output.kind) {
      case 'send':
        this.#clients.get(output.socket)?.hear(output.socket, output.messages);
        return;
      case 'close':
        this.#clients.get(output.socket)?.closedBy(output.socket, output.code);
        this.input({ kind: 'socket-closed', socket: output.socket });
        return;
      case 'append':
        this.#append(output.batch);
        return;
      case 'answer':
        this.answers.push(output);
        return;
      case 'happened':
        for (const event of output.events) this.happened.push(event);
        return;
      case 'note':
        this.notes.push(output);
        return;
      default:
        output satisfies never;
    }
  }

  #append(batch: Batch): void {
    if (this.inFlight !== null)
      throw new Error(`batch ${batch.sequence} was asked for while ${this.inFlight.sequence} is in flight`);
    const gap = outOfSequence(this.image.sequence, batch);
    if (gap !== null) throw new Error(gap);
    this.appends.push(batch);
    this.inFlight = batch;
    if (this.disk !== 'slow') this.finishAppend(this.disk === 'ok');
  }
}

/** Ids that are counted, so that two equal runs are equal to the byte. */
function countedIds(run: number): Ids {
  let count = 0;
  return {
    session: () => sessionId(`session-${run}-${count}`),
    secret: () => {
      count += 1;
      const made = `secret-${run}-${count}`;
      return { secret: secret(made), hash: hashOf(made) };
    },
  };
}
