import { cellOf, type TableName } from './cells/visited.ts';

const NOT_CURRENT = 'the core drops what comes of a dial that is not the current one, and in this state there is none';
const NO_MORE = 'the claim is forgotten in the step that ends it: no event finds it any more';
const ONCE = 'a platform says it once for each dial, and then the state has changed';
const NO_PING = 'before the welcome nothing else is heard, so that no ping is looked at';
const ASKED_NOTHING = 'with nothing asked and nothing held nothing can be unanswered';
const OVER_IS_OVER =
  'only what is living is looked at, renewed, given back or ended: what is over is answered without a step';
const NO_RENEWAL = 'only what waits for a renewal is told that one was sent';
const SETTLED = 'the loss itself ends the hand-over that was asked: no answer is awaited any more';
const SAYS_NOTHING = 'a claim that is over says nothing more, and the next one has a key of its own';
const BEHIND_ITS_GRANT = 'the end of a lease is told behind its grant';
const BOUND_ONLY = 'it is looked up by the socket that speaks for the session, and none does';
const RISING = 'the numbers of a client rise over all its sockets, and what comes on one socket keeps its order';
const UNNUMBERED = 'no dial and no frame of a session is known after a restart: any number is new';
const UNTOLD = 'nobody was told of the token yet, so that nobody can name it';
const NO_AMEND = 'no client of this project sends `amend`';
const ABOVE =
  'the second of the wall clock is the floor of tokens, and above all that anybody was shown; a clock that is set back together with a restore gives S2 up and is left out';
const UNWRITABLE =
  'it is said behind a failed append, which has undone every grant, and nothing is granted until it is taken back';

type Rule = readonly [table: TableName, states: readonly string[], events: readonly string[], why: string];

const PHASES = ['free', 'pending', 'held', 'recovered', 'ending', 'closed', 'delayed'] as const;

const RULES: readonly Rule[] = [
  ['claim', ['ended'], ['look', 'queued', 'moved', 'refused', 'repeat', 'stale-grant', 'end'], NO_MORE],
  [
    'connection',
    ['idle', 'pausing', 'refused', 'closed'],
    ['credential', 'failed', 'opened', 'welcomed', 'heard', 'pinged'],
    NOT_CURRENT,
  ],
  [
    'connection',
    ['asking'],
    ['opened', 'welcomed', 'heard', 'pinged'],
    'before its credential is there no socket is dialled',
  ],
  ['connection', ['dialing', 'open'], ['credential'], ONCE],
  ['connection', ['open'], ['opened', 'welcomed'], ONCE],
  ['connection', ['dialing'], ['pinged'], NO_PING],
  ['connection', ['idle'], ['stale'], ASKED_NOTHING],
  ['lease', ['lost', 'released'], ['look', 'renew', 'release', 'hand-over', 'refused', 'end', 'sent'], OVER_IS_OVER],
  ['lease', ['resting', 'handing'], ['sent'], NO_RENEWAL],
  ['lease', ['lost'], ['handed'], SETTLED],
  ['election', ['leading', 'pausing'], ['queued', 'granted', 'failed'], SAYS_NOTHING],
  ['election', ['standing', 'pausing'], ['over'], BEHIND_ITS_GRANT],
  ['session', ['away', 'unheard', 'bye'], ['frame', 'stale-frame', 'bye', 'socket-closed'], BOUND_ONLY],
  ['session', ['away', 'unheard', 'bye'], ['drained'], 'only sessions with a socket are told'],
  ['session', ['bound', 'away', 'unheard', 'bye'], ['stale-hello'], RISING],
  ['session', ['unheard'], ['late-hello'], UNNUMBERED],
  [
    'name',
    ['pending'],
    [
      'renew',
      'renew, by another',
      'release',
      'release, by another',
      'hand-over',
      'set-state',
      'set-state, by another',
      'end-ack',
      'end-ack, by another',
    ],
    UNTOLD,
  ],
  ['name', PHASES, ['amend'], NO_AMEND],
  ['name', PHASES, ['lift-mark'], ABOVE],
  ['name', ['pending'], ['writable'], UNWRITABLE],
];

const cellsOf = (rules: readonly Rule[]): ReadonlyMap<string, string> =>
  new Map(
    rules.flatMap(([table, states, events, why]) =>
      states.flatMap((state) => events.map((event) => [cellOf(table, state, event), why] as const)),
    ),
  );

/** Cells of the state tables that the simulation cannot reach, and why. One that a run visits all the same is an error. */
export const UNREACHABLE = cellsOf(RULES);

const SELDOM_RULES: readonly Rule[] = [];

/** Cells that need such a coincidence that a long run may do without them, and which. */
export const SELDOM = cellsOf(SELDOM_RULES);
