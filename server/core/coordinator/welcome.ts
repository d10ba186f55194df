import type { CoordinatorMessageOf, WireHeld } from '../../../shared/frames.ts';
import { WELCOME_BYTES_MAX } from '../../../shared/limits.ts';
import { between, durationMs, type DurationMs, type ListeningMs } from '../../../shared/time.ts';
import { utf8Bytes } from '../../../shared/utf8.ts';
import type { HeldLease } from '../table-types.ts';

type Welcome = CoordinatorMessageOf<'welcome'>;

/**
 * The answer to a `hello`, in parts that are small enough for any reader; only the last one has `more: false`, and only
 * with that does a client conclude what is missing. The secret goes with the first part alone.
 */
export function welcomeParts(
  head: Omit<Welcome, 'type' | 'held' | 'more'>,
  held: readonly WireHeld[],
): readonly Welcome[] {
  const { secret, ...rest } = head;
  const part = (leases: readonly WireHeld[], first: boolean, more: boolean): Welcome => ({
    type: 'welcome',
    ...rest,
    ...(first && secret !== undefined ? { secret } : {}),
    held: leases,
    more,
  });
  // `more: false` is the longer of the two; the brackets of a frame around it.
  const room = WELCOME_BYTES_MAX - jsonBytes({ type: 'welcome', ...head, held: [], more: false }) - 2;
  const pages = pagesOf(held, room);
  return pages.map((page, index) => part(page, index === 0, index < pages.length - 1));
}

function pagesOf(held: readonly WireHeld[], room: number): readonly (readonly WireHeld[])[] {
  let page: WireHeld[] = [];
  let bytes = 0;
  const pages = [page];
  for (const lease of held) {
    const size = jsonBytes(lease) + 1;
    if (bytes + size > room && page.length > 0) {
      page = [];
      pages.push(page);
      bytes = 0;
    }
    page.push(lease);
    bytes += size;
  }
  return pages;
}

/** A lease as it is told: what is left of it at the reading of the frame that the telling names. */
export function heldAsOf(lease: HeldLease, readAt: ListeningMs): WireHeld {
  return {
    name: lease.name,
    fencingToken: lease.fencingToken,
    leftMs: leftAsOf(lease.deadline, readAt),
    ttlMs: durationMs(Math.floor(lease.ttlMs)),
    ceilingLeftMs: leftAsOf(lease.ceilingAt, readAt),
  };
}

/** Rounded down: a holder never believes for longer than it may. */
export const leftAsOf = (deadline: ListeningMs, readAt: ListeningMs): DurationMs =>
  durationMs(Math.max(0, Math.floor(between(readAt, deadline))));

export const jsonBytes = (value: unknown): number => utf8Bytes(JSON.stringify(value));
