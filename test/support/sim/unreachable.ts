import { cellOf, type TableName } from './cells/visited.ts';

const NOT_CURRENT = 'the core drops what comes of a dial that is not the current one, and in this state there is none';
const NO_MORE = 'the claim is forgotten in the step that ends it: no event finds it any more';
const ONCE = 'a platform says it once for each dial, and then the state has changed';
const NO_PING = 'before the welcome nothing else is heard, so that no ping is looked at';
const ASKED_NOTHING = 'with nothing asked and nothing held nothing can be unanswered';
const OVER_IS_OVER =
  'only what is living is looked at, renewed, given back or ended: what is over is answered without a step';
const NO_RENEWAL = 'only what waits for a renewal is told that one was sent';
const LAST_OFFER = 'of several offers only the last answer is heard, and until then it is being offered';
const SAYS_NOTHING = 'a claim that is over says nothing more, and the next one has a key of its own';
const BEHIND_ITS_GRANT = 'the end of a lease is told behind its grant';
const BOUND_ONLY = 'it is looked up by the socket that speaks for the session, and none does';
const RISING = 'the numbers of a client rise over all its sockets, and what comes on one socket keeps its order';
const UNNUMBERED = 'no dial and no frame of a session is known after a restart: any number is new';
const UNTOLD = 'nobody was told of the token yet, so that nobody can name it';
const ABOVE =
  'the millisecond of the wall clock is the floor of tokens, and above all that anybody was shown; a clock that is set back together with a restore gives S2 up and is left out';
const UNWRITABLE =
  'it is said behind a failed append, which has undone every grant, and nothing is granted until it is taken back';

type Rule = readonly [table: TableName, states: readonly string[], events: readonly string[], why: string];

const PHASES = ['free', 'pending', 'held', 'recovered', 'ending', 'closed', 'delayed'] as const;

const RULES: readonly Rule[] = [
  ['claim', ['ended'], ['look', 'queued', 'moved', 'refused', 'repeat', 'amend', 'stale-grant', 'end'], NO_MORE],
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
  ['lease', ['lost', 'released'], ['look', 'renew', 'hand-over', 'refused', 'end', 'sent'], OVER_IS_OVER],
  ['lease', ['resting', 'handing'], ['sent'], NO_RENEWAL],
  ['lease', ['resting', 'renewing'], ['handed'], LAST_OFFER],
  ['election', ['leading', 'pausing'], ['queued', 'granted', 'failed'], SAYS_NOTHING],
  ['election', ['standing', 'pausing'], ['over'], BEHIND_ITS_GRANT],
  ['session', ['away', 'unheard', 'bye', 'expected'], ['frame', 'stale-frame', 'bye', 'socket-closed'], BOUND_ONLY],
  ['session', ['away', 'unheard', 'bye', 'expected'], ['drained'], 'only sessions with a socket are told'],
  ['session', ['bound', 'away', 'unheard', 'bye', 'expected'], ['stale-hello'], RISING],
  ['session', ['bound'], ['stale-frame'], RISING],
  [
    'session',
    ['expected'],
    ['hello', 'late-hello'],
    'who has left its session to others comes back as another instance',
  ],
  ['session', ['bound', 'away', 'unheard', 'bye'], ['keep-over'], 'only one that is expected back is waited for'],
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

const OTHERS = ['renew, by another', 'release, by another', 'set-state, by another', 'end-ack, by another'];

const SELDOM_RULES: readonly Rule[] = [
  [
    'claim',
    ['pausing'],
    ['queued', 'moved', 'refused'],
    'on one socket nothing of a claim follows what made it pause; it has to cross the saying of it again',
  ],
  ['connection', ['asking'], ['stale'], 'a lease has to miss its answer in the instant in which a credential is asked'],
  [
    'connection',
    ['refused'],
    ['want', 'stale', 'end'],
    'what is refused fails all that is asked of it, so that little is left to want, and is started again soon',
  ],
  [
    'connection',
    ['closed'],
    ['want', 'end', 'slept', 'stale'],
    'a client that was closed is started again a millisecond later',
  ],
  [
    'lease',
    ['resting', 'renewing', 'silent', 'doubt', 'handing'],
    ['refused'],
    'its end is told before, on the same socket, or its holder has seen it on its own clock (S6)',
  ],
  ['lease', ['silent', 'doubt'], ['handed'], 'an offer has to be answered after a silence or a sleep'],
  [
    'lease',
    ['silent', 'doubt', 'handing', 'lost', 'released'],
    ['amend'],
    'only in the workload of hand-overs are priorities changed, and it lasts for a moment',
  ],
  ['lease', ['doubt'], ['renew'], 'a doubt lasts for a second at most, and is seldom'],
  ['lease', ['released'], ['told'], 'a grant that was told twice has to come behind its release'],
  ['election', ['leading'], ['due'], 'its pause was cut short, and it leads before that would have been over'],
  [
    'election',
    ['stopped', 'refused'],
    ['queued', 'granted', 'failed', 'over', 'view', 'due', 'connection'],
    'a candidate that is over is asked nothing; what was on its way within that turn of the loop still comes',
  ],
  ['session', ['bye'], ['late-hello'], 'a socket that was given up has to come behind the farewell on the next one'],
  [
    'session',
    ['expected'],
    ['life-over'],
    'its keeping is over long before: the coordinator has to stand still for all the time between the two',
  ],
  [
    'name',
    ['free', 'held', 'recovered', 'ending', 'closed', 'delayed'],
    OTHERS,
    'a client that was given another session speaks of a lease of its old one only where that crosses the word of it',
  ],
  [
    'name',
    ['recovered', 'ending', 'closed', 'delayed'],
    ['renew, older token'],
    'an earlier holder has to renew in the short while after the next one',
  ],
  [
    'name',
    ['pending', 'ending', 'delayed', 'closed'],
    ['quiet'],
    'a client of an earlier journal has to come while that is so, in a run that may have begun a moment ago',
  ],
  ['name', ['pending'], ['claims-gone'], 'the farewell has to come while the grant is on its way to the disk'],
  ['name', ['held', 'closed'], ['end-ack'], 'the word has to cross a change that was made by others'],
  ['name', ['closed'], ['renew'], 'a renewal has to cross the release of its own lease'],
  [
    'name',
    ['free', 'recovered', 'ending', 'closed', 'delayed'],
    ['amend'],
    'the change has to cross the end of its lease, or to be the first word behind a restart',
  ],
  ['name', ['ending', 'closed', 'delayed'], ['hand-over'], 'it has to cross the end of the lease'],
  ['name', ['recovered'], ['revoke, now'], 'an operator has to come between a restart and the next renewal'],
  [
    'name',
    ['delayed', 'closed'],
    ['drop-idle-states', 'cancel', 'revoke', 'revoke, now', 'draining', 'acquire, one try'],
    'a name is closed in this way for half a second, and seldom',
  ],
];

/** Cells that need such a coincidence that a long run may do without them, and which. */
export const SELDOM = cellsOf(SELDOM_RULES);
