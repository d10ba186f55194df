import type { ListeningMs } from '../../../shared/time.ts';
import { confirmGrant } from './grants.ts';
import { isHolding } from './holders.ts';
import type { Post } from './outbox.ts';
import { confirmHeard, confirmWindow } from './renew.ts';
import { confirmWrite } from './states.ts';
import type { Table } from './table.ts';

/** Batch `sequence` is durable: what it decided takes effect, counted from `now` (R5). */
export function confirmBatch(table: Table, sequence: number, now: ListeningMs): void {
  for (const post of table.outbox.arrived(sequence)) confirm(table, post, now);
}

function confirm(table: Table, { event, effect }: Post, now: ListeningMs): void {
  switch (effect?.kind) {
    case 'grant': {
      const { holder } = effect;
      if (holder.phase.kind === 'pending' && isHolding(holder)) confirmGrant(table, holder, holder.phase, now);
      return;
    }
    case 'state':
      confirmWrite(table, effect.entry, effect.state);
      return;
    case 'heard':
      if (isHolding(effect.holder)) confirmHeard(table, effect.holder);
      return;
    case 'window':
      if (event.kind === 'window') confirmWindow(effect.holder, event.ttlMs);
      return;
    case 'claim-granted':
    case undefined:
      return;
    default:
      effect satisfies never;
  }
}
