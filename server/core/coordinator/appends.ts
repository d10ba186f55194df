import type { SessionId } from '../../../shared/ids.ts';
import type { Input, Output } from '../core-types.ts';
import { NO_BACKLOG } from './backlog.ts';
import { decide, note, type Core, type Moment } from './core-state.ts';
import { tell } from './speech.ts';

/** The append in flight has ended: what it made durable is told, or undone (R14). Returns the answers that waited for it. */
export function appendEnded(
  core: Core,
  { sequence, ok }: Extract<Input, { readonly kind: 'appended' }>,
  moment: Moment,
): readonly Output[] {
  const end = core.batches.ended(sequence, ok, moment.now);
  if (end === null) return [];
  if (end.kind === 'failed') {
    tell(core, moment, decide(core, moment.now, { kind: 'append-failed', sequence }));
    tell(core, moment, decide(core, moment.now, { kind: 'writable', writable: false }));
    core.record.hurry();
    if (!end.again)
      note(
        core,
        'error',
        'append-failed',
        `Batch ${sequence} could not be stored: nothing is granted until it can; held leases go on.`,
      );
    return [];
  }
  tell(core, moment, decide(core, moment.now, { kind: 'appended', sequence }));
  if (end.healed) {
    tell(core, moment, decide(core, moment.now, { kind: 'writable', writable: true }));
    note(core, 'info', 'append-healed', `Batch ${sequence} was stored: grants go on.`);
  }
  for (const session of end.told) tellHeir(core, session);
  return end.answers.map((answer) => ({ kind: 'answer', ...answer }));
}

/** The journal knows whose the session is: whoever has it now may know too, once no later take-over waits. */
function tellHeir(core: Core, session: SessionId): void {
  const entry = core.book.get(session);
  if (entry === undefined) return;
  entry.takeOversUnstored -= 1;
  if (entry.takeOversUnstored === 0 && entry.session.kind === 'bound') core.outbox.release(entry.session.socket);
}

/** At most one batch a turn, and none while one is in flight or a pause after a failure lasts. */
export function nextAppend(core: Core, { now }: Moment): readonly Output[] {
  if (!core.batches.ready(now)) return [];
  const batch = core.batches.take(core.table, now, core.record.take(now));
  core.backlog = NO_BACKLOG;
  return batch === null ? [] : [{ kind: 'append', batch }];
}
