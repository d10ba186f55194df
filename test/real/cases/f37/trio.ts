import { join } from 'node:path';
import { forgetFaketimeOf, WallClock } from '../../../chaos/wall-clock.ts';
import type { Bench } from '../../support/bench.ts';
import type { ClientHandle, ClientProcess } from '../../support/client-process.ts';
import type { CoordinatorProcess } from '../../support/coordinator-process.ts';
import { addMs, entriesOf, msBetween, now } from '../../support/log.ts';
import { windowsIn } from '../../support/deadlines.ts';
import { eventually, sleep } from '../../support/waiting.ts';

export type Role = 'holder' | 'waiter' | 'coordinator';

export interface Step {
  /** Whose wall clock is stepped. */
  readonly role: Role;
  /** Ahead of the machine's clock from then on. */
  readonly seconds: number;
}

export interface Plan {
  /** One after the other; a clock stays where it was stepped to. */
  readonly steps: readonly Step[];
  readonly ttlMs: number;
  readonly library: string;
}

/** What is kept over the restart: a start that takes long on a busy machine is no loss by a clock. */
const KEPT_MS = 10_000;
const TOLERANCE_MS = 250;
const BETWEEN_STEPS_MS = 200;
/** The process reads its clock within this after the step. */
const READ_SLACK_S = 10;

/** Processes of one coordinator; those that share a role share a wall clock. */
interface Trio {
  readonly id: string;
  readonly what: string;
  readonly clocks: Readonly<Record<Role, WallClock>>;
  readonly ttlMs: number;
  readonly coordinator: CoordinatorProcess;
  /** Holds to the end. */
  readonly keeper: ClientHandle;
  /** Dies while the coordinator lives; and with it. */
  readonly doomed: { readonly first: Mortal; readonly second: Mortal };
  readonly waiter: ClientHandle;
}

interface Mortal {
  readonly owner: ClientProcess;
  readonly client: ClientHandle;
}

/** One coordinator, three that hold and one that waits for them: the clocks are stepped meanwhile. */
export async function playTrio(bench: Bench, plan: Plan): Promise<void> {
  const trio = await settledTrio(bench, plan);
  const { id, waiter, keeper, doomed, what, ttlMs } = trio;
  const waitMs = plan.steps.length * BETWEEN_STEPS_MS + ttlMs;
  const limited = waiter.acquire('limited', keeper.label, { waitMs });
  for (const step of plan.steps) {
    trio.clocks[step.role].step(step.seconds);
    await measureStep(bench, trio, step);
    await sleep(BETWEEN_STEPS_MS);
  }
  await measureExpiry(bench, trio);
  const settled = await limited;
  const called = entriesOf(bench.log.entries, 'called').find(({ call }) => call === settled.call);
  const overMs = msBetween(called?.at ?? settled.at, settled.at) - waitMs;
  bench.measure(
    `${what}: a wait of ${waitMs} ms`,
    `${settled.ok ? 'granted' : settled.code} ${overMs.toFixed(0)} ms behind its limit`,
    `wait-timeout, 0 to ${TOLERANCE_MS} ms`,
    !settled.ok && settled.code === 'wait-timeout' && overMs >= -1 && overMs <= TOLERANCE_MS,
  );
  await measureRestart(bench, trio);
  const lost = entriesOf(bench.log.entries, 'lost').filter(({ client }) => client.startsWith(`${id}-`));
  const codes = lost.map(({ client, code }) => ` ${client} ${code}`).join();
  bench.measure(`${what}: leases lost`, `${lost.length}${codes}`, '0', lost.length === 0);
  for (const { owner } of [doomed.first, doomed.second]) forgetFaketimeOf(owner.pid);
}

let trios = 0;

async function settledTrio(bench: Bench, { steps, ttlMs, library }: Plan): Promise<Trio> {
  const what = steps.map(({ role, seconds }) => `${role} ${inHours(seconds)}`).join(', ');
  const clock = (role: Role): WallClock => new WallClock(join(bench.folder(), role), library);
  const clocks = { holder: clock('holder'), waiter: clock('waiter'), coordinator: clock('coordinator') };
  const coordinator = await bench.coordinator({ env: clocks.coordinator.env });
  trios += 1;
  // Labels differ over the rounds: a log knows each client once.
  const id = `t${trios}`;
  const mortal = (name: string): Mortal => {
    const owner = bench.process(clocks.holder.env);
    return { owner, client: owner.client(`${id}-${name}`, coordinator.url, {}, true) };
  };
  const doomed = { first: mortal('first'), second: mortal('second') };
  const keeper = mortal('keeper').client;
  const waiter = bench.process(clocks.waiter.env).client(`${id}-waiter`, coordinator.url, {}, true);
  const mortals = [doomed.first.client, doomed.second.client];
  await Promise.all([
    keeper.acquire('a', keeper.label, { ttlMs: KEPT_MS }),
    ...mortals.map((client) => client.acquire('a', client.label, { ttlMs })),
  ]);
  for (const { client } of [doomed.first, doomed.second]) {
    const queued = bench.log.next('queued', ({ name }) => name === client.label, 5_000, `a claim for ${client.label}`);
    void waiter.acquire(client.label, client.label, { ttlMs: KEPT_MS }, 60_000).catch(() => undefined);
    await queued;
  }
  return { id, what, clocks, ttlMs, coordinator, keeper, doomed, waiter };
}

