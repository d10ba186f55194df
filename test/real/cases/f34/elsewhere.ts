import type { Lease } from 'leasehold';
import { say } from '../../support/script.ts';

/** Another module, which has the handle from the first day and was told of nothing since. */
export function lookAt(lease: Lease, when: string): void {
  const { fencingToken: token, remainingMs, status, ttlMs } = lease;
  say('look', { when, token, remainingMs, status, ttlMs });
}

export async function releaseTwice(lease: Lease): Promise<void> {
  say('released', { first: await lease.release() });
  const second = await lease.release().catch((error: unknown) => String(error));
  say('released-again', { second });
}
