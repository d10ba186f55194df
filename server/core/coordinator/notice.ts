import type { TableEvent } from '../table-types.ts';
import type { Watches } from './watches.ts';

/** Which names look different for what the table has decided. Whether they do is seen when it is said. */
export function notice(watches: Watches, event: TableEvent): void {
  if (watches.size === 0) return;
  switch (event.kind) {
    case 'view-changed':
      watches.change(event.name, 'at-once');
      return;
    case 'renewed':
      watches.change(event.lease.name, 'in-time');
      return;
    case 'granted':
      // A first grant comes with `view-changed`; a repeat counts as a renewal.
      if (event.repeat) watches.change(event.lease.name, 'in-time');
      return;
    case 'grant-decided':
      watches.change(event.lease.terms.name, 'in-time');
      return;
    case 'queued':
    case 'claim-ended':
    case 'grant-undone':
      watches.change(event.name, 'in-time');
      return;
    default:
  }
}
