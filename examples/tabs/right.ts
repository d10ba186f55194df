import type { Lease } from 'leasehold';

/** A loss that is told sooner than this behind the end is told at the end, to people. */
const AT_ONCE_MS = 100;

/**
 * Until when this tab may lead, kept up with each renewal. A page that stood still learns of its loss late; when the lease
 * ended it can still tell, since that was known before.
 */
export class Right {
  #endsAtMs = 0;

  look({ remainingMs }: Pick<Lease, 'remainingMs'>): void {
    if (remainingMs > 0) this.#endsAtMs = Date.now() + remainingMs;
  }

  /** When a lease ended whose end is told now. */
  endedAtMs(nowMs: number): number {
    return nowMs - this.#endsAtMs > AT_ONCE_MS ? this.#endsAtMs : nowMs;
  }
}
