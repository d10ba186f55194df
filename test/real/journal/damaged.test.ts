import Database from 'better-sqlite3';
import { randomFillSync } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DurableEvent, JournalErrorCode } from '../../../server/core/journal-port.ts';
import * as ids from '../../../shared/ids.ts';
import { granted, state, terms } from '../../unit/server/journal/samples.ts';
import { fingerprint, freshFolder, journalAt } from './support/folder.ts';
import { journalProcess } from './support/process.ts';

const ALONE = 'leasehold.db';
const LOG = 'leasehold.db-wal';

const events = Array.from({ length: 400 }, (_, index): DurableEvent => {
  const name = ids.leaseName(`n${index}`);
  return index % 2 === 0
    ? granted(index + 1, { terms: terms({ name }) })
    : { kind: 'state', state: state({ name, valueJson: JSON.stringify('x'.repeat(2000)) }) };
});

/** A journal that was closed. */
async function closedJournal(path: string): Promise<void> {
  const journal = journalAt(path);
  const { sequence } = await journal.load();
  await journal.append({ sequence: sequence + 1, events });
  await journal.close();
}

const large = Array.from({ length: 80 }, (_, index): DurableEvent => {
  const valueJson = JSON.stringify('x'.repeat(60_000));
  return { kind: 'state', state: state({ name: ids.leaseName(`n${index}`), valueJson }) };
});

/** A journal whose process was killed, with its log; in `earlier` both as they were before the log was written back. */
async function killedJournal(folder: string, earlier?: string): Promise<void> {
  const path = join(folder, ALONE);
  const child = journalProcess(path);
  await child.ask({ kind: 'load' });
  await child.ask({ kind: 'append', batch: { sequence: 1, events } });
  if (earlier !== undefined) {
    copyOf(folder, earlier, ALONE, LOG);
    await child.ask({ kind: 'append', batch: { sequence: 2, events: large } });
    // Behind the write-back that so large a batch is followed by.
    await child.ask({ kind: 'append', batch: { sequence: 3, events: [granted(9000)] } });
  }
  await child.kill();
  rmSync(`${path}.owner`);
}

let parent = '';
let closed = '';
let killed = '';
let killedToo = '';
let earlier = '';

interface DamagedCase {
  readonly title: string;
  readonly code: JournalErrorCode;
  readonly says: string;
  /** Begins with a folder in which there is nothing. */
  readonly make: (folder: string, path: string) => void;
}

const copyOf = (from: string, folder: string, ...names: string[]): void => {
  for (const name of names) copyFileSync(join(from, name), join(folder, name));
};

function noise(path: string, at: number, bytes: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, randomFillSync(Buffer.alloc(bytes)), 0, bytes, at);
  closeSync(file);
}

const middle = (path: string): number => Math.floor(statSync(path).size / 8192) * 4096;

