import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { JournalError, type JournalContents } from '../../../server/core/journal-port.ts';
import { sqliteJournal } from '../../../server/journal/sqlite.ts';
import { startWorker, type JournalThread } from '../../../server/journal/worker-client.ts';
import type { FromWorker } from '../../../server/journal/worker-messages.ts';
import { granted, lease, state, terms } from '../../unit/server/journal/samples.ts';
import { freshFolder, reload } from './support/folder.ts';
import { journalProcess } from './support/process.ts';

/** A batch whose parts say which batch they are of: a lease by its token, a state by its version. */
const numbered = [
  { kind: 'granted', lease: { ...lease(1), fencingToken: '#' } },
  { kind: 'state', state: { ...state(), version: '#' } },
  { kind: 'claim', claim: { terms: { ...terms(), request: 'request #' } } },
];

function expectWhole(contents: JournalContents): void {
  const { sequence } = contents;
  expect(contents.leases.map((one) => one.fencingToken)).toEqual(
    Array.from({ length: sequence }, (_, index) => index + 1),
  );
  expect(contents.states.map((one) => one.version)).toEqual(sequence === 0 ? [] : [sequence]);
  expect(contents.claims).toHaveLength(sequence);
  expect(contents.mark).toBe(sequence);
}

/** A thread that ends at the next append once `fault` is armed: before it is asked, or when it wants to answer. */
function losing(lost: 'question' | 'answer', fault: { armed: boolean }, thread: JournalThread): JournalThread {
  const end = (): void => {
    fault.armed = false;
    void thread.terminate();
  };
  return {
    postMessage(call) {
      if (fault.armed && lost === 'question') end();
      else thread.postMessage(call);
    },
    on(event: string, listener: (message: FromWorker) => void) {
      if (event !== 'message') return thread.on(event as 'exit', listener as () => void);
      return thread.on('message', (message) => {
        if (fault.armed && lost === 'answer') end();
        else listener(message);
      });
    },
    ref: () => thread.ref(),
    unref: () => thread.unref(),
    terminate: () => thread.terminate(),
  };
}

/** The code with which a journal refused; null when it did not. */
const codeOf = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => null,
    (error: unknown) => (error instanceof JournalError ? error.code : error),
  );

describe('a journal whose process ends without closing it', () => {
  test('S4 SIGKILL in the middle of batches loses no acknowledged batch and keeps no half one, 8 times over', async () => {
    const path = join(freshFolder(), 'leasehold.db');
    let acknowledged = 0;
    for (let round = 0; round < 8; round += 1) {
      const child = journalProcess(path);
      const { contents } = await child.ask({ kind: 'load' });
      if (contents === undefined) throw new Error('the journal was not reclaimed after SIGKILL');
      expect(contents.sequence).toBeGreaterThanOrEqual(acknowledged);
      expectWhole(contents);
      child.tell({ kind: 'append-on', from: contents.sequence + 1, events: numbered });
      while (child.acknowledged === 0) await pause(1);
      await pause(Math.random() * 60);
      await child.kill();
      acknowledged = child.acknowledged;
    }
    const contents = await reload(path);
    expect(contents.sequence).toBeGreaterThanOrEqual(acknowledged);
    expect(contents.sequence).toBeGreaterThan(8);
    expectWhole(contents);
  });

  for (const kind of ['exit', 'throw'] as const) {
    test(`a process that ends by ${kind === 'exit' ? 'process.exit' : 'an uncaught error'} leaves a whole journal, log or no log`, async () => {
      const path = join(freshFolder(), 'leasehold.db');
      const child = journalProcess(path);
      await child.ask({ kind: 'load' });
      await child.ask({ kind: 'append', batch: { sequence: 1, events: [granted(1)] } });
      child.tell({ kind });
      await child.exited;
      expect(await reload(path)).toMatchObject({ run: 2, sequence: 1, mark: 1 });
    });
  }

  for (const lost of ['question', 'answer'] as const) {
    const outcome = lost === 'question' ? 'not stored is refused and its number used again' : 'stored is acknowledged';
    test(`R14 a batch whose thread is lost is read back: what was ${outcome}`, async () => {
      const path = join(freshFolder(), 'leasehold.db');
      const warnings: string[] = [];
      const fault = { armed: false };
      const journal = sqliteJournal({
        path,
        startWorker: (data) => losing(lost, fault, startWorker(data)),
        onWarning: (text) => warnings.push(text),
      });
      await journal.load();
      await journal.append({ sequence: 1, events: [granted(1)] });
      fault.armed = true;
      const appended = journal.append({ sequence: 2, events: [granted(2)] });
      // A refusal for what was not stored, and nothing but the acknowledgement for what was.
      expect(await codeOf(appended)).toBe(lost === 'question' ? 'io' : null);
      await journal.append({ sequence: lost === 'question' ? 2 : 3, events: [granted(3)] });
      await journal.close();
      expect(warnings).toHaveLength(1);
      const { run, leases } = await reload(path);
      expect(run).toBe(2);
      expect(leases.map((one) => one.fencingToken)).toEqual(lost === 'question' ? [1, 3] : [1, 2, 3]);
    });
  }

  test('after SIGKILL the journal is reclaimed at once', async () => {
    const path = join(freshFolder(), 'leasehold.db');
    const child = journalProcess(path);
    await child.ask({ kind: 'load' });
    await child.kill();
    const began = performance.now();
    expect((await reload(path)).run).toBe(2);
    expect(performance.now() - began).toBeLessThan(2000);
  });

  test('a copy of the file without its log is refused, and the file with its log is whole', async () => {
    const folder = freshFolder();
    const path = join(folder, 'leasehold.db');
    const child = journalProcess(path);
    await child.ask({ kind: 'load' });
    await child.ask({ kind: 'append', batch: { sequence: 1, events: [granted(1)] } });
    const copy = join(folder, 'copy.db');
    copyFileSync(path, copy);
    await expect(reload(copy)).rejects.toThrow('has lost its log');
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    expect(await reload(copy)).toMatchObject({ sequence: 1, mark: 1 });
    await child.kill();
  });
});
