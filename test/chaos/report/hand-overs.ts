import { beliefsOf, type Belief } from '../../real/support/beliefs.ts';
import { msBetween, quantile } from '../../real/support/log.ts';
import type { ChaosRun } from '../run.ts';
import { processOf } from './colours.ts';

/** From the end of one belief in a name to the beginning of the next holder's. */
export interface HandOver {
  readonly name: string;
  readonly gapMs: number;
  /** Between the two a fault was there of what takes part: the coordinator, its disk, one of the two processes. */
  readonly disturbed: boolean;
}

export function handOversIn({ entries, faults }: ChaosRun): readonly HandOver[] {
  return [...Map.groupBy(beliefsOf(entries), ({ name }) => name)].flatMap(([name, beliefs]) => {
    const turns = turnsIn(beliefs);
    return turns.slice(1).flatMap((next, index) => {
      const before = turns[index];
      if (before === undefined || next.from < before.to) return [];
      const taking = new Set(['coordinator', 'disk', processOf(before.client), processOf(next.client)]);
      const disturbed = faults.some(
        ({ victim, from, to }) => from <= next.from && to >= before.to && taking.has(victim),
      );
      return [{ name, gapMs: msBetween(before.to, next.from), disturbed }];
    });
  });
}

/** One for each token, however often its belief was interrupted. */
function turnsIn(beliefs: readonly Belief[]): readonly Belief[] {
  return [...Map.groupBy(beliefs, ({ token }) => String(token)).values()]
    .flatMap((stretches) => {
      const [first] = stretches;
      const to = stretches.reduce((latest, stretch) => (stretch.to > latest ? stretch.to : latest), 0n);
      return first === undefined ? [] : [{ ...first, to }];
    })
    .toSorted((a, b) => a.token - b.token);
}

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
  const groups = Map.groupBy(handOvers, ({ name, disturbed }) => `${name} ${disturbed}`);
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
