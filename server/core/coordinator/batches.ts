import type { FencingToken, SessionId } from '../../../shared/ids.ts';
import { durationMs, later, type ListeningMs } from '../../../shared/time.ts';
import type { Batch, DurableEvent } from '../journal-port.ts';
import type { LeaseTable } from '../table-types.ts';

/**
 * What becomes durable, batch by batch: one append in flight (R14). Of a batch that failed the table undoes its grants;
 * all else in it goes with what follows. After a failure the next tries, probes if need be, keep a pause between them.
 */
export interface Batches {
  /** An event of the coordinator itself, written before those of the table in the same batch. */
  writeFirst(event: DurableEvent): void;
  /** The same, written behind them. */
  writeLast(event: DurableEvent): void;
  /** An answer that leaves once all that was decided so far is durable (R1). */
  answerThen(answer: Answer): void;
  /** A session is another instance's, which hears of it once all that was decided so far is durable (R15). */
  tellThen(session: SessionId): void;
  /** Whether a batch could be taken at `now`. */
  ready(now: ListeningMs): boolean;
  /** The next batch, if there is anything to write or to probe for. */
  take(table: LeaseTable, now: ListeningMs, extra: readonly DurableEvent[]): Batch | null;
  /** Null when it is not the append in flight that ended. */
  ended(sequence: number, ok: boolean, now: ListeningMs): AppendEnd | null;
  /** When the pause after a failure is over; null without one. */
  readonly retryAt: ListeningMs | null;
  readonly writable: boolean;
  readonly inFlight: boolean;
  /** Batches that became durable in this run. */
  readonly appends: number;
}

export interface Answer {
  readonly reference: number;
  readonly ended: readonly FencingToken[];
}

export type AppendEnd =
  /** `healed`: the first success after a failure. */
  | {
      readonly kind: 'durable';
      readonly healed: boolean;
      readonly answers: readonly Answer[];
      readonly told: readonly SessionId[];
    }
  /** `again`: not the first failure in a row. */
  | { readonly kind: 'failed'; readonly again: boolean };

export const RETRY_PAUSE_MS = durationMs(250);

interface Load {
  readonly first: DurableEvent[];
  readonly last: DurableEvent[];
  readonly answers: Answer[];
  readonly told: SessionId[];
}

const emptyLoad = (): Load => ({ first: [], last: [], answers: [], told: [] });
const joined = (a: Load, b: Load): Load => ({
  first: [...a.first, ...b.first],
  last: [...a.last, ...b.last],
  answers: [...a.answers, ...b.answers],
  told: [...a.told, ...b.told],
});

export function batches(lastSequence: number): Batches {
  let done = lastSequence;
  let appends = 0;
  let load = emptyLoad();
  let flying: Load | null = null;
  let failedAt: ListeningMs | null = null;
  const retryAt = (): ListeningMs | null =>
    failedAt === null || flying !== null ? null : later(failedAt, RETRY_PAUSE_MS);
  return {
    writeFirst: (event) => void load.first.push(event),
    writeLast: (event) => void load.last.push(event),
    answerThen: (answer) => void load.answers.push(answer),
    tellThen: (session) => void load.told.push(session),
    ready(now) {
      const pause = retryAt();
      return flying === null && (pause === null || now >= pause);
    },
    take(table, now, extra) {
      const hasOwn = load.first.length + extra.length + load.last.length > 0;
      // While nothing could be written an empty batch asks whether that is over.
      if (!hasOwn && !table.hasDurable && failedAt === null) return null;
      const events = [...load.first, ...table.takeDurable(done + 1, now), ...extra, ...load.last];
      flying = load;
      load = emptyLoad();
      return { sequence: done + 1, events };
    },
    ended(sequence, ok, now) {
      if (flying === null || sequence !== done + 1) return null;
      const flown = flying;
      flying = null;
      const failedBefore = failedAt !== null;
      failedAt = ok ? null : now;
      if (!ok) {
        load = joined(flown, load);
        return { kind: 'failed', again: failedBefore };
      }
      done = sequence;
      appends += 1;
      return { kind: 'durable', healed: failedBefore, answers: flown.answers, told: flown.told };
    },
    get retryAt() {
      return retryAt();
    },
    get writable() {
      return failedAt === null;
    },
    get inFlight() {
      return flying !== null;
    },
    get appends() {
      return appends;
    },
  };
}
