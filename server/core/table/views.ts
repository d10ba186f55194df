import type { LeaseName, SessionId } from '../../../shared/ids.ts';
import { between, durationMs, type DurationMs, type ListeningMs } from '../../../shared/time.ts';
import type { HeldLease, LeaseTable, NameView } from '../table-types.ts';
import { heldLease } from './holders.ts';
import type { Ending, Held, Holder, NameEntry } from './model.ts';
import { heldForMs, positionOf } from './places.ts';
import type { Table } from './table.ts';

type Holding = NameView['holders'][number];

/** What may be shown of a name: durable things only, so no pending grant and no pending write (R15). */
export function viewOf(table: Table, entry: NameEntry | null, now: ListeningMs): NameView | null {
  if (entry === null || !isKnown(entry)) return null;
  return {
    name: entry.name,
    holders: entry.holders.flatMap((holder) => holding(table, holder, now)),
    queue: entry.queue?.size ?? 0,
    state: entry.state?.durable ?? null,
    lastFencingToken: entry.lastToken,
  };
}

/** A name of which only a grant or a write is on its way does not exist yet. */
const isKnown = ({ lastToken, queue, closure, state }: NameEntry): boolean =>
  lastToken !== null || queue !== null || closure !== null || (state?.durable ?? null) !== null;

/** One that is being ended still holds: its holder may believe until it has acknowledged. */
function holding(table: Table, holder: Holder, now: ListeningMs): readonly Holding[] {
  const { phase } = holder;
  if (phase.kind === 'pending') return [];
  return [{ ...heldLease(table, holder, phase), ...times(phase, now) }];
}

const times = (
  { since, deadline, ceilingAt }: Held | Ending,
  now: ListeningMs,
): Pick<Holding, 'heldForMs' | 'remainingMs' | 'ceilingLeftMs'> => ({
  heldForMs: heldForMs(since, now),
  remainingMs: leftMs(now, deadline),
  ceilingLeftMs: leftMs(now, ceilingAt),
});

const leftMs = (now: ListeningMs, until: ListeningMs): DurationMs =>
  durationMs(Math.max(0, Math.floor(between(now, until))));

export function listViews(
  table: Table,
  now: ListeningMs,
  prefix: string,
  after: string,
  limit: number,
): ReturnType<LeaseTable['list']> {
  const views: NameView[] = [];
  for (const entry of table.names.following(prefix, after)) {
    const view = viewOf(table, entry, now);
    if (view === null) continue;
    if (views.length === limit) return { views, next: views.at(-1)?.name ?? null };
    views.push(view);
  }
  return { views, next: null };
}

export function heldBy(table: Table, session: SessionId): readonly HeldLease[] {
  const held: HeldLease[] = [];
  for (const holder of table.sessions.find(session)?.leases.values() ?? []) {
    if (holder.phase.kind === 'held') held.push(heldLease(table, holder, holder.phase));
  }
  return held;
}

export function claimsOf(table: Table, session: SessionId): ReturnType<LeaseTable['claimsOf']> {
  return [...(table.sessions.find(session)?.claims.values() ?? [])].map((claim) => ({
    request: claim.terms.request,
    name: claim.terms.name,
    position: positionOf(claim),
    askedTtlMs: claim.terms.askedTtlMs,
  }));
}

/** R3: what each lease that was not heard from in this run has been waited for in vain, over all runs. */
export function unheard(table: Table, now: ListeningMs): ReturnType<LeaseTable['unheard']> {
  const silences: { name: LeaseName; fencingToken: Holder['fencingToken']; silentMs: DurationMs }[] = [];
  for (const { terms, fencingToken, phase } of table.unheard) {
    if (phase.kind !== 'held' || phase.hearing.kind !== 'unheard') continue;
    const { silentMs } = phase.hearing;
    const sumMs = durationMs(silentMs + Math.max(0, Math.floor(between(table.startedAt, now))));
    if (sumMs > 0) phase.hearing = { kind: 'unheard', silentMs, told: true };
    silences.push({ name: terms.name, fencingToken, silentMs: sumMs });
  }
  return silences;
}
