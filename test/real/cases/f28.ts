import type { Bench } from '../support/bench.ts';
import type { Coordinating } from '../support/coordinating.ts';
import type { FieldCase } from '../support/field-case.ts';
import { msBetween } from '../support/log.ts';
import { processorOf, tellProcessor } from '../support/processor.ts';
import type { Passing } from '../support/relay.ts';
import { sleep, within } from '../support/waiting.ts';
import { holderOf, MORE_MS, succeeds, terminated, type Ended, type Holder } from './f28/holding.ts';
import { unreachable } from './f28/unreachable.ts';

const NEXT_MS_MAX = 100;
/** Between the signals of two holders, so that one is not measured while the others end. */
const APART_MS = 150;

export const F28: FieldCase = {
  id: 'F28',
  title:
    'S10 a process that is told to end finishes its section, then releases, then exits, the coordinator there or not',
  async run(bench, size) {
    // So many at once that their starts and exits leave two processors time for what is measured.
    if (size === 'ci') await Promise.all([reachable(bench, 3), unreachable(bench)]);
    else {
      for (let batch = 0; batch < 5; batch += 1) await reachable(bench, 4);
      await unreachable(bench);
    }
  },
};

interface Handed extends Ended {
  readonly releasedAt: bigint;
  /** On the wire, where the release was seen, too: a busy machine may let the successor itself wait for a processor. */
  readonly grantedAt: bigint;
  readonly waitedMs: number;
  readonly heldAt: bigint;
}

async function reachable(bench: Bench, runs: number): Promise<void> {
  const coordinator = await bench.coordinator();
  using scripts = new DisposableStack();
  const place = [bench, coordinator, scripts] as const;
  const successors = bench.process();
  const stand = async (_: unknown, run: number): Promise<Standing> => {
    const name = `shut-down-${coordinator.port}-${run}`;
    const relay = await bench.relay(() => coordinator);
    const next = successors.client(`next-${run}`, relay.url, { idleMs: 60_000 });
    await next.ready(30_000);
    const holder = await holderOf(place, name, run % 2 === 0 ? 'closes' : 'aborts');
    let waited = waitedBy(coordinator);
    const released = holder.relay.next(
      'up',
      ({ type }) => type === 'release',
      () => {
        waited = waitedBy(coordinator);
      },
    );
    const granted = relay.next(
      'down',
      ({ type }) => type === 'granted',
      () => {
        waited = waitedBy(coordinator, waited);
      },
    );
    return { released, waitedMs: () => Math.max(...waited), name, holder, granted, held: succeeds(bench, next, name) };
  };
  const before = processorOf(coordinator);
  const standing = await Promise.all(Array.from({ length: runs }, stand));
  measure(bench, await Promise.all(standing.map(handedOver)));
  tellProcessor(bench, coordinator, before);
}

/** How long the coordinator and this process, which has the relays, could have run but had no processor. */
function waitedBy(coordinator: Coordinating, since: readonly number[] = []): readonly number[] {
  return [coordinator, process].map((one, index) => processorOf(one).waitedMs - (since[index] ?? 0));
}

/** A holder, and a successor that waits behind it. */
interface Standing {
  readonly name: string;
  readonly holder: Holder;
  readonly released: Promise<Passing>;
  readonly granted: Promise<Passing>;
  /** From the one to the other. */
  readonly waitedMs: () => number;
  readonly held: Promise<bigint>;
}

async function handedOver({ name, holder, released, granted, waitedMs, held }: Standing, run: number): Promise<Handed> {
  await sleep((run + 1) * APART_MS);
  const end = await terminated(holder);
  const { at: releasedAt } = await within(released, 1_000, `${name}, whose run ended ${String(end.ran)}, is released`);
  return { ...end, releasedAt, grantedAt: (await granted).at, waitedMs: waitedMs(), heldAt: await held };
}

function measure(bench: Bench, runs: readonly Handed[]): void {
  const span = (what: string, spans: readonly number[], right: string, least: number, most: number): void => {
    const [from, to] = [Math.min(...spans), Math.max(...spans)];
    bench.measure(
      `${what}, of ${runs.length}`,
      `${from.toFixed(1)} to ${to.toFixed(1)} ms`,
      right,
      from >= least && to <= most,
    );
  };
  const needed = runs.map(({ throughAt, exitAt, exitMs }) => exitMs - msBetween(throughAt, exitAt));
  span(
    'signal to the end of the section',
    needed,
    `at least ${MORE_MS} ms: it is not cut short`,
    MORE_MS - 1,
    Infinity,
  );
  const after = runs.map(({ throughAt, releasedAt }) => msBetween(throughAt, releasedAt));
  span('end of the section to the release', after, 'above 0: release comes behind it', 0, 1_000);
  const exits = runs.map(({ releasedAt, exitAt }) => msBetween(releasedAt, exitAt));
  span('release to the exit', exits, 'above 0: exit comes last', 0, 5_000);
  const next = runs.map(({ releasedAt, grantedAt, waitedMs }) => {
    const ms = msBetween(releasedAt, grantedAt);
    return ms < 0 ? ms : Math.max(0, ms - waitedMs);
  });
  span(
    'release to the next grant, less what a busy machine gave no processor for',
    next,
    `at most ${NEXT_MS_MAX} ms`,
    0,
    NEXT_MS_MAX,
  );
  const writes = runs.map(({ wroteAt, heldAt }) => msBetween(wroteAt, heldAt));
  span('last write to the next grant', writes, 'above 0', 0, Infinity);
  const clean = runs.filter(({ code, ran, stderr }) => code === 0 && ran === null && stderr === '').length;
  bench.measure('runs whose section gave its result, and exit 0', clean, `${runs.length}`, clean === runs.length);
}
