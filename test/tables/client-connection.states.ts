import type { ConnectionEffect, ConnectionEvent, ConnectionPhase } from '../../client/core/connection-machine.ts';
import { always, type Cell, type Table } from './client-table.ts';

type State = ConnectionPhase['kind'];
type Effect = ConnectionEffect['kind'];

export const CONNECTION_VARIATIONS = {
  look: ['early', 'due'],
  want: [''],
  rest: [''],
  end: [''],
  credential: [''],
  opened: [''],
  welcomed: [''],
  heard: [''],
  slept: [''],
  pinged: ['naming a late frame', 'naming no frame for two pings'],
  failed: ['without a word', 'for now', 'for good', 'unauthorized', 'unauthorized again'],
  stale: ['', 'for the second time'],
} as const satisfies Record<ConnectionEvent['kind'], readonly string[]>;

const cell = (next: State, why: string, ...effects: Effect[]): Cell<State, Effect> => ({ next, effects, why });
const NO_SOCKET = 'ignored: there is no socket';
const NOT_DIALING = 'ignored: no dial waits for it';
const UNREACHABLE = 'a pause with full jitter; a short one while a lease is at stake';
const REFUSED = 'half of the pause is fixed, so that a refusing coordinator is never asked twice at once';
const TERMINAL = 'no other dial will change that';
const FRESH = 'one more try, with a fresh credential';
const NOT_WANTED = 'nothing is wanted any more, or the page was put away';
const CLOSED = 'ignored: the client is closed';

const end = (why: string, ...effects: Effect[]) => ({ '': cell('closed', why, ...effects) }) as const;
const noSocket = (state: State) =>
  ({
    opened: { '': cell(state, NO_SOCKET) },
    welcomed: { '': cell(state, NO_SOCKET) },
    heard: { '': cell(state, NO_SOCKET) },
    slept: { '': cell(state, NO_SOCKET) },
    pinged: { 'naming a late frame': cell(state, NO_SOCKET), 'naming no frame for two pings': cell(state, NO_SOCKET) },
    stale: { '': cell(state, NO_SOCKET), 'for the second time': cell(state, NO_SOCKET) },
  }) as const;
const failsNothing = (state: State, why: string) =>
  ({
    'without a word': cell(state, why),
    'for now': cell(state, why),
    'for good': cell(state, why),
    unauthorized: cell(state, why),
    'unauthorized again': cell(state, why),
  }) as const;
const fails = {
  'without a word': cell('pausing', UNREACHABLE, 'abandon'),
  'for now': cell('pausing', REFUSED, 'abandon'),
  'for good': cell('refused', TERMINAL, 'abandon'),
  unauthorized: cell('asking', FRESH, 'abandon', 'ask-credential'),
  'unauthorized again': cell('refused', TERMINAL, 'abandon'),
} as const;

export const CONNECTION_STATES: Table<State, typeof CONNECTION_VARIATIONS, Effect> = {
  idle: {
    look: { early: cell('idle', 'nothing is due'), due: cell('idle', 'nothing is ever due') },
    want: { '': cell('asking', 'the credential is asked at each dial', 'ask-credential') },
    rest: { '': cell('idle', 'nothing to close') },
    end: end('closed by its owner'),
    credential: { '': cell('idle', NOT_DIALING) },
    failed: failsNothing('idle', NO_SOCKET),
    ...noSocket('idle'),
  },
  asking: {
    look: { early: cell('asking', 'the credential may still come'), due: cell('pausing', UNREACHABLE, 'abandon') },
    want: { '': cell('asking', 'under way') },
    rest: { '': cell('idle', NOT_WANTED, 'abandon') },
    end: end('closed by its owner', 'abandon'),
    credential: { '': cell('dialing', 'within the same time-out', 'dial') },
    failed: { ...fails, 'for now': cell('pausing', `no credential: ${UNREACHABLE}`, 'abandon') },
    ...noSocket('asking'),
  },
  dialing: {
    look: { early: cell('dialing', 'the welcome may still come'), due: cell('pausing', UNREACHABLE, 'abandon') },
    want: { '': cell('dialing', 'under way') },
    rest: { '': cell('idle', NOT_WANTED, 'abandon') },
    end: end('closed by its owner', 'abandon'),
    credential: { '': cell('dialing', NOT_DIALING) },
    opened: { '': cell('dialing', 'the first message of a socket', 'hello') },
    welcomed: { '': cell('open', 'at its last part: what is unanswered is said again') },
    heard: { '': cell('dialing', 'only the welcome counts') },
    slept: { '': cell('dialing', 'the dial has its own time-out') },
    pinged: {
      'naming a late frame': cell('dialing', NO_SOCKET),
      'naming no frame for two pings': cell('dialing', NO_SOCKET),
    },
    failed: fails,
    stale: {
      '': cell('dialing', 'ignored: nothing was asked on it'),
      'for the second time': cell('dialing', 'ignored: nothing was asked on it'),
    },
  },
  open: {
    look: {
      early: cell('open', 'a ping may still come'),
      due: cell('asking', 'two ping periods of silence, at least 1.5 s: dialled anew', 'abandon', 'ask-credential'),
    },
    want: { '': cell('open', 'there it is') },
    rest: { '': cell('idle', NOT_WANTED, 'abandon') },
    end: end('closed by its owner', 'abandon'),
    credential: { '': cell('open', NOT_DIALING) },
    opened: { '': cell('open', NOT_DIALING) },
    welcomed: { '': cell('open', NOT_DIALING) },
    heard: { '': cell('open', 'silence counts from here') },
    slept: { '': cell('open', 'it has 1 s to be heard of; then it counts as silent') },
    pinged: {
      'naming a late frame': cell('open', 'the way up works; the next ping is due when it says'),
      'naming no frame for two pings': cell('asking', 'the way up is dead (R21)', 'abandon', 'ask-credential'),
    },
    failed: fails,
    stale: {
      '': cell(
        'asking',
        'what was asked was not read within 1 s: dialled anew at once (R21)',
        'abandon',
        'ask-credential',
      ),
      'for the second time': cell('pausing', 'not a good connection either: paced', 'abandon'),
    },
  },
  pausing: {
    look: { early: cell('pausing', 'not yet'), due: cell('asking', 'dialled again', 'ask-credential') },
    want: { '': cell('pausing', 'the pause is kept, or as long as what waits can bear') },
    rest: { '': cell('idle', NOT_WANTED) },
    end: end('closed by its owner'),
    credential: { '': cell('pausing', NOT_DIALING) },
    failed: failsNothing('pausing', NO_SOCKET),
    ...noSocket('pausing'),
  },
  refused: { ...always(CONNECTION_VARIATIONS, cell('refused', 'ignored: terminal')), end: end('closed by its owner') },
  closed: always(CONNECTION_VARIATIONS, cell('closed', CLOSED)),
};
