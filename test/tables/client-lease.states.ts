import type { LeaseEffect, LeaseEvent, LeasePhase } from '../../client/core/lease-machine.ts';
import { always, type Cell, type Table } from './client-table.ts';

type State = LeasePhase['kind'];
type Effect = LeaseEffect['kind'];

export const LEASE_VARIATIONS = {
  look: ['early', 'due', 'due, before the sockets', 'over if it slept', 'over'],
  told: [
    'longer',
    'not longer',
    'longer, in a frame without record',
    'longer, by a welcome',
    'longer, from before the doubt',
  ],
  refused: ['for good', 'for now'],
  end: ['acknowledged', 'given back', 'without a word'],
  release: [''],
  'hand-over': [''],
  handed: ['to the next', 'to nobody', 'and over'],
  amend: [''],
  renew: [''],
  'stop-renewing': [''],
  sent: [''],
  reconnected: [''],
} as const satisfies Record<LeaseEvent['kind'], readonly string[]>;

const cell = (next: State, why: string, ...effects: Effect[]): Cell<State, Effect> => ({ next, effects, why });
const ENDED = 'ignored: once lost, lost (R2)';
const GIVEN = 'ignored: it was given back';
const LOST_BY_CLOCK = 'the stop margin before its deadline is reached, with or without a network (S6)';
const SLEPT = 'the window is over if the host slept: only an answer to a frame sent from now on decides (R12)';
const RENEWED = 'counted from the sending of the frame named; the next renewal is derived from this window';
const NOT_LONGER = 'a recovered lease waits for the disk (R3): asked again after a short pause';
const NO_RECORD = 'the window as known goes on; asked again after a short pause';
const WELCOME = 'resuming renews nothing (R8): the window told is kept where it is the longer one';
const TRANSIENT = 'ignored: the attempt has its own time-out';
const PERMANENT = 'never asked again for this token';
const ENDING = 'an authority ended it: belief first, then the word (R13)';
const MISSING = 'the coordinator does not hold it for this session';
const ELSEWHERE = 'nobody is there to be told';
const NOT_HANDING = 'ignored: it was not offered to anybody';
const BEFORE = 'put off: an answer may lie in a socket';
const NOT_DUE = 'ignored: no renewal is due';

/** It is not renewed by that, and not given away. */
const amended = (state: State) =>
  ({ amend: { '': cell(state, 'the coordinator is told of the new priority', 'amend') } }) as const;

/** What any state does that is not over. */
const ending = {
  end: {
    acknowledged: cell('lost', ENDING, 'lost', 'end-ack'),
    'given back': cell('lost', MISSING, 'lost', 'give-back'),
    'without a word': cell('lost', ELSEWHERE, 'lost'),
  },
  release: { '': cell('released', 'belief ends before the word leaves (R13)', 'released') },
  'hand-over': { '': cell('handing', 'not believed from here on: the next in line may have it (R13)') },
} as const;

const handedToNobody = (state: State) =>
  ({
    'to the next': cell(state, NOT_HANDING),
    'to nobody': cell(state, NOT_HANDING),
    'and over': cell(state, NOT_HANDING),
  }) as const;

