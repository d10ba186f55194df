import { durationMs, listeningMs } from '../../../shared/time.ts';
import { markAtStart } from '../../../shared/tokens.ts';
import type { MakeCoordinatorCore } from '../core-types.ts';
import type { JournalContents } from '../journal-port.ts';
import { makeLeaseTable } from '../lease-table.ts';
import { Deadlines } from '../table/deadlines.ts';
import { NO_BACKLOG } from './backlog.ts';
import { batches } from './batches.ts';
import type { Core } from './core-state.ts';
import { addClaim } from './follow.ts';
import { keepQuiet } from './hello.ts';
import { listeningRecord } from './listening-record.ts';
import { outbox } from './outbox.ts';
import { recoveredEntry, sessionBook } from './session-book.ts';
import { replan } from './session-duties.ts';
import { Watches } from './watches.ts';

/** The coordinator as the journal has it, at reading 0 of this run's listening clock (S5). */
export function recovered({ contents, limits, ids, quietMs, wall }: Parameters<MakeCoordinatorCore>[0]): Core {
  const start = listeningMs(0);
  const table = makeLeaseTable(contents, limits, start, wall);
  const core: Core = {
    table,
    book: sessionBook(),
    outbox: outbox(),
    batches: batches(contents.sequence),
    record: listeningRecord(table, contents.leases.length > 0),
    dues: new Deadlines(),
    changed: new Set(),
    watches: new Watches(),
    ids,
    journal: contents.id,
    limits,
    mark: markAtStart(contents.mark, wall),
    quietUntil: null,
    drain: 'no',
    idleStatesAt: wall,
    backlog: NO_BACKLOG,
    notes: [],
    happened: [],
  };
  recoverSessions(core, contents);
  const quietFor = durationMs(Math.max(quietMs, contents.quietMs));
  keepQuiet(
    core,
    quietFor,
    { now: start, wall },
    'Earlier coordinators may have granted leases that are not stored here.',
  );
  replan(core, start);
  return core;
}

/**
 * Nobody has been heard from in this run: no anchor can be named to these sessions, so the table passes their claims
 * over until it is told that they were heard from (R5, R19).
 */
function recoverSessions(core: Core, { sessions, leases, claims }: JournalContents): void {
  for (const stored of sessions) {
    const entry = recoveredEntry(stored);
    core.book.add(entry);
    core.changed.add(entry);
  }
  for (const { terms } of leases) {
    const entry = core.book.get(terms.session);
    if (entry !== undefined)
      entry.longestClaimMs = durationMs(
        Math.max(entry.longestClaimMs, Math.min(terms.askedTtlMs, core.limits.ttlMsMax)),
      );
  }
  for (const { terms } of claims)
    addClaim(core, terms.session, terms.request, { ttlMs: terms.askedTtlMs, pending: false });
}
