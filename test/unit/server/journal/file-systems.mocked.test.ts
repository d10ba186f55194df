import type * as Fs from 'node:fs';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sqliteJournal } from '../../../../server/journal/sqlite.ts';
import { granted } from './samples.ts';
import { sameThread } from './same-thread.ts';

/** Other file systems than the one that tests run on, as `node:fs` tells of them. */
const fake = vi.hoisted(() => ({ links: true, type: 0xef53 }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  return {
    ...fs,
    statfsSync: () => ({ type: fake.type }),
    linkSync(from: string, to: string) {
      if (!fake.links) throw Object.assign(new Error('no hard links here'), { code: 'EPERM' });
      fs.linkSync(from, to);
    },
  };
});

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'leasehold-journal-'));
  Object.assign(fake, { links: true, type: 0xef53 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const warnings: string[] = [];
const journalHere = () => {
  warnings.length = 0;
  const onWarning = (message: string): number => warnings.push(message);
  return sqliteJournal({ path: join(folder, 'leasehold.db'), startWorker: sameThread, onWarning });
};

test('a file system without hard links holds a journal too, with one owner', async () => {
  fake.links = false;
  const first = journalHere();
  await first.load();
  await first.append({ sequence: 1, events: [granted(7)] });
  await expect(journalHere().load()).rejects.toMatchObject({ code: 'in-use' });
  await first.close();
  const second = journalHere();
  expect(await second.load()).toMatchObject({ run: 2, mark: 7 });
  await second.close();
  expect(readdirSync(folder)).toEqual(['leasehold.db']);
});

test.each([
  [0x6969, 'NFS'],
  // As the kernel tells of it where its word has a sign.
  [0xff534d42 - 2 ** 32, 'SMB'],
  [0x01021997, '9P'],
])('F53 a network file system (%i) is warned of by name', async (type, name) => {
  fake.type = type;
  const journal = journalHere();
  await journal.load();
  await journal.close();
  expect(warnings).toEqual([expect.stringContaining(`lies on ${name}: locks and syncs cannot be trusted`)]);
});

test('a local file system is not warned of', async () => {
  const journal = journalHere();
  await journal.load();
  await journal.close();
  expect(warnings).toEqual([]);
});
