import { listeningMs, type ListeningMs } from '../../shared/time.ts';
import type { CoreStatus, MakeCoordinatorCore, Output, Turn } from './core-types.ts';
import { nextAppend } from './coordinator/appends.ts';
import { decide, noted, type Core, type Moment } from './coordinator/core-state.ts';
import { takeInput } from './coordinator/inputs.ts';
import { closeDrained } from './coordinator/operator.ts';
import { recovered } from './coordinator/recovery.ts';
import { replan, runDuties } from './coordinator/session-duties.ts';
import { soonest } from './coordinator/session-timers.ts';
import { list, show } from './coordinator/reading.ts';
import { tell } from './coordinator/speech.ts';
import { tellWatchers } from './coordinator/watching.ts';

/** See `CoordinatorCore`: decides all that a turn brought, asks for one append, and speaks. */
export const makeCoordinatorCore: MakeCoordinatorCore = (options) => {
  const core = recovered(options);
  return {
    turn: (turn) => runTurn(core, turn),
    nextWake: () => nextWake(core),
    get mustListen() {
      return mustListen(core);
    },
    view: (now, name) => core.table.view(now, name),
    show: (now, name) => show(core, now, name),
    list: (now, prefix, after, limit) => list(core, now, { prefix, after, limit }),
    get status() {
      return statusOf(core);
    },
  };
};

/** What came in, then what is over, then what is to be stored, then what is said of it all. */
function runTurn(core: Core, { expiry, now, wall, inputs }: Turn): readonly Output[] {
  const moment: Moment = { now, wall };
  const answers = inputs.flatMap((input) => takeInput(core, input, moment));
  runDuties(core, expiry, moment);
  dropIdleStates(core, moment);
  tell(core, moment, noted(core, core.table.advance(expiry)));
  if (core.quietUntil !== null && core.quietUntil <= expiry) core.quietUntil = null;
  const append = nextAppend(core, moment);
  closeDrained(core, moment);
  tellWatchers(core, now);
  replan(core, now);
  return [...append, ...core.outbox.take(), ...answers, ...takeSpine(core, now)];
}

function takeSpine(core: Core, at: ListeningMs): readonly Output[] {
  const { happened, notes } = core;
  core.happened = [];
  core.notes = [];
  return happened.length === 0 ? notes : [{ kind: 'happened', at, events: happened }, ...notes];
}

/** States of idle names are kept for days: once a minute of wall time is often enough to look. */
const IDLE_STATES_EVERY_MS = 60_000;

function dropIdleStates(core: Core, moment: Moment): void {
  if (moment.wall - core.idleStatesAt < IDLE_STATES_EVERY_MS) return;
  core.idleStatesAt = moment.wall;
  tell(core, moment, decide(core, moment.now, { kind: 'drop-idle-states', wall: moment.wall }));
}

function nextWake({ table, dues, batches, record, quietUntil, watches }: Core): ListeningMs | null {
  // While an append is in flight nothing more can be stored, and its end is an input of its own.
  // What was decided before the first turn, a quiet time, is to be stored at once: the next run has to know of it (S5).
  const unstored = table.hasDurable ? listeningMs(0) : record.nextAt();
  const storing = batches.inFlight ? null : (batches.retryAt ?? unstored);
  return soonest(soonest(soonest(table.nextDeadline(), dues.next), watches.next), soonest(storing, quietUntil));
}

/** Sessions count too: pings and the ends of silent ones are told by the same clock. */
function mustListen({ book, table, batches, quietUntil }: Core): boolean {
  return book.size > 0 || table.nextDeadline() !== null || batches.inFlight || !batches.writable || quietUntil !== null;
}

function statusOf({ table, book, batches, drain, quietUntil, watches }: Core): CoreStatus {
  const { leases, claims } = table.counts();
  return {
    writable: batches.writable,
    draining: drain !== 'no',
    quietUntil,
    sessions: book.size,
    sockets: book.bound,
    leases,
    claims,
    watches: watches.size,
    appends: batches.appends,
  };
}
