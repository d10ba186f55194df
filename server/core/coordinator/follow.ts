import { fencingToken, type RequestId, type SessionId } from '../../../shared/ids.ts';
import { durationMs } from '../../../shared/time.ts';
import type { TableEvent } from '../table-types.ts';
import type { Core } from './core-state.ts';
import { instanceOf } from './session.ts';
import type { Claim, SessionEntry } from './session-book.ts';

/** Keeps what a session waits for in step with what the table decided, whoever asked for it. */
export function follow(core: FollowedCore, event: TableEvent): void {
  switch (event.kind) {
    case 'grant-decided': {
      const { terms, fencingToken: token } = event.lease;
      core.mark = fencingToken(Math.max(core.mark, token));
      addClaim(core, terms.session, terms.request, { ttlMs: terms.askedTtlMs, pending: true });
      return;
    }
    case 'grant-undone': {
      const claim = core.book.get(event.session)?.claims.get(event.request);
      if (claim !== undefined) addClaim(core, event.session, event.request, { ...claim, pending: false });
      return;
    }
    case 'granted':
      dropClaim(core, event.lease.session, event.request);
      return;
    case 'claim-ended':
      dropClaim(core, event.session, event.request);
      return;
    case 'state-set':
      changedEntry(core, event.session)?.writes.delete(event.request);
      return;
    case 'refused':
      changedEntry(core, event.session)?.writes.delete(event.request);
      // A claim that did not want to wait ends so when its grant is undone. A request that was wrong in itself ends none.
      if (event.code !== 'bad-request') dropClaim(core, event.session, event.request);
      return;
    case 'released':
    case 'ended':
      changedEntry(core, event.session);
      return;
    default:
  }
}

/** Notes a claim, and has its session journaled: with its first claim (DESIGN, section 3). */
export function addClaim(core: FollowedCore, session: SessionId, request: RequestId, claim: Claim): void {
  const entry = changedEntry(core, session);
  if (entry === undefined) return;
  const ttlMs = durationMs(Math.min(claim.ttlMs, core.limits.ttlMsMax));
  entry.claims.set(request, { ...claim, ttlMs });
  entry.longestClaimMs = durationMs(Math.max(entry.longestClaimMs, ttlMs));
  if (!entry.stored) storeSession(core, entry);
}

export function storeSession(core: Pick<Core, 'batches'>, entry: SessionEntry): void {
  const { id, secretHash, label, metadata, session } = entry;
  entry.stored = true;
  const stored = { session: id, secretHash, instance: instanceOf(session), label, metadata };
  core.batches.writeFirst({ kind: 'session', session: stored });
}

function dropClaim(core: FollowedCore, session: SessionId, request: RequestId): void {
  changedEntry(core, session)?.claims.delete(request);
}

function changedEntry(core: FollowedCore, session: SessionId): SessionEntry | undefined {
  const entry = core.book.get(session);
  if (entry !== undefined) core.changed.add(entry);
  return entry;
}

type FollowedCore = Pick<Core, 'book' | 'changed' | 'batches' | 'limits' | 'mark'>;
