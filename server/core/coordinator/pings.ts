import type { ClientMessageOf } from '../../../shared/frames.ts';
import { clockRate } from './clock-rate.ts';
import { note, type Core, type Moment } from './core-state.ts';
import { nextPingMs } from './session-timers.ts';
import type { SessionEntry } from './session-book.ts';

/** A ping says when the next one comes, which frame was read last (R21), and where the claims stand. */
export function sendPing(core: Core, entry: SessionEntry, { now, wall }: Moment): void {
  if (entry.session.kind !== 'bound') return;
  const { socket, line } = entry.session;
  const ping = entry.ping.count + 1;
  const nextMs = nextPingMs(entry);
  const queue =
    entry.claims.size === 0
      ? []
      : core.table.claimsOf(entry.id).map(({ request, position }) => ({ request, position }));
  core.outbox.say(socket, { type: 'ping', ping, nextMs, frame: line.frame, ...(queue.length === 0 ? {} : { queue }) });
  entry.ping = { ...entry.ping, count: ping, lastAt: now, promisedMs: nextMs };
  entry.clock = { ...entry.clock, sent: { ping, at: now, wall } };
  core.changed.add(entry);
}

/** A pong is a frame like any other; beyond that it tells the client's clock (R27). */
export function readPong(core: Core, entry: SessionEntry, pong: ClientMessageOf<'pong'>, { now, wall }: Moment): void {
  const { sent, first, noted } = entry.clock;
  if (sent === null || sent.ping !== pong.ping) return;
  const sample = { clientMs: pong.clockMs, sentAt: sent.at, readAt: now, sentWall: sent.wall, readWall: wall };
  const found = first === null ? { kind: 'jumped' as const } : clockRate(first, sample);
  entry.clock = { sent: null, first: found.kind === 'jumped' ? sample : first, noted: noted || found.kind === 'off' };
  if (found.kind !== 'off' || noted) return;
  const percent = (found.by * 100).toFixed(3);
  note(
    core,
    'warn',
    'clock-rate',
    `The clock of session ${entry.id} (${entry.label}) runs at ${percent} % beside the coordinator's; leases are safe up to 0.1 %.`,
  );
}
