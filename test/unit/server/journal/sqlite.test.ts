import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DurationMs } from '../../../../shared/time.ts';
import { sqliteJournal } from '../../../../server/journal/sqlite.ts';
import { journalContract } from './contract/contract.ts';
import { granted } from './samples.ts';
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

test('a batch with a value that no column takes is refused as it is, not as a failure of the disk', async () => {
  const folder = await mkdtemp(join(parent, 'leasehold-journal-'));
  const journal = sqliteJournal({ path: join(folder, 'leasehold.db'), startWorker: sameThread });
  await journal.load();
  for (const ttlMs of [Number.NaN, undefined]) {
    const bad = granted(7, { ttlMs: ttlMs as DurationMs });
    await expect(journal.append({ sequence: 1, events: [bad] })).rejects.not.toHaveProperty('code');
  }
  await journal.append({ sequence: 1, events: [granted(7)] });
  await journal.close();
  await rm(folder, { recursive: true });
});
