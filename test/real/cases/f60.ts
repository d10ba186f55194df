import { fileURLToPath } from 'node:url';
import type { Bench } from '../support/bench.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { entriesOf, msBetween, now } from '../support/log.ts';
import { Script } from '../support/script.ts';
import { sleep } from '../support/waiting.ts';
import { gather, type Crowd, type Plan } from './f60/crowd.ts';
import { backWithin, measureDials, measurePauses } from './f60/dials.ts';

const PROBER = fileURLToPath(new URL('./f60/prober.ts', import.meta.url));
const BACK_MS_MAX = 10_000;
const LOOP_MS_MAX = 500;
const SHORT_MS = 3_000;
const LONG_MS = 60_000;

const FULL: Plan = { clients: 500, holders: 100, processes: 4, maxBackoffMs: 8_000 };
/** A cap that is reached within the three seconds. */
const CI: Plan = { clients: 120, holders: 24, processes: 2, maxBackoffMs: 1_500 };

export const F60: FieldCase = {
  id: 'F60',
  title:
    'S5 a crowd that lost its coordinator comes back spread out and soon, and none of it loses a lease over a restart',
  async run(bench, size) {
    const plan = size === 'full' ? FULL : CI;
    const coordinator = await bench.coordinator();
    const crowd = await gather(bench, coordinator, 'crowd', plan);
    const next = await down(bench, coordinator, crowd, SHORT_MS);
    const lost = entriesOf(bench.log.entries, 'lost').length;
    bench.measure(`leases lost of ${plan.holders}, down for ${SHORT_MS / 1_000} s`, lost, '0', lost === 0);
    if (size === 'full') await down(bench, next, crowd, LONG_MS);
  },
};

/** kill -9, nothing for so long, and a start: when who dials, when all are back, whether the new one stands it. */
async function down(
  bench: Bench,
  coordinator: CoordinatorProcess,
  crowd: Crowd,
  forMs: number,
): Promise<CoordinatorProcess> {
  const what = `down for ${forMs / 1_000} s`;
  using prober = new Script(PROBER, [String(coordinator.port)]);
  const diedAt = now();
  await coordinator.kill();
  await sleep(forMs);
  const next = await bench.restart(coordinator);
  prober.tell({ pid: next.pid });
  const startedAt = now();
  const backAt = await backWithin(bench, crowd, diedAt, BACK_MS_MAX + 20_000);
  const backMs = msBetween(startedAt, backAt);
  bench.measure(
    `${what}: start until all ${crowd.clients.length} are back`,
    `${backMs.toFixed(0)} ms`,
    `at most ${BACK_MS_MAX} ms`,
    backMs <= BACK_MS_MAX,
  );
  measureDials(bench, what, crowd, { diedAt, backAt });
  measurePauses(bench, what, crowd, { diedAt, startedAt });
  measureLoop(bench, what, prober);
  return next;
}

/** What is over when nobody waited for a processor: the loop itself. */
function measureLoop(bench: Bench, what: string, { lines }: Script): void {
  const answers = lines.map(({ fields }) => ({
    tookMs: Number(fields['tookMs']),
    waitedMs: Number(fields['waitedMs']),
  }));
  const slowest = Math.max(0, ...answers.map(({ tookMs, waitedMs }) => tookMs - waitedMs));
  const took = Math.max(...answers.map(({ tookMs }) => tookMs));
  bench.measure(
    `${what}: slowest of ${answers.length} answers of the new one to a question each 50 ms, less the waiting for a processor`,
    `${slowest.toFixed(0)} ms (with it ${took.toFixed(0)} ms)`,
    `under ${LOOP_MS_MAX} ms`,
    answers.length > 0 && slowest < LOOP_MS_MAX,
  );
}
