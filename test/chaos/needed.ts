import type { Fault } from './fault.ts';
import { notShown } from './judges/counts.ts';
import type { ChaosRun, Verdict } from './run.ts';

/** From here on each kind of fault has come, and what faults do has been seen, with time to spare. */
const LONG_ENOUGH_MS = 170_000;

/**
 * What a run has not shown, in words: kinds of faults that never came and counts that are zero. Nothing is asked of a
 * run that is shorter than three minutes.
 */
export function missed(run: ChaosRun, verdict: Verdict, wanted: readonly Fault[], ranMs: number): readonly string[] {
  if (ranMs < LONG_ENOUGH_MS) return [];
  const played = new Set(run.faults.map(({ kind }) => kind));
  return [
    ...wanted.flatMap(({ kind }) => (played.has(kind) ? [] : [`no ${kind} was played`])),
    ...notShown(verdict).map((what) => `${what}: none`),
  ];
}
