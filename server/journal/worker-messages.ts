import type { Batch, JournalErrorCode } from '../core/journal-port.ts';
import type { StoredRows } from './stored-rows.ts';

/** What the coordinator's thread asks of the journal's, by kind: what goes along, and what comes back. */
export interface Calls {
  /** Opens the file and begins a run. */
  readonly load: { readonly with: null; readonly back: StoredRows };
  /** Opens the file again after a thread was lost, within the same run, for the owner at that address; the last batch stored. */
  readonly resume: { readonly with: string | null; readonly back: number };
  /** How long the transaction took, its sync included, in ms. */
  readonly append: { readonly with: Batch; readonly back: number };
  /** Names the coordinator's address in the owner hint. */
  readonly url: { readonly with: string; readonly back: null };
  readonly close: { readonly with: null; readonly back: null };
}

export type CallKind = keyof Calls;

export type Call = {
  readonly [K in CallKind]: { readonly id: number; readonly kind: K; readonly with: Calls[K]['with'] };
}[CallKind];

export type FromWorker =
  | { readonly kind: 'done'; readonly id: number; readonly back: Calls[CallKind]['back'] }
  /** `code` null: not a failure of the journal but of its caller. */
  | { readonly kind: 'failed'; readonly id: number; readonly code: JournalErrorCode | null; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string };

export interface WorkerData {
  readonly path: string;
}
