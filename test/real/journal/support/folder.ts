import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { JournalContents } from '../../../../server/core/journal-port.ts';
import { sqliteJournal, type SqliteJournal } from '../../../../server/journal/sqlite.ts';
import { sameThread } from '../../../unit/server/journal/same-thread.ts';

/** A journal without a thread of its own: what the file is like is the matter, and threads take their time to start. */
export const journalAt = (path: string): SqliteJournal => sqliteJournal({ path, startWorker: sameThread });

/** Everything in a journal that nobody has open. */
export async function reload(path: string): Promise<JournalContents> {
  const journal = journalAt(path);
  const contents = await journal.load();
  await journal.close();
  return contents;
}

/** A folder that goes with the test. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every file of a folder with a hash of its bytes: two that are equal were not touched. */
export function fingerprint(folder: string): Record<string, string> {
  const entries = readdirSync(folder).map((name): [string, string] => {
    const path = join(folder, name);
    return [
      name,
      statSync(path).isDirectory() ? 'folder' : createHash('sha256').update(readFileSync(path)).digest('hex'),
    ];
  });
  return Object.fromEntries(entries);
}