const cases: readonly DamagedCase[] = [
  {
    title: '4 KiB of noise in the middle of the file',
    code: 'damaged',
    says: 'restore it from a backup',
    make(folder, path) {
      copyOf(closed, folder, ALONE);
      noise(path, middle(path), 4096);
    },
  },
  {
    title: 'noise in the middle of the file of a killed process, whose log does not cover it',
    code: 'damaged',
    says: 'restore it from a backup',
    make(folder, path) {
      copyOf(closed, folder, ALONE);
      // A log of its own, as a killed process leaves it.
      const db = new Database(path);
      db.pragma('locking_mode = EXCLUSIVE');
      db.exec(`UPDATE journal SET overwritten = 1`);
      copyFileSync(`${path}-wal`, `${path}-kept`);
      copyFileSync(path, `${path}-file`);
      db.close();
      copyFileSync(`${path}-kept`, `${path}-wal`);
      copyFileSync(`${path}-file`, path);
      for (const name of [`${path}-kept`, `${path}-file`]) rmSync(name);
      noise(path, middle(path), 4096);
    },
  },
  {
    title: 'a file cut to half',
    code: 'damaged',
    says: 'restore it from a backup',
    make(folder, path) {
      copyOf(closed, folder, ALONE);
      truncateSync(path, Math.floor(statSync(path).size / 2));
    },
  },
  {
    title: 'a file cut to half a page',
    code: 'damaged',
    says: 'restore it from a backup',
    make(folder, path) {
      copyOf(closed, folder, ALONE);
      truncateSync(path, 2000);
    },
  },
  {
    title: 'noise in the first page',
    code: 'not-a-journal',
    says: 'or its first page is damaged',
    make(folder, path) {
      copyOf(closed, folder, ALONE);
      noise(path, 0, 4096);
    },
  },
  {
    title: 'a file of zero bytes',
    code: 'not-a-journal',
    says: 'an empty file (0 bytes)',
    make: (_, path) => writeFileSync(path, ''),
  },
  {
    title: 'a text file',
    code: 'not-a-journal',
    says: 'is not a Leasehold journal',
    make: (_, path) => writeFileSync(path, 'shopping list\n'.repeat(900)),
  },
  { title: 'a folder', code: 'not-a-journal', says: 'is not a file', make: (_, path) => mkdirSync(path) },
  {
    title: 'an SQLite file of another program, in WAL mode',
    code: 'not-a-journal',
    says: 'is not a Leasehold journal',
    make(_, path) {
      const db = new Database(path);
      db.pragma('journal_mode = WAL');
      db.exec('CREATE TABLE journal (id)');
      db.close();
    },
  },
  {
    title: 'a file of a newer version',
    code: 'newer-file',
    says: 'version 99, this program knows 1',
    make(folder, path) {
      copyOf(closed, folder, ALONE);
      const db = new Database(path);
      db.pragma('user_version = 99');
      db.exec('ALTER TABLE journal RENAME TO journal_of_later');
      db.close();
    },
  },
  {
    title: 'a file of a newer version with its log',
    code: 'newer-file',
    says: 'version 99',
    make(folder, path) {
      copyOf(closed, folder, ALONE);
      copyFileSync(path, `${path}-file`);
      const db = new Database(path);
      db.pragma('user_version = 99');
      copyFileSync(`${path}-wal`, `${path}-kept`);
      db.close();
      copyFileSync(`${path}-kept`, `${path}-wal`);
      copyFileSync(`${path}-file`, path);
      for (const name of [`${path}-kept`, `${path}-file`]) rmSync(name);
    },
  },
  {
    title: 'a file whose log was deleted',
    code: 'damaged',
    says: 'has lost its log',
    make: (folder) => copyOf(killed, folder, ALONE),
  },
  {
    title: 'a file whose log was emptied',
    code: 'damaged',
    says: 'has lost its log',
    make(folder) {
      copyOf(killed, folder, ALONE);
      writeFileSync(join(folder, LOG), '');
    },
  },
  {
    title: 'a log without its file',
    code: 'foreign-log',
    says: 'is not there, but a log of it is',
    make: (folder) => copyOf(killed, folder, LOG),
  },
  {
    title: 'the log of another journal, with an index of the log',
    code: 'foreign-log',
    says: 'belongs to the journal',
    make(folder, path) {
      copyOf(closed, folder, ALONE);
      copyOf(killed, folder, LOG);
      writeFileSync(`${path}-shm`, randomFillSync(Buffer.alloc(32_768)));
    },
  },
  {
    title: 'the log of another killed journal',
    code: 'foreign-log',
    says: 'belongs to the journal',
    make(folder) {
      copyOf(killedToo, folder, ALONE);
      copyOf(killed, folder, LOG);
    },
  },
  {
    title: 'an earlier file under a later log of the same journal',
    code: 'foreign-log',
    says: 'covers batches 2 to 3, the file stands at 0',
    make(folder) {
      copyOf(earlier, folder, ALONE);
      copyOf(killedToo, folder, LOG);
    },
  },
  {
    title: 'a later file over an earlier log of the same journal',
    code: 'foreign-log',
    says: 'covers batches 0 to 1, the file stands at 2',
    make(folder) {
      copyOf(killedToo, folder, ALONE);
      copyOf(earlier, folder, LOG);
    },
  },
  {
    title: 'the log of another program',
    code: 'foreign-log',
    says: 'does not fit it',
    make(folder, path) {
      const db = new Database(path);
      db.pragma('journal_mode = WAL');
      db.exec(
        'CREATE TABLE note (text); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO note SELECT i FROM n',
      );
      copyFileSync(`${path}-wal`, `${path}-kept`);
      db.close();
      copyOf(closed, folder, ALONE);
      copyFileSync(`${path}-kept`, `${path}-wal`);
      rmSync(`${path}-kept`);
    },
  },
  {
    title: 'something that is no log in the place of the log',
    code: 'foreign-log',
    says: 'that is not a log',
    make(folder) {
      copyOf(closed, folder, ALONE);
      writeFileSync(join(folder, LOG), 'log\n'.repeat(3000));
    },
  },
  {
    title: 'a rollback journal beside the file',
    code: 'foreign-log',
    says: 'has a rollback journal',
    make(folder, path) {
      copyOf(closed, folder, ALONE);
      writeFileSync(`${path}-journal`, 'x'.repeat(4096));
    },
  },
  {
    title: 'a folder that does not exist',
    code: 'not-writable',
    says: 'does not exist (ENOENT): create the folder, or name a file in one that exists',
    make: (folder) => rmSync(folder, { recursive: true }),
  },
];

