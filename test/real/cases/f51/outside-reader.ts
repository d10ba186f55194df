import Database from 'better-sqlite3';
import type { Bench } from '../../support/bench.ts';
import { systemCode } from '../../../../server/journal/failures.ts';

/** Somebody from outside opens the file to read, as a backup script or a curious operator would. */
export function measureReader(bench: Bench, data: string): void {
  const outcome = readFrom(data);
  bench.measure('an outside reader that would pin the log', outcome, 'refused: SQLITE_BUSY', outcome === 'SQLITE_BUSY');
}

function readFrom(data: string): string {
  const database = new Database(data, { readonly: true, timeout: 0 });
  try {
    database.prepare('BEGIN').run();
    return `reads ${String(database.prepare('SELECT count(*) FROM lease').pluck().get())} leases`;
  } catch (error) {
    return systemCode(error);
  } finally {
    database.close();
  }
}
