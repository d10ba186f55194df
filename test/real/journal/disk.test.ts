import { spawnSync } from 'node:child_process';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DurableEvent } from '../../../server/core/journal-port.ts';
import * as ids from '../../../shared/ids.ts';
import { LOG_BYTES_KEPT } from '../../../server/journal/log.ts';
import { granted, state } from '../../unit/server/journal/samples.ts';
import { fingerprint, freshFolder, journalAt, reload } from './support/folder.ts';
import { journalProcess } from './support/process.ts';
import { injectIntoSyncs, needsStrace, straceWorks } from './support/strace.ts';

const needsMount =
  'a disk that is full needs root, to mount a small tmpfs: run the tests as root, for instance in a container';

/** A disk of 4 MiB; null when this user may not mount one. */
function smallDisk(): string | null {
  const folder = freshFolder();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]).status !== 0) return null;
  onTestFinished(() => void spawnSync('umount', [folder]));
  return folder;
}

/** Fills what is left of a small disk. */
function fill(folder: string): () => void {
  const ballast = join(folder, 'ballast');
  try {
    for (;;) writeFileSync(ballast, Buffer.alloc(4096), { flag: 'a' });
  } catch {
    // No space left: that is the aim.
  }
  return () => rmSync(ballast);
}

const big = (name: string, kilobytes: number): DurableEvent => ({
  kind: 'state',
  state: state({ name: ids.leaseName(name), valueJson: JSON.stringify('x'.repeat(kilobytes * 1024)) }),
});

describe('F50 a disk that is full', () => {
  test('R14 a failed append stores nothing, and the next one heals by itself when there is space', async ({ skip }) => {
    const folder = smallDisk() ?? skip(needsMount);
    const path = join(folder, 'leasehold.db');
    const journal = journalAt(path);
    await journal.load();
    await journal.append({ sequence: 1, events: [granted(1)] });
    const free = fill(folder);
    for (let tries = 0; tries < 3; tries += 1) {
      const failed = journal.append({ sequence: 2, events: [granted(2), big('a', 200)] });
      await expect(failed).rejects.toMatchObject({ name: 'JournalError', code: 'full' });
    }
    free();
    await journal.append({ sequence: 2, events: [granted(3), big('b', 200)] });
    await journal.close();
    const contents = await reload(path);
    expect(contents).toMatchObject({ sequence: 2, mark: 3 });
    expect(contents.leases.map((lease) => lease.fencingToken)).toEqual([1, 3]);
    expect(contents.states.map((one) => one.name)).toEqual(['b']);
  });

  test('a journal closed while the disk is full is whole at the next start', async ({ skip }) => {
    const folder = smallDisk() ?? skip(needsMount);
    const path = join(folder, 'leasehold.db');
    const journal = journalAt(path);
    await journal.load();
    await journal.append({ sequence: 1, events: [granted(1), big('a', 500)] });
    const free = fill(folder);
    await expect(journal.append({ sequence: 2, events: [big('b', 500)] })).rejects.toMatchObject({ code: 'full' });
    await journal.close();
    free();
    expect(await reload(path)).toMatchObject({ run: 2, sequence: 1, mark: 1 });
  });

  test('a journal is not opened on a full disk, and nothing at its path is changed', async ({ skip }) => {
    const folder = smallDisk() ?? skip(needsMount);
    const path = join(folder, 'leasehold.db');
    const free = fill(folder);
    const before = fingerprint(folder);
    await expect(reload(path)).rejects.toThrow(/disk is full.*free some space/);
    expect(fingerprint(folder)).toEqual(before);
    free();
    await reload(path);
    const freeAgain = fill(folder);
    const filled = fingerprint(folder);
    await expect(reload(path)).rejects.toMatchObject({ code: 'full' });
    expect(fingerprint(folder)).toEqual(filled);
    freeAgain();
    expect(await reload(path)).toMatchObject({ run: 2, fresh: true });
  });
});

