import { expect, test } from 'vitest';
import { Bench } from './support/bench.ts';
import { deadlinesOf } from './support/deadlines.ts';
import { entriesOf, msBetween } from './support/log.ts';
import { FULL } from './support/size.ts';
import { sleep } from './support/waiting.ts';

const ROUNDS = FULL ? 20 : 3;
const TTL_MS = 3_000;
const SLACK_MS = 250;

test(
  "S1 the other process holds within the TTL and 250 ms of a holder's last word, and never before the TTL, when it is killed",
  { timeout: 30_000 + ROUNDS * 10_000 },
  async () => {
    await using bench = new Bench();
    const coordinator = await bench.coordinator();
    const survivor = bench.process().client('survivor', coordinator.url, { idleMs: 60_000 });
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `job-${round}`;
      const doomed = bench.process();
      const holder = doomed.client(`doomed-${round}`, coordinator.url, {}, true);
      await holder.acquire('a', name, { ttlMs: TTL_MS });
      const waiting = survivor.acquire(name, name, { ttlMs: TTL_MS });
      const isAnswer = ({ messages }: { readonly messages: readonly { readonly type?: unknown }[] }): boolean =>
        messages.some(({ type }) => type === 'renewed');
      const answer = await bench.log.next(
        'received',
        (entry) => entry.client === holder.label && isAnswer(entry),
        5_000,
        'a renewal is acknowledged',
      );
      // Between two renewals, so that none is on its way when the signal comes.
      await sleep(300);
      doomed.kill();
      await waiting;
      const held = await bench.log.find(
        'held',
        (entry) => entry.client === 'survivor' && entry.name === name,
        1_000,
        'the survivor holds',
      );
      const token = entriesOf(bench.log.entries, 'held', holder.label)[0]?.token ?? 0;
      const deadline = deadlinesOf(bench.log.entries).get(holder.label)?.get(token) ?? 0n;
      expect(msBetween(deadline, held.at)).toBeGreaterThanOrEqual(0);
      expect(msBetween(answer.at, held.at)).toBeLessThanOrEqual(TTL_MS + SLACK_MS);
      expect(held.token).toBeGreaterThan(token);
      await survivor.release(name);
    }
    await bench.finish();
    expect(bench.violations).toEqual([]);
  },
);

test('S1 a holder that was stopped for two windows does not believe when it wakes, and the other holds a higher token', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const sleeper = bench.process();
  const holder = sleeper.client('sleeper', coordinator.url);
  await holder.acquire('a', 'job', { ttlMs: TTL_MS });
  const other = bench.process().client('other', coordinator.url, { idleMs: 60_000 });
  const waiting = other.acquire('b', 'job', { ttlMs: TTL_MS });
  await sleep(500);
  sleeper.suspend();
  const suspendedAt = performance.now();
  await waiting;
  expect(performance.now() - suspendedAt).toBeLessThanOrEqual(TTL_MS + SLACK_MS);
  await sleep(2 * TTL_MS - (performance.now() - suspendedAt));
  // The order lies in its stdin already, so it is obeyed as soon as any code runs.
  const reading = holder.read('a');
  sleeper.resume();
  const { status, remainingMs, aborted } = await reading;
  expect({ status, remainingMs, aborted }).toEqual({ status: 'lost', remainingMs: 0, aborted: true });
  await bench.finish();
  expect(bench.violations).toEqual([]);
});
