import { backoffMs, type BackoffKind } from '../../shared/backoff.ts';
import type { Code } from '../../shared/codes.ts';
import type { FrameNumber } from '../../shared/ids.ts';
import { ANSWER_WITHIN_MS, GOOD_CONNECTION_MS, PING_MS_DEFAULT, PING_MS_MIN } from '../../shared/limits.ts';
import { latest, later, monoMs, type MonoMs } from '../../shared/time.ts';
import type { Reading } from './elapsed.ts';
import { failure } from './failures.ts';
import { heldBackMs } from './held-back.ts';
import { dialNumber, type ClientSettings, type ClientStatus, type DialNumber, type Failure } from './types.ts';

/** The way to the coordinator: dial, hello, welcome, silence, pauses. docs/CLIENT-STATES.md has every state x event. */
export interface Connection {
  readonly phase: ConnectionPhase;
  /** Dials so far; the number of the last one (R9). */
  readonly dials: number;
  /** Failures in a row since the last good connection. */
  readonly failures: number;
  /** Refusals and early drops among them: each lengthens the pause behind the next; dials that nobody answers do not. */
  readonly turnedAway: number;
  /** The last credential was refused: one more try, with a fresh one. */
  readonly denied: boolean;
  /** Why the last dial or connection failed; null after a welcome. */
  readonly last: Failure | null;
}

export type ConnectionPhase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'asking'; readonly dial: DialNumber; readonly until: MonoMs }
  /** Until the last part of `welcome`. */
  | { readonly kind: 'dialing'; readonly dial: DialNumber; readonly until: MonoMs }
  | {
      readonly kind: 'open';
      readonly dial: DialNumber;
      readonly since: MonoMs;
      /** On the `real` clock: after a sleep the socket is not trusted. */
      readonly heardAt: MonoMs;
      readonly pingMs: number;
      /** The frames that answered the last two pings, newest last. */
      readonly pongs: readonly [number, number];
    }
  /** `firm`: asked for by the coordinator, so that no claim shortens it. */
  | { readonly kind: 'pausing'; readonly until: MonoMs; readonly failure: Failure; readonly firm: boolean }
  /** Terminal. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** Terminal. */
  | { readonly kind: 'closed' };

export type ConnectionEvent =
  | { readonly kind: 'look' }
  | { readonly kind: 'want' }
  /** Nothing is wanted any more. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'end' }
  | { readonly kind: 'credential' }
  | { readonly kind: 'opened' }
  | { readonly kind: 'welcomed' }
  | { readonly kind: 'heard' }
  /** The host slept, or its wall clock was stepped: the socket has a moment to show that it lives. */
  | { readonly kind: 'slept' }
  /** `pong` is the number of the frame that will answer it. */
  | { readonly kind: 'pinged'; readonly nextMs: number; readonly named: FrameNumber; readonly pong: FrameNumber }
  /** The socket is of no more use. `failure` says why where the coordinator did, or the credential. */
  | { readonly kind: 'failed'; readonly failure: Failure | null }
  /** What was asked was not read in time (R21). */
  | { readonly kind: 'stale' };

export type ConnectionEffect =
  | { readonly kind: 'ask-credential' | 'abandon'; readonly dial: DialNumber }
  | { readonly kind: 'dial'; readonly dial: DialNumber; readonly url: string }
  | { readonly kind: 'hello' };

export interface Surroundings {
  readonly settings: Pick<
    ClientSettings,
    'urls' | 'connectTimeoutMs' | 'maxBackoffMs' | 'pingMs' | 'chance' | 'holdsDialsBack'
  >;
  /** What is left of the most pressing lease; Infinity without one that renews. */
  readonly stakeMs: number;
  /** How often the coordinator pings whoever waits as this client does, promised or not; Infinity when it waits for nothing. */
  readonly waiterPingMs: number;
  /** The longest pause that what waits can bear; Infinity when nothing does. */
  readonly waiterPauseMs: number;
}

interface ConnectionStep {
  readonly state: Connection;
  readonly effects: readonly ConnectionEffect[];
}

/** A refusal that no other dial will change. */
export const TERMINAL_CODES: readonly (Code | null)[] = [
  'unauthorized',
  'version',
  'origin-not-allowed',
  'host-not-allowed',
];
export const NO_CREDENTIAL = 'no credential';
/** A client that hears nothing for this many ping periods dials anew (F35); no sooner than this, since a ping may be late. */
const SILENT_PINGS = 2;
const SILENT_MS_MIN = 3 * PING_MS_MIN;

