import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sqliteJournal } from '../../../server/journal/sqlite.ts';
import { freshFolder, journalAt } from './support/folder.ts';
import { journalProcess, type Answer } from './support/process.ts';

describe('F53 one journal has one owner', () => {
  test('a second owner is refused within 2 s by a sentence that names the first, by any path to the file', async () => {
    const folder = freshFolder();
    const path = join(folder, 'leasehold.db');
    const owner = journalProcess(path);
    await owner.ask({ kind: 'load' });
    await owner.ask({ kind: 'url', url: 'http://127.0.0.1:7400' });
    symlinkSync(path, join(folder, 'link.db'));
    const tookMs: number[] = [];
    for (const name of ['leasehold.db', 'link.db']) {
      const began = performance.now();
      const second = sqliteJournal({ path: join(folder, name) });
      const error: unknown = await second.load().catch((reason: unknown) => reason);
      tookMs.push(performance.now() - began);
      expect(error).toMatchObject({ name: 'JournalError', code: 'in-use' });
      const { message } = error as Error;
      for (const part of [path, `pid ${owner.pid} on ${hostname()}`, 'http://127.0.0.1:7400', 'stop the other'])
        expect(message).toContain(part);
      expect(message).not.toContain('\n');
      await second.close();
    }
    expect(Math.min(...tookMs)).toBeLessThan(2000);
    await owner.ask({ kind: 'close' });
    expect(existsSync(`${path}.owner`)).toBe(false);
    await owner.kill();
  });

  test('a link to a file that is not there yet makes the file, and its log and hint stand beside that', async () => {
    const folder = freshFolder();
    const link = join(folder, 'link.db');
    symlinkSync('real.db', link);
    const journal = sqliteJournal({ path: link });
    await journal.load();
    expect(['real.db', 'real.db-wal', 'real.db.owner'].map((name) => existsSync(join(folder, name)))).toEqual([
      true,
      true,
      true,
    ]);
    await journal.close();
  });

  test('a second journal in the same process is refused, and does not give the first one’s lock away', async () => {
    const path = join(freshFolder(), 'leasehold.db');
    const first = sqliteJournal({ path });
    await first.load();
    await expect(sqliteJournal({ path }).load()).rejects.toMatchObject({ code: 'in-use' });
    const other = journalProcess(path);
    expect(await other.ask({ kind: 'load' })).toMatchObject({ failed: { code: 'in-use' } });
    await first.append({ sequence: 1, events: [] });
    await first.close();
    await other.kill();
  });

  test('a hint left by a process that is gone accuses nobody', async () => {
    const path = join(freshFolder(), 'leasehold.db');
    const killed = journalProcess(path);
    await killed.ask({ kind: 'load' });
    await killed.kill();
    const stale = readFileSync(`${path}.owner`);
    const owner = journalAt(path);
    await owner.load();
    for (const hint of [stale, '{"pid":', '', '{"pid":"1"}']) {
      writeFileSync(`${path}.owner`, hint);
      await expect(journalAt(path).load()).rejects.toThrow('is in use by another process');
    }
    await owner.close();
  });

  test('of two processes that open it at one instant exactly one wins, 50 times over', async () => {
    const folder = freshFolder();
    const pair = [journalProcess('no-thread'), journalProcess('no-thread')] as const;
    // Both are up and have nothing left to do but to open the file.
    await Promise.all(pair.map((one) => one.ask({ kind: 'ping' })));
    let wins = 0;
    const lane = async (number: number): Promise<void> => {
      for (let round = 0; round < 5; round += 1) {
        // Every other round on a file that is there already, left by the winner before.
        const path = join(folder, `${number}-${round - (round % 2)}.db`);
        const answers = await Promise.all(pair.map((one) => one.ask({ kind: 'load', path })));
        expect(answers.map(outcomeOf).toSorted()).toEqual(['in-use', 'won']);
        wins += 1;
        await Promise.all(pair.map((one) => one.ask({ kind: 'close', path })));
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, number) => lane(number)));
    expect(wins).toBe(50);
    await Promise.all(pair.map((one) => one.kill()));
  });
});

const outcomeOf = (answer: Answer): string => (answer.contents === undefined ? (answer.failed?.code ?? 'none') : 'won');
