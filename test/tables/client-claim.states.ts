import type { ClaimEffect, ClaimEvent, ClaimPhase } from '../../client/core/claim-machine.ts';
import { always, type Cell, type Table } from './client-table.ts';

type State = ClaimPhase['kind'];
type Effect = ClaimEffect['kind'];

export const CLAIM_VARIATIONS = {
  look: ['early', 'at the end of the wait', 'after 10 s without a limit', 'after 1 s behind itself', 'after the pause'],
  queued: [''],
  moved: ['up', 'not'],
  refused: ['for now', 'for good', 'for now, with one try'],
  repeat: [''],
  amend: [''],
  'stale-grant': [''],
  end: ['withdrawn', 'for a reason'],
} as const satisfies Record<ClaimEvent['kind'], readonly string[]>;

const cell = (next: State, why: string, ...effects: Effect[]): Cell<State, Effect> => ({ next, effects, why });
const OVER =
  'the wait is over: `wait-timeout`, or `unavailable` when it was never reached; a grant that crosses it is released';
const SAID = 'said once: it waits without limit';
const ANEW = 'at the tail, under the same id and the same promise (S8)';
const AGAIN = 'tried again inside the wait, after a growing pause';
const STALE = 'its window was over on arrival: a repeat renews it, or claims anew (R12, R7)';
const NO_PLACE = 'ignored: its place is not known';
const NOT_PAUSING = 'nothing is due';
const AMENDED = 'its repeats have the new priority; what was said of the old one is said anew';

const any = {
  refused: {
    'for now': cell('pausing', AGAIN),
    'for good': cell('ended', 'rejected at once', 'failed'),
    'for now, with one try': cell('ended', 'one try is one try', 'failed'),
  },
  repeat: { '': cell('asking', ANEW, 'ask') },
  'stale-grant': { '': cell('pausing', STALE) },
  end: {
    withdrawn: cell('ended', 'its caller has gone: no word to it', 'cancel'),
    'for a reason': cell('ended', 'the client is closed, say', 'failed', 'cancel'),
  },
} as const;
const queued = cell('queued', 'where it stands, and who holds', 'queued');

export const CLAIM_STATES: Table<State, typeof CLAIM_VARIATIONS, Effect> = {
  asking: {
    look: {
      early: cell('asking', NOT_PAUSING),
      'at the end of the wait': cell('ended', OVER, 'failed', 'cancel'),
      'after 10 s without a limit': cell('asking', SAID, 'warning'),
      'after 1 s behind itself': cell('asking', 'it does not know yet behind whom', 'warning'),
      'after the pause': cell('asking', NOT_PAUSING),
    },
    queued: { '': queued },
    moved: { up: cell('asking', NO_PLACE), not: cell('asking', NO_PLACE) },
    amend: { '': cell('asking', AMENDED, 'amend') },
    ...any,
  },
  queued: {
    look: {
      early: cell('queued', NOT_PAUSING),
      'at the end of the wait': cell('ended', OVER, 'failed', 'cancel'),
      'after 10 s without a limit': cell('queued', SAID, 'warning'),
      'after 1 s behind itself': cell('queued', 'said once: this client holds the name itself', 'warning'),
      'after the pause': cell('queued', NOT_PAUSING),
    },
    queued: { '': queued },
    moved: { up: cell('queued', 'a ping carries places', 'queued'), not: cell('queued', 'ignored: the same place') },
    amend: { '': cell('queued', AMENDED, 'amend') },
    ...any,
  },
  pausing: {
    look: {
      early: cell('pausing', 'not yet'),
      'at the end of the wait': cell('ended', OVER, 'failed', 'cancel'),
      'after 10 s without a limit': cell('pausing', SAID, 'warning'),
      'after 1 s behind itself': cell('pausing', 'it was behind itself before', 'warning'),
      'after the pause': cell('asking', 'asked again under the same id', 'ask'),
    },
    queued: { '': cell('queued', 'an answer to an earlier copy', 'queued') },
    moved: { up: cell('pausing', NO_PLACE), not: cell('pausing', NO_PLACE) },
    amend: { '': cell('pausing', AMENDED, 'amend') },
    ...any,
  },
  ended: always(CLAIM_VARIATIONS, cell('ended', 'ignored: it is over')),
};
