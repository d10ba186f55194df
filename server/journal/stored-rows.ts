/**
 * All that is stored, as rows of bare values: that is how it goes from the journal's thread to the coordinator's.
 * With objects each message spells out every key of every row: four times as long, seconds at 100,000 leases.
 */
export interface StoredRows {
  readonly journal: JournalRow;
  readonly leases: readonly LeaseRow[];
  readonly claims: readonly TermsRow[];
  readonly sessions: readonly SessionRow[];
  readonly states: readonly StateRow[];
  readonly closures: readonly ClosureRow[];
}

export type JournalRow = readonly [
  id: string,
  run: number,
  sequence: number,
  mark: number,
  windowMs: number,
  quietMs: number,
];
export type TermsRow = readonly [
  session: string,
  request: string,
  name: string,
  askedTtlMs: number,
  maxLifetimeMs: number,
  minHoldMs: number,
  lockDelayMs: number,
  priority: number,
  renews: number,
];
export type LeaseRow = readonly [
  ...TermsRow,
  fencingToken: number,
  ttlMs: number,
  lifeMs: number,
  grantedAtMs: number,
  silentMs: number,
];
export type SessionRow = readonly [
  session: string,
  secretHash: string,
  instance: string,
  label: string,
  metadataJson: string,
];
export type StateRow = readonly [
  name: string,
  valueJson: string | null,
  version: number,
  fencingToken: number,
  session: string,
  request: string,
  writtenAt: number,
];
export type ClosureRow = readonly [name: string, forMs: number, exempt: string | null];
