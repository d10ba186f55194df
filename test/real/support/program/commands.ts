import type { Client, connect } from 'leasehold';
import type { Json } from '../../../../shared/json.ts';

export type ConnectOptions = NonNullable<Parameters<typeof connect>[1]>;
export type AcquireOptions = NonNullable<Parameters<Client['acquire']>[1]>;
export type ElectOptions = NonNullable<Parameters<Client['elect']>[1]>;
/** Of a `run`; it waits on where no coordinator can be reached. */
export type WorkOptions = AcquireOptions & { readonly drainMs?: number };
/** The functions among the options cannot be sent to another process. */
export type OnceOptions = Omit<Parameters<Client['once']>[1], 'signal' | 'renewWhile' | 'onQueued'>;

/** What the harness tells a client program, one JSON line each. `call` names the promise in the log. */
export type Command = { readonly client: string } & Order;

export type Order =
  | { readonly do: 'connect'; readonly url: string; readonly options: ConnectOptions; readonly record: boolean }
  | { readonly do: 'ready'; readonly call: string; readonly timeoutMs: number }
  | {
      readonly do: 'acquire';
      readonly call: string;
      readonly key: string;
      readonly name: string;
      readonly options: AcquireOptions;
      readonly withinMs?: number;
    }
  | {
      readonly do: 'try';
      readonly call: string;
      readonly key: string;
      readonly name: string;
      readonly options: AcquireOptions;
      readonly withinMs?: number;
    }
  | { readonly do: 'release'; readonly call: string; readonly key: string }
  | { readonly do: 'renew'; readonly call: string; readonly key: string }
  | { readonly do: 'set-state'; readonly call: string; readonly key: string; readonly value: Json }
  | { readonly do: 'inspect'; readonly call: string; readonly name: string }
  | { readonly do: 'read'; readonly key: string }
  /** Settles with the wall clock of the process, in ms since 1970. */
  | { readonly do: 'wall'; readonly call: string }
  /** Acquire, hold, release, `times` times; the next acquire is asked for in the same turn as the release. */
  | {
      readonly do: 'loop';
      readonly call: string;
      readonly name: string;
      readonly times: number;
      readonly holdMs: number;
      readonly options: AcquireOptions;
    }
  /** `count` names, one claimed every `spreadMs` without waiting for the one before, a state write under each grant. */
  | {
      readonly do: 'burst';
      readonly call: string;
      readonly prefix: string;
      readonly count: number;
      readonly spreadMs: number;
      readonly options: AcquireOptions;
    }
  /** `workers` names in parallel, acquired, held and released without end until `stop`; a held lease is read every 50 ms. */
  | {
      readonly do: 'churn';
      readonly call: string;
      readonly prefix: string;
      readonly workers: number;
      readonly holdMs: number;
      readonly pauseMs: number;
      readonly options: AcquireOptions;
    }
  /**
   * One worker that goes round `names` names, from number `from` on, until `stop`. Each acquire is a call of its own in
   * the log, bounded by `options.waitMs`; one that fails is the end of that turn only. A held lease is read every
   * `readMs`.
   */
  | {
      readonly do: 'contend';
      readonly call: string;
      readonly prefix: string;
      readonly names: number;
      readonly from: number;
      readonly holdMs: number;
      readonly pauseMs: number;
      readonly readMs: number;
      readonly options: AcquireOptions;
    }
  /**
   * Logs each view as `viewed`. `pauseMs`: between two views, so that it reads slowly. `views`: breaks off after that
   * many. Settles when the iteration ends, with how many were seen.
   */
  | {
      readonly do: 'watch';
      readonly call: string;
      readonly key: string;
      readonly name: string;
      readonly pauseMs?: number;
      readonly views?: number;
    }
  /** Ends the iteration by its signal. */
  | { readonly do: 'unwatch'; readonly key: string }
  | { readonly do: 'list'; readonly call: string; readonly prefix: string }
  /** The lease of the key has its state set `count` times, one every `everyMs` without waiting for the one before. */
  | {
      readonly do: 'write';
      readonly call: string;
      readonly key: string;
      readonly count: number;
      readonly everyMs: number;
    }
  /** `workMs`: while it leads, it logs `worked` that often; the worker ends with its lease. */
  | {
      readonly do: 'elect';
      readonly call: string;
      readonly key: string;
      readonly name: string;
      readonly options: ElectOptions;
      readonly workMs?: number;
    }
  /** `times` calls in one turn. */
  | { readonly do: 'resign'; readonly call: string; readonly key: string; readonly times: number }
  | { readonly do: 'stop-election'; readonly call: string; readonly key: string }
  /** The work never ends by itself: only its signal ends it. */
  | {
      readonly do: 'run';
      readonly call: string;
      readonly key: string;
      readonly name: string;
      readonly options: WorkOptions;
    }
  /** The work holds for `holdMs` and gives `value`. */
  | {
      readonly do: 'once';
      readonly call: string;
      readonly key: string;
      readonly name: string;
      readonly options: OnceOptions;
      readonly holdMs: number;
      readonly value: Json;
    }
  /** Blocks the loop; see `spin` in stalling.ts. */
  | { readonly do: 'spin'; readonly call: string; readonly key: string; readonly forMs: number; readonly value: Json }
  /** Blocks the loop for `forMs` every `everyMs`. Settles with how often the lease was held right after it. */
  | {
      readonly do: 'stalls';
      readonly call: string;
      readonly key: string;
      readonly forMs: number;
      readonly everyMs: number;
      readonly times: number;
    }
  /** Adds one to a number under each grant, until `stop`; see `add` in adding.ts. Settles with how often. */
  | {
      readonly do: 'add';
      readonly call: string;
      readonly name: string;
      readonly holdMs: number;
      readonly pauseMs: number;
      /** A URL of the same number, where no token is asked for. */
      readonly unfenced: string;
      readonly options: AcquireOptions;
    }
  /** Claims that give up after `options.waitMs`; see attempts.ts. */
  | {
      readonly do: 'attempts';
      readonly call: string;
      readonly name: string;
      readonly times: number;
      readonly lanes: number;
      readonly options: AcquireOptions;
    }
  /** One of the two parts of meetings at known instants; see meeting.ts. `from`: nanoseconds of the log's clock. */
  | {
      readonly do: 'meet';
      readonly call: string;
      readonly part: 'leaves' | 'comes';
      readonly prefix: string;
      readonly from: string;
      readonly everyMs: number;
      readonly rounds: number;
      readonly lanes: number;
      readonly spreadMs: number;
      readonly options: AcquireOptions;
    }
  | { readonly do: 'stop' }
  | { readonly do: 'close'; readonly call: string };
