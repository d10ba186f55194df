import type { Code } from '../../shared/codes.ts';
import type { Json } from '../../shared/json.ts';

/** Where coordinators are. */
export type Urls = string | URL | readonly (string | URL)[];

/** Options of `connect`. They are checked together, at once; one that is out of range throws `bad-request`. */
export interface ConnectOptions {
  /**
   * Under which the names of this client live: `acme` makes `printer` the coordinator's `acme/printer`. Of the kind of a
   * name, without a slash at either end. Together they have at most 256 bytes. Default none.
   */
  readonly namespace?: string | undefined;
  /**
   * Shown to people beside the leases of this client. At most 128 bytes, without control
   * characters. Not an identity. Default: host, process id and
   * script in a process; in a page its path and four random letters.
   */
  readonly label?: string | undefined;
  /** Shown to people and programs that inspect a lease. As the value of `setState`, of at most 1 KiB of JSON. */
  readonly metadata?: Json | undefined;
  /** Default window of this client's leases, in ms. Default 30,000; 1,000 to 86,400,000. */
  readonly ttlMs?: number | undefined;
  /**
   * How long one attempt to connect may take, in ms; also what `tryAcquire`, `inspect` and `ready` wait for a coordinator
   * when nothing else was said. Default 5,000; 100 to 60,000. In Chromium an attempt may take up to 5 s more when several
   * before it failed: that browser holds back the sockets of a page whose dials fail, and tells it nothing.
   */
  readonly connectTimeoutMs?: number | undefined;
  /** Longest pause between two attempts to connect, in ms; the pauses are random below it. Default 8,000; 100 to 300,000. */
  readonly maxBackoffMs?: number | undefined;
  /**
   * The socket is closed after this long, in ms, without anything held, waited for or asked, so that a process can end;
   * the next use connects again. Default 1,000 in Node, Bun and Deno, 60,000 elsewhere; 0 to 86,400,000.
   */
  readonly idleMs?: number | undefined;
  /**
   * What the coordinator's `auth` checks: at most 8 KiB of text, or a function that gives it, which is called at each
   * connection. One that throws counts as a failed attempt to connect.
   */
  readonly credential?: string | (() => string | PromiseLike<string>) | undefined;
  /** Told of every warning, beside `client.on('warning')`. A pino logger fits, and so does `console`. */
  readonly logger?: { warn(details: object, message: string): void } | undefined;
  /**
   * A page that is loaded again goes on with the leases that it had, under their tokens, and with its places in queues:
   * default false. It leaves a record in the session storage of its tab as it goes, and the next page of this origin in
   * that tab that connects to the same URLs with the same namespace and this option takes it: what it asks for by name
   * within 2 s it goes on with, the rest is given back. In between nobody believes: its leases are `lost` (`closed`) as
   * ever, and held again with the answer to a claim.
   *
   * The price: a page that is closed or left for good cannot be told from one that is loaded again, so its names stay
   * taken for up to 10 s, or its TTL where that is shorter, instead of being given back at once. A page that takes longer
   * than that to load stands anew. Not kept: fixed windows (`renew: false`), claims with `waitMs`, and all of a second client
   * of the page for the same URLs and namespace. A tab that was duplicated has no part in it: one of the two has the
   * leases. No effect in workers and processes, nor where the page may not use its storage.
   */
  readonly resumeOnReload?: boolean | undefined;
  /** A WebSocket class, where the runtime has none or another is wanted. Default: the global one. */
  readonly WebSocket?: WebSocketClass | undefined;
  /**
   * One WebSocket for all tabs of this browser that ask for it, in a SharedWorker; each tab keeps a session and leases of its
   * own, and loses only these. `'shared-worker'`: the worker's program lies beside the file of this library; where a bundler
   * has moved it, `{ worker }` says where the built `leasehold/shared-worker` is, on the page's own origin. Its response
   * needs the page's `connect-src`. The page is one of https or localhost, else it has no Web Locks.
   *
   * Where there is no SharedWorker, or none that answers within 1 s or lives on, the client uses a socket of its own at once,
   * and until the page is loaded again: `client.transport` says which, and the warning `not-shared` why. While it has a
   * connection a tab holds a Web Lock, so that a browser that saves energy does not freeze it. Default none.
   */
  readonly share?: 'shared-worker' | { readonly worker: string | URL } | undefined;
}

/** The part of a WebSocket that is used; the standard class and that of the package `ws` fit. */
export interface WebSocketLike {
  readonly readyState: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send(data: string): void;
  close(code?: number): void;
}

