import type { WireLeaseView } from '../../shared/frames.ts';
import type { Stamp } from '../../shared/time.ts';
import type { Names } from './namespace.ts';
import { stamp } from './platform.ts';
import type { HolderView, LeaseView } from './public-view.ts';

/** In whole ms. The larger of the two clocks: where the host slept, the monotonic clock of most platforms stood still. */
export function sinceMs(seen: Stamp): number {
  const now = stamp();
  return Math.floor(Math.max(0, now.mono - seen.mono, now.wall - seen.wall));
}

/** A view as it came just now. What changes by itself in it is worked out at each reading, for as long as it is kept. */
export function viewOf(wire: WireLeaseView, names: Names): LeaseView {
  const seen = stamp();
  const left = (ms: number): number => Math.max(0, ms - sinceMs(seen));
  return {
    name: names.short(wire.name),
    holders: wire.holders.map(({ heldForMs, remainingMs, ceilingLeftMs, ...holder }): HolderView => ({
      ...holder,
      get heldForMs() {
        return heldForMs + sinceMs(seen);
      },
      get remainingMs() {
        return left(remainingMs);
      },
      get ceilingLeftMs() {
        return left(ceilingLeftMs);
      },
    })),
    queue: wire.queue,
    state: wire.state ?? null,
    lastFencingToken: wire.lastFencingToken ?? null,
  };
}
