import { beliefsOf } from '../../real/support/beliefs.ts';
import { msBetween, quantile } from '../../real/support/log.ts';
import type { ChaosRun, FaultSpan } from '../run.ts';
import { groupedBy } from '../judges/reading.ts';

/** From the end of one belief in a name to the beginning of the next holder's. */
export interface HandOver {
  readonly name: string;
  readonly gapMs: number;
  /** A fault was there between the two, or just before the first one ended. */
  readonly disturbed: boolean;
}

/** A belief that ends this long after a fault ends by it, perhaps: half a window. */
const BEFORE_NS = 1_500_000_000n;

export function handOversIn({ entries, faults }: ChaosRun): readonly HandOver[] {
  const spans = faults.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return [...groupedBy(beliefsOf(entries), ({ name }) => name)].flatMap(([name, beliefs]) => {
    const turns = [...groupedBy(beliefs, ({ token }) => String(token)).values()]
      .flatMap((stretches) => {
        const [first] = stretches;
        const to = stretches.reduce((latest, stretch) => (stretch.to > latest ? stretch.to : latest), 0n);
        return first === undefined ? [] : [{ token: first.token, from: first.from, to }];
      })
      .toSorted((a, b) => a.token - b.token);
    return turns.slice(1).flatMap(({ from }, index) => {
      const before = turns[index];
      if (before === undefined || from < before.to) return [];
      return [{ name, gapMs: msBetween(before.to, from), disturbed: isDisturbed(spans, before.to - BEFORE_NS, from) }];
    });
  });
}

const isDisturbed = (spans: readonly FaultSpan[], from: bigint, to: bigint): boolean =>
  spans.some((span) => span.from <= to && span.to >= from);

export interface Gaps {
  readonly name: string;
  readonly disturbed: boolean;
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** By name, without and with a fault in between. */
export function gapsOf(handOvers: readonly HandOver[]): readonly Gaps[] {
  const groups = groupedBy(handOvers, ({ name, disturbed }) => `${name} ${disturbed}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const gaps = group.map(({ gapMs }) => gapMs);
      return [
        {
          name: first.name,
          disturbed: first.disturbed,
          count: gaps.length,
          p50: quantile(gaps, 0.5),
          p99: quantile(gaps, 0.99),
          max: Math.max(...gaps),
        },
      ];
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : Number(a.disturbed) - Number(b.disturbed)));
}
