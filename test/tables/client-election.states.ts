import type { CandidatePhase, ElectionEffect, ElectionEvent } from '../../client/core/election-machine.ts';
import { always, type Cell, type Table } from './client-table.ts';

type State = CandidatePhase['kind'];
type Effect = ElectionEffect['kind'];

export const ELECTION_VARIATIONS = {
  connection: ['open', 'lost', 'refused or closed'],
  queued: [''],
  granted: [''],
  failed: ['for now', 'for good', 'since the client is closed'],
  over: ['', 'within a second, for the fifth time in a row', 'behind a newer leader', 'after a stop'],
  view: [
    'of another leader',
    'of the same leader',
    'of nobody',
    'older than what is known',
    'of its own lease that is over',
  ],
  due: ['early', ''],
  resign: ['', 'twice in one moment', 'after a stop'],
  stop: ['', 'again'],
} as const satisfies Record<ElectionEvent['kind'], readonly string[]>;

const cell = (next: State, why: string, ...effects: Effect[]): Cell<State, Effect> => ({ next, effects, why });
const NO_CLAIM = 'ignored: it has no claim';
const NOT_LEADING = 'ignored: it does not lead';
const NO_PAUSE = 'ignored: it does not pause';
const FIRST = 'stopped in the queue: nobody is known to lead';
const OLD = 'ignored: no earlier leader comes back';
const MINE_IS_OVER = 'ignored: nobody leads, what it shows is over';
const STANDS_AGAIN = 'it stands again at once, at the tail, with a claim of its own';

const notLeading = (next: State) =>
  ({
    over: {
      '': cell(next, NOT_LEADING),
      'within a second, for the fifth time in a row': cell(next, NOT_LEADING),
      'behind a newer leader': cell(next, NOT_LEADING),
      'after a stop': cell(next, NOT_LEADING),
    },
    view: {
      'of another leader': cell(next, 'told once', 'leader'),
      'of the same leader': cell(next, 'only looked at afresh'),
      'of nobody': cell(next, 'told once', 'leader'),
      'older than what is known': cell(next, OLD),
      'of its own lease that is over': cell(next, MINE_IS_OVER),
    },
    resign: {
      '': cell(next, NOT_LEADING),
      'twice in one moment': cell(next, NOT_LEADING),
      'after a stop': cell(next, NOT_LEADING),
    },
    stop: { '': cell('stopped', FIRST, 'leave', 'leader'), again: cell('stopped', FIRST, 'leave', 'leader') },
  }) as const;

export const ELECTION_STATES: Table<State, typeof ELECTION_VARIATIONS, Effect> = {
  standing: {
    connection: {
      open: cell('standing', 'its claim goes out: `standing`'),
      lost: cell('standing', 'it is not known to stand: `connecting`, no position'),
      'refused or closed': cell('standing', 'its claim says so'),
    },
    queued: { '': cell('standing', 'the position is shown') },
    granted: { '': cell('leading', 'it leads', 'elected', 'leader') },
    failed: {
      'for now': cell('pausing', 'it stands again later', 'pause'),
      'for good': cell('refused', 'asking again changes nothing', 'leave', 'leader'),
      'since the client is closed': cell('stopped', 'nothing is asked of it any more', 'leave', 'leader'),
    },
    due: { early: cell('standing', NO_PAUSE), '': cell('standing', NO_PAUSE) },
    ...notLeading('standing'),
  },
  leading: {
    connection: {
      open: cell('leading', 'the lease says whether it leads'),
      lost: cell('leading', 'the lease says whether it leads'),
      'refused or closed': cell('leading', 'the end of the lease follows'),
    },
    queued: { '': cell('leading', NO_CLAIM) },
    granted: { '': cell('leading', NO_CLAIM) },
    failed: {
      'for now': cell('leading', NO_CLAIM),
      'for good': cell('leading', NO_CLAIM),
      'since the client is closed': cell('leading', NO_CLAIM),
    },
    over: {
      '': cell('standing', STANDS_AGAIN, 'claim', 'deposed', 'leader'),
      'within a second, for the fifth time in a row': cell('pausing', 'paced', 'pause', 'deposed', 'leader'),
      'behind a newer leader': cell('standing', 'who leads is known', 'claim', 'deposed', 'leader', 'leader'),
      'after a stop': cell('stopped', 'its own word', 'leave', 'deposed', 'leader'),
    },
    view: {
      'of another leader': cell('leading', 'it leads until its lease is over; then that one is shown'),
      'of the same leader': cell('leading', 'older than its own grant'),
      'of nobody': cell('leading', 'its own lease says more'),
      'older than what is known': cell('leading', OLD),
      'of its own lease that is over': cell('leading', 'older than its own grant'),
    },
    due: { early: cell('leading', NO_PAUSE), '': cell('leading', NO_PAUSE) },
    resign: {
      '': cell('leading', 'until the lease has ended, in the same turn', 'release'),
      'twice in one moment': cell('leading', 'ignored: two calls of one moment are one'),
      'after a stop': cell('leading', 'ignored: it is given back already'),
    },
    stop: {
      '': cell('leading', 'until the lease has ended, in the same turn', 'release'),
      again: cell('leading', 'ignored: it is given back already'),
    },
  },
  pausing: {
    connection: {
      open: cell('pausing', 'not yet'),
      lost: cell('pausing', 'not yet'),
      'refused or closed': cell('standing', 'its claim is told why', 'claim'),
    },
    queued: { '': cell('pausing', NO_CLAIM) },
    granted: { '': cell('pausing', NO_CLAIM) },
    failed: {
      'for now': cell('pausing', NO_CLAIM),
      'for good': cell('pausing', NO_CLAIM),
      'since the client is closed': cell('pausing', NO_CLAIM),
    },
    due: {
      early: cell('pausing', 'not yet: the rest of it', 'pause'),
      '': cell('standing', 'the pause is over', 'claim'),
    },
    ...notLeading('pausing'),
  },
  stopped: always(ELECTION_VARIATIONS, cell('stopped', 'ignored: it is final')),
  refused: always(ELECTION_VARIATIONS, cell('refused', 'ignored: it is final')),
};
