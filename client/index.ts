import { makeClientCore } from './core/client-core.ts';
import { makeClient } from './runtime/client.ts';
import type { Client } from './runtime/public-client.ts';
import type { ConnectOptions, Urls } from './runtime/public-options.ts';

/**
 * A client of the coordinator at `url`: ws, wss, http or https, text or `URL`, or a list of such, tried in turn. No I/O
 * before its first use; throws `bad-request` for a URL or an option that cannot be meant: a URL has no user info, query or
 * fragment, since it is logged on its way; a secret is a `credential`. Keep one for a program or a page: its leases,
 * claims and questions share one connection.
 *
 *     const client = connect('ws://127.0.0.1:7400', { label: 'worker 7' });
 *     await client.run('nightly-report', async (lease) => { ... });
 */
export function connect(url: Urls, options: ConnectOptions = {}): Client {
  return makeClient(makeClientCore, url, options, () => import('./browser/election.ts'));
}

export { isLeaseError, LeaseError, LeaseLostError, LeaseReleasedError, WaitTimeoutError } from './runtime/errors.ts';
export type {
  Client,
  ClientEvents,
  ClientSnapshot,
  CloseOptions,
  StatusChange,
  TimeoutOptions,
} from './runtime/public-client.ts';
export type {
  Election,
  ElectionEvents,
  ElectionSnapshot,
  ElectionStatus,
  ElectOptions,
} from './runtime/public-election.ts';
export type {
  BrowserElection,
  BrowserElectionEvents,
  BrowserElectionSnapshot,
  BrowserElectOptions,
  BrowserLeader,
  BrowserLease,
  BrowserLeaseEvents,
  BrowserLeaseSnapshot,
} from './runtime/public-browser.ts';
export type { Lease, LeaseEvents, LeaseSnapshot, UnprotectedLease } from './runtime/public-lease.ts';
export type {
  AcquireOptions,
  ConnectOptions,
  QueuedInfo,
  RunOptions,
  TryAcquireOptions,
  Urls,
  Warning,
  WebSocketClass,
  WebSocketLike,
} from './runtime/public-options.ts';
export type { OnceOptions, OnceResult } from './runtime/public-once.ts';
export type { HolderView, LeaseView, ListOptions, WatchOptions } from './runtime/public-view.ts';
export type { Code, LossCode } from '../shared/codes.ts';
export type { Json } from '../shared/json.ts';
export type { ClientStatus, LeaseStatus, RenewalAttempt } from './core/types.ts';
