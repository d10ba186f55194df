import type { Database } from 'better-sqlite3';
import type { ClaimTerms, DurableEvent, StoredLease } from '../core/journal-port.ts';

/** What a batch changes in the journal's one row, gathered so that the row is written once. */
export interface RowChange {
  readonly mark: number;
  readonly largestWindowMs: number;
  /** Null: as it was. */
  readonly quietMs: number | null;
  readonly listeningMs: number;
}

type Of<K extends DurableEvent['kind']> = Extract<DurableEvent, { readonly kind: K }>;

const TERMS = 'session, request, name, asked_ttl_ms, max_lifetime_ms, min_hold_ms, lock_delay_ms, priority, renews';
const termsOf = (terms: ClaimTerms) =>
  [
    terms.session,
    terms.request,
    terms.name,
    terms.askedTtlMs,
    terms.maxLifetimeMs,
    terms.minHoldMs,
    terms.lockDelayMs,
    terms.priority,
    terms.renews ? 1 : 0,
  ] as const;

function leaseWriter(db: Database) {
  const granted = db.prepare(
    `INSERT OR REPLACE INTO lease (${TERMS}, fencing_token, ttl_ms, life_ms, granted_at_ms, silent_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const ended = db.prepare('DELETE FROM lease WHERE fencing_token = ? AND name = ?');
  const window = db.prepare('UPDATE lease SET ttl_ms = ? WHERE fencing_token = ? AND name = ? AND ttl_ms < ?');
  const silent = db.prepare('UPDATE lease SET silent_ms = ? WHERE fencing_token = ? AND name = ?');
  return {
    granted: ({ terms, fencingToken, ttlMs, lifeMs, grantedAtMs, silentMs }: StoredLease) =>
      granted.run(...termsOf(terms), fencingToken, ttlMs, lifeMs, grantedAtMs, silentMs),
    ended: (event: Of<'ended'>) => ended.run(event.fencingToken, event.name),
    /** Whether the stored window became longer: not when the lease is gone or its window is as long already. */
    window: (event: Of<'window'>) => window.run(event.ttlMs, event.fencingToken, event.name, event.ttlMs).changes > 0,
    silent: (event: Of<'silent'>) => {
      for (const lease of event.leases) silent.run(lease.silentMs, lease.fencingToken, lease.name);
    },
    heard: (event: Of<'heard'>) => silent.run(0, event.fencingToken, event.name),
  };
}

function queueWriter(db: Database) {
  // An upsert, and not REPLACE: a claim that is stored already keeps its place.
  const claim = db.prepare(
    `INSERT INTO claim (${TERMS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (session, request) DO UPDATE SET name = excluded.name, asked_ttl_ms = excluded.asked_ttl_ms,
       max_lifetime_ms = excluded.max_lifetime_ms, min_hold_ms = excluded.min_hold_ms,
       lock_delay_ms = excluded.lock_delay_ms, priority = excluded.priority, renews = excluded.renews`,
  );
  const claimEnded = db.prepare('DELETE FROM claim WHERE session = ? AND request = ?');
  const session = db.prepare(
    `INSERT INTO session (session, secret_hash, instance, label, metadata_json) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (session) DO UPDATE SET secret_hash = excluded.secret_hash, instance = excluded.instance,
       label = excluded.label, metadata_json = excluded.metadata_json`,
  );
  const sessionEnded = db.prepare('DELETE FROM session WHERE session = ?');
  return {
    claim: (event: Of<'claim'>) => claim.run(...termsOf(event.claim.terms)),
    claimEnded: (event: Of<'claim-ended'>) => claimEnded.run(event.session, event.request),
    session: ({ session: { session: id, secretHash, instance, label, metadata } }: Of<'session'>) =>
      session.run(id, secretHash, instance, label, JSON.stringify(metadata)),
    sessionEnded: (event: Of<'session-ended'>) => sessionEnded.run(event.session),
  };
}

function nameWriter(db: Database) {
  const state = db.prepare(
    `INSERT INTO state (name, value_json, version, fencing_token, session, request, written_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET value_json = excluded.value_json, version = excluded.version,
       fencing_token = excluded.fencing_token, session = excluded.session, request = excluded.request,
       written_at = excluded.written_at`,
  );
  const stateDropped = db.prepare('DELETE FROM state WHERE name = ?');
  const closed = db.prepare(
    `INSERT INTO closure (name, for_ms, exempt) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET for_ms = excluded.for_ms, exempt = excluded.exempt`,
  );
  const opened = db.prepare('DELETE FROM closure WHERE name = ?');
  return {
    state: ({ state: { name, valueJson, version, fencingToken, session, request, writtenAt } }: Of<'state'>) =>
      state.run(name, valueJson, version, fencingToken, session, request, writtenAt),
    stateDropped: (event: Of<'state-dropped'>) => stateDropped.run(event.name),
    closed: ({ closure: { name, forMs, exempt } }: Of<'closed'>) => closed.run(name, forMs, exempt),
    opened: (event: Of<'opened'>) => opened.run(event.name),
  };
}

/** Prepares the writer of durable events; it does in tables what `applyEvent` (journal-fold.ts) does in memory. */
export function eventWriter(db: Database): (events: readonly DurableEvent[]) => RowChange {
  const leases = leaseWriter(db);
  const queue = queueWriter(db);
  const names = nameWriter(db);

  return (events) => {
    let mark = 0;
    let largestWindowMs = 0;
    let quietMs: number | null = null;
    let listeningMs = 0;
    const one = (event: DurableEvent): unknown => {
      switch (event.kind) {
        case 'granted':
          mark = Math.max(mark, event.lease.fencingToken);
          largestWindowMs = Math.max(largestWindowMs, event.lease.ttlMs);
          return leases.granted(event.lease);
        case 'ended':
          return leases.ended(event);
        case 'window':
          if (leases.window(event)) largestWindowMs = Math.max(largestWindowMs, event.ttlMs);
          return;
        case 'silent':
          return leases.silent(event);
        case 'heard':
          return leases.heard(event);
        case 'state':
          return names.state(event);
        case 'state-dropped':
          return names.stateDropped(event);
        case 'closed':
          return names.closed(event);
        case 'opened':
          return names.opened(event);
        case 'session':
          return queue.session(event);
        case 'session-ended':
          return queue.sessionEnded(event);
        case 'claim':
          return queue.claim(event);
        case 'claim-ended':
          return queue.claimEnded(event);
        case 'mark':
          mark = Math.max(mark, event.fencingToken);
          return;
        case 'quiet':
          quietMs = event.quietMs;
          return;
        case 'listened':
          listeningMs = Math.max(listeningMs, event.listeningMs);
          return;
        default:
          return event satisfies never;
      }
    };
    for (const event of events) one(event);
    return { mark, largestWindowMs, quietMs, listeningMs };
  };
}
