import type { Code, LossCode } from '../../shared/codes.ts';
import type { CoordinatorMessageOf } from '../../shared/frames.ts';
import type { AcquireTerms, Failure, Outcome } from './types.ts';

export const failure = (code: Code, message: string, retryable = false, more?: Partial<Failure>): Failure => ({
  code,
  message,
  retryable,
  ...more,
});

/** A code of the wire; one that only a newer coordinator knows is passed on as it is, for people to read. */
export function codeOf(code: string): Code {
  return code as Code;
}
export function lossOf(code: string): LossCode {
  return code as LossCode;
}

export const failureOf = (error: CoordinatorMessageOf<'error'>): Failure => ({
  ...error,
  code: codeOf(error.code),
  requestId: error.request,
});

/** The name as its caller knows it. */
export const called = ({ name, shownAs = name }: Pick<AcquireTerms, 'name' | 'shownAs'>): string => shownAs;

export const leaseOver = (name: string, code: Code, retryable = false): Failure =>
  failure(code, `lease "${name}" is over: ${code}`, retryable);
export const CLOSED = failure('closed', 'the client is closed');
/** What a release settles with when nobody says otherwise. */
export const GIVEN_BACK = { kind: 'released', released: true, code: undefined } as const satisfies Outcome;
