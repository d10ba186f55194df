import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import Database from 'better-sqlite3';

/** How a write ended: a row of its own, a row that was there already, or nothing at all. */
export type Written = 'written' | 'written again' | 'refused';

export interface Result {
  readonly item: number;
  readonly result: number;
  readonly worker: string;
}

/** The database that the job writes to, and the fence that it keeps against workers whose lease is over. */
export interface Table {
  /** The name of the lease on this very file: a new file is a new job, whatever the coordinator remembers of an old one. */
  readonly leaseName: string;
  /** From here on no older token gets through, not even for an item that the new holder has not come to yet. False: this token is old itself. */
  raiseFence(token: number): boolean;
  write(token: number, result: Result): Written;
  /** How many items are written, by whomever. */
  readonly rows: number;
  /** The largest token that was shown. */
  readonly fence: number;
  close(): void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS job (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    token INTEGER NOT NULL -- the fence: the largest fencing token that was shown
  ) STRICT;
  CREATE TABLE IF NOT EXISTS items (
    item INTEGER PRIMARY KEY, -- so that an item done twice is one row, and is seen
    result INTEGER NOT NULL,
    worker TEXT NOT NULL,
    token INTEGER NOT NULL,
    times INTEGER NOT NULL DEFAULT 1
  ) STRICT;
`;

/** The check is inside the statement that writes: between a check and a write a worker can be paused for an hour. */
const RAISE = `
  UPDATE job SET token = :token
  WHERE :token >= token
`;

/** Doing an item again gives the same row again, so that it does no harm; work that adds up would need more than this. */
const WRITE = `
  INSERT INTO items (item, result, worker, token) VALUES (:item, :result, :worker, :token)
  ON CONFLICT (item) DO UPDATE
    SET result = excluded.result, worker = excluded.worker, token = excluded.token, times = times + 1
  RETURNING times
`;

/** Whether the database could not do what it was told: it is locked, or is none. */
export const isTableError = (error: unknown): error is Error => error instanceof Database.SqliteError;

export function openTable(file: string): Table {
  const db = new Database(file, { timeout: 1_000 });
  const made = db.transaction(() => {
    db.exec(SCHEMA);
    db.prepare('INSERT OR IGNORE INTO job VALUES (1, ?, 0)').run(randomBytes(4).toString('hex'));
  });
  made.immediate();
  const { id } = db.prepare<[], { id: string }>('SELECT id FROM job').get() ?? { id: '' };
  const raise = db.prepare(RAISE);
  const put = db.prepare<[Result & { readonly token: number }], { times: number }>(WRITE);
  const rows = db.prepare<[], number>('SELECT count(*) FROM items').pluck();
  const fence = db.prepare<[], number>('SELECT token FROM job').pluck();

  const raiseFence = (token: number): boolean => raise.run({ token }).changes === 1;
  // One transaction: nobody raises the fence between the two statements.
  const write = db.transaction((token: number, result: Result): Written => {
    if (!raiseFence(token)) return 'refused';
    return put.get({ ...result, token })?.times === 1 ? 'written' : 'written again';
  });
  return {
    leaseName: `job/${basename(file)}/${id}`,
    raiseFence,
    write: (token, result) => write.immediate(token, result),
    get rows() {
      return rows.get() ?? 0;
    },
    get fence() {
      return fence.get() ?? 0;
    },
    close: () => void db.close(),
  };
}
