import { entriesOf, msBetween } from '../support/log.ts';
import type { Bench } from '../support/bench.ts';
import type { FieldCase } from '../support/field-case.ts';
import { within } from '../support/waiting.ts';

const REFUSED_MS = 300;
const DOWN_MS = 500;
const REPEAT_MS_MAX = 100;

export const F23: FieldCase = {
  id: 'F23',
  title:
    'S7 a renewal that fails is repeated at once over a new socket, at a short and jittered pace, and costs no lease',
  async run(bench, size) {
    const cycles = size === 'full' ? 20 : 3;
    const cut = await resets(bench, cycles);
    measure(bench, `RST at each renewal, ${cycles} cycles`, 'cut', cut);
    const restartedCycles = size === 'full' ? 20 : 2;
    const restarted = await restarts(bench, restartedCycles);
    measure(bench, `coordinator restarted at each renewal, ${restartedCycles} cycles`, 'restarted', restarted);
  },
};

interface Cycle {
  readonly failedAt: bigint;
  readonly acknowledgedAt: bigint;
}

/** RST at the instant of each renewal; new connections are taken again 300 ms later. W = 3 s. */
async function resets(bench: Bench, cycles: number): Promise<readonly Cycle[]> {
  const coordinator = await bench.coordinator();
  const relay = await bench.relay(() => coordinator);
  const holder = bench.process().client('cut', relay.url, {}, true);
  await holder.acquire('a', 'cut', { ttlMs: 3_000 });
  const done: Cycle[] = [];
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const failed = relay.next('up', isRenew, () => {
      relay.reset();
      void relay.refuse(REFUSED_MS);
      return 'swallow';
    });
    const { at: failedAt } = await within(failed, 5_000, 'a renewal is sent');
    const { at: acknowledgedAt } = await within(relay.next('down', isRenewed), 5_000, 'the renewal is acknowledged');
    done.push({ failedAt, acknowledgedAt });
  }
  await holder.read('a');
  return done;
}

/** The coordinator is killed at the instant of each renewal and down for 500 ms. W = 9 s. */
async function restarts(bench: Bench, cycles: number): Promise<readonly Cycle[]> {
  let coordinator = await bench.coordinator();
  const relay = await bench.relay(() => coordinator);
  const holder = bench.process().client('restarted', relay.url, {}, true);
  await holder.acquire('a', 'restarted', { ttlMs: 9_000 });
  const done: Cycle[] = [];
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    let down: Promise<void> = Promise.resolve();
    const failed = relay.next('up', isRenew, () => {
      down = coordinator.kill();
      relay.reset();
      return 'swallow';
    });
    const { at: failedAt } = await within(failed, 12_000, 'a renewal is sent');
    const acknowledged = relay.next('down', isRenewed);
    // Down for 500 ms as clients see it: a process of its own takes most of that to start.
    const refused = relay.refuse(DOWN_MS);
    await down;
    coordinator = await bench.restart(coordinator);
    await refused;
    const { at: acknowledgedAt } = await within(acknowledged, 9_000, 'the renewal is acknowledged');
    done.push({ failedAt, acknowledgedAt });
  }
  await holder.read('a');
  return done;
}

const isRenew = (message: { readonly type?: unknown }): boolean => message.type === 'renew';
const isRenewed = (message: { readonly type?: unknown }): boolean => message.type === 'renewed';

function measure(bench: Bench, what: string, client: string, cycles: readonly Cycle[]): void {
  const { entries } = bench.log;
  const tokens = new Set(entriesOf(entries, 'held', client).map(({ token }) => token));
  const lost = entriesOf(entries, 'lost', client).length;
  const status = entriesOf(entries, 'read', client).at(-1)?.status;
  bench.measure(
    what,
    `${lost} lost, ${tokens.size} token, ${status} at the end`,
    'no loss, the same token',
    lost === 0 && tokens.size === 1 && status === 'held',
  );
  const repeats = cycles.map((cycle) => repeatedAfterMs(bench, client, cycle));
  const slowest = Math.max(...repeats);
  bench.measure(
    `${client}: welcome to the repeated renewal, slowest`,
    `${slowest.toFixed(1)} ms`,
    `at once (at most ${REPEAT_MS_MAX} ms)`,
    slowest <= REPEAT_MS_MAX,
  );
  const pauses = cycles.flatMap((cycle) => pausesIn(bench, client, cycle));
  const longest = Math.max(...pauses);
  const distinct = new Set(pauses.map((pause) => pause.toFixed(1))).size;
  const ok = pauses.length > 0 && longest <= 1_000 && (pauses.length < 4 || distinct > pauses.length / 2);
  bench.measure(
    `${client}: pauses between dials`,
    `${pauses.length}, ${Math.min(...pauses).toFixed(0)} to ${longest.toFixed(0)} ms, ${distinct} distinct`,
    'short (at most 1,000 ms) and jittered',
    ok,
  );
}

/** From the welcome of the socket that resumed until the renewal went out on it. */
function repeatedAfterMs(bench: Bench, client: string, { failedAt, acknowledgedAt }: Cycle): number {
  const inCycle = (at: bigint): boolean => at > failedAt && at < acknowledgedAt;
  const welcome = entriesOf(bench.log.entries, 'received', client).find(
    ({ at, messages }) => inCycle(at) && messages.some(({ type }) => type === 'welcome'),
  );
  const renewal = entriesOf(bench.log.entries, 'sent', client).find(
    ({ at, messages }) => inCycle(at) && messages.some(isRenew),
  );
  return welcome === undefined || renewal === undefined ? Number.NaN : msBetween(welcome.at, renewal.at);
}

function pausesIn(bench: Bench, client: string, { failedAt, acknowledgedAt }: Cycle): readonly number[] {
  const dials = entriesOf(bench.log.entries, 'dialled', client)
    .map(({ at }) => at)
    .filter((at) => at > failedAt && at < acknowledgedAt);
  return dials.map((at, index) => msBetween(dials[index - 1] ?? failedAt, at));
}
