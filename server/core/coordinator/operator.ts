import type { FencingToken } from '../../../shared/ids.ts';
import type { Input, Output } from '../core-types.ts';
import type { TableEvent } from '../table-types.ts';
import { decide, note, type Core, type Moment } from './core-state.ts';
import { carry } from './carry.ts';
import { tell } from './speech.ts';

type OperatorInput<K extends Input['kind']> = Extract<Input, { readonly kind: K }>;

/** The holder is told at once; the operator once the journal has it (R1). Returns an answer that need not wait. */
export function revoke(core: Core, input: OperatorInput<'revoke'>, moment: Moment): readonly Output[] {
  const { name, fencingToken, now, by, reference } = input;
  const events = decide(core, moment.now, { kind: 'revoke', name, fencingToken, now });
  tell(core, moment, events);
  const ended = [...new Set(events.flatMap(revokedToken))];
  note(
    core,
    'info',
    'revoke',
    `"${name}" was revoked${now ? ' at once' : ''} by ${by === '' ? 'an operator' : by}: ${ended.length === 0 ? 'nobody held it' : `token ${ended.join(', ')}`}.`,
  );
  if (!core.table.hasDurable) return [{ kind: 'answer', reference, ended }];
  core.batches.answerThen({ reference, ended });
  return [];
}

function revokedToken(event: TableEvent): readonly FencingToken[] {
  return event.kind === 'ending' || (event.kind === 'ended' && event.code === 'revoked') ? [event.fencingToken] : [];
}

export function configure(core: Core, { limits }: OperatorInput<'configure'>, moment: Moment): void {
  core.limits = limits;
  tell(core, moment, decide(core, moment.now, { kind: 'limits', limits }));
}

/** Nobody is granted anything because of a shutdown: leases and claims stay stored for the next run. */
export function beginDrain(core: Core, { retryAfterMs }: OperatorInput<'drain'>, moment: Moment): void {
  if (core.drain !== 'no') return;
  core.drain = 'begun';
  core.record.hurry();
  tell(core, moment, decide(core, moment.now, { kind: 'draining' }));
  for (const { session } of core.book.entries()) {
    if (session.kind === 'bound') core.outbox.say(session.socket, { type: 'draining', retryAfterMs });
  }
}

/** Once nothing is on its way to the disk any more, or nothing can get there, the sockets are closed. */
export function closeDrained(core: Core, moment: Moment): void {
  if (core.drain !== 'begun' || core.batches.inFlight) return;
  core.drain = 'done';
  for (const entry of core.book.entries())
    if (entry.session.kind === 'bound') carry(core, entry, { kind: 'drained' }, moment);
}
