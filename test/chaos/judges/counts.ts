import { beliefsOf } from '../../real/support/beliefs.ts';
import { entriesOf, msBetween } from '../../real/support/log.ts';
import type { ChaosRun, Verdict } from '../run.ts';
import { addsIn, lostWithoutToken } from './counter.ts';
import { holdsIn } from './holds.ts';
import { calmFrom } from './liveness.ts';
import { listen } from './wire.ts';
import { witnessesIn } from './witnesses.ts';

/** What a run contained. One of them that is 0 was not shown: see `notShown`. */
export function countsOf(run: ChaosRun): Verdict['counts'] {
  const { entries, faults } = run;
  const holds = holdsIn(entries);
  const calm = calmFrom(run);
  let resumptions = 0;
  listen(entries, {
    heard: ({ message: { type, resumed } }) => (resumptions += type === 'welcome' && resumed === true ? 1 : 0),
  });
  const longest = beliefsOf(entries).reduce((ms, { from, to }) => Math.max(ms, msBetween(from, to)), 0);
  return {
    grants: holds.length,
    contested: holds.filter(({ contested }) => contested).length,
    releases: entriesOf(entries, 'released').length,
    losses: entriesOf(entries, 'lost').length,
    atRisk: entriesOf(entries, 'at-risk').length,
    recoveries: entriesOf(entries, 'recovered').length,
    resumptions,
    restarts: faults.filter(({ kind }) => kind === 'kill-coordinator').length,
    longestBeliefMs: Math.round(longest),
    stateWrites: witnessesIn(entries).written.length,
    adds: addsIn(entries).filter(({ acknowledged }) => acknowledged).length,
    lostWithoutToken: lostWithoutToken(entries),
    grantsWithFaultsOver: holds.filter(({ toldAt }) => toldAt > calm).length,
    faults: faults.length,
    ...byKind(run),
  };
}

function byKind({ faults }: ChaosRun): Verdict['counts'] {
  const counts: Record<string, number> = {};
  for (const { kind } of faults.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))) {
    const key = `fault ${kind}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** What a run has shown nothing of. A short one may lack some; a long one that does has failed. */
export const notShown = ({ counts }: Verdict): readonly string[] =>
  Object.keys(counts).filter((key) => counts[key] === 0);
