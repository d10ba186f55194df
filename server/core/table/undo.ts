import type { ListeningMs } from '../../../shared/time.ts';
import { dequeue, enqueue, storeInOrder } from './claims.ts';
import { isHolding, removeHolder } from './holders.ts';
import type { Claim, Holder, Pending } from './model.ts';
import type { Post } from './outbox.ts';
import { sayQueued } from './places.ts';
import { refuse, UNAVAILABLE } from './refusals.ts';
import { dropWrites } from './states.ts';
import type { Table } from './table.ts';

/**
 * The batch is known not to be durable (R14): its grants and those decided since are undone, by token, last first, and
 * their claims stand where they stood; state writes are refused; all else is written next, in the order decided.
 * Nothing is granted until the journal can be written again.
 */
export function undoBatch(table: Table, sequence: number, now: ListeningMs): void {
  table.writable = false;
  const posts = table.outbox.returned(sequence);
  const undone = pendingAmong(posts);
  const unwritten = new Set(
    posts.flatMap(({ effect }) => (effect?.kind === 'grant' ? [effect.holder.fencingToken] : [])),
  );
  table.outbox.replace(posts.flatMap((post) => rewrite(post, undone, unwritten)));
  for (const [holder, { claim }] of [...undone].toReversed()) putBack(table, holder, claim);
  for (const { claim } of undone.values()) sayWaitsAgain(table, claim, now);
  for (const { effect } of posts) {
    if (effect?.kind === 'state') dropWrites(table, effect.entry);
  }
}

/**
 * A grant that is on its way to the journal, and that nobody was told of, is taken back: its claim stands where it
 * stood. It may be too late to keep it out of the journal, so it is ended there.
 */
export function takeBack(table: Table, holder: Holder, { claim }: Pending, now: ListeningMs): void {
  const told = claim.stored;
  table.outbox.add({ kind: 'ended', name: holder.entry.name, fencingToken: holder.fencingToken });
  putBack(table, holder, claim);
  if (claim.once) return;
  storeInOrder(table, claim);
  if (!told) sayQueued(table, claim, now);
}

/** All grants that were not told yet: what was learned since forbids them (S2, S5). */
export function takeAllBack(table: Table, now: ListeningMs): void {
  for (const holder of table.outbox.grants()) {
    if (holder.phase.kind === 'pending' && isHolding(holder)) takeBack(table, holder, holder.phase, now);
  }
}

function pendingAmong(posts: readonly Post[]): ReadonlyMap<Holder, Pending> {
  const pending = new Map<Holder, Pending>();
  for (const { effect } of posts) {
    if (effect?.kind !== 'grant') continue;
    const { phase } = effect.holder;
    if (phase.kind === 'pending' && isHolding(effect.holder)) pending.set(effect.holder, phase);
  }
  return pending;
}

/** What is written instead of `post`, now that its batch was not. */
function rewrite(post: Post, undone: ReadonlyMap<Holder, Pending>, unwritten: ReadonlySet<number>): readonly Post[] {
  const { event, effect } = post;
  switch (effect?.kind) {
    case 'grant':
      return claimInstead(undone.get(effect.holder)?.claim ?? null);
    case 'claim-granted':
      return undone.has(effect.holder) ? [] : [post];
    case 'state':
      return [];
    default:
      return event.kind === 'ended' && unwritten.has(event.fencingToken) ? [] : [post];
  }
}

/** Where the grant stood, so that the journal has the claims in the order in which they came. */
const claimInstead = (claim: Claim | null): readonly Post[] =>
  claim === null || claim.stored || claim.once
    ? []
    : [{ event: { kind: 'claim', claim: { terms: claim.terms } }, effect: null }];

function putBack(table: Table, holder: Holder, claim: Claim): void {
  const { session, request, name } = claim.terms;
  enqueue(table, claim);
  removeHolder(table, holder);
  table.events.push({ kind: 'grant-undone', session, request, name, fencingToken: holder.fencingToken });
}

/** A claim that was granted as it came was told nothing yet. One that does not wait ends here. */
function sayWaitsAgain(table: Table, claim: Claim, now: ListeningMs): void {
  if (claim.once) {
    dequeue(table, claim);
    refuse(table, claim.terms, UNAVAILABLE);
  } else if (!claim.stored) {
    claim.stored = true;
    sayQueued(table, claim, now);
  }
}
