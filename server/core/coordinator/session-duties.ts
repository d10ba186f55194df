import type { ListeningMs } from '../../../shared/time.ts';
import { carry, passOver } from './carry.ts';
import { decide, type Core, type Moment } from './core-state.ts';
import { sendPing } from './pings.ts';
import { duesOf, firstOf, type SessionDues } from './session-timers.ts';
import { waitsForDisk, type SessionEntry } from './session-book.ts';
import { tell } from './speech.ts';

/** Does what is due for sessions at `expiry`, which was read before the sockets were: their frames count first (S9). */
export function runDuties(core: Core, expiry: ListeningMs, moment: Moment): void {
  for (;;) {
    const entry = core.dues.takeDue(expiry);
    if (entry === null) return;
    core.changed.add(entry);
    runDuty(core, entry, expiry, moment);
  }
}

function runDuty(core: Core, entry: SessionEntry, expiry: ListeningMs, moment: Moment): void {
  const dues = duesIn(core, entry);
  const isDue = (at: ListeningMs | null): boolean => at !== null && at <= expiry;
  if (isDue(dues.overAt)) {
    carry(core, entry, { kind: 'life-over' }, moment);
    return;
  }
  if (isDue(dues.keepOverAt)) carry(core, entry, { kind: 'keep-over' }, moment);
  else if (isDue(dues.goneAt)) tell(core, moment, decide(core, moment.now, { kind: 'claims-gone', session: entry.id }));
  else if (isDue(dues.silentAt)) passOver(core, entry, moment);
  if (isDue(dues.pingAt)) sendPing(core, entry, moment);
}

/** Puts each session that something happened to in its new place in the heap. */
export function replan(core: Core, now: ListeningMs): void {
  for (const entry of core.changed) {
    if (core.book.get(entry.id) !== entry) {
      core.dues.clear(entry);
      continue;
    }
    entry.waitsSince = waits(core, entry) ? (entry.waitsSince ?? now) : null;
    const at = firstOf(duesIn(core, entry));
    if (at === null) core.dues.clear(entry);
    else core.dues.set(entry, at);
  }
  core.changed.clear();
}

/** Whether a request of it was read, and its answer has to wait. */
const waits = ({ watches }: Core, entry: SessionEntry): boolean =>
  waitsForDisk(entry) || (entry.session.kind === 'bound' && watches.hasUnanswered(entry.session.socket));

const duesIn = (core: Core, entry: SessionEntry): SessionDues =>
  duesOf(entry, core.table.longestLeaseMs(entry.id) !== null);
