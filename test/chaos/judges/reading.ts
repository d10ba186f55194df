import { msBetween } from '../../real/support/log.ts';
import type { ChaosRun } from '../run.ts';

/** What one judge finds wrong in a run, in words. */
export type Judge = (run: ChaosRun) => readonly string[];

/** Seconds since the start of the run: what a judge's words and the axis of the picture both count from. */
export const instant = (run: Pick<ChaosRun, 'from'>, at: bigint): string =>
  `${(msBetween(run.from, at) / 1e3).toFixed(3)} s`;

export const byTime = (a: { readonly at: bigint }, b: { readonly at: bigint }): number =>
  a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