const inHours = (seconds: number): string => `${seconds > 0 ? '+' : '-'}${Math.abs(seconds) / 3_600} h`;

/** A fake that does not take hold would show nothing: the process itself says what its clock is. */
async function measureStep(bench: Bench, { coordinator, keeper, waiter }: Trio, step: Step): Promise<void> {
  const { role, seconds } = step;
  const wall = async (): Promise<number> => {
    if (role === 'coordinator') {
      const { headers } = await fetch(`http://127.0.0.1:${coordinator.port}/healthz`);
      return Date.parse(headers.get('date') ?? '');
    }
    const said = await (role === 'holder' ? keeper : waiter).wall();
    return said.ok ? Number(said.value) : Number.NaN;
  };
  let aheadS = Number.NaN;
  const stepped = async (): Promise<true | null> => {
    aheadS = (await wall()) / 1_000 - Date.now() / 1_000;
    return Math.abs(aheadS - seconds) <= READ_SLACK_S ? true : null;
  };
  // Node makes the date of its answers once a second.
  const ok = await eventually(stepped, 3_000, 'the clock is stepped').catch(() => false);
  bench.measure(`the ${role} says that its wall clock is ahead by`, `${aheadS.toFixed(0)} s`, `${seconds} s`, ok);
}

/** A holder dies right after a renewal: the waiter is next, when the coordinator's window of that renewal is over. */
async function measureExpiry(bench: Bench, { what, ttlMs, doomed, waiter }: Trio): Promise<void> {
  const { owner, client } = doomed.first;
  const renewed = await bench.log.next(
    'received',
    (entry) => entry.client === client.label && entry.messages.some(({ type }) => type === 'renewed'),
    ttlMs + 1_000,
    `${client.label} renews`,
  );
  const granted = grantOf(bench, waiter, client.label, 2 * ttlMs + 5_000);
  owner.kill();
  const sentAt = anchorOf(bench, client, renewed.messages);
  const { at } = await granted;
  const [early, late] = [msBetween(addMs(sentAt, ttlMs), at), msBetween(addMs(renewed.at, ttlMs), at)];
  bench.measure(
    `${what}: the next grant behind the window of the last renewal, from its sending and from its answer`,
    `${early.toFixed(0)} ms, ${late.toFixed(0)} ms`,
    `not before the one, at most ${TOLERANCE_MS} ms after the other`,
    early >= 0 && late <= TOLERANCE_MS,
  );
}

/** Killed with a holder; started again, with the clock as it was stepped: what that one held lasts no longer than W. */
async function measureRestart(bench: Bench, { what, ttlMs, coordinator, doomed, keeper, waiter }: Trio): Promise<void> {
  const { owner, client } = doomed.second;
  const granted = grantOf(bench, waiter, client.label, 2 * ttlMs + 10_000);
  // A holder that sees only now that its wall clock rose may have slept: it would be in doubt, and 1 s without an answer
  // ends that (R12). So it is heard once between step and restart, as one with a short window is by itself.
  await keeper.renew('a');
  owner.kill();
  await coordinator.kill();
  forgetFaketimeOf(coordinator.pid);
  await bench.restart(coordinator);
  // It listened a moment earlier than we read that it does: the bound is the stricter for it.
  const listensAt = now();
  const { at } = await granted;
  const afterMs = msBetween(listensAt, at);
  bench.measure(
    `${what}: restart of the coordinator to the grant of what a dead client held`,
    `${afterMs.toFixed(0)} ms`,
    `at most W = ${ttlMs} ms and ${TOLERANCE_MS} ms, as without the step`,
    afterMs <= ttlMs + TOLERANCE_MS,
  );
}

function grantOf(bench: Bench, { label }: ClientHandle, name: string, ms: number): Promise<{ readonly at: bigint }> {
  const granted = bench.log.find('held', (held) => held.client === label && held.name === name, ms, `${name} is next`);
  // Awaited later: what goes wrong until then must not be unhandled.
  granted.catch(() => undefined);
  return granted;
}

/** When the frame was sent that an answer counts its window from. */
function anchorOf(bench: Bench, { label }: ClientHandle, answer: Parameters<typeof windowsIn>[0]): bigint {
  const frame = windowsIn(answer)[0]?.frame;
  const sent = entriesOf(bench.log.entries, 'sent', label).find(({ messages }) => messages[0]?.['frame'] === frame);
  if (sent === undefined) throw new Error(`${label}: no frame ${frame}`);
  return sent.at;
}