export const CONNECTION_AT_START: Connection = {
  phase: { kind: 'idle' },
  dials: 0,
  failures: 0,
  turnedAway: 0,
  denied: false,
  last: null,
};

/** Full jitter may draw 0, and what is left of a window shrinks to 0: no dial follows another faster than this. */
const REDIAL_MS_MIN = 10;

export function connectionStatus({ phase: { kind } }: Connection): ClientStatus {
  if (kind === 'asking' || kind === 'dialing') return 'connecting';
  return kind === 'pausing' ? 'backing-off' : kind;
}

export function connectionWake({ phase }: Connection, now: Reading, around: Surroundings): MonoMs {
  if (phase.kind === 'open') return later(now.mono, silentAt(phase, around) - now.real);
  return 'until' in phase ? phase.until : monoMs(Infinity);
}

export function connectionStep(
  connection: Connection,
  event: ConnectionEvent,
  now: Reading,
  around: Surroundings,
): ConnectionStep {
  const { phase } = connection;
  if (phase.kind === 'closed' || (phase.kind === 'refused' && event.kind !== 'end')) return stay(connection);
  switch (event.kind) {
    case 'look':
      return look(connection, now, around);
    case 'want':
      return phase.kind === 'idle' ? start(connection, now, around) : hurry(connection, now, around);
    case 'rest':
      return phase.kind === 'idle' ? stay(connection) : leave(proven(connection, now), { kind: 'idle' });
    case 'end':
      return leave(connection, { kind: 'closed' });
    case 'credential':
      if (phase.kind !== 'asking') return stay(connection);
      return to(
        connection,
        // Whoever gave up before it goes out would fail again, and so be held back for ever.
        {
          ...phase,
          kind: 'dialing',
          until: later(phase.until, around.settings.holdsDialsBack ? heldBackMs(connection.failures) : 0),
        },
        { kind: 'dial', dial: phase.dial, url: urlOf(connection, around) },
      );
    case 'opened':
      return phase.kind === 'dialing' ? to(connection, phase, { kind: 'hello' }) : stay(connection);
    case 'welcomed':
      if (phase.kind !== 'dialing') return stay(connection);
      return to(
        { ...connection, denied: false, last: null },
        {
          kind: 'open',
          dial: phase.dial,
          since: now.mono,
          heardAt: now.real,
          pongs: [0, 0],
          pingMs: around.settings.pingMs ?? PING_MS_DEFAULT,
        },
      );
    case 'heard':
      return phase.kind === 'open' ? to(connection, { ...phase, heardAt: now.real }) : stay(connection);
    case 'slept': {
      if (phase.kind !== 'open') return stay(connection);
      const leastAt = later(now.real, ANSWER_WITHIN_MS + phase.heardAt - silentAt(phase, around));
      return to(connection, { ...phase, heardAt: latest(phase.heardAt, leastAt) });
    }
    case 'pinged': {
      if (phase.kind !== 'open') return stay(connection);
      const [before, last] = phase.pongs;
      // A frame that two pings in a row did not name was not read: the way up is dead (R21).
      if (event.named < before) return stale(connection, now, around);
      return to(connection, { ...phase, pingMs: event.nextMs, pongs: [last, event.pong] });
    }
    case 'failed':
      return failed(connection, event.failure, now, around);
    case 'stale':
      return phase.kind === 'open' ? stale(connection, now, around) : stay(connection);
    default:
      return event satisfies never;
  }
}

const stay = (state: Connection): ConnectionStep => ({ state, effects: [] });
const to = (connection: Connection, phase: ConnectionPhase, ...effects: ConnectionEffect[]): ConnectionStep => ({
  state: { ...connection, phase },
  effects,
});

/** Ends whatever socket there is. */
const leave = (connection: Connection, phase: ConnectionPhase): ConnectionStep =>
  'dial' in connection.phase
    ? to(connection, phase, { kind: 'abandon', dial: connection.phase.dial })
    : to(connection, phase);

const urlOf = ({ failures }: Connection, { settings: { urls } }: Surroundings): string =>
  urls[failures % urls.length] ?? '';

/** Neither a password nor a query belongs in a message. */
export const shownUrls = (urls: readonly string[]): string =>
  urls.map((url) => url.replace(/(?<=\/\/)[^/]*@|\?.*/g, '')).join(', ');
