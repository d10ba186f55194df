import type { Client, connect } from 'leasehold';
import type { Json } from '../../../../shared/json.ts';

export type ConnectOptions = NonNullable<Parameters<typeof connect>[1]>;
export type AcquireOptions = NonNullable<Parameters<Client['acquire']>[1]>;

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
  | { readonly do: 'stop' }
  | { readonly do: 'close'; readonly call: string };
