import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fingerprint, freshFolder, journalAt } from './support/folder.ts';
import { journalProcess, type JournalProcess } from './support/process.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const needsRoot = 'becoming another user needs root: run the tests as root, for instance in a container';

describe('F52 a journal that this user may not write is refused, and nothing at its path is changed', () => {
  let nobody: JournalProcess;
  beforeAll(() => {
    if (isRoot) nobody = journalProcess('no-thread', { uid: NOBODY, gid: NOBODY });
  });
  afterAll(() => nobody?.kill());

  for (const { title, prepare, says } of [
    {
      title: 'a file of another user',
      says: 'belongs to user 0',
      prepare: (folder: string, path: string) => {
        chmodSync(folder, 0o777);
        chmodSync(path, 0o600);
      },
    },
    {
      title: 'a file that may only be read',
      says: 'cannot be read and written',
      prepare: (folder: string, path: string) => {
        chmodSync(folder, 0o777);
        chmodSync(path, 0o644);
      },
    },
    {
      title: 'a folder that cannot be written',
      says: 'which cannot be written',
      prepare: (folder: string, path: string) => {
        chmodSync(folder, 0o755);
        chownSync(path, NOBODY, NOBODY);
      },
    },
    {
      title: 'a folder that cannot be read',
      says: 'cannot be opened',
      prepare: (folder: string) => chmodSync(folder, 0o700),
    },
  ]) {
    test(title, async ({ skip }) => {
      if (!isRoot) skip(needsRoot);
      const parent = freshFolder();
      chmodSync(parent, 0o755);
      const folder = join(parent, 'data');
      mkdirSync(folder);
      const path = join(folder, 'leasehold.db');
      const journal = journalAt(path);
      await journal.load();
      await journal.close();
      prepare(folder, path);
      const before = fingerprint(folder);
      const { failed } = await nobody.ask({ kind: 'load', path });
      expect(failed).toMatchObject({ code: 'not-writable' });
      expect(failed?.message).toContain(path);
      expect(failed?.message).toContain(says);
      expect(fingerprint(folder)).toEqual(before);
    });
  }
});
