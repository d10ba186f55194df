import type { Code, LossCode } from '../../shared/codes.ts';
import type { Failure, RenewalAttempt } from '../core/types.ts';

/** Registered, so that two copies of this package in one program recognise each other's errors. */
const BRAND = Symbol.for('leasehold.LeaseError');

/** What an error is made of; only the code and the message are always there. */
export interface LeaseErrorFields extends Partial<Omit<Failure, 'code' | 'message' | 'cause'>> {
  readonly code: Code;
  readonly message: string;
  readonly cause?: unknown;
}

/**
 * Every rejection and every thrown error of this library. Tell them apart by `code` (docs/CODES.md has them all), with
 * `isLeaseError(error, code)`: `instanceof` fails where a program has two copies of the package.
 */
export class LeaseError extends Error {
  /** What happened, as a literal; the message is for people and may change. */
  declare readonly code: Code;
  /** Whether the same call can succeed later. */
  declare readonly retryable: boolean;
  /** When it is worth trying again, in ms from now; undefined when nobody knows. */
  declare readonly retryAfterMs: number | undefined;
  /** The option or field that was refused. */
  declare readonly param: string | undefined;
  /** Names the request in the coordinator's log. */
  declare readonly requestId: string | undefined;
  /** Where the documentation explains the code, relative to the project's root. */
  declare readonly docsUrl: string;

  constructor(fields: LeaseErrorFields) {
    super(fields.message);
    const { code, retryable = false, retryAfterMs, param, requestId, cause } = fields;
    Object.assign(this, { code, retryable, retryAfterMs, param, requestId, docsUrl: `docs/CODES.md#${code}` });
    if (cause !== undefined) this.cause = cause;
    this.name = 'LeaseError';
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** A lease that was held is not held any more; `code` says why. It is the reason of `lease.signal`. */
export class LeaseLostError extends LeaseError {
  declare readonly code: LossCode;
  /** The last renewals before the loss, oldest first. */
  declare readonly attempts: readonly RenewalAttempt[];

  constructor(fields: LeaseErrorFields & { readonly code: LossCode }, attempts: readonly RenewalAttempt[]) {
    super(fields);
    Object.assign(this, { name: 'LeaseLostError', attempts });
  }
}

/** The lease was given back by its holder. The reason of `lease.signal` from then on. */
export class LeaseReleasedError extends LeaseError {
  declare readonly code: 'released';

  constructor(message: string) {
    super({ code: 'released', message });
    this.name = 'LeaseReleasedError';
  }
}

/** The name was not free within `waitMs`. */
export class WaitTimeoutError extends LeaseError {
  declare readonly code: 'wait-timeout';
  /** The last known place: how many stood before this claim. Undefined when it was never told. */
  declare readonly queue: { readonly position: number | undefined };

  constructor(fields: LeaseErrorFields & { readonly code: 'wait-timeout' }) {
    super(fields);
    Object.assign(this, { name: 'WaitTimeoutError', queue: { position: fields.position } });
  }
}

/**
 * Whether `error` came from this library, of whatever copy, and has that code when one is given.
 *
 *     try { await client.acquire('printer', { waitMs: 1_000 }) }
 *     catch (error) { if (!isLeaseError(error, 'wait-timeout')) throw error }
 */
export function isLeaseError<C extends Code = Code>(
  error: unknown,
  code?: C,
): error is LeaseError & { readonly code: C } {
  // Whatever it is, as an object: two of its properties are looked at.
  const found = Object(error) as { readonly [BRAND]?: unknown; readonly code?: unknown };
  return found[BRAND] === true && (code === undefined || found.code === code);
}

/** The public form of what the core found. */
export function errorOf(failure: Failure): LeaseError {
  // What the wire calls the value of a message is the state to people.
  const param = failure.code === 'state-too-large' ? 'state' : failure.param;
  const fields = { ...failure, param, cause: failure.cause && errorOf(failure.cause) };
  return fields.code === 'wait-timeout'
    ? new WaitTimeoutError({ ...fields, code: fields.code })
    : new LeaseError(fields);
}

export const badRequest = (param: string, problem: string): LeaseError =>
  new LeaseError({ code: 'bad-request', message: problem, param });
