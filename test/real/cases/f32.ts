import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { entriesOf, msBetween } from '../support/log.ts';
import { sleep } from '../support/waiting.ts';

/** How far a renewal may lie from its pace. */
const PACE_PART = 0.1;
const OPTIONS = { maxBackoffMs: 500, connectTimeoutMs: 500, idleMs: 60_000 };

export const F32: FieldCase = {
  id: 'F32',
  title: 'S6 what was lost is acquired anew by the same client and renewed like the first, and its other leases go on',
  async run(bench, size) {
    const coordinator = await bench.coordinator();
    const length = size === 'full' ? { ttlMs: 3_000, windows: 5, rounds: 5 } : { ttlMs: 2_000, windows: 2, rounds: 1 };
    await Promise.all([again(bench, coordinator, length), oneOfThree(bench, coordinator, length)]);
    // A hello whose welcome is too late for its dial makes a session that nobody knows.
    bench.ghosts = length.rounds;
  },
};

interface Length {
  readonly ttlMs: number;
  /** Held so many windows each time. */
  readonly windows: number;
  readonly rounds: number;
}

/** Acquired, lost in a black hole, healed, acquired anew: the same name, the same client. */
async function again(bench: Bench, coordinator: CoordinatorProcess, length: Length): Promise<void> {
  const { ttlMs, rounds } = length;
  const relay = await bench.relay(() => coordinator);
  const holder = bench.process().client('again', relay.url, OPTIONS, true);
  const tokens: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const settled = await holder.acquire(`${round}`, 'again', { ttlMs });
    const token = settled.ok ? Number(settled.value) : Number.NaN;
    tokens.push(token);
    await keeps(bench, holder, `${round}`, token, length);
    if (round === rounds) break;
    relay.blackHole();
    await bench.log.find('lost', (entry) => entry.token === token, 2 * ttlMs, 'the lease is lost');
    relay.heal();
  }
  await holder.release(`${rounds}`);
  const rise = tokens.every((token, index) => index === 0 || token > (tokens[index - 1] ?? Infinity));
  bench.measure(`tokens of ${tokens.length} grants`, rise ? 'rise' : tokens.join(', '), 'rise', rise);
}

/** It is held all the time, and renewed at two thirds of each window. */
async function keeps(bench: Bench, holder: ClientHandle, key: string, token: number, length: Length): Promise<void> {
  await sleep(length.windows * length.ttlMs);
  const { status } = await holder.read(key);
  const what = `${holder.label}, grant ${Number(key) + 1}`;
  bench.measure(`${what}: after ${length.windows} windows`, status, 'held', status === 'held');
  measurePace(bench, what, renewalsOf(bench, holder.label, token), length);
}

function measurePace(bench: Bench, what: string, renewals: readonly bigint[], { ttlMs, windows }: Length): void {
  const paceMs = (2 / 3) * ttlMs;
  const spacings = renewals.slice(1).map((at, index) => msBetween(renewals[index] ?? at, at));
  const [least, most] = [Math.min(...spacings), Math.max(...spacings)];
  bench.measure(
    `${what}: ${renewals.length} renewals, spaced`,
    `${least.toFixed(0)} to ${most.toFixed(0)} ms`,
    `${paceMs.toFixed(0)} ms +- ${100 * PACE_PART} %`,
    renewals.length >= windows && least >= (1 - PACE_PART) * paceMs && most <= (1 + PACE_PART) * paceMs,
  );
}

/** When renewals of this token were sent. */
const renewalsOf = (bench: Bench, client: string, token: number): readonly bigint[] =>
  entriesOf(bench.log.entries, 'sent', client)
    .filter(({ messages }) => messages.some((message) => renews(message, token)))
    .map(({ at }) => at);

const renews = ({ type, leases }: Readonly<Record<string, unknown>>, token: number): boolean =>
  type === 'renew' && JSON.stringify(leases).includes(`"fencingToken":${token}`);

/** Three leases of one client; one of them is taken by a steal, given up, and acquired anew. */
async function oneOfThree(bench: Bench, coordinator: CoordinatorProcess, length: Length): Promise<void> {
  const { ttlMs, windows, rounds } = length;
  const holder = bench.process().client('three', coordinator.url, OPTIONS, true);
  const thief = bench.process().client('thief', coordinator.url, { idleMs: 60_000 });
  const grants = await Promise.all(['x', 'y', 'z'].map((name) => holder.acquire(name, `three-${name}`, { ttlMs })));
  const [, ...others] = grants.map((one) => (one.ok ? Number(one.value) : Number.NaN));
  let lost = 0;
  for (let round = 0; round < rounds; round += 1) {
    const stolen = await thief.acquire(`${round}`, 'three-x', { ttlMs, steal: true });
    const before = round === 0 ? 'x' : `x${round - 1}`;
    await bench.log.find('lost', ({ key, client }) => client === 'three' && key === before, ttlMs, 'it is told');
    lost += 1;
    await thief.release(`${round}`);
    const anew = await holder.acquire(`x${round}`, 'three-x', { ttlMs });
    const token = anew.ok ? Number(anew.value) : Number.NaN;
    const rises = stolen.ok && token > Number(stolen.value);
    bench.measure(`one of three, round ${round + 1}: token`, rises ? 'larger' : `${token}`, 'larger', rises);
    await sleep(windows * ttlMs);
    const { status } = await holder.read(`x${round}`);
    bench.measure(`one of three, round ${round + 1}: after ${windows} windows`, status, 'held', status === 'held');
    measurePace(bench, `one of three, round ${round + 1}`, renewalsOf(bench, 'three', token), length);
  }
  measureOthers(bench, others, lost, length);
  await Promise.all(['y', 'z', `x${rounds - 1}`].map((key) => holder.release(key)));
}

function measureOthers(bench: Bench, tokens: readonly number[], lost: number, length: Length): void {
  const { entries } = bench.log;
  const told = (['lost', 'at-risk'] as const).flatMap((event) => entriesOf(entries, event, 'three'));
  const disturbed = told.filter(({ token }) => tokens.includes(token)).length;
  bench.measure(
    `the two others, while one was lost ${lost} times`,
    `${disturbed} notices of risk or loss`,
    '0',
    disturbed === 0,
  );
  for (const token of tokens) measurePace(bench, 'one of the two others', renewalsOf(bench, 'three', token), length);
}
