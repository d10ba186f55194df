import { judge } from '../../real/support/oracles.ts';
import type { ChaosRun, Verdict } from '../run.ts';

/** What all judges say of a run. Pure: it reads the run and nothing else. */
export function judgeRun(run: ChaosRun): Verdict {
  return { violations: judge(run.entries), counts: {} };
}