export type WebSocketClass = new (url: string, protocols: string[]) => WebSocketLike;

/** Options of one claim. An unknown key, or a value out of range, rejects `bad-request` before anything is sent. */
export interface AcquireOptions {
  /** Window that one grant or renewal buys, in ms. Default: the client's; 1,000 (`renew: false`: 250) to 86,400,000. */
  readonly ttlMs?: number | undefined;
  /**
   * How long to wait, in ms, counted from the call, connecting included. 0 is one try; absent is for ever, with one
   * warning after 10 s that says what it waits for. At most 86,400,000. Its end is `wait-timeout`, or `unavailable`
   * when no coordinator was ever reached.
   */
  readonly waitMs?: number | undefined;
  /** Called with each change of the place in the queue. What it throws becomes a warning. */
  readonly onQueued?: ((info: QueuedInfo) => void) | undefined;
  /** Higher ones are granted first; equal ones in the order in which they came. Whole, -100 to 100; default 0. */
  readonly priority?: number | undefined;
  /** Longest total life that renewals can give this grant, in ms; it ends `ceiling`. At least the TTL; default the coordinator's (24 h); at most 30 days. */
  readonly maxLifetimeMs?: number | undefined;
  /** Released earlier than this, in ms, the name stays closed to everybody until it is over. Default 0; at most 3,600,000. */
  readonly minHoldMs?: number | undefined;
  /** How long the name stays closed to other sessions after this lease expired or was revoked, in ms. Default 0; at most 60,000. */
  readonly lockDelayMs?: number | undefined;
  /** Takes the lease from its holder, who is told `stolen`; needs the permission. Default false. */
  readonly steal?: boolean | undefined;
  /** When this client holds the name already: `queue` like anybody (default), or `reject` with `already-held`. */
  readonly whenOwn?: 'queue' | 'reject' | undefined;
  /** False: one fixed window, never renewed. Default true. */
  readonly renew?: boolean | undefined;
  /** Asked before renewals and now and then between; when it says no or throws, nothing is renewed any more and the lease runs out. */
  readonly renewWhile?: (() => boolean) | undefined;
  /** When to renew, as a part of the window. Default 2/3; 0.1 to 0.9. */
  readonly renewRatio?: number | undefined;
  /** How long before its deadline this client stops believing, in ms. Default max(min(TTL / 10, 5,000), 150, TTL / 500); not less than max(150, TTL / 500). */
  readonly stopMarginMs?: number | undefined;
  /** Withdraws the claim; the call rejects with the signal's reason. It does nothing once the lease is granted. */
  readonly signal?: AbortSignal | undefined;
}

export type TryAcquireOptions = Omit<AcquireOptions, 'waitMs' | 'onQueued'>;

export interface RunOptions extends AcquireOptions {
  /** How long the function may go on after the lease was lost, in ms, before `run` rejects. Default 5,000; 0 to 86,400,000. */
  readonly drainMs?: number | undefined;
  /**
   * When no coordinator can be reached (within `connectTimeoutMs`, or later within `waitMs`): `reject` waits on and
   * rejects as `acquire` does (default); `skip` resolves with undefined and does not call the function; `run` calls it
   * with a lease whose `protected` is false: only for those who lock to save work, never where two at once do harm.
   */
  readonly ifUnavailable?: 'reject' | 'skip' | 'run' | undefined;
}

export interface QueuedInfo {
  /** How many claims stand before this one. */
  readonly position: number;
  /** `self`: this very client holds the name. */
  readonly behind: 'self' | 'other' | 'nobody';
  /** The holder's label, as far as the credential may see it; likewise how long it has held, and what is left of its window, in ms. */
  readonly holder: string | undefined;
  readonly heldForMs: number | undefined;
  readonly remainingMs: number | undefined;
}

/** Something that works on, but that somebody should know of. */
export interface Warning {
  /** A code of the registry, or one of the client's own. */
  readonly code:
    | Code
    | 'waiting'
    | 'behind-self'
    | 'journal-changed'
    | 'stalled'
    | 'clock-rate'
    | 'bad-frame'
    /** The handle of a held lease is garbage, and nobody listens to it. Told when memory is collected, if ever. */
    | 'dropped'
    /** `share` was asked for, and this tab has a socket of its own. */
    | 'not-shared'
    | 'listener';
  readonly message: string;
  /** What a listener or a callback threw. */
  readonly cause?: unknown;
}
