import type { Bench } from '../../support/bench.ts';
import type { ClientHandle, ClientProcess } from '../../support/client-process.ts';
import type { CoordinatorProcess } from '../../support/coordinator-process.ts';
import { entriesOf, msBetween, quantile } from '../../support/log.ts';
import type { Relay } from '../../support/relay.ts';
import { seeded } from '../../support/seeded.ts';
import { sleep } from '../../support/waiting.ts';

const TTL_MS = 3_000;
const SPREAD_MS = 3;
const GRANTED_MS_MAX = 100;
/** Two pings of a waiter at this window are a second; a third one may lie between. */
const PASSED_OVER_MS = 1_700;
/** At a time; each in a client of its own, since one that is reset again and again pauses longer each time. */
const ABREAST = 20;
const PROGRAMS = 2;

/** When A releases: about the reset, while B is away, once B was silent so long that it is passed over, as B comes back. */
const MOMENTS = ['reset', 'away', 'passed-over', 'back'] as const;
type Moment = (typeof MOMENTS)[number];

export async function resumedAmidReleases(
  bench: Bench,
  coordinator: CoordinatorProcess,
  rounds: number,
): Promise<void> {
  const leaving = bench.process().client('leaver', coordinator.url, { idleMs: 60_000 });
  const programs = Array.from({ length: PROGRAMS }, () => bench.process());
  const outcomes: Outcome[] = [];
  for (let from = 0; from < rounds; from += ABREAST) {
    const numbers = Array.from({ length: Math.min(ABREAST, rounds - from) }, (_, index) => from + index);
    const played = numbers.map((number) => {
      const program = programs[number % PROGRAMS] ?? bench.process();
      return resetAndResumed(bench, coordinator, { leaving, program, number });
    });
    outcomes.push(...(await Promise.all(played)));
  }
  measure(bench, outcomes);
}

interface Parts {
  readonly leaving: ClientHandle;
  readonly program: ClientProcess;
  readonly number: number;
}

interface Outcome {
  readonly moment: Moment;
  readonly resumed: boolean;
  /** Away from the coordinator, which the pause before the next dial makes up. */
  readonly awayMs: number;
  /** From the later of `welcome` and release to the grant. */
  readonly tookMs: number;
}

async function resetAndResumed(
  bench: Bench,
  coordinator: CoordinatorProcess,
  { leaving, program, number }: Parts,
): Promise<Outcome> {
  const relay = await bench.relay(() => coordinator);
  const [name, label] = [`away-${number}`, `back-${number}`];
  const moment = MOMENTS[number % MOMENTS.length] ?? 'reset';
  await leaving.acquire(name, name, { ttlMs: TTL_MS });
  const coming = program.client(label, relay.url, {}, true);
  const asked = coming.acquire('b', name, { ttlMs: TTL_MS });
  await bench.log.find('queued', ({ client }) => client === label, 5_000, `${label} stands in the queue`);

  const released = resetAndRelease(relay, moment, seeded(number), () => leaving.release(name));
  await asked;
  const release = await released;
  const [called, held] = await Promise.all([
    bench.log.find('called', ({ call }) => call === release.call, 1_000, 'the release is in the log'),
    bench.log.find('held', ({ client }) => client === label, 1_000, `${label} holds`),
  ]);
  const closed = entriesOf(bench.log.entries, 'socket-closed', label)[0];
  const welcome = entriesOf(bench.log.entries, 'received', label).findLast(
    ({ at, messages }) => at <= held.at && messages.some(({ type }) => type === 'welcome'),
  );
  await coming.release('b');
  await coming.close();
  if (closed === undefined || welcome === undefined) throw new Error(`${label} was not seen to be reset and to resume`);
  const bothAt = welcome.at > called.at ? welcome.at : called.at;
  return {
    moment,
    resumed: welcome.at > closed.at && welcome.messages.some(({ resumed }) => resumed === true),
    awayMs: msBetween(closed.at, welcome.at),
    tookMs: msBetween(bothAt, held.at),
  };
}

async function resetAndRelease<T>(relay: Relay, moment: Moment, draw: number, release: () => Promise<T>): Promise<T> {
  if (moment === 'back') {
    const hello = relay.next('up', ({ type }) => type === 'hello');
    relay.reset();
    await hello;
    return release();
  }
  if (moment === 'passed-over') {
    relay.reset();
    const refused = relay.refuse(PASSED_OVER_MS + 100);
    await sleep(PASSED_OVER_MS);
    const released = release();
    await refused;
    return released;
  }
  const apartMs = (2 * draw - 1) * SPREAD_MS;
  if (moment === 'reset' && apartMs < 0) {
    const released = release();
    await sleep(-apartMs);
    relay.reset();
    return released;
  }
  relay.reset();
  await sleep(moment === 'away' ? 200 * draw : apartMs);
  return release();
}

const WHEN: Readonly<Record<Moment, string>> = {
  reset: 'A released about the reset',
  away: 'A released while B was away',
  'passed-over': 'A released once B had been away for longer than two pings',
  back: 'A released as B came back',
};

function measure(bench: Bench, outcomes: readonly Outcome[]): void {
  const resumed = outcomes.filter((outcome) => outcome.resumed).length;
  const away = outcomes.map(({ awayMs }) => awayMs);
  bench.measure(
    `rounds in which B's socket was reset and its session resumed`,
    `${resumed} of ${outcomes.length}, away for ${quantile(away, 0.5).toFixed(0)} ms in the median`,
    'every round',
    resumed === outcomes.length,
  );
  for (const moment of MOMENTS) {
    const took = outcomes.filter((outcome) => outcome.moment === moment).map(({ tookMs }) => tookMs);
    const slowest = Math.max(...took);
    bench.measure(
      WHEN[moment],
      `granted ${slowest.toFixed(1)} ms after the resume or the release at the latest (${took.length} rounds)`,
      `at most ${GRANTED_MS_MAX} ms`,
      slowest <= GRANTED_MS_MAX,
    );
  }
}