describe('a disk that fails', () => {
  test('R14 an append whose sync fails is undone for good, also when the process is killed then', async ({ skip }) => {
    if (!straceWorks()) skip(needsStrace);
    const path = join(freshFolder(), 'leasehold.db');
    const child = journalProcess(path);
    await child.ask({ kind: 'load' });
    await child.ask({ kind: 'append', batch: { sequence: 1, events: [granted(1)] } });
    const injection = await injectIntoSyncs(child.pid, 'error=EIO');
    const refused = { kind: 'append', batch: { sequence: 2, events: [granted(2), big('refused', 20)] } } as const;
    const { failed } = await child.ask(refused);
    expect(failed?.code).toBe('io');
    expect(failed?.message).toContain('SQLITE_IOERR_FSYNC');
    await child.kill();
    await injection.undo();
    const contents = await reload(path);
    expect(contents).toMatchObject({ sequence: 1, mark: 1, states: [] });
  });

  test('the append after a failed sync heals when the disk does, and takes the same number', async ({ skip }) => {
    if (!straceWorks()) skip(needsStrace);
    const path = join(freshFolder(), 'leasehold.db');
    const child = journalProcess(path);
    await child.ask({ kind: 'load' });
    const injection = await injectIntoSyncs(child.pid, 'error=EIO');
    for (const token of [1, 2]) {
      expect(await child.ask({ kind: 'append', batch: { sequence: 1, events: [granted(token)] } })).toMatchObject({
        failed: { code: 'io' },
      });
    }
    await injection.undo();
    expect(await child.ask({ kind: 'append', batch: { sequence: 1, events: [granted(3)] } })).not.toHaveProperty(
      'failed',
    );
    await child.kill();
    expect((await reload(path)).leases.map((lease) => lease.fencingToken)).toEqual([3]);
  });

  test('a single sync that fails is told as a failure, and the batch is not there', async ({ skip }) => {
    if (!straceWorks()) skip(needsStrace);
    const path = join(freshFolder(), 'leasehold.db');
    const child = journalProcess(path);
    await child.ask({ kind: 'load' });
    const injection = await injectIntoSyncs(child.pid, 'error=EIO:when=1');
    expect(await child.ask({ kind: 'append', batch: { sequence: 1, events: [granted(1)] } })).toMatchObject({
      failed: { code: 'io' },
    });
    expect(await child.ask({ kind: 'append', batch: { sequence: 1, events: [granted(2)] } })).not.toHaveProperty(
      'failed',
    );
    await injection.undo();
    await child.kill();
    expect((await reload(path)).leases.map((lease) => lease.fencingToken)).toEqual([2]);
  });

  test('S9 F54 a sync of 2 s delays the append and leaves the loop of the coordinator free', async ({ skip }) => {
    if (!straceWorks()) skip(needsStrace);
    const path = join(freshFolder(), 'leasehold.db');
    const child = journalProcess(path);
    await child.ask({ kind: 'load' });
    const injection = await injectIntoSyncs(child.pid, 'delay_enter=2s');
    const { lag } = await child.ask({ kind: 'append', batch: { sequence: 1, events: [granted(1)] } });
    expect(lag?.tookMs).toBeGreaterThan(1950);
    expect(lag?.lagMs).toBeLessThan(500);
    await child.kill();
    await injection.undo();
    expect((await reload(path)).sequence).toBe(1);
  });
});

describe('F51 the log', () => {
  test('stays small over many batches, and shrinks again after a large one', async () => {
    const path = join(freshFolder(), 'leasehold.db');
    const journal = journalAt(path);
    await journal.load();
    const logBytes = (): number => statSync(`${path}-wal`).size;
    let written = 0;
    let largest = 0;
    let sequence = 0;
    const append = async (events: readonly DurableEvent[]): Promise<void> => {
      sequence += 1;
      await journal.append({ sequence, events });
      largest = Math.max(largest, logBytes());
    };
    while (written < 60) {
      await append(Array.from({ length: 10 }, (_, index) => big(`n${index}`, 30)));
      written += 0.3;
    }
    expect(largest).toBeLessThan(2 * LOG_BYTES_KEPT);
    await append(Array.from({ length: 400 }, (_, index) => big(`n${index}`, 60)));
    await expect.poll(logBytes, { timeout: 10_000 }).toBeLessThanOrEqual(LOG_BYTES_KEPT);
    expect(statSync(path).size).toBeGreaterThan(20 * 1024 * 1024);
    await journal.close();
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })).toBeUndefined();
    expect((await reload(path)).sequence).toBe(sequence);
  });

  test('is written back into the file when nothing has been appended for a while', async () => {
    const folder = freshFolder();
    const path = join(folder, 'leasehold.db');
    const journal = journalAt(path);
    await journal.load();
    await journal.append({ sequence: 1, events: [granted(1)] });
    const before = fingerprint(folder)['leasehold.db'];
    await expect.poll(() => fingerprint(folder)['leasehold.db'], { timeout: 10_000 }).not.toBe(before);
    await journal.close();
  });
});
