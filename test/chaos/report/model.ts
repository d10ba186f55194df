import { beliefsOf, type Belief } from '../../real/support/beliefs.ts';
import { entriesOf, msBetween } from '../../real/support/log.ts';
import type { ChaosRun, FaultSpan } from '../run.ts';
import { eventfulMinutes, MINUTE_MS } from './minutes.ts';

/** What the picture shows, in milliseconds since the start of the run. */
export interface Picture {
  readonly lastMs: number;
  readonly names: readonly string[];
  readonly clients: readonly string[];
  readonly bars: readonly Bar[];
  readonly losses: readonly Loss[];
  readonly overlaps: readonly Overlap[];
  readonly faults: readonly FaultBar[];
  /** Where the minutes begin that are shown at large, in the order of time. */
  readonly minutes: readonly number[];
}

/** What has an extent in time. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One belief. */
export interface Bar extends Stretch {
  readonly name: string;
  readonly client: string;
  readonly token: number;
  /** Of the run's tokens, the how-manieth: real ones have sixteen digits. */
  readonly number: number;
}

/** Where a belief ended since the lease was lost. A process that stood still is told of it later. */
export interface Loss {
  readonly name: string;
  readonly client: string;
  readonly atMs: number;
  readonly toldMs: number;
  readonly code: string;
}

export interface Overlap extends Stretch {
  readonly name: string;
  readonly first: Bar;
  readonly second: Bar;
}

export type Part = 'coordinator' | 'disk' | 'clients';

export interface FaultBar extends Stretch {
  readonly kind: string;
  readonly victim: string;
  readonly part: Part;
  /** Among those of its part that come at the same time. */
  readonly line: number;
}

/** The longest run that is shown at large as a whole. */
export const WHOLE_MS_MAX = 5 * 60_000;
const MINUTES_SHOWN = 3;

export function pictureOf(run: ChaosRun): Picture {
  const since = (at: bigint): number => msBetween(run.from, at);
  const beliefs = beliefsOf(run.entries).toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const numbers = numbersOf(beliefs);
  const bars = beliefs.map(({ name, client, token, from, to }) => ({
    name,
    client,
    token,
    number: numbers.get(token) ?? 0,
    fromMs: since(from),
    toMs: Math.min(since(to), since(run.to)),
  }));
  const ends = new Map(bars.map(({ client, token, toMs }) => [`${client} ${token}`, toMs]));
  const losses = entriesOf(run.entries, 'lost').map(({ at, name, client, token, code }) => ({
    name,
    client,
    code,
    atMs: ends.get(`${client} ${token}`) ?? since(at),
    toldMs: since(at),
  }));
  const faults = inLines(run.faults.map((span) => ({ ...span, fromMs: since(span.from), toMs: since(span.to) })));
  const overlaps = overlapsOf(bars);
  const lastMs = Math.max(1, since(run.to));
  const known = new Set(run.names);
  const others = [...new Set(bars.map(({ name }) => name))].filter((name) => !known.has(name)).toSorted();
  return {
    lastMs,
    names: [...run.names, ...others].filter((name) => bars.some((bar) => bar.name === name)),
    clients: run.clients,
    bars,
    losses,
    overlaps,
    faults,
    minutes:
      lastMs <= WHOLE_MS_MAX
        ? Array.from({ length: Math.ceil(lastMs / MINUTE_MS) }, (_, index) => index * MINUTE_MS)
        : eventfulMinutes({ lastMs, losses, faults, overlaps }, MINUTES_SHOWN),
  };
}

function numbersOf(beliefs: readonly Belief[]): ReadonlyMap<number, number> {
  const tokens = [...new Set(beliefs.map(({ token }) => token))].toSorted((a, b) => a - b);
  return new Map(tokens.map((token, index) => [token, index + 1]));
}

/** Bars of one name that are there at the same time. `bars` are in the order of their beginnings. */
function overlapsOf(bars: readonly Bar[]): readonly Overlap[] {
  const found: Overlap[] = [];
  for (const [name, ofName] of Map.groupBy(bars, (bar) => bar.name)) {
    let furthest: Bar | undefined;
    for (const bar of ofName) {
      if (furthest !== undefined && bar.fromMs < furthest.toMs)
        found.push({ name, first: furthest, second: bar, fromMs: bar.fromMs, toMs: Math.min(bar.toMs, furthest.toMs) });
      if (furthest === undefined || bar.toMs > furthest.toMs) furthest = bar;
    }
  }
  return found;
}

const partOf = (victim: string): Part => (victim === 'coordinator' || victim === 'disk' ? victim : 'clients');

/** Faults of one part that come at the same time lie one under the other. */
function inLines(spans: readonly (FaultSpan & Stretch)[]): readonly FaultBar[] {
  const ends = new Map<Part, number[]>();
  return spans
    .toSorted((a, b) => a.fromMs - b.fromMs)
    .map(({ kind, victim, fromMs, toMs }) => {
      const part = partOf(victim);
      const lines = ends.get(part) ?? [];
      ends.set(part, lines);
      const free = lines.findIndex((end) => end <= fromMs);
      const line = free < 0 ? lines.length : free;
      lines[line] = toMs;
      return { kind, victim, part, line, fromMs, toMs };
    });
}
