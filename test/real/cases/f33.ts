import { entriesOf, msBetween } from '../support/log.ts';
import type { Bench } from '../support/bench.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { sleep } from '../support/waiting.ts';

const TTL_MS = 3_000;
const PERIOD_MS = 2_000;
const DAY_MS = 86_400_000;
const REFUSED_MS_MAX = 100;

export const F33: FieldCase = {
  id: 'F33',
  title:
    "S6 renewals keep their pace without drift, and a duration beyond a timer's reach is refused or never fires early",
  async run(bench, size) {
    const coordinator = await bench.coordinator();
    await pace(bench, coordinator, size === 'full' ? 60_000 : 10_000);
    await refusedDurations(bench, coordinator);
    await longDurations(bench, coordinator, size === 'full' ? 10_000 : 3_000);
  },
};

async function pace(bench: Bench, coordinator: CoordinatorProcess, holdMs: number): Promise<void> {
  const holder = bench.process().client('idle', coordinator.url, {}, true);
  await holder.acquire('a', 'idle', { ttlMs: TTL_MS });
  await sleep(holdMs);
  const renewals = renewalsOf(bench, 'idle');
  const expected = holdMs / PERIOD_MS;
  const tolerance = holdMs >= 60_000 ? 2 : 1;
  bench.measure(
    `renewals in ${holdMs / 1_000} s at W = 3 s`,
    renewals.length,
    `${expected} +- ${tolerance}`,
    Math.abs(renewals.length - expected) <= tolerance,
  );
  const spacings = renewals.slice(1).map((at, index) => msBetween(renewals[index] ?? at, at));
  const [least, most] = [Math.min(...spacings), Math.max(...spacings)];
  bench.measure(
    'spacing of renewals',
    `${least.toFixed(0)} to ${most.toFixed(0)} ms`,
    '2,000 ms +- 10 %',
    least >= 0.9 * PERIOD_MS && most <= 1.1 * PERIOD_MS,
  );
  const half = Math.floor(spacings.length / 2);
  const drift = mean(spacings.slice(half)) - mean(spacings.slice(0, half));
  bench.measure(
    'drift: second half of the spacings against the first',
    `${drift.toFixed(1)} ms`,
    'under 1 % of the period',
    Math.abs(drift) < PERIOD_MS / 100,
  );
}

/** 40 days is beyond what a timer can take (2^31 - 1 ms); it is beyond what may be asked as well. */
async function refusedDurations(bench: Bench, coordinator: CoordinatorProcess): Promise<void> {
  const asker = bench.process().client('asker', coordinator.url);
  const asked = [
    { param: 'ttlMs', max: DAY_MS, options: { ttlMs: 40 * DAY_MS } },
    { param: 'waitMs', max: DAY_MS, options: { waitMs: 40 * DAY_MS } },
    { param: 'maxLifetimeMs', max: 30 * DAY_MS, options: { maxLifetimeMs: 60 * DAY_MS } },
  ];
  for (const { param, max, options } of asked) {
    const settled = await asker.acquire(param, 'long', options);
    const called = await bench.log.find('called', ({ call }) => call === settled.call, 1_000, 'the call is in the log');
    const tookMs = msBetween(called.at, settled.at);
    const text = settled.ok ? 'granted' : `${settled.code}: ${settled.message}`;
    const ok =
      !settled.ok &&
      settled.code === 'bad-request' &&
      text.includes(param) &&
      text.includes(String(max)) &&
      tookMs <= REFUSED_MS_MAX;
    bench.measure(
      `${param} far over its maximum`,
      `${text} (${tookMs.toFixed(0)} ms)`,
      `refused with the maximum, ${max}`,
      ok,
    );
  }
}

/** The longest durations that may be asked: their timers must neither fire at once nor warn of an overflow. */
async function longDurations(bench: Bench, coordinator: CoordinatorProcess, observeMs: number): Promise<void> {
  const owner = bench.process();
  const holder = owner.client('long', coordinator.url, {}, true);
  const longest = { ttlMs: DAY_MS, maxLifetimeMs: 30 * DAY_MS };
  await holder.acquire('a', 'long', longest);
  const waiter = owner.client('patient', coordinator.url);
  const waiting = waiter.acquire('b', 'long', { ...longest, waitMs: DAY_MS });
  await sleep(observeMs);
  const { status } = await holder.read('a');
  const renewals = renewalsOf(bench, 'long').length;
  bench.measure(
    `W = 1 day, ceiling 30 days, after ${observeMs / 1_000} s`,
    `${status}, ${renewals} renewals`,
    'held, at most 1 renewal',
    status === 'held' && renewals <= 1,
  );
  const fired = entriesOf(bench.log.entries, 'settled', 'patient').length > 0;
  bench.measure('wait limit of 1 day', fired ? 'fired' : 'not fired', 'not fired', !fired);
  const overflow = [owner.stderr, coordinator.stderr].filter((text) => text.includes('TimeoutOverflowWarning'));
  bench.measure('overflow warnings of the runtime', overflow.length, '0', overflow.length === 0);
  await waiter.close();
  await waiting;
}

const renewalsOf = (bench: Bench, client: string): readonly bigint[] =>
  entriesOf(bench.log.entries, 'sent', client)
    .filter(({ messages }) => messages.some(({ type }) => type === 'renew'))
    .map(({ at }) => at);

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
