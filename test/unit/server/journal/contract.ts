import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import * as ids from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { nextRun } from '../../../../server/core/journal-fold.ts';
import type { DurableEvent, Journal, JournalContents } from '../../../../server/core/journal-port.ts';
import { events as anyEvents } from './any-events.ts';
import { kinds } from './kinds.ts';
import { claim, granted, lease, session, state, terms } from './samples.ts';

/** Where one kind of journal stores: journals opened on it one after another find what the last one left. */
export interface Place {
  open(): Journal;
  remove(): Promise<void>;
}

/** What every journal keeps to; run over each of them. */
export function journalContract(title: string, makePlace: () => Promise<Place>): void {
  describe(title, () => {
    let place: Place;
    beforeEach(async () => {
      place = await makePlace();
    });
    afterEach(() => place.remove());

    /** One run: loads, appends the batches, closes; gives what it loaded. */
    async function run(...batches: (readonly DurableEvent[])[]): Promise<JournalContents> {
      const journal = place.open();
      const contents = await journal.load();
      for (const [index, events] of batches.entries()) {
        await journal.append({ sequence: contents.sequence + index + 1, events });
      }
      await journal.close();
      return contents;
    }

    describe('events', () => {
      for (const [kind, { batches, then }] of Object.entries(kinds)) {
        test(`${kind} is found by the next run as it was meant`, async () => {
          await run(...batches);
          const contents = await run();
          expect(contents.sequence).toBe(batches.length);
          then(contents);
        });
      }

      test('any batches are found by the next run as the fold has them', async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(anyEvents, { maxLength: 4 }), async (batches) => {
            await place.remove();
            place = await makePlace();
            const before = await run(...batches);
            const after = await run();
            expect(after).toEqual(
              nextRun(before, batches.map((events, index) => ({ sequence: index + 1, events }))),
            );
          }),
          { numRuns: 25 },
        );
      });
    });

    runs();
    rules();
    ends();

    function runs(): void {
      test('a new journal is fresh, has an id of its own, and says so until the first batch is stored', async () => {
        const first = await run();
        expect(first).toMatchObject({ fresh: true, run: 1, sequence: 0, mark: 0, largestWindowMs: 0, quietMs: 0, leases: [], claims: [] });
        expect(first.id).toMatch(/^[0-9a-f-]{36}$/);
        expect(await run([])).toMatchObject({ id: first.id, fresh: true, run: 2 });
        expect(await run()).toMatchObject({ id: first.id, fresh: false, run: 3, sequence: 1 });
        const other = await makePlace();
        const otherJournal = other.open();
        expect((await otherJournal.load()).id).not.toBe(first.id);
        await otherJournal.close();
        await other.remove();
      });

      test('a run that stores nothing changes nothing but the run', async () => {
        await run([granted(7), claim('a'), { kind: 'session', session: session() }, { kind: 'state', state: state() }]);
        const second = await run();
        expect(await run()).toEqual({ ...second, run: second.run + 1 });
      });

      test('S5 the life of a lease sums the listening time of all runs, from its grant', async () => {
        await run([granted(7, { grantedAtMs: durationMs(1000) })], [{ kind: 'listened', listeningMs: durationMs(4000) }]);
        expect((await run([{ kind: 'listened', listeningMs: durationMs(600) }])).leases[0]).toMatchObject({ lifeMs: 3000, grantedAtMs: 0 });
        expect((await run()).leases[0]?.lifeMs).toBe(3600);
        expect((await run()).leases[0]?.lifeMs).toBe(3600);
      });

      test('S5 a grant after the last stored listening time has no life, not a negative one', async () => {
        await run([{ kind: 'listened', listeningMs: durationMs(500) }, granted(7, { grantedAtMs: durationMs(900) })]);
        expect((await run()).leases[0]?.lifeMs).toBe(0);
      });

      test('S5 stored listening time never falls within a run', async () => {
        await run([granted(7, { grantedAtMs: durationMs(0) })], [{ kind: 'listened', listeningMs: durationMs(900) }], [{ kind: 'listened', listeningMs: durationMs(800) }]);
        expect((await run()).leases[0]?.lifeMs).toBe(900);
      });

      test('S5 stored silence outlives runs, and the quiet time too', async () => {
        await run([granted(7), { kind: 'silent', leases: [{ ...onLease, silentMs: durationMs(700) }] }, { kind: 'quiet', quietMs: durationMs(50) }]);
        await run();
        expect(await run()).toMatchObject({ quietMs: 50, leases: [{ silentMs: 700 }] });
      });
    }

    function rules(): void {
      test('S2 the mark never falls: not with the leases, not by a smaller token', async () => {
        await run([granted(90)], [{ kind: 'ended', name: terms().name, fencingToken: ids.fencingToken(90) }]);
        await run([granted(80), { kind: 'mark', fencingToken: ids.fencingToken(70) }]);
        expect((await run()).mark).toBe(90);
      });

      test('S5 the largest window stays when the lease that had it is gone', async () => {
        await run([granted(7, { ttlMs: durationMs(99_000) })], [{ kind: 'ended', ...onLease }, granted(8)]);
        expect((await run()).largestWindowMs).toBe(99_000);
      });

      test('S3 what names a token that is not current changes nothing', async () => {
        await run([granted(7)]);
        const before = await run();
        const stale = { name: terms().name, fencingToken: ids.fencingToken(6) };
        const elsewhere = { name: ids.leaseName('another'), fencingToken: ids.fencingToken(7) };
        for (const which of [stale, elsewhere]) {
          await run([
            { kind: 'window', ...which, ttlMs: durationMs(80_000) },
            { kind: 'heard', ...which },
            { kind: 'silent', leases: [{ ...which, silentMs: durationMs(5) }] },
            { kind: 'ended', ...which },
          ]);
        }
        const { leases, mark, largestWindowMs } = await run();
        expect({ leases, mark, largestWindowMs }).toEqual({ leases: before.leases, mark: 7, largestWindowMs: 30_000 });
      });

      test('S5 a stored window is never cut', async () => {
        await run([granted(7)], [{ kind: 'window', ...onLease, ttlMs: durationMs(10_000) }]);
        expect((await run()).leases[0]?.ttlMs).toBe(30_000);
      });

      test('S8 claims keep the order in which they came, over runs and when they are stored again', async () => {
        await run([claim('c'), claim('a')], [claim('b'), claim('c', { priority: 5 })]);
        await run([claim('d'), { kind: 'claim-ended', session: terms().session, request: ids.requestId('a') }]);
        const { claims } = await run([claim('a')]);
        expect(claims.map((one) => [one.terms.request, one.terms.priority])).toEqual([['c', 5], ['b', -7], ['d', -7]]);
        expect((await run()).claims.map((one) => one.terms.request)).toEqual(['c', 'b', 'd', 'a']);
      });

      test('a request id belongs to its session: two sessions may use the same', async () => {
        await run([claim('a'), claim('a', { session: ids.sessionId('session-2') })]);
        expect((await run()).claims).toHaveLength(2);
      });

      test('R14 a batch that does not follow the last one is refused, and nothing of it is stored', async () => {
        const journal = place.open();
        await journal.load();
        await journal.append({ sequence: 1, events: [granted(7)] });
        for (const sequence of [0, 1, 3]) {
          await expect(journal.append({ sequence, events: [granted(8), claim('a')] })).rejects.toThrow(
            `batch ${sequence} does not follow batch 1`,
          );
        }
        await journal.append({ sequence: 2, events: [granted(9)] });
        await journal.close();
        const contents = await run();
        expect(contents.leases.map((one) => one.fencingToken)).toEqual([7, 9]);
        expect(contents).toMatchObject({ mark: 9, sequence: 2, claims: [] });
      });

      test('10,000 events are one batch', async () => {
        const events = Array.from({ length: 10_000 }, (_, index): DurableEvent => {
          const over = { request: ids.requestId(`r${index}`), name: ids.leaseName(`jobs/${index}`) };
          return index % 2 === 0 ? granted(index + 1, { terms: terms(over) }) : claim(`r${index}`, over);
        });
        await run(events);
        const contents = await run();
        expect(contents.sequence).toBe(1);
        expect(contents.leases).toHaveLength(5000);
        expect(contents.claims).toHaveLength(5000);
        expect(contents.leases[4999]).toEqual(
          lease(9999, { grantedAtMs: durationMs(0), terms: terms({ request: ids.requestId('r9998'), name: ids.leaseName('jobs/9998') }) }),
        );
      });
    }

    function ends(): void {
      test('an append that was called before close ends first', async () => {
        const journal = place.open();
        await journal.load();
        const appended = journal.append({ sequence: 1, events: [granted(7)] });
        await journal.close();
        await appended;
        expect((await run()).mark).toBe(7);
      });

      test('close is idempotent, and what comes after it is refused', async () => {
        const journal = place.open();
        await journal.load();
        await Promise.all([journal.close(), journal.close()]);
        await journal.close();
        await expect(journal.append({ sequence: 1, events: [] })).rejects.toMatchObject({ name: 'JournalError', code: 'closed' });
        await expect(journal.load()).rejects.toMatchObject({ code: 'closed' });
        expect(await run()).toMatchObject({ run: 2, sequence: 0 });
      });

      test('a journal that was never loaded closes and stores nothing', async () => {
        const journal = place.open();
        await expect(journal.append({ sequence: 1, events: [] })).rejects.toMatchObject({ code: 'closed' });
        await journal.close();
        expect((await run()).run).toBe(1);
      });

      test('a second owner is refused while the first is open, and finds everything afterwards', async () => {
        const first = place.open();
        await first.load();
        await first.append({ sequence: 1, events: [granted(7)] });
        const second = place.open();
        await expect(second.load()).rejects.toMatchObject({ name: 'JournalError', code: 'in-use' });
        await second.close();
        await first.append({ sequence: 2, events: [granted(8)] });
        await first.close();
        expect((await run()).leases).toHaveLength(2);
      });
    }
  });
}

const onLease = { name: terms().name, fencingToken: ids.fencingToken(7) };
