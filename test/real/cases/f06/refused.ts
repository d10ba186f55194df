import type { Bench } from '../../support/bench.ts';

export const REFUSED_MS_MAX = 100;

/** How one odd duration fared. */
export interface Refused {
  readonly given: string;
  readonly tookMs: number;
  /** A typed error that names the field, its unit and its range. */
  readonly right: boolean;
  readonly said: string;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Whether a message says which field, in which unit, and from where to where it may be. */
export function namesUnitAndRange(message: unknown, field: string, { min, max }: Range): boolean {
  if (typeof message !== 'string' || !message.includes(field)) return false;
  return /milliseconds|\bms\b/.test(message) && message.includes(`from ${min} to ${max}`);
}

/** One measure for all the odd values of a field; those that fared wrong are told one by one. */
export function tally(bench: Bench, what: string, refusals: readonly Refused[]): void {
  const wrong = refusals.filter(({ right }) => !right);
  const slowest = Math.max(...refusals.map(({ tookMs }) => tookMs));
  const shown = wrong.map(({ given, said }) => `; but ${given}: ${said}`).join('');
  bench.measure(
    `${what}: odd durations`,
    `${refusals.length - wrong.length} of ${refusals.length} refused, the slowest in ${slowest.toFixed(1)} ms${shown}`,
    `each refused by field, unit and range, at most ${REFUSED_MS_MAX} ms`,
    refusals.length > 0 && wrong.length === 0 && slowest <= REFUSED_MS_MAX,
  );
}
