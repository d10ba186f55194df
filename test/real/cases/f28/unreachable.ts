import type { Bench } from '../../support/bench.ts';
import { msBetween, now } from '../../support/log.ts';
import { holderOf, succeeds, terminated, TTL_MS, type Ended } from './holding.ts';

/** The stated limit: what the section needs, and then an answer that does not come. */
const EXIT_MS_MAX = 5_000;
const SLACK_MS = 250;

/** Told to end while nobody answers: all is silent, and the coordinator is gone. */
export async function unreachable(bench: Bench): Promise<void> {
  await Promise.all([silent(bench), gone(bench)]);
}

async function silent(bench: Bench): Promise<void> {
  const coordinator = await bench.coordinator();
  const next = bench.process().client('behind-silent', coordinator.url, { idleMs: 60_000 });
  await next.ready(30_000);
  using scripts = new DisposableStack();
  const holder = await holderOf([bench, coordinator, scripts], 'silent', 'closes');
  const granted = succeeds(bench, next, 'silent');
  await holder.relay.next('down', ({ type }) => type === 'renewed');
  holder.relay.blackHole();
  const end = await terminated(holder);
  measureExit(bench, 'nothing passes', end);
  const at = await granted;
  const [early, late] = [msBetween(holder.renewals.sentAt, at), msBetween(holder.renewals.ackedAt, at)];
  bench.measure(
    'nothing passes: the next grant',
    `${early.toFixed(0)} ms after the last renewal was sent, ${late.toFixed(0)} ms after its answer`,
    `one window of ${TTL_MS} ms, at most ${SLACK_MS} ms more`,
    early >= TTL_MS && late <= TTL_MS + SLACK_MS,
  );
  const wrote = msBetween(end.wroteAt, at);
  bench.measure('nothing passes: last write to the next grant', `${wrote.toFixed(0)} ms`, 'above 0', wrote > 0);
  bench.ghosts += 1;
}

async function gone(bench: Bench): Promise<void> {
  const coordinator = await bench.coordinator();
  using scripts = new DisposableStack();
  const holder = await holderOf([bench, coordinator, scripts], 'gone', 'closes');
  await coordinator.kill();
  measureExit(bench, 'the coordinator is killed', await terminated(holder));
  const again = await bench.restart(coordinator);
  const startedAt = now();
  const at = await succeeds(bench, bench.process().client('behind-gone', again.url), 'gone');
  const [early, late] = [msBetween(holder.renewals.sentAt, at), msBetween(startedAt, at)];
  bench.measure(
    'the coordinator is killed, and started after the exit: the next grant',
    `${early.toFixed(0)} ms after the last renewal was sent, ${late.toFixed(0)} ms after the start`,
    `not within the window of ${TTL_MS} ms; at most that and ${SLACK_MS} ms after the start`,
    early >= TTL_MS && late <= TTL_MS + SLACK_MS,
  );
}

function measureExit(bench: Bench, what: string, { code, exitMs, stderr, ran }: Ended): void {
  bench.measure(
    `${what}: signal to the exit`,
    `exit ${code} after ${exitMs.toFixed(0)} ms, run ended ${String(ran)}${stderr}`,
    `exit 0, at most ${EXIT_MS_MAX} ms`,
    code === 0 && exitMs <= EXIT_MS_MAX && stderr === '',
  );
}
