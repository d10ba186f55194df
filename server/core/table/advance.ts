import { between, durationMs, type ListeningMs } from '../../../shared/time.ts';
import { endClaim } from './claims.ts';
import { openName } from './closures.ts';
import { endOver, finishEnding } from './endings.ts';
import { setDue } from './holders.ts';
import type { Held, Holder, Owner } from './model.ts';
import { endQuiet } from './quiet.ts';
import { endCode } from './renew.ts';
import type { Table } from './table.ts';

/** Ends everything that is over at `now`. What that opens is granted afterwards, so that each claim is looked at. */
export function endDue(table: Table, now: ListeningMs): void {
  for (let due = table.deadlines.takeDue(now); due !== null; due = table.deadlines.takeDue(now)) end(table, due, now);
}

function end(table: Table, due: Owner, now: ListeningMs): void {
  switch (due.kind) {
    case 'holder':
      endHolder(table, due, now);
      return;
    case 'claim':
      endClaim(table, due, 'wait-timeout');
      return;
    case 'closure':
      openName(table, due.entry);
      return;
    case 'quiet':
      endQuiet(table);
      return;
    default:
      due satisfies never;
  }
}

function endHolder(table: Table, holder: Holder, now: ListeningMs): void {
  const { phase } = holder;
  switch (phase.kind) {
    case 'pending':
      throw new Error(`the grant of token ${holder.fencingToken} is pending and has no deadline (R5)`);
    case 'held':
      if (phase.deadline <= now) endOver(table, holder, endCode(holder, phase), now);
      else sayCeilingNear(table, holder, phase, now);
      return;
    case 'ending':
      finishEnding(table, holder, phase, 'over', now);
      return;
    default:
      phase satisfies never;
  }
}

/** Once, so that there is time to finish; it is not told to one that ends in the same moment. */
function sayCeilingNear(table: Table, holder: Holder, held: Held, now: ListeningMs): void {
  held.nearAt = null;
  setDue(table, holder, held);
  table.events.push({
    kind: 'ceiling-near',
    session: holder.terms.session,
    name: holder.terms.name,
    fencingToken: holder.fencingToken,
    ceilingLeftMs: durationMs(Math.max(0, Math.floor(between(now, held.ceilingAt)))),
  });
}
