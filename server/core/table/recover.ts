import { fencingToken } from '../../../shared/ids.ts';
import { earliest, later, type ListeningMs, type WallMs } from '../../../shared/time.ts';
import { markAtStart } from '../../../shared/tokens.ts';
import type { JournalContents, StoredClosure, StoredLease, StoredState, StoredClaim } from '../journal-port.ts';
import type { Limits } from '../limits.ts';
import { enqueue, newClaim } from './claims.ts';
import { sayOpened, setClosure } from './closures.ts';
import { newTimer } from './deadlines.ts';
import { addHolder, lifeMsMax, setDue } from './holders.ts';
import type { Held, Holder } from './model.ts';
import { NEAR_PART } from './grants.ts';
import { setQuiet } from './quiet.ts';
import { setDurable } from './states.ts';
import { emptyTable, type Table } from './table.ts';

/** What the journal has, as a run finds it. Limits bind grants and renewals, never this (R4). */
export function recover(contents: JournalContents, limits: Limits, now: ListeningMs, wall: WallMs): Table {
  const table = emptyTable(limits, now, markAtStart(contents.mark, wall));
  for (const state of contents.states.toSorted((a, b) => a.writtenAt - b.writtenAt)) recoverState(table, state);
  for (const lease of contents.leases) recoverLease(table, lease, now);
  for (const closure of contents.closures) recoverClosure(table, closure, now);
  for (const claim of contents.claims) recoverClaim(table, claim, now);
  if (contents.quietMs > 0) setQuiet(table, later(now, contents.quietMs));
  table.touched.clear();
  return table;
}

/** Its stored window, less what it was waited for in vain in runs before this one (S5, R3). */
function recoverLease(table: Table, lease: StoredLease, now: ListeningMs): void {
  const { terms, ttlMs, lifeMs, silentMs } = lease;
  const entry = table.names.ensure(terms.name);
  const wholeMs = lifeMsMax(terms, ttlMs);
  const since = later(now, 0 - lifeMs);
  const ceilingAt = later(now, Math.max(0, wholeMs - lifeMs));
  const nearMs = wholeMs * NEAR_PART - lifeMs;
  const held: Held = {
    kind: 'held',
    ttlMs,
    deadline: earliest(later(now, Math.max(0, ttlMs - silentMs)), ceilingAt),
    since,
    ceilingAt,
    // One that had so little left before was told so then.
    nearAt: terms.renews && nearMs > 0 ? later(now, nearMs) : null,
    hearing: { kind: 'unheard', silentMs, told: false },
    widening: false,
    yieldTo: null,
  };
  const holder: Holder = {
    kind: 'holder',
    entry,
    terms,
    fencingToken: lease.fencingToken,
    phase: held,
    timer: newTimer(now),
  };
  addHolder(table, holder);
  setDue(table, holder, held);
  table.unheard.add(holder);
  entry.lastToken = fencingToken(Math.max(entry.lastToken ?? 0, lease.fencingToken));
}

/** Lock-delays start anew. Where the exempt session has been let in since, the closure is over. */
function recoverClosure(table: Table, { name, forMs, exempt }: StoredClosure, now: ListeningMs): void {
  const entry = table.names.ensure(name);
  if (entry.holders.length > 0) sayOpened(table, name);
  else setClosure(table, entry, later(now, forMs), exempt);
}

/** In the order stored, which is that of arrival. Its session is silent until it is heard from (R5). */
function recoverClaim(table: Table, { terms }: StoredClaim, now: ListeningMs): void {
  const claim = newClaim(table, table.names.ensure(terms.name), terms, null, now);
  claim.stored = true;
  table.sessions.ensure(terms.session).silent = true;
  enqueue(table, claim);
}

function recoverState(table: Table, state: StoredState): void {
  // It says nothing of the last token: others may have held the name since, and have written nothing.
  setDurable(table, table.names.ensure(state.name), state);
}
