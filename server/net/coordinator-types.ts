import type { Hono } from 'hono';
import type { Journal } from '../core/journal-port.ts';
import type { Limits } from '../core/limits.ts';
import type { Authenticate } from './auth-port.ts';
import type { PageFiles } from './example-pages.ts';
import type { Logger } from './logger.ts';
import type { ClockOption } from './loop.ts';

export interface CoordinatorOptions {
  /** Where leases outlive the process: `sqliteJournal({ path })`, or `memoryJournal()` for what need not. */
  readonly journal: Journal;
  /** Holds the credential of each `hello`. Without it everything is accepted, and only loopback is listened on. */
  readonly auth?: Authenticate;
  /** Each in the range that `leasehold serve --print-config` and docs name; a value outside of it is refused. */
  readonly limits?: Partial<Limits>;
  /** Pages that may connect beside those of the same origin: `https://app.example`, exactly. Default: none. */
  readonly origins?: readonly string[];
  /** Host names under which it is reached, beside loopback names and addresses. Default: none. */
  readonly hosts?: readonly string[];
  /** Pages of any loopback origin may connect, as `leasehold dev` allows. Default: false. */
  readonly anyLoopbackOrigin?: boolean;
  /** Allows to listen beyond loopback without `auth`. Default: false. */
  readonly insecure?: boolean;
  /** Nothing is granted for so long after the start. Whole ms, 0 to 86,400,000; default 0. */
  readonly quietMs?: number;
  /** The path that it is mounted at, for the sockets: `/locks` makes it `/locks/v1/socket`. Default: the root. */
  readonly base?: string;
  /** Pages to serve beside, such as those of `leasehold dev`. They may load from here and connect to here only. Default: none. */
  readonly pages?: PageFiles;
  /** A pino logger fits. Default: silence. */
  readonly logger?: Logger;
  /** Clocks of one's own, for tests. */
  readonly clock?: ClockOption;
}

/** An HTTP server of Node's, as little of it as is needed. */
export interface UpgradingServer {
  on(event: 'upgrade', listener: (request: unknown, stream: unknown, head: unknown) => void): unknown;
  listenerCount(event: 'upgrade'): number;
}

export interface ListenOptions {
  /** 0 takes a free one. Default: 7400. */
  readonly port?: number;
  /** An address or a name; several are opened at the same port. Default: 127.0.0.1. */
  readonly host?: string | readonly string[];
}

export interface RevokeOptions {
  /** Opens the name at once, though its holder may still believe: gives up S1 for it, never S2 or S3. Default: false. */
  readonly now?: boolean;
  /** Only if this is the token of the grant; default: whoever holds it. */
  readonly fencingToken?: number;
  /** Who does it, for the log: at most 128 bytes, without control characters. Default: an operator. */
  readonly by?: string;
}

export interface CoordinatorStatus {
  /** `failed`: the journal could not be read. `broken`: a defect stopped it. */
  readonly phase: 'starting' | 'serving' | 'draining' | 'closed' | 'failed' | 'broken';
  /** Why `/readyz` says no; empty when it says yes. */
  readonly notReady: readonly string[];
  readonly urls: readonly string[];
  /** Sockets, and channels of sockets that carry several sessions: each channel counts as one. */
  readonly connections: number;
  readonly sessions: number;
  /** Connections that have a session. */
  readonly sockets: number;
  readonly leases: number;
  readonly claims: number;
  /** Names that clients watch, each as often as it is watched. */
  readonly watches: number;
  /** Batches made durable in this run. */
  readonly appends: number;
  /** What is left of a quiet time; 0 when there is none. */
  readonly quietMs: number;
}

export interface Coordinator {
  /** The HTTP side, to mount in an application of one's own. */
  readonly app: Hono;
  /** Resolves when the journal has been read; rejects with a `JournalError`. */
  readonly ready: Promise<void>;
  /** Resolves, with the defect, should an invariant break: it has stopped, and nothing but a restart helps. */
  readonly broken: Promise<Error>;
  readonly status: CoordinatorStatus;
  /** Takes the sockets of a server of one's own; other paths are left to others who listen. */
  attach(httpServer: UpgradingServer): void;
  /** Rejects with a `CoordinatorError` where the port is in use, or with the `JournalError` of `ready`. */
  listen(options?: ListenOptions): Promise<{ readonly url: string; readonly urls: readonly string[] }>;
  /** New limits from now on; those that are left out stay. What is stored already is not cut. */
  configure(limits: Partial<Limits>): void;
  /** Ends the lease of a name by an operator's word; resolves with the tokens that it ended, once that is durable. */
  revoke(name: string, options?: RevokeOptions): Promise<readonly number[]>;
  /**
   * Grants nothing more, tells its clients, closes. Leases stay stored for the next run. Resolves within `drainMs`
   * (whole ms, 0 to 60,000; default 4,000) and the time that the disk takes; the same promise each time. A later call
   * can only shorten the drain.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}
