import {
  CLAIM_SILENCE_MS_MIN,
  PING_MS_DEFAULT,
  PING_MS_MIN,
  PING_PENDING_MS,
  PINGS_PER_WINDOW,
  SESSION_SILENCE_MS_MIN,
} from '../../../shared/limits.ts';
import { durationMs, earliest, later, latest, type DurationMs, type ListeningMs } from '../../../shared/time.ts';
import { heardAt, type SessionEntry } from './session-book.ts';

/**
 * When a session is due for what: arithmetic over what is known of it. Silence counts from the last frame that was
 * read of it, with or without a socket; any frame counts as an answer to a ping.
 */
export interface SessionDues {
  readonly pingAt: ListeningMs | null;
  /** Its claims are passed over from here, and keep their places (R19). */
  readonly silentAt: ListeningMs | null;
  /** Its claims leave the queue (S8). */
  readonly goneAt: ListeningMs | null;
  /** It ends (R25). */
  readonly overAt: ListeningMs | null;
  /** Nobody came back to it: what it holds and awaits ends. */
  readonly keepOverAt: ListeningMs | null;
}

/** Silent for so many pings: passed over. */
const PINGS_UNHEARD_MAX = 2;

export function duesOf(entry: SessionEntry, holds: boolean): SessionDues {
  const heard = heardAt(entry.session);
  const waits = entry.claims.size > 0;
  return {
    pingAt: entry.session.kind === 'bound' ? pingAt(entry, heard) : null,
    silentAt: hasQueued(entry) && !entry.passedOver ? later(heard, PINGS_UNHEARD_MAX * pingPeriodMs(entry)) : null,
    goneAt: waits ? later(heard, Math.max(longestMs(entry), CLAIM_SILENCE_MS_MIN)) : null,
    overAt: waits || holds ? null : overAt(entry, heard),
    keepOverAt: entry.session.kind === 'expected' ? entry.session.keepUntil : null,
  };
}

export function firstOf(dues: SessionDues): ListeningMs | null {
  const ended = soonest(soonest(dues.goneAt, dues.overAt), dues.keepOverAt);
  return soonest(soonest(dues.pingAt, dues.silentAt), ended);
}

export const soonest = (a: ListeningMs | null, b: ListeningMs | null): ListeningMs | null =>
  a === null ? b : b === null ? a : earliest(a, b);

/** From one ping to the next, while no answer has to wait. */
export function pingPeriodMs(entry: SessionEntry): DurationMs {
  let period: number = entry.ping.askedMs ?? PING_MS_DEFAULT;
  for (const { ttlMs } of entry.claims.values())
    period = Math.min(period, Math.max(PING_MS_MIN, ttlMs / PINGS_PER_WINDOW));
  return durationMs(Math.floor(period));
}

/** What a ping that is sent now says of the next one. */
export const nextPingMs = (entry: SessionEntry): DurationMs =>
  entry.waitsSince === null ? pingPeriodMs(entry) : durationMs(Math.min(PING_PENDING_MS, pingPeriodMs(entry)));

function pingAt(entry: SessionEntry, heard: ListeningMs): ListeningMs {
  const { lastAt, promisedMs } = entry.ping;
  const regular = later(latest(lastAt, heard), Math.min(promisedMs, pingPeriodMs(entry)));
  // Frames that are read meanwhile get no answer before those that wait: they do not count as heard of us (R21).
  return entry.waitsSince === null
    ? regular
    : earliest(regular, later(latest(lastAt, entry.waitsSince), PING_PENDING_MS));
}

function overAt({ session, longestClaimMs }: SessionEntry, heard: ListeningMs): ListeningMs {
  // After a `bye` nobody but a successor within `keepMs` comes back to it.
  return 'keepUntil' in session ? session.keepUntil : later(heard, Math.max(longestClaimMs, SESSION_SILENCE_MS_MIN));
}

const longestMs = (entry: SessionEntry): number => {
  let longest = 0;
  for (const { ttlMs } of entry.claims.values()) longest = Math.max(longest, ttlMs);
  return longest;
};

const hasQueued = (entry: SessionEntry): boolean => {
  for (const claim of entry.claims.values()) if (!claim.pending) return true;
  return false;
};
