import { expect } from 'vitest';
import * as ids from '../../../../../shared/ids.ts';
import { durationMs } from '../../../../../shared/time.ts';
import type { DurableEvent, JournalContents } from '../../../../../server/core/journal-port.ts';
import { claim, closure, granted, lease, session, state, terms } from '../samples.ts';

interface KindCase {
  /** Batches before; the last one holds the event of this kind. */
  readonly batches: readonly (readonly DurableEvent[])[];
  /** What the next run finds. */
  readonly then: (contents: JournalContents) => void;
}

const name = terms().name;
const token = ids.fencingToken(7);
const onLease = { name, fencingToken: token };

/** Every kind of event with what it must do, written out by hand; a kind without a case does not compile. */
export const kinds: { readonly [K in DurableEvent['kind']]: KindCase } = {
  granted: {
    batches: [[granted(7)]],
    then: (contents) => {
      expect(contents.leases).toEqual([lease(7, { grantedAtMs: durationMs(0) })]);
      expect(contents).toMatchObject({ mark: 7, largestWindowMs: 30_000 });
    },
  },
  ended: {
    batches: [[granted(7), granted(8)], [{ kind: 'ended', ...onLease }]],
    then: (contents) => expect(contents.leases.map((one) => one.fencingToken)).toEqual([8]),
  },
  window: {
    batches: [[granted(7)], [{ kind: 'window', ...onLease, ttlMs: durationMs(45_000) }]],
    then: (contents) => {
      expect(contents.leases[0]?.ttlMs).toBe(45_000);
      expect(contents.largestWindowMs).toBe(45_000);
    },
  },
  silent: {
    batches: [[granted(7), granted(8)], [{ kind: 'silent', leases: [{ ...onLease, silentMs: durationMs(1100.25) }] }]],
    then: (contents) => expect(contents.leases.map((one) => one.silentMs)).toEqual([1100.25, 0]),
  },
  heard: {
    batches: [[granted(7, { silentMs: durationMs(900) })], [{ kind: 'heard', ...onLease }]],
    then: (contents) => expect(contents.leases[0]?.silentMs).toBe(0),
  },
  state: {
    batches: [[{ kind: 'state', state: state() }], [{ kind: 'state', state: state({ version: 4, valueJson: null }) }]],
    then: (contents) => expect(contents.states).toEqual([state({ version: 4, valueJson: null })]),
  },
  'state-dropped': {
    batches: [[{ kind: 'state', state: state() }], [{ kind: 'state-dropped', name }]],
    then: (contents) => expect(contents.states).toEqual([]),
  },
  closed: {
    batches: [[{ kind: 'closed', closure: closure() }], [{ kind: 'closed', closure: closure({ exempt: null }) }]],
    then: (contents) => expect(contents.closures).toEqual([closure({ exempt: null })]),
  },
  opened: {
    batches: [[{ kind: 'closed', closure: closure() }], [{ kind: 'opened', name }]],
    then: (contents) => expect(contents.closures).toEqual([]),
  },
  session: {
    batches: [[{ kind: 'session', session: session() }], [{ kind: 'session', session: session({ metadata: null }) }]],
    then: (contents) => expect(contents.sessions).toEqual([session({ metadata: null })]),
  },
  'session-ended': {
    batches: [[{ kind: 'session', session: session() }], [{ kind: 'session-ended', session: session().session }]],
    then: (contents) => expect(contents.sessions).toEqual([]),
  },
  claim: {
    batches: [[claim('a')]],
    then: (contents) => expect(contents.claims).toEqual([{ terms: terms({ request: ids.requestId('a') }) }]),
  },
  'claim-ended': {
    batches: [
      [claim('a'), claim('b')],
      [{ kind: 'claim-ended', session: terms().session, request: ids.requestId('a') }],
    ],
    then: (contents) => expect(contents.claims.map((one) => one.terms.request)).toEqual(['b']),
  },
  mark: {
    batches: [[{ kind: 'mark', fencingToken: ids.fencingToken(2 ** 52 + 1) }]],
    then: (contents) => expect(contents.mark).toBe(2 ** 52 + 1),
  },
  quiet: {
    batches: [[{ kind: 'quiet', quietMs: durationMs(30_000) }]],
    then: (contents) => expect(contents.quietMs).toBe(30_000),
  },
  listened: {
    batches: [[granted(7)], [{ kind: 'listened', listeningMs: durationMs(5000) }]],
    then: (contents) => expect(contents.leases[0]?.lifeMs).toBe(5000 - 1234.5),
  },
};
