import type { Database } from 'better-sqlite3';
import * as ids from '../../shared/ids.ts';
import type { Json } from '../../shared/json.ts';
import { durationMs, wallMs } from '../../shared/time.ts';
import type {
  ClaimTerms,
  JournalContents,
  StoredClaim,
  StoredClosure,
  StoredLease,
  StoredSession,
  StoredState,
} from '../core/journal-port.ts';
import type { ClosureRow, JournalRow, LeaseRow, SessionRow, StateRow, StoredRows, TermsRow } from './stored-rows.ts';

const TERMS = 'session, request, name, asked_ttl_ms, max_lifetime_ms, min_hold_ms, lock_delay_ms, priority, renews';
const JOURNAL = 'SELECT id, run, sequence, mark, largest_window_ms, quiet_ms FROM journal';
const LEASES = `SELECT ${TERMS}, fencing_token, ttl_ms, life_ms, granted_at_ms, silent_ms FROM lease ORDER BY fencing_token`;
const CLAIMS = `SELECT ${TERMS} FROM claim ORDER BY place`;
const SESSIONS = 'SELECT session, secret_hash, instance, label, metadata_json FROM session ORDER BY place';
const STATES =
  'SELECT name, value_json, version, fencing_token, session, request, written_at FROM state ORDER BY place';
const CLOSURES = 'SELECT name, for_ms, exempt FROM closure ORDER BY place';

export function readRows(db: Database): StoredRows {
  const all = <R>(sql: string): R[] => db.prepare<[], R>(sql).raw().all();
  const [journal] = all<JournalRow>(JOURNAL);
  if (journal === undefined) throw new Error('the journal has no row');
  return {
    journal,
    leases: all<LeaseRow>(LEASES),
    claims: all<TermsRow>(CLAIMS),
    sessions: all<SessionRow>(SESSIONS),
    states: all<StateRow>(STATES),
    closures: all<ClosureRow>(CLOSURES),
  };
}

export function contentsOfRows(rows: StoredRows): JournalContents {
  const [id, run, sequence, mark, windowMs, quietMs] = rows.journal;
  return {
    id: ids.journalId(id),
    fresh: sequence === 0,
    run,
    sequence,
    mark: ids.fencingToken(mark),
    largestWindowMs: durationMs(windowMs),
    quietMs: durationMs(quietMs),
    leases: rows.leases.map(leaseOf),
    claims: rows.claims.map((terms): StoredClaim => ({ terms: termsOf(terms) })),
    sessions: rows.sessions.map(sessionOf),
    states: rows.states.map(stateOf),
    closures: rows.closures.map(closureOf),
  };
}

function termsOf(row: TermsRow): ClaimTerms {
  const [session, request, name, askedTtlMs, maxLifetimeMs, minHoldMs, lockDelayMs, priority, renews] = row;
  return {
    session: ids.sessionId(session),
    request: ids.requestId(request),
    name: ids.leaseName(name),
    askedTtlMs: durationMs(askedTtlMs),
    maxLifetimeMs: durationMs(maxLifetimeMs),
    minHoldMs: durationMs(minHoldMs),
    lockDelayMs: durationMs(lockDelayMs),
    priority,
    renews: renews === 1,
  };
}

function leaseOf(row: LeaseRow): StoredLease {
  const [s, r, n, asked, most, least, delay, priority, renews, token, ttlMs, lifeMs, grantedAtMs, silentMs] = row;
  return {
    terms: termsOf([s, r, n, asked, most, least, delay, priority, renews]),
    fencingToken: ids.fencingToken(token),
    ttlMs: durationMs(ttlMs),
    lifeMs: durationMs(lifeMs),
    grantedAtMs: durationMs(grantedAtMs),
    silentMs: durationMs(silentMs),
  };
}

const sessionOf = ([session, secretHash, instance, label, metadataJson]: SessionRow): StoredSession => ({
  session: ids.sessionId(session),
  secretHash: ids.secretHash(secretHash),
  instance: ids.instanceId(instance),
  label,
  metadata: jsonOf(metadataJson),
});

/** Written by `JSON.stringify` from a `Json` (store-write.ts). */
const jsonOf = (text: string): Json => JSON.parse(text) as Json;

const stateOf = ([name, valueJson, version, token, session, request, writtenAt]: StateRow): StoredState => ({
  name: ids.leaseName(name),
  valueJson,
  version,
  fencingToken: ids.fencingToken(token),
  session: ids.sessionId(session),
  request: ids.requestId(request),
  writtenAt: wallMs(writtenAt),
});

const closureOf = ([name, forMs, exempt]: ClosureRow): StoredClosure => ({
  name: ids.leaseName(name),
  forMs: durationMs(forMs),
  exempt: exempt === null ? null : ids.sessionId(exempt),
});
