import { existsSync } from 'node:fs';
import { missingTools } from '../../chaos/tools.ts';
import { Bench } from '../support/bench.ts';
import { SERVE, type CoordinatorOptions, type CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { msBetween, now } from '../support/log.ts';
import { sleep, within } from '../support/waiting.ts';
import { Crowd, type Plan } from './f61/crowd.ts';
import { npmStart } from './f61/npm-start.ts';
import { onlookAt } from './f61/onlooker.ts';

const EXIT_MS_MAX = 5_000;
/** "At once": a question that is asked later than this is not answered with "ready" any more. */
const READY_MS_MAX = 250;
const NEXT_AFTER_MS = 1_000;
/** Into the drain, which waits a second for those that do not answer. */
const SECOND_AFTER_MS = 550;

/** How it is started, and who gets the signal. */
interface Way {
  readonly what: string;
  readonly start: (bench: Bench) => Partial<CoordinatorOptions>;
  readonly signal: (coordinator: CoordinatorProcess) => void;
  readonly again: boolean;
  /** Also where the case is short. */
  readonly inShort: boolean;
}

const terminate = (pid: number): void => void process.kill(pid, 'SIGTERM');

const byNpm = (bench: Bench): Partial<CoordinatorOptions> => ({
  command: npmStart(bench.folder()),
});

const WAYS: readonly Way[] = [
  { what: 'SIGTERM', start: () => ({}), signal: ({ pid }) => terminate(pid), again: false, inShort: false },
  {
    what: 'SIGTERM, and one more during the drain',
    start: () => ({}),
    signal: ({ pid }) => terminate(pid),
    again: true,
    inShort: true,
  },
  {
    what: 'SIGTERM to process 1',
    start: () => ({ under: ['unshare', '--pid', '--fork', '--mount-proc'] }),
    // The runtime of a container signals its process 1, from outside.
    signal: ({ inner }) => inner.forEach(terminate),
    again: false,
    inShort: true,
  },
  {
    what: 'SIGTERM to npm start',
    start: byNpm,
    signal: ({ pid }) => terminate(pid),
    again: false,
    inShort: false,
  },
  {
    what: 'SIGTERM to all processes of npm start',
    start: byNpm,
    // As a service manager ends a group. npm hands its own on, so that the coordinator gets two.
    signal: ({ pid, inner }) => [pid, ...inner].forEach(terminate),
    again: false,
    inShort: true,
  },
];

export const F61: FieldCase = {
  id: 'F61',
  title: 'S5 a coordinator told to stop says so, ends within 5 s whoever does not answer, and costs or grants no lease',
  async run(bench, size) {
    const missing = missingTools().get('namespaces');
    if (missing !== undefined) throw new Error(`no coordinator can be made process 1: ${missing}`);
    const plan: Plan = size === 'full' ? { clients: 200, holders: 50 } : { clients: 40, holders: 10 };
    if (size === 'full') for (const way of WAYS) await apart(bench, plan, way);
    // Most of it is waiting: beside each other they take about as long as one.
    else await Promise.all(WAYS.filter(({ inShort }) => inShort).map((way) => apart(bench, plan, way)));
  },
};

/** On a bench of its own: each coordinator counts its tokens from the second in which its file was made. */
async function apart(bench: Bench, plan: Plan, way: Way): Promise<void> {
  await using own = new Bench();
  await play(own, plan, way);
  await own.finish();
  bench.measured.push(...own.measured.map((one) => ({ ...one, what: `${way.what}: ${one.what}` })));
  bench.violated(own.violations.map((violation) => `${way.what}: ${violation}`));
}

async function play(bench: Bench, plan: Plan, way: Way): Promise<void> {
  const data = bench.dataFile();
  const coordinator = await bench.coordinator({ data, readyWithinMs: 60_000, ...way.start(bench) });
  const crowd = await Crowd.gather(bench, coordinator, plan);
  const measure: Bench['measure'] = (...one) => bench.measure(...one);

  const { pid } = coordinator;
  const [served = pid] = coordinator.inner;
  crowd.stun();
  const signalledAt = now();
  way.signal(coordinator);
  const seen = onlookAt(coordinator, signalledAt);
  if (way.again) {
    await sleep(SECOND_AFTER_MS);
    terminate(served);
  }
  const { code, signal } = await within(coordinator.exit, 15_000, 'the coordinator ends');
  const tookMs = msBetween(signalledAt, now());
  const { readyMs, late } = await seen;
  measure(
    'last question answered with "ready"',
    `asked ${readyMs.toFixed(0)} ms after the signal`,
    `at most ${READY_MS_MAX} ms`,
    readyMs <= READY_MS_MAX,
  );
  measure('one that comes during the drain', late, 'refused or closed 1001, not granted', !late.includes('granted'));
  measure(
    `end, with ${crowd.unresponsive} that do not answer`,
    `${code ?? signal} after ${tookMs.toFixed(0)} ms`,
    `exit code 0 within ${EXIT_MS_MAX} ms`,
    code === 0 && tookMs <= EXIT_MS_MAX,
  );
  const left = [served === pid ? [] : [served]].flat().filter((one) => existsSync(`/proc/${one}`));
  if (served !== pid) measure('its inner process', left.length === 0 ? 'gone' : 'lives on', 'gone', left.length === 0);
  const log = existsSync(`${data}-wal`);
  measure('storage', log ? 'a log is left' : 'no log is left', 'closed cleanly: no log is left', !log);

  await sleep(NEXT_AFTER_MS);
  const startedAt = now();
  const next = await bench.restart(coordinator, { under: [], command: SERVE });
  await crowd.rouse(startedAt);
  await crowd.measure(next, signalledAt, measure);
}