describe('F52 a file that is not whole is refused, and nothing at its path is changed', () => {
  beforeAll(async () => {
    const folder = (name: string): string => {
      const path = join(parent, name);
      mkdirSync(path);
      return path;
    };
    parent = mkdtempSync(join(tmpdir(), 'leasehold-journal-'));
    [closed, killed, killedToo, earlier] = [
      folder('closed'),
      folder('killed'),
      folder('killed-too'),
      folder('earlier'),
    ];
    await closedJournal(join(closed, ALONE));
    await killedJournal(killed);
    await killedJournal(killedToo, earlier);
  });
  afterAll(() => rmSync(parent, { recursive: true }));

  test('what was killed is whole with its own log, earlier and later', async () => {
    for (const [from, sequence] of [
      [killed, 1],
      [earlier, 1],
      [killedToo, 3],
    ] as const) {
      const folder = freshFolder();
      copyOf(from, folder, ALONE, LOG);
      const journal = journalAt(join(folder, ALONE));
      expect((await journal.load()).sequence).toBe(sequence);
      await journal.close();
      expect(Object.keys(fingerprint(folder))).toEqual([ALONE]);
    }
  });

  test('a log that was begun anew and cut off behind its header is an empty one: the file was whole then', async () => {
    const folder = freshFolder();
    copyOf(killed, folder, ALONE, LOG);
    truncateSync(join(folder, LOG), 32);
    const journal = journalAt(join(folder, ALONE));
    expect((await journal.load()).run).toBe(2);
    await journal.close();
  });

  for (const { title, code, says, make } of cases) {
    test(title, async () => {
      const folder = freshFolder();
      const path = join(folder, ALONE);
      make(folder, path);
      const gone = code === 'not-writable';
      const before = gone ? {} : fingerprint(folder);
      const began = performance.now();
      const error: unknown = await journalAt(path)
        .load()
        .catch((reason: unknown) => reason);
      expect(performance.now() - began).toBeLessThan(3000);
      expect(error).toMatchObject({ name: 'JournalError', code });
      const { message } = error as Error;
      expect(message).toContain(path);
      expect(message).toContain(says);
      expect(message).not.toContain('\n');
      expect(gone ? {} : fingerprint(folder)).toEqual(before);
    });
  }
});
