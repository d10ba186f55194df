import { describe, expect, it, vi } from 'vitest';
import {
  errorOf,
  isLeaseError,
  LeaseError,
  LeaseLostError,
  LeaseReleasedError,
  WaitTimeoutError,
} from '../../../../client/runtime/errors.ts';
import { failure } from './support.ts';

describe('LeaseError', () => {
  it('has what a program needs, and a message for people', () => {
    const error = errorOf(
      failure({
        code: 'queue-full',
        message: 'full',
        retryAfterMs: 40,
        param: 'name',
        requestId: 'r1',
        cause: failure({ code: 'draining' }),
      }),
    );
    expect(error).toMatchObject({
      name: 'LeaseError',
      message: 'full',
      code: 'queue-full',
      retryable: true,
      retryAfterMs: 40,
      param: 'name',
      requestId: 'r1',
      docsUrl: 'docs/CODES.md#queue-full',
      cause: { code: 'draining' },
    });
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toBe('LeaseError: full');
    expect(error.stack).toContain('errors.test.ts');
  });

  it('has no cause where there is none', () => {
    expect('cause' in errorOf(failure())).toBe(false);
  });

  it('subclasses keep their names and what is theirs', () => {
    const lost = new LeaseLostError({ code: 'revoked', message: 'm' }, []);
    expect([lost.name, new LeaseReleasedError('m').name]).toEqual(['LeaseLostError', 'LeaseReleasedError']);
    expect(errorOf(failure({ code: 'wait-timeout', position: 2 }))).toBeInstanceOf(WaitTimeoutError);
    expect(errorOf(failure({ code: 'wait-timeout', position: 2 }))).toMatchObject({
      name: 'WaitTimeoutError',
      queue: { position: 2 },
    });
  });
});

describe('isLeaseError', () => {
  it('knows its own, by code when one is given', () => {
    const error = new LeaseError({ code: 'closed', message: 'm' });
    expect([isLeaseError(error), isLeaseError(error, 'closed'), isLeaseError(error, 'expired')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each([
    [null],
    [undefined],
    ['closed'],
    [new Error('closed')],
    [{ code: 'closed' }],
    [Object.assign(new Error('x'), { code: 'closed' })],
  ])('does not know %s', (other) => {
    expect(isLeaseError(other)).toBe(false);
    expect(isLeaseError(other, 'closed')).toBe(false);
  });

  it('F47 knows those of another copy of the package', async () => {
    vi.resetModules();
    const copy = await import('../../../../client/runtime/errors.ts');
    const error = new copy.LeaseError({ code: 'closed', message: 'm' });
    expect(copy.LeaseError).not.toBe(LeaseError);
    expect(error).not.toBeInstanceOf(LeaseError);
    expect(isLeaseError(error, 'closed')).toBe(true);
    expect(copy.isLeaseError(new LeaseReleasedError('m'), 'released')).toBe(true);
  });
});
