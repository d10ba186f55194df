import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteJournal } from '../../../../server/journal/sqlite.ts';
import { journalContract } from './contract/contract.ts';
import { sameThread } from './same-thread.ts';

/** In memory where the system has such a folder: what is durable is shown in test/real/journal, and this is many files. */
const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

journalContract('journal in SQLite', async () => {
  const folder = await mkdtemp(join(parent, 'leasehold-journal-'));
  return {
    open: () => sqliteJournal({ path: join(folder, 'leasehold.db'), startWorker: sameThread }),
    remove: () => rm(folder, { recursive: true }),
  };
});
