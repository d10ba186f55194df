import { faketimeLibrary } from '../../chaos/tools.ts';
import type { FieldCase } from '../support/field-case.ts';
import { playTrio, type Role, type Step } from './f37/trio.ts';

const TTL_MS = 3_000;
const HOUR_S = 3_600;
const DAYS_40_S = 40 * 24 * HOUR_S;

const ROLES: readonly Role[] = ['holder', 'waiter', 'coordinator'];

const ofEachRole = (...steps: readonly number[]): readonly Step[] =>
  steps.flatMap((seconds) => ROLES.map((role) => ({ role, seconds })));

export const F37: FieldCase = {
  id: 'F37',
  title: 'S1 S6 a wall clock that is stepped ends no lease, grants none early or late, and moves no wait',
  async run(bench, size) {
    const library = faketimeLibrary();
    if (library === null) throw new Error('stepping a wall clock needs libfaketime (Debian package libfaketime)');
    // Each step by itself, as written; or several in turn while one lease is held.
    const plans =
      size === 'full'
        ? ofEachRole(HOUR_S, -HOUR_S, -DAYS_40_S).map((step) => [step])
        : [ofEachRole(HOUR_S, -DAYS_40_S)];
    for (const steps of plans) await playTrio(bench, { steps, ttlMs: TTL_MS, library });
  },
};
