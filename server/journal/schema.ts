import type { Database } from 'better-sqlite3';

/** "Leas": tells a Leasehold journal from any other SQLite file. */
export const APPLICATION_ID = 0x4c656173;

/**
 * Numbered migrations: `user_version` counts those that a file has been through. Never change one that was released.
 * The file check (file-check.ts) reads `journal.id`, `sequence`, `log_base` and `with_log` of *every* version before
 * a migration could run: those four columns stay.
 */
export const migrations: readonly string[] = [
  `
  -- One row. The mark stands beside the id and apart from the leases, so that it never falls when leases go (S2),
  -- and so that a log which is not this journal's brings another id along.
  CREATE TABLE journal (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    mark INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    run INTEGER NOT NULL,
    largest_window_ms REAL NOT NULL,
    quiet_ms REAL NOT NULL,
    listening_ms REAL NOT NULL,
    -- The log's own two columns: see log.ts.
    with_log INTEGER NOT NULL,
    log_base INTEGER NOT NULL,
    overwritten INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE lease (
    fencing_token INTEGER NOT NULL,
    name TEXT NOT NULL,
    session TEXT NOT NULL,
    request TEXT NOT NULL,
    asked_ttl_ms REAL NOT NULL,
    max_lifetime_ms REAL NOT NULL,
    min_hold_ms REAL NOT NULL,
    lock_delay_ms REAL NOT NULL,
    priority INTEGER NOT NULL,
    renews INTEGER NOT NULL,
    ttl_ms REAL NOT NULL,
    life_ms REAL NOT NULL,
    granted_at_ms REAL NOT NULL,
    silent_ms REAL NOT NULL,
    PRIMARY KEY (fencing_token, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE claim (
    place INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    request TEXT NOT NULL,
    name TEXT NOT NULL,
    asked_ttl_ms REAL NOT NULL,
    max_lifetime_ms REAL NOT NULL,
    min_hold_ms REAL NOT NULL,
    lock_delay_ms REAL NOT NULL,
    priority INTEGER NOT NULL,
    renews INTEGER NOT NULL,
    UNIQUE (session, request)
  ) STRICT;
  CREATE TABLE session (
    place INTEGER PRIMARY KEY,
    session TEXT NOT NULL UNIQUE,
    secret_hash TEXT NOT NULL,
    instance TEXT NOT NULL,
    label TEXT NOT NULL,
    metadata_json TEXT NOT NULL
  ) STRICT;
  CREATE TABLE state (
    place INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    value_json TEXT,
    version INTEGER NOT NULL,
    fencing_token INTEGER NOT NULL,
    session TEXT NOT NULL,
    request TEXT NOT NULL,
    written_at REAL NOT NULL
  ) STRICT;
  CREATE TABLE closure (
    place INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    for_ms REAL NOT NULL,
    exempt TEXT
  ) STRICT;
  `,
];

/** Brings a file up to date; each step is all or nothing. The caller has made sure that it is not a newer one. */
export function migrate(db: Database, steps: readonly string[] = migrations): void {
  const from = versionOf(db);
  for (const [index, step] of steps.entries()) {
    if (index < from) continue;
    db.transaction(() => {
      db.exec(step);
      db.pragma(`user_version = ${index + 1}`);
    })();
  }
}

export function insertJournalRow(db: Database, id: string): void {
  db.prepare(
    `INSERT INTO journal (one, id, mark, sequence, run, largest_window_ms, quiet_ms, listening_ms, with_log, log_base, overwritten)
     VALUES (1, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
  ).run(id);
}

export const versionOf = (db: Database): number => numberOf(db.pragma('user_version', { simple: true }));
export const applicationIdOf = (db: Database): number => numberOf(db.pragma('application_id', { simple: true }));

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);
