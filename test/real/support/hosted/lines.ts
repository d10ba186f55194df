import type { Limits, RevokeOptions } from 'leasehold-server';
import type { Json } from '../../../../shared/json.ts';

/** What the harness tells a program that hosts a coordinator, one JSON line each. */
export type HostOrder = { readonly call: string } & (
  | { readonly do: 'configure'; readonly limits: Readonly<Record<string, Json>> }
  | { readonly do: 'revoke'; readonly name: string; readonly options: RevokeOptions }
  | { readonly do: 'status' }
);

/** With what it starts: its first argument, as JSON. */
export interface HostStart {
  readonly data: string;
  readonly limits: Partial<Limits>;
}

/** What it writes, one JSON line each. `at`: nanoseconds of `process.hrtime`, as text. */
export type HostLine = { readonly at: string } & (
  | { readonly what: 'listening'; readonly url: string }
  | {
      readonly what: 'log';
      readonly level: string;
      readonly fields: Readonly<Record<string, Json>>;
      readonly text: string;
    }
  /** `calledAt` lies before the call, `at` behind its end. */
  | { readonly what: 'done'; readonly call: string; readonly calledAt: string; readonly outcome: HostOutcome }
);

export type HostOutcome =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly code: string; readonly param: string; readonly message: string };