export const noAnswer = (urls: readonly string[]): string => `no answer from ${shownUrls(urls)}: is it running?`;

const silentAt = (phase: Extract<ConnectionPhase, { readonly kind: 'open' }>, { waiterPingMs }: Surroundings): MonoMs =>
  later(phase.heardAt, Math.max(SILENT_MS_MIN, SILENT_PINGS * Math.min(phase.pingMs, waiterPingMs)));

/** A connection counts as good only once it has lived a while, so that no reconnect resets its own pauses. */
function proven(connection: Connection, now: Reading): Connection {
  const { phase } = connection;
  return phase.kind === 'open' && now.mono - phase.since >= GOOD_CONNECTION_MS
    ? { ...connection, failures: 0, turnedAway: 0 }
    : connection;
}

function start(connection: Connection, now: Reading, around: Surroundings): ConnectionStep {
  const dials = connection.dials + 1;
  const dial = dialNumber(dials);
  const { state, effects } = leave(connection, {
    kind: 'asking',
    dial,
    until: later(now.mono, around.settings.connectTimeoutMs),
  });
  return { state: { ...state, dials }, effects: [...effects, { kind: 'ask-credential', dial }] };
}

function look(connection: Connection, now: Reading, around: Surroundings): ConnectionStep {
  const { phase } = connection;
  if (phase.kind === 'open')
    return silentAt(phase, around) <= now.real ? stale(connection, now, around) : stay(connection);
  if (!('until' in phase) || phase.until > now.mono) return stay(connection);
  return phase.kind === 'pausing' ? start(connection, now, around) : failed(connection, null, now, around);
}

/** A claim that comes into a pause, or is near its end, shortens it: by chance too, so that nobody comes in lock-step. */
function hurry(connection: Connection, now: Reading, { waiterPauseMs, settings }: Surroundings): ConnectionStep {
  const { phase } = connection;
  const least = later(now.mono, REDIAL_MS_MIN);
  if (phase.kind !== 'pausing' || phase.firm || phase.until <= least + waiterPauseMs) return stay(connection);
  return to(connection, { ...phase, until: later(least, waiterPauseMs * settings.chance()) });
}

/** The first one in a row dials anew at once; a second one soon after is paced like any failure. */
function stale(connection: Connection, now: Reading, around: Surroundings): ConnectionStep {
  const since = proven(connection, now);
  return since.failures === 0 ? start({ ...since, failures: 1 }, now, around) : failed(since, null, now, around);
}

function failed(connection: Connection, why: Failure | null, now: Reading, around: Surroundings): ConnectionStep {
  const { phase } = connection;
  if (!('dial' in phase)) return stay(connection);
  if (why?.code === 'unauthorized' && !connection.denied)
    return start({ ...connection, denied: true, last: why }, now, around);
  if (why && !why.retryable) return leave(connection, { kind: 'refused', failure: why });
  const since = proven(connection, now);
  const failures = since.failures + 1;
  const { stakeMs, waiterPauseMs, settings } = around;
  // Dropped soon after its welcome is as good as refused; a credential that could not be had is not.
  const refused = phase.kind === 'open' ? since === connection : why && phase.kind === 'dialing';
  const turnedAway = since.turnedAway + (refused ? 1 : 0);
  const pace: BackoffKind = stakeMs < Infinity ? 'at-stake' : refused ? 'refused' : 'unreachable';
  const chance = settings.chance();
  const hintMs = why?.retryAfterMs ?? 0;
  const pause = backoffMs(
    pace,
    pace === 'refused' ? turnedAway : failures,
    chance,
    Math.min(settings.maxBackoffMs, stakeMs / 3, waiterPauseMs),
  );
  const text = phase.kind === 'asking' ? `${NO_CREDENTIAL} in time` : noAnswer([urlOf(connection, around)]);
  const last = why ?? failure('unavailable', text, true);
  return leave(
    { ...since, failures, turnedAway, last },
    {
      kind: 'pausing',
      firm: pace === 'refused' || hintMs > 0,
      // Spread behind the hint, for as long again: everybody was given the same one.
      until: later(now.mono, Math.max(pause, REDIAL_MS_MIN, Math.min(hintMs, stakeMs / 3) * (1 + chance))),
      failure: last,
    },
  );
}
