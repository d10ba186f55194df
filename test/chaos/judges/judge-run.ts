import { judge } from '../../real/support/oracles.ts';
import type { ChaosRun, Verdict } from '../run.ts';
import { counterLosesNothing } from './counter.ts';
import { countsOf } from './counts.ts';
import { allGetTheirs } from './liveness.ts';
import { isALock } from './lock.ts';
import { byTime, type Judge } from './reading.ts';
import { statesStay } from './states.ts';
import { tokensRiseOverAll } from './tokens.ts';

/** By name; each is a pure function of the run. */
export const JUDGES: Readonly<Record<string, Judge>> = {
  /** O1 to O5: tokens and beliefs of each name, deadlines, endings, promises. */
  oracles: ({ entries }) => judge(entries),
  tokens: tokensRiseOverAll,
  lock: isALock,
  counter: counterLosesNothing,
  states: statesStay,
  liveness: allGetTheirs,
};

/** What all judges say of a run. Pure: it reads the run and nothing else. */
export function judgeRun(run: ChaosRun): Verdict {
  // In order once, so that nobody sorts a million entries again: what is in order already costs one pass.
  const ordered = { ...run, entries: run.entries.toSorted(byTime) };
  return { violations: Object.values(JUDGES).flatMap((one) => one(ordered)), counts: countsOf(ordered) };
}
