import * as ids from '../../../../shared/ids.ts';
import { durationMs, wallMs } from '../../../../shared/time.ts';
import type {
  ClaimTerms,
  DurableEvent,
  StoredClosure,
  StoredLease,
  StoredSession,
  StoredState,
} from '../../../../server/core/journal-port.ts';

/** What the journal's tests store: plain samples, each with what a test wants to differ. */

export const terms = (over: Partial<ClaimTerms> = {}): ClaimTerms => ({
  session: ids.sessionId('session-1'),
  request: ids.requestId('request-1'),
  name: ids.leaseName('jobs/ä 𝄞'),
  askedTtlMs: durationMs(60_000),
  maxLifetimeMs: durationMs(86_400_000),
  minHoldMs: durationMs(0.5),
  lockDelayMs: durationMs(250),
  priority: -7,
  renews: true,
  ...over,
});

export const lease = (token: number, over: Partial<StoredLease> = {}): StoredLease => ({
  terms: terms(),
  fencingToken: ids.fencingToken(token),
  ttlMs: durationMs(30_000),
  lifeMs: durationMs(0),
  grantedAtMs: durationMs(1234.5),
  silentMs: durationMs(0),
  ...over,
});

export const session = (over: Partial<StoredSession> = {}): StoredSession => ({
  session: ids.sessionId('session-1'),
  secretHash: ids.secretHash('hash-1'),
  instance: ids.instanceId('instance-1'),
  label: 'tab "42"',
  metadata: { host: 'ü', list: [1, null, true] },
  ...over,
});

export const state = (over: Partial<StoredState> = {}): StoredState => ({
  name: ids.leaseName('jobs/ä 𝄞'),
  valueJson: '{"a":"\\ud800"}',
  version: 3,
  fencingToken: ids.fencingToken(7),
  session: ids.sessionId('session-1'),
  request: ids.requestId('request-9'),
  writtenAt: wallMs(1_900_000_000_123),
  ...over,
});

export const closure = (over: Partial<StoredClosure> = {}): StoredClosure => ({
  name: ids.leaseName('jobs/ä 𝄞'),
  forMs: durationMs(1500),
  exempt: ids.sessionId('session-1'),
  ...over,
});

export const granted = (token: number, over: Partial<StoredLease> = {}): DurableEvent => ({
  kind: 'granted',
  lease: lease(token, over),
});

export const claim = (request: string, over: Partial<ClaimTerms> = {}): DurableEvent => ({
  kind: 'claim',
  claim: { terms: terms({ request: ids.requestId(request), ...over }) },
});

/** The lease that most tests are about, as events name it. */
export const onLease = { name: terms().name, fencingToken: ids.fencingToken(7) };
