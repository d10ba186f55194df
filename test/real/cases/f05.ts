import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { FieldCase, Size } from '../support/field-case.ts';
import type { HostedCoordinator } from '../support/hosted-coordinator.ts';
import { entriesOf, msBetween } from '../support/log.ts';
import { sleep } from '../support/waiting.ts';

const ASKED_MS = 60_000;
const RENEW_PART = 2 / 3;

/** `capMs`: the coordinator's longest window at first; then what it is lowered to, and, once more, raised to. */
interface Plan {
  readonly capMs: number;
  readonly holdMs: number;
  readonly lowerMs: number;
  readonly raised: boolean;
  /** Renewals that are waited for after each change. */
  readonly followed: number;
}

const PLANS: Readonly<Record<Size, Plan>> = {
  full: { capMs: 5_000, holdMs: 60_000, lowerMs: 2_000, raised: true, followed: 5 },
  ci: { capMs: 2_400, holdMs: 2_000, lowerMs: 1_500, raised: false, followed: 1 },
};

export const F05: FieldCase = {
  id: 'F05',
  title:
    'S6 who is granted less than it asked renews by what it was granted, also where that becomes less while it holds',
  async run(bench, size) {
    const plan = PLANS[size];
    const coordinator = await bench.hosted({ ttlMsMax: plan.capMs });
    const holder = bench.process().client('holder', coordinator.url, {}, true);
    await holder.ready(30_000);
    await holder.acquire('a', 'job', { ttlMs: ASKED_MS });
    await granted(bench, holder, plan.capMs);
    await sleep(plan.holdMs);
    measurePace(bench, plan);
    const { followed } = plan;
    await follow(bench, coordinator, holder, plan.lowerMs, { what: 'lowered', followed });
    if (plan.raised) await follow(bench, coordinator, holder, plan.capMs, { what: 'raised again', followed });
    const bad = ['lost', 'at-risk'].map((event) => bench.log.entries.filter((entry) => entry.event === event).length);
    bench.measure(
      'lost, at risk',
      bad.join(', '),
      '0, 0',
      bad.every((count) => count === 0),
    );
    await holder.release('a');
  },
};

async function granted(bench: Bench, holder: ClientHandle, capMs: number): Promise<void> {
  const told = answersOf(bench, 'granted')[0];
  const { ttlMs, remainingMs } = await holder.read('a');
  bench.measure(
    `asked for ${ASKED_MS} ms where ${capMs} ms is the most`,
    `grant: ${told?.ttlMs} ms; the lease: ${ttlMs} ms, ${remainingMs.toFixed(0)} ms left`,
    `${capMs} ms, no more left`,
    told?.ttlMs === capMs && ttlMs === capMs && remainingMs <= capMs,
  );
}

function measurePace(bench: Bench, { capMs, holdMs }: Plan): void {
  const sent = sendings(bench);
  const periodMs = capMs * RENEW_PART;
  const expected = Math.floor(holdMs / periodMs);
  const tolerance = expected < 10 ? 0 : 1;
  bench.measure(
    `renewals in ${holdMs / 1_000} s`,
    sent.length - 1,
    expected < 10 ? `${expected}` : '17 to 19',
    Math.abs(sent.length - 1 - expected) <= tolerance,
  );
  measureSpacing(bench, 'spacing of renewals', sent, periodMs);
}

function measureSpacing(bench: Bench, what: string, sent: readonly bigint[], periodMs: number): void {
  const spacings = sent.slice(1).map((at, index) => msBetween(sent[index] ?? at, at));
  const [least, most] = [Math.min(...spacings), Math.max(...spacings)];
  bench.measure(
    what,
    `${least.toFixed(0)} to ${most.toFixed(0)} ms`,
    `${periodMs.toFixed(0)} ms +- 10 %`,
    least >= 0.9 * periodMs && most <= 1.1 * periodMs,
  );
}

/** The longest window is set anew; the next answer says so, and the pace follows. */
async function follow(
  bench: Bench,
  coordinator: HostedCoordinator,
  holder: ClientHandle,
  capMs: number,
  { what, followed }: { readonly what: 'lowered' | 'raised again'; readonly followed: number },
): Promise<void> {
  const { calledAt, outcome } = await coordinator.configure({ ttlMsMax: capMs });
  if (!outcome.ok) throw new Error(`configure was refused: ${outcome.message}`);
  // A longer window is stored first: the answer that asked for it may still tell the shorter one.
  const first = what === 'lowered' ? 0 : 1;
  const told = await answerBehind(bench, calledAt, first);
  const { ttlMs } = await holder.read('a');
  bench.measure(
    `longest window ${what} to ${capMs} ms, next answer`,
    `${told.ttlMs} ms, ${told.leftMs} ms left; the lease: ${ttlMs} ms`,
    `${capMs} ms, all three`,
    // What is left is rounded down to a millisecond, and (t + W) - t of two fractions may fall short of W by its last bit.
    told.ttlMs === capMs && capMs - told.leftMs <= 1 && told.leftMs <= capMs && ttlMs === capMs,
  );
  await answerBehind(bench, calledAt, first + followed);
  const sent = sendings(bench).filter((at) => at > calledAt);
  measureSpacing(bench, `spacing of renewals, ${what}`, sent.slice(first), capMs * RENEW_PART);
}

interface Told {
  readonly at: bigint;
  readonly ttlMs: number;
  readonly leftMs: number;
}

/** The renewal's answer of that index among those that come behind `from`, past or to come. */
async function answerBehind(bench: Bench, from: bigint, index: number): Promise<Told> {
  for (;;) {
    const found = answersOf(bench, 'renewed').filter(({ at }) => at > from)[index];
    if (found !== undefined) return found;
    await bench.log.next('received', () => true, 10_000, 'a renewal is answered');
  }
}

function answersOf(bench: Bench, type: 'granted' | 'renewed'): readonly Told[] {
  return entriesOf(bench.log.entries, 'received').flatMap(
    ({ at, messages }) =>
      messages
        .filter((message) => message['type'] === type)
        .flatMap((message) => (type === 'granted' ? [message] : (message['leases'] as unknown[])))
        .map((lease) => ({ at, ...(lease as { readonly ttlMs: number; readonly leftMs: number }) })), // Of our protocol.
  );
}

/** The claim, then each renewal. */
const sendings = (bench: Bench): readonly bigint[] =>
  entriesOf(bench.log.entries, 'sent')
    .filter(({ messages }) => messages.some(({ type }) => type === 'acquire' || type === 'renew'))
    .map(({ at }) => at);
