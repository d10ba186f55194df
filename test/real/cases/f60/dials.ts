import type { Bench } from '../../support/bench.ts';
import { entriesOf, msBetween, quantile } from '../../support/log.ts';
import { stillMs, stillnessOf } from '../../support/stillness.ts';
import { eventually } from '../../support/waiting.ts';
import type { Crowd } from './crowd.ts';

const BIN_MS = 100;
const BIN_PART_MAX = 0.15;
/** Of the few who hold alone: they may go first (F60), and fewer dials make fuller bins. */
const HOLDERS_PART_MAX = 0.25;
/** A crowd that had just come begins with the pause of one that was turned away: only a longer outage shows a growth. */
const GROWS_FROM_MS = 10_000;
/** A timer and the dial itself come on top of a pause. */
const PAUSE_SLACK_MS = 500;

interface Span {
  readonly diedAt: bigint;
  readonly startedAt: bigint;
}

/** When the last of the crowd was connected again, by its own clock. */
export async function backWithin(bench: Bench, { clients }: Crowd, diedAt: bigint, ms: number): Promise<bigint> {
  const back = new Map<string, bigint>();
  let seen = 0;
  await eventually(
    () => {
      const { entries } = bench.log;
      for (; seen < entries.length; seen += 1) {
        const entry = entries[seen];
        if (entry?.event === 'status' && entry.status === 'open' && entry.at > diedAt && !back.has(entry.client))
          back.set(entry.client, entry.at);
      }
      return back.size >= clients.length ? true : null;
    },
    ms,
    'all of the crowd are back',
  );
  return [...back.values()].reduce((latest, at) => (at > latest ? at : latest));
}

/** The instants at which each client dialled, from the kill on. */
function dialsOf(bench: Bench, from: bigint, to: bigint): ReadonlyMap<string, readonly bigint[]> {
  const dials = new Map<string, bigint[]>();
  for (const { client, at } of entriesOf(bench.log.entries, 'dialled')) {
    if (at < from || at > to) continue;
    const ofClient = dials.get(client);
    if (ofClient === undefined) dials.set(client, [at]);
    else ofClient.push(at);
  }
  return dials;
}

export function measureDials(
  bench: Bench,
  what: string,
  { holders }: Crowd,
  { diedAt, backAt }: { readonly diedAt: bigint; readonly backAt: bigint },
): void {
  const dials = dialsOf(bench, diedAt, backAt);
  for (const [who, partMax, those] of [
    ['everybody', BIN_PART_MAX, [...dials.values()].flat()],
    ['who holds', HOLDERS_PART_MAX, [...dials].filter(([client]) => holders.has(client)).flatMap(([, times]) => times)],
  ] as const) {
    const bins = new Map<number, number>();
    for (const at of those) {
      const bin = Math.floor(msBetween(diedAt, at) / BIN_MS);
      bins.set(bin, (bins.get(bin) ?? 0) + 1);
    }
    const [fullest, count] = [...bins].reduce((most, bin) => (bin[1] > most[1] ? bin : most), [0, 0]);
    const part = count / those.length;
    bench.measure(
      `${what}: ${those.length} dials of ${who}, fullest ${BIN_MS} ms`,
      `${(100 * part).toFixed(1)} %, from ${fullest * BIN_MS} ms on`,
      `at most ${100 * partMax} %`,
      part <= partMax,
    );
  }
}

interface Pause {
  readonly ms: number;
  /** Without the time in which its process had no processor: that is not its own choice. */
  readonly ranMs: number;
}

/** The pauses of each client while nobody listened, in their order: from its word that it backs off to the next dial. */
function pausesOf(bench: Bench, { diedAt, startedAt }: Span): ReadonlyMap<string, readonly Pause[]> {
  const pauses = new Map<string, Pause[]>();
  const since = new Map<string, bigint>();
  const still = stillnessOf(bench.log.entries);
  for (const entry of bench.log.entries) {
    const { client, at } = entry;
    if (at < diedAt || at > startedAt) continue;
    if (entry.event === 'status' && entry.status === 'backing-off') since.set(client, at);
    const from = entry.event === 'dialled' ? since.get(client) : undefined;
    if (from === undefined) continue;
    since.delete(client);
    const ms = msBetween(from, at);
    const pause = { ms, ranMs: ms - stillMs(still.get(client) ?? [], from, at) };
    pauses.set(client, [...(pauses.get(client) ?? []), pause]);
  }
  return pauses;
}

export function measurePauses(bench: Bench, what: string, { plan, holders }: Crowd, span: Span): void {
  const pauses: number[][] = [];
  let longestMs = 0;
  let longestAtStakeMs = 0;
  for (const [client, those] of pausesOf(bench, span)) {
    const longest = Math.max(...those.map(({ ranMs }) => ranMs));
    if (holders.has(client)) longestAtStakeMs = Math.max(longestAtStakeMs, longest);
    else {
      longestMs = Math.max(longestMs, longest);
      for (const [index, { ms }] of those.entries()) (pauses[index] ??= []).push(ms);
    }
  }
  // Late pauses are those of clients that drew short ones before: where few are left, a median says nothing.
  const medians = pauses.filter((those) => those.length >= plan.clients / 4).map((those) => quantile(those, 0.5));
  const long = msBetween(span.diedAt, span.startedAt) >= GROWS_FROM_MS;
  const grown = Math.max(...medians) > 1.5 * (medians[0] ?? 0);
  bench.measure(
    `${what}: pauses of who holds nothing: medians one after the other, longest`,
    `${medians.map((ms) => ms.toFixed(0)).join(', ')}, ${longestMs.toFixed(0)} ms`,
    `${long ? 'grow, ' : ''}at most ${plan.maxBackoffMs} ms`,
    (grown || !long) && longestMs <= plan.maxBackoffMs + PAUSE_SLACK_MS,
  );
  const first = pauses[0] ?? [];
  const spread = quantile(first, 0.9) - quantile(first, 0.1);
  bench.measure(
    `${what}: the first pauses, from the tenth part to the ninth`,
    `${spread.toFixed(0)} ms apart`,
    'jittered: at least 200 ms apart',
    spread >= 200,
  );
  bench.measure(
    `${what}: longest pause of who holds`,
    `${longestAtStakeMs.toFixed(0)} ms`,
    'told only: shorter while a lease is at stake',
    longestAtStakeMs > 0,
  );
}
