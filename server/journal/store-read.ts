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

interface JournalRow {
  readonly id: string;
  readonly run: number;
  readonly sequence: number;
  readonly mark: number;
  readonly largest_window_ms: number;
  readonly quiet_ms: number;
}

interface TermsRow {
  readonly session: string;
  readonly request: string;
  readonly name: string;
  readonly asked_ttl_ms: number;
  readonly max_lifetime_ms: number;
  readonly min_hold_ms: number;
  readonly lock_delay_ms: number;
  readonly priority: number;
  readonly renews: number;
}

interface LeaseRow extends TermsRow {
  readonly fencing_token: number;
  readonly ttl_ms: number;
  readonly life_ms: number;
  readonly granted_at_ms: number;
  readonly silent_ms: number;
}

interface SessionRow {
  readonly session: string;
  readonly secret_hash: string;
  readonly instance: string;
  readonly label: string;
  readonly metadata_json: string;
}

interface StateRow {
  readonly name: string;
  readonly value_json: string | null;
  readonly version: number;
  readonly fencing_token: number;
  readonly session: string;
  readonly request: string;
  readonly written_at: number;
}

interface ClosureRow {
  readonly name: string;
  readonly for_ms: number;
  readonly exempt: string | null;
}

export function readContents(db: Database): JournalContents {
  const row = db.prepare<[], JournalRow>('SELECT * FROM journal').get();
  if (row === undefined) throw new Error('the journal has no row');
  const all = <R>(sql: string): R[] => db.prepare<[], R>(sql).all();
  return {
    id: ids.journalId(row.id),
    fresh: row.sequence === 0,
    run: row.run,
    sequence: row.sequence,
    mark: ids.fencingToken(row.mark),
    largestWindowMs: durationMs(row.largest_window_ms),
    quietMs: durationMs(row.quiet_ms),
    leases: all<LeaseRow>('SELECT * FROM lease ORDER BY fencing_token').map(leaseOf),
    claims: all<TermsRow>('SELECT * FROM claim ORDER BY place').map((claim): StoredClaim => ({
      terms: termsOf(claim),
    })),
    sessions: all<SessionRow>('SELECT * FROM session ORDER BY place').map(sessionOf),
    states: all<StateRow>('SELECT * FROM state ORDER BY place').map(stateOf),
    closures: all<ClosureRow>('SELECT * FROM closure ORDER BY place').map(closureOf),
  };
}

const termsOf = (row: TermsRow): ClaimTerms => ({
  session: ids.sessionId(row.session),
  request: ids.requestId(row.request),
  name: ids.leaseName(row.name),
  askedTtlMs: durationMs(row.asked_ttl_ms),
  maxLifetimeMs: durationMs(row.max_lifetime_ms),
  minHoldMs: durationMs(row.min_hold_ms),
  lockDelayMs: durationMs(row.lock_delay_ms),
  priority: row.priority,
  renews: row.renews === 1,
});

const leaseOf = (row: LeaseRow): StoredLease => ({
  terms: termsOf(row),
  fencingToken: ids.fencingToken(row.fencing_token),
  ttlMs: durationMs(row.ttl_ms),
  lifeMs: durationMs(row.life_ms),
  grantedAtMs: durationMs(row.granted_at_ms),
  silentMs: durationMs(row.silent_ms),
});

const sessionOf = (row: SessionRow): StoredSession => ({
  session: ids.sessionId(row.session),
  secretHash: ids.secretHash(row.secret_hash),
  instance: ids.instanceId(row.instance),
  label: row.label,
  metadata: jsonOf(row.metadata_json),
});

/** Written by `JSON.stringify` from a `Json` (store-write.ts). */
const jsonOf = (text: string): Json => JSON.parse(text) as Json;

const stateOf = (row: StateRow): StoredState => ({
  name: ids.leaseName(row.name),
  valueJson: row.value_json,
  version: row.version,
  fencingToken: ids.fencingToken(row.fencing_token),
  session: ids.sessionId(row.session),
  request: ids.requestId(row.request),
  writtenAt: wallMs(row.written_at),
});

const closureOf = (row: ClosureRow): StoredClosure => ({
  name: ids.leaseName(row.name),
  forMs: durationMs(row.for_ms),
  exempt: row.exempt === null ? null : ids.sessionId(row.exempt),
});
