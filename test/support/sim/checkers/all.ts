import type { Happened } from '../history.ts';
import { overlappingBeliefs } from './beliefs.ts';
import { endlessClaims } from './claims.ts';
import { earlyEnds, unreadRenewals } from './deadlines.ts';
import { lostCounts } from './counter.ts';
import { notALock } from './lock.ts';
import { overtakenClaims } from './order.ts';
import { renewedAfterTheEnd } from './renewals.ts';
import { fallenTokens } from './tokens.ts';
import { unwantedGrants } from './unwanted.ts';
import { grantsToNobody } from './waiters.ts';
import { lostWrites } from './writes.ts';

/** What holds of every history, by the name under which a planted bug says who finds it. */
export const CHECKERS = {
  beliefs: overlappingBeliefs,
  tokens: fallenTokens,
  lock: notALock,
  counter: lostCounts,
  deadlines: earlyEnds,
  listening: unreadRenewals,
  renewals: renewedAfterTheEnd,
  waiters: grantsToNobody,
  order: overtakenClaims,
  claims: endlessClaims,
  unwanted: unwantedGrants,
  writes: lostWrites,
} as const satisfies Record<string, (events: readonly Happened[]) => readonly string[]>;

/** `observer`: somebody inside the world, who saw what may not be. `liveness`: what goes on once faults are over. */
export type Finder = keyof typeof CHECKERS | 'observer' | 'liveness' | 'crash';

export interface Problem {
  readonly by: Finder;
  readonly text: string;
}

export function problemsIn(events: readonly Happened[]): readonly Problem[] {
  const names = Object.keys(CHECKERS) as (keyof typeof CHECKERS)[]; // `Object.keys` forgets what the keys are.
  return names.flatMap((by) => CHECKERS[by](events).map((text) => ({ by, text })));
}
