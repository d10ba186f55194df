import { expect, test } from 'vitest';
import { granted } from '../samples.ts';
import type { Ground } from './ground.ts';

/** Closing, and being the only owner. */
export function endsContract(ground: Ground): void {
  test('an append that was called before close ends first', async () => {
    const journal = ground.open();
    await journal.load();
    const appended = journal.append({ sequence: 1, events: [granted(7)] });
    await journal.close();
    await appended;
    expect((await ground.run()).mark).toBe(7);
  });

  test('close is idempotent, and what comes after it is refused', async () => {
    const journal = ground.open();
    await journal.load();
    await Promise.all([journal.close(), journal.close()]);
    await journal.close();
    await expect(journal.append({ sequence: 1, events: [] })).rejects.toMatchObject({
      name: 'JournalError',
      code: 'closed',
    });
    await expect(journal.load()).rejects.toMatchObject({ code: 'closed' });
    expect(await ground.run()).toMatchObject({ run: 2, sequence: 0 });
  });

  test('a journal that was never loaded closes and stores nothing', async () => {
    const journal = ground.open();
    await expect(journal.append({ sequence: 1, events: [] })).rejects.toMatchObject({ code: 'closed' });
    await journal.close();
    expect((await ground.run()).run).toBe(1);
  });

  test('a second owner is refused while the first is open, and finds everything afterwards', async () => {
    const first = ground.open();
    await first.load();
    await first.append({ sequence: 1, events: [granted(7)] });
    const second = ground.open();
    await expect(second.load()).rejects.toMatchObject({ name: 'JournalError', code: 'in-use' });
    await second.close();
    await first.append({ sequence: 2, events: [granted(8)] });
    await first.close();
    expect((await ground.run()).leases).toHaveLength(2);
  });
}
