import fc from 'fast-check';
import * as ids from '../../../../../shared/ids.ts';
import { durationMs } from '../../../../../shared/time.ts';
import type { DurableEvent } from '../../../../../server/core/journal-port.ts';
import { closure, lease, session, state, terms } from '../samples.ts';

/** Few names, tokens and sessions, so that events meet each other. */
const name = fc.constantFrom('a', 'b', 'ä').map(ids.leaseName);
const token = fc.integer({ min: 1, max: 5 }).map(ids.fencingToken);
const who = fc.constantFrom('s1', 's2').map(ids.sessionId);
const request = fc.constantFrom('r1', 'r2', 'r3').map(ids.requestId);
const ms = fc.double({ min: 0, max: 90_000, noNaN: true }).map((value) => durationMs(value + 0));
const anyTerms = fc
  .record({
    session: who,
    request,
    name,
    askedTtlMs: ms,
    priority: fc.integer({ min: -100, max: 100 }),
    renews: fc.boolean(),
  })
  .map(terms);
const which = { name, fencingToken: token };

const arbitraries: { readonly [K in DurableEvent['kind']]: fc.Arbitrary<Extract<DurableEvent, { kind: K }>> } = {
  granted: fc.record({
    kind: fc.constant('granted'),
    lease: fc
      .tuple(token, fc.record({ terms: anyTerms, ttlMs: ms, lifeMs: ms, grantedAtMs: ms, silentMs: ms }))
      // A token is granted once, so it stays with its name.
      .map(([value, over]) =>
        lease(value, { ...over, terms: { ...over.terms, name: ids.leaseName('abcde'.charAt(value - 1)) } }),
      ),
  }),
  ended: fc.record({ kind: fc.constant('ended'), ...which }),
  window: fc.record({ kind: fc.constant('window'), ...which, ttlMs: ms }),
  silent: fc.record({
    kind: fc.constant('silent'),
    leases: fc.array(fc.record({ ...which, silentMs: ms }), { maxLength: 3 }),
  }),
  heard: fc.record({ kind: fc.constant('heard'), ...which }),
  state: fc.record({
    kind: fc.constant('state'),
    state: fc.record({ name, version: fc.nat(), valueJson: fc.option(fc.json()) }).map(state),
  }),
  'state-dropped': fc.record({ kind: fc.constant('state-dropped'), name }),
  closed: fc.record({
    kind: fc.constant('closed'),
    closure: fc.record({ name, forMs: ms, exempt: fc.option(who) }).map(closure),
  }),
  opened: fc.record({ kind: fc.constant('opened'), name }),
  session: fc.record({
    kind: fc.constant('session'),
    session: fc.record({ session: who, label: fc.string() }).map(session),
  }),
  'session-ended': fc.record({ kind: fc.constant('session-ended'), session: who }),
  claim: fc.record({ kind: fc.constant('claim'), claim: fc.record({ terms: anyTerms }) }),
  'claim-ended': fc.record({ kind: fc.constant('claim-ended'), session: who, request }),
  mark: fc.record({ kind: fc.constant('mark'), fencingToken: token }),
  quiet: fc.record({ kind: fc.constant('quiet'), quietMs: ms }),
  listened: fc.record({ kind: fc.constant('listened'), listeningMs: ms }),
};

/** Batches in which every kind of event may come. */
export const anyBatches: fc.Arbitrary<readonly (readonly DurableEvent[])[]> = fc.array(
  fc.array(fc.oneof(...Object.values(arbitraries)), { maxLength: 30 }),
  { maxLength: 4 },
);
