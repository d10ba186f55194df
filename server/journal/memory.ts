import { journalId, type JournalId } from '../../shared/ids.ts';
import {
  applyBatch,
  beginRun,
  contentsOf,
  emptyImage,
  outOfSequence,
  type JournalImage,
} from '../core/journal-fold.ts';
import { JournalError, type Batch, type Journal, type JournalContents } from '../core/journal-port.ts';

/** What plays the disk: outlives the journals opened on it, as a file outlives processes. */
export interface MemoryStore {
  readonly image: JournalImage;
  owned: boolean;
}

export function memoryStore(id: JournalId = journalId(crypto.randomUUID())): MemoryStore {
  return { image: emptyImage(id), owned: false };
}

/** Ways to make the twin's disk slow, full or fatal; each may be a promise that takes its time. */
export interface MemoryFaults {
  /** Throwing (a `JournalError`) fails the append, nothing is stored; a `crash()` here loses the batch. */
  beforeCommit?(batch: Batch): void | Promise<void>;
  /** The batch is stored but not acknowledged; a `crash()` here keeps it, unknown to the coordinator. Never throws. */
  afterCommit?(batch: Batch): void | Promise<void>;
}

export interface MemoryJournalOptions {
  /** Default: a new one. */
  readonly store?: MemoryStore;
  readonly faults?: MemoryFaults;
}

export interface MemoryJournal extends Journal {
  readonly store: MemoryStore;
  /** As SIGKILL: an append in flight never settles and stores nothing any more; the store can be opened again. */
  crash(): void;
}

/** The journal's twin in memory, for `leasehold dev` and the simulator. Durable as long as its store is kept. */
export function memoryJournal(options: MemoryJournalOptions = {}): MemoryJournal {
  const store = options.store ?? memoryStore();
  const faults = options.faults ?? {};
  let phase: 'new' | 'open' | 'closed' | 'crashed' = 'new';
  /** Appends one after another, so that `close` can let the one in flight end. */
  let last: Promise<unknown> = Promise.resolve();

  const never = new Promise<never>(() => {});
  /** What a process that was killed learns: nothing. */
  async function unlessCrashed<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } finally {
      if (phase === 'crashed') await never;
    }
  }

  async function load(): Promise<JournalContents> {
    if (phase !== 'new') throw new JournalError('closed', 'the journal in memory is loaded once');
    if (store.owned)
      throw new JournalError('in-use', 'the journal in memory is in use by another coordinator; close it first');
    store.owned = true;
    phase = 'open';
    beginRun(store.image);
    return contentsOf(store.image);
  }

  async function commit(batch: Batch): Promise<void> {
    await faults.beforeCommit?.(batch);
    // A crash during the delay: the batch must not reach the store, and nobody is left to be told.
    if (phase === 'crashed') return;
    const gap = outOfSequence(store.image.sequence, batch);
    if (gap !== null) throw new RangeError(gap);
    applyBatch(store.image, batch);
    await faults.afterCommit?.(batch);
  }

  return {
    store,
    load,
    append(batch) {
      if (phase === 'crashed') return never;
      if (phase !== 'open') return Promise.reject(new JournalError('closed', 'the journal in memory is not open'));
      const done = last.then(() => commit(batch));
      last = done.catch(() => {});
      return unlessCrashed(done);
    },
    async close() {
      if (phase === 'crashed') return;
      const opened = phase === 'open';
      phase = 'closed';
      await last;
      if (opened) store.owned = false;
    },
    crash() {
      if (phase === 'open') store.owned = false;
      phase = 'crashed';
    },
  };
}
