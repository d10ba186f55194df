import { durationMs, type ListeningMs } from '../../../shared/time.ts';
import { newTimer } from './deadlines.ts';
import type { NameEntry } from './model.ts';
import { storedLeft, type Table } from './table.ts';
import { takeAllBack } from './undo.ts';

/**
 * Nothing is granted before `until`, since holders that this journal does not know of may still believe (S5). Grants
 * that nobody was told of yet are taken back. It is stored, so that a restart does not end it.
 */
export function beginQuiet(table: Table, until: ListeningMs, now: ListeningMs): void {
  if (until <= now || (table.quiet !== null && table.quiet.timer.due >= until)) return;
  setQuiet(table, until);
  takeAllBack(table, now);
  table.outbox.add({ kind: 'quiet', quietMs: storedLeft(now, until) });
}

/** The same, where the journal knows already. */
export function setQuiet(table: Table, until: ListeningMs): void {
  table.quiet ??= { kind: 'quiet', timer: newTimer(until) };
  table.deadlines.set(table.quiet, until);
}

export function endQuiet(table: Table): void {
  table.quiet = null;
  table.outbox.add({ kind: 'quiet', quietMs: durationMs(0) });
  touchWaiting(table);
}

/** Every name for which somebody waits is looked at anew. */
export function touchWaiting(table: Table): void {
  for (const entry of table.names) {
    if (isWaitedFor(entry)) table.touched.add(entry);
  }
}

const isWaitedFor = (entry: NameEntry): boolean => entry.queue !== null;