export const LEASE_STATES: Table<State, typeof LEASE_VARIATIONS, Effect> = {
  resting: {
    look: {
      early: cell('resting', 'nothing is due'),
      due: cell('renewing', 'two thirds of the granted window are gone'),
      'due, before the sockets': cell('resting', BEFORE),
      'over if it slept': cell('doubt', SLEPT, 'at-risk'),
      over: cell('lost', LOST_BY_CLOCK, 'lost', 'give-back'),
    },
    told: {
      longer: cell('resting', RENEWED, 'renewed'),
      'not longer': cell('resting', NOT_LONGER, 'renewed'),
      'longer, in a frame without record': cell('resting', NO_RECORD, 'renewed'),
      'longer, by a welcome': cell('resting', WELCOME),
      'longer, from before the doubt': cell('resting', RENEWED, 'renewed'),
    },
    refused: { 'for good': cell('lost', PERMANENT, 'lost'), 'for now': cell('resting', TRANSIENT) },
    ...ending,
    handed: handedToNobody('resting'),
    ...amended('resting'),
    renew: { '': cell('renewing', 'by hand, at once') },
    'stop-renewing': { '': cell('resting', 'until the window is over') },
    sent: { '': cell('resting', NOT_DUE) },
    reconnected: { '': cell('resting', NOT_DUE) },
  },
  renewing: {
    look: {
      early: cell('renewing', 'the answer may still come'),
      due: cell('silent', 'unanswered in time: the next attempt goes over a new socket', 'at-risk', 'redial'),
      'due, before the sockets': cell('renewing', BEFORE),
      'over if it slept': cell('doubt', SLEPT, 'at-risk'),
      over: cell('lost', LOST_BY_CLOCK, 'lost', 'give-back'),
    },
    told: {
      longer: cell('resting', RENEWED, 'renewed'),
      'not longer': cell('resting', NOT_LONGER, 'renewed'),
      'longer, in a frame without record': cell('resting', NO_RECORD, 'renewed'),
      'longer, by a welcome': cell('renewing', WELCOME),
      'longer, from before the doubt': cell('resting', RENEWED, 'renewed'),
    },
    refused: { 'for good': cell('lost', PERMANENT, 'lost'), 'for now': cell('renewing', TRANSIENT) },
    ...ending,
    handed: handedToNobody('renewing'),
    ...amended('renewing'),
    renew: { '': cell('renewing', 'one is under way already') },
    'stop-renewing': { '': cell('resting', 'until the window is over; an answer to what is out still counts') },
    sent: { '': cell('renewing', 'its attempt is timed from here (R26)') },
    reconnected: { '': cell('renewing', 'to be sent again, on this socket') },
  },
  silent: {
    look: {
      early: cell('silent', 'at risk until an answer comes'),
      due: cell('silent', 'unanswered again: another new socket', 'redial'),
      'due, before the sockets': cell('silent', BEFORE),
      'over if it slept': cell('doubt', `${SLEPT}; at risk already`),
      over: cell('lost', LOST_BY_CLOCK, 'lost', 'give-back'),
    },
    told: {
      longer: cell('resting', RENEWED, 'recovered', 'renewed'),
      'not longer': cell('resting', NOT_LONGER, 'recovered', 'renewed'),
      'longer, in a frame without record': cell('resting', NO_RECORD, 'recovered', 'renewed'),
      'longer, by a welcome': cell('silent', WELCOME),
      'longer, from before the doubt': cell('resting', RENEWED, 'recovered', 'renewed'),
    },
    refused: { 'for good': cell('lost', PERMANENT, 'lost'), 'for now': cell('silent', TRANSIENT) },
    ...ending,
    handed: handedToNobody('silent'),
    ...amended('silent'),
    renew: { '': cell('silent', 'one is under way already') },
    'stop-renewing': { '': cell('silent', 'at risk it still asks: only an answer tells whether it is held') },
    sent: { '': cell('silent', 'its attempt is timed from here (R26)') },
    reconnected: { '': cell('silent', 'to be sent again, on this socket') },
  },
  doubt: {
    look: {
      early: cell('doubt', 'the answer may still come'),
      due: cell('lost', '1 s without an answer is loss (R12)', 'lost', 'give-back'),
      'due, before the sockets': cell('doubt', BEFORE),
      'over if it slept': cell('doubt', 'in doubt already'),
      over: cell('lost', LOST_BY_CLOCK, 'lost', 'give-back'),
    },
    told: {
      longer: cell('resting', `${RENEWED}; it was asked after the doubt began`, 'recovered', 'renewed'),
      'not longer': cell('resting', `${NOT_LONGER}; it is held all the same`, 'recovered', 'renewed'),
      'longer, in a frame without record': cell('doubt', 'ignored: nobody knows from when it counts'),
      'longer, by a welcome': cell('resting', 'its hello was sent after the doubt began', 'recovered', 'renewed'),
      'longer, from before the doubt': cell('doubt', 'ignored: it was asked before the doubt began (R12)'),
    },
    refused: { 'for good': cell('lost', PERMANENT, 'lost'), 'for now': cell('doubt', TRANSIENT) },
    ...ending,
    handed: handedToNobody('doubt'),
    ...amended('doubt'),
    renew: { '': cell('doubt', 'one is under way already') },
    'stop-renewing': { '': cell('doubt', 'at risk it still asks: only an answer tells whether it is held') },
    sent: { '': cell('doubt', 'the doubt has its own time-out') },
    reconnected: { '': cell('doubt', 'to be sent again, on this socket') },
  },
  handing: {
    look: {
      early: cell('handing', 'the answer may still come'),
      due: cell('handing', 'a renewal would speak for what is offered'),
      'due, before the sockets': cell('handing', BEFORE),
      'over if it slept': cell('handing', 'not believed anyway'),
      over: cell('lost', LOST_BY_CLOCK, 'lost', 'give-back'),
    },
    told: {
      longer: cell('handing', 'the window is noted, should nobody take it'),
      'not longer': cell('handing', 'ignored: the window known is the longer one'),
      'longer, in a frame without record': cell('handing', 'ignored: nobody knows from when it counts'),
      'longer, by a welcome': cell('handing', 'the window is noted, should nobody take it'),
      'longer, from before the doubt': cell('handing', 'the window is noted, should nobody take it'),
    },
    refused: { 'for good': cell('lost', PERMANENT, 'lost'), 'for now': cell('handing', TRANSIENT) },
    ...ending,
    'hand-over': { '': cell('handing', 'offered already') },
    handed: {
      'to the next': cell('released', 'the next in line has it', 'released'),
      'to nobody': cell('resting', 'kept, and renewed at once'),
      'and over': cell('lost', 'it had ended before', 'lost'),
    },
    ...amended('handing'),
    renew: { '': cell('handing', 'ignored: it is offered to somebody else') },
    'stop-renewing': { '': cell('handing', 'remembered, should nobody take it') },
    sent: { '': cell('handing', NOT_DUE) },
    reconnected: { '': cell('handing', NOT_DUE) },
  },
  lost: always(LEASE_VARIATIONS, cell('lost', ENDED)),
  released: always(LEASE_VARIATIONS, cell('released', GIVEN)),
};
