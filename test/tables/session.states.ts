import type { Session, SessionEffect, SessionEvent } from '../../server/core/coordinator/session.ts';

/**
 * Every state of a session with every event, once. A missing cell does not compile; the test beside it holds the
 * transition against each cell, and docs/SESSION-STATES.md is printed from it.
 */
export interface Cell {
  /** `over`: the session is no more. */
  readonly next: Session['kind'] | 'over';
  readonly effects: readonly SessionEffect['kind'][];
  readonly why: string;
}

type SessionTable = Record<Session['kind'], Record<SessionEvent['kind'], Cell>>;

const stays = (next: Session['kind'], why: string): Cell => ({ next, effects: [], why });
const refused = (next: Session['kind'], why: string): Cell => ({ next, effects: ['refuse'], why });
const NO_SOCKET = 'ignored: no socket speaks for the session, so this one was replaced or closed';
const LATE = 'refused `replaced`: its client has dialled again since';
const STALE = 'refused `bad-request`: frame numbers rise over all sockets of an instance';
const IN_USE = 'another instance gets a session of its own: a client that may still believe has this one';
const HEIR = 'the instance that had the session believes in nothing, as its heir says in its place (R10)';
const NOT_EXPECTED = 'ignored: nobody is expected back';
const OVER = 'silent for longer than its life, with nothing held and nothing awaited';

export const SESSION_STATES: SessionTable = {
  bound: {
    hello: { next: 'bound', effects: ['refuse', 'welcome'], why: 'the older socket is told `replaced`' },
    'late-hello': refused('bound', LATE),
    'stale-hello': refused('bound', STALE),
    'other-hello': { next: 'bound', effects: ['separate'], why: IN_USE },
    'heir-hello': {
      next: 'bound',
      effects: ['refuse', 'welcome'],
      why: `${HEIR}; the older socket is told \`replaced\``,
    },
    frame: { next: 'bound', effects: ['read'], why: 'its number is what anchors name from here on' },
    'stale-frame': refused('away', 'refused `bad-request`: no anchor could name it; nothing of it is applied'),
    bye: { next: 'bye', effects: ['withdraw-claims', 'close'], why: 'leases stay until released or over' },
    'socket-closed': stays('away', 'a closed socket ends nothing (S7)'),
    drained: { next: 'away', effects: ['close'], why: 'closed `draining`: the coordinator is about to stop' },
    'life-over': { next: 'over', effects: ['close'], why: `closed \`session-ended\`: ${OVER}` },
    'keep-over': stays('bound', NOT_EXPECTED),
  },
  away: {
    hello: { next: 'bound', effects: ['welcome'], why: 'resumed; nothing is renewed by it' },
    'late-hello': refused('away', LATE),
    'stale-hello': refused('away', STALE),
    'other-hello': { next: 'away', effects: ['separate'], why: IN_USE },
    'heir-hello': { next: 'bound', effects: ['welcome'], why: HEIR },
    frame: stays('away', NO_SOCKET),
    'stale-frame': stays('away', NO_SOCKET),
    bye: stays('away', NO_SOCKET),
    'socket-closed': stays('away', NO_SOCKET),
    drained: stays('away', 'ignored: there is nobody to tell'),
    'life-over': { next: 'over', effects: [], why: OVER },
    'keep-over': stays('away', NOT_EXPECTED),
  },
  unheard: {
    hello: {
      next: 'bound',
      effects: ['welcome'],
      why: 'the stored instance is back; any number of dial and frame is new',
    },
    'late-hello': refused('unheard', LATE),
    'stale-hello': refused('unheard', STALE),
    'other-hello': { next: 'unheard', effects: ['separate'], why: IN_USE },
    'heir-hello': {
      next: 'unheard',
      effects: ['separate'],
      why: 'a session of its own: the run before may have let another heir in, and died before that was stored',
    },
    frame: stays('unheard', NO_SOCKET),
    'stale-frame': stays('unheard', NO_SOCKET),
    bye: stays('unheard', NO_SOCKET),
    'socket-closed': stays('unheard', NO_SOCKET),
    drained: stays('unheard', 'ignored: there is nobody to tell'),
    'life-over': { next: 'over', effects: [], why: OVER },
    'keep-over': stays('unheard', NOT_EXPECTED),
  },
  bye: {
    hello: { next: 'bound', effects: ['welcome'], why: 'the same instance has thought better of it' },
    'late-hello': refused('bye', LATE),
    'stale-hello': refused('bye', STALE),
    'other-hello': {
      next: 'bound',
      effects: ['welcome'],
      why: 'within `keepMs` another instance takes it over; after it `in-use`, as above',
    },
    'heir-hello': { next: 'bound', effects: ['welcome'], why: HEIR },
    frame: stays('bye', NO_SOCKET),
    'stale-frame': stays('bye', NO_SOCKET),
    bye: stays('bye', NO_SOCKET),
    'socket-closed': stays('bye', NO_SOCKET),
    drained: stays('bye', 'ignored: there is nobody to tell'),
    'life-over': { next: 'over', effects: [], why: `${OVER}; here as soon as \`keepMs\` is over` },
    'keep-over': stays('bye', NOT_EXPECTED),
  },
  expected: {
    hello: { next: 'bound', effects: ['welcome'], why: 'the same instance has thought better of it' },
    'late-hello': refused('expected', LATE),
    'stale-hello': refused('expected', STALE),
    'other-hello': {
      next: 'bound',
      effects: ['welcome'],
      why: 'the instance that it was kept for; after `keepMs` it is `in-use`, as above',
    },
    'heir-hello': { next: 'bound', effects: ['welcome'], why: HEIR },
    frame: stays('expected', NO_SOCKET),
    'stale-frame': stays('expected', NO_SOCKET),
    bye: stays('expected', NO_SOCKET),
    'socket-closed': stays('expected', NO_SOCKET),
    drained: stays('expected', 'ignored: there is nobody to tell'),
    'life-over': { next: 'over', effects: [], why: `${OVER}; here as soon as \`keepMs\` is over` },
    'keep-over': {
      next: 'bye',
      effects: ['withdraw-claims', 'release-leases'],
      why: 'nobody came: its client believed in nothing when it said `bye`, so the names need not wait for deadlines',
    },
  },
};
