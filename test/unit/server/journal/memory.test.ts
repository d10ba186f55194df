import { describe, expect, test } from 'vitest';
import { JournalError } from '../../../../server/core/journal-port.ts';
import { memoryJournal, memoryStore } from '../../../../server/journal/memory.ts';
import { journalContract } from './contract/contract.ts';
import { granted } from './samples.ts';

journalContract('journal in memory', async () => {
  const store = memoryStore();
  return { open: () => memoryJournal({ store }), remove: async () => {} };
});

describe('faults of the journal in memory', () => {
  const first = { sequence: 1, events: [granted(7)] };

  test('R14 a failed append stores nothing, and its number is used again', async () => {
    let full = true;
    const store = memoryStore();
    const beforeCommit = (): void => {
      if (full) throw new JournalError('full', 'no space');
    };
    const journal = memoryJournal({ store, faults: { beforeCommit } });
    await journal.load();
    await expect(journal.append(first)).rejects.toMatchObject({ code: 'full' });
    full = false;
    await journal.append({ sequence: 1, events: [granted(8)] });
    await journal.close();
    expect((await memoryJournal({ store }).load()).leases.map((lease) => lease.fencingToken)).toEqual([8]);
  });

  for (const moment of ['beforeCommit', 'afterCommit'] as const) {
    test(`a crash ${moment === 'beforeCommit' ? 'before' : 'after'} the commit ${moment === 'beforeCommit' ? 'loses' : 'keeps'} the batch and answers nobody`, async () => {
      const store = memoryStore();
      const journal = memoryJournal({ store, faults: { [moment]: () => journal.crash() } });
      await journal.load();
      let answered = false;
      const answer = (): void => {
        answered = true;
      };
      journal.append(first).then(answer, answer);
      await new Promise((resolve) => setImmediate(resolve));
      expect(answered).toBe(false);
      expect((await memoryJournal({ store }).load()).sequence).toBe(moment === 'beforeCommit' ? 0 : 1);
    });
  }

  test('a slow commit delays its own append', async () => {
    let release = (): void => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const journal = memoryJournal({ faults: { beforeCommit: () => slow } });
    await journal.load();
    const appended = journal.append(first);
    expect(journal.store.image.sequence).toBe(0);
    release();
    await appended;
    expect(journal.store.image.sequence).toBe(1);
  });
});
