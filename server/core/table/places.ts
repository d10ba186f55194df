import type { SessionId } from '../../../shared/ids.ts';
import { between, durationMs, type DurationMs, type ListeningMs } from '../../../shared/time.ts';
import type { QueuePlace } from '../table-types.ts';
import { heldLease } from './holders.ts';
import type { Claim, NameEntry } from './model.ts';
import type { Table } from './table.ts';

export function sayQueued(table: Table, claim: Claim, now: ListeningMs): void {
  const { session, request, name } = claim.terms;
  table.events.push({ kind: 'queued', session, request, name, place: placeOf(table, claim, now) });
}

export const positionOf = (claim: Claim): number => claim.entry.queue?.positionOf(claim) ?? 0;

function placeOf(table: Table, claim: Claim, now: ListeningMs): QueuePlace {
  return {
    position: positionOf(claim),
    quietMs: quietLeft(table, now),
    ...whoHolds(table, claim.entry, claim.terms.session, now),
  };
}

/** A pending grant is told of to nobody; that somebody is before it may be told (R15). */
function whoHolds(
  table: Table,
  { holders }: NameEntry,
  session: SessionId,
  now: ListeningMs,
): Pick<QueuePlace, 'behind' | 'holder' | 'heldForMs'> {
  const [holder] = holders;
  if (holder === undefined) return { behind: 'nobody', holder: null, heldForMs: null };
  const behind = holder.terms.session === session ? 'self' : 'other';
  const { phase } = holder;
  if (phase.kind === 'pending') return { behind, holder: null, heldForMs: null };
  return { behind, holder: heldLease(table, holder, phase), heldForMs: heldForMs(phase.since, now) };
}

export const heldForMs = (since: ListeningMs, now: ListeningMs): DurationMs =>
  durationMs(Math.max(0, Math.floor(between(since, now))));

/** Null when it is not quiet. */
export const quietLeft = ({ quiet }: Table, now: ListeningMs): DurationMs | null =>
  quiet === null ? null : durationMs(Math.max(0, Math.ceil(between(now, quiet.timer.due))));
