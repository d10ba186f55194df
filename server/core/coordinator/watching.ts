import type { ClientMessageOf, WireLeaseView } from '../../../shared/frames.ts';
import type { LeaseName } from '../../../shared/ids.ts';
import type { ListeningMs } from '../../../shared/time.ts';
import { otherName, tooManyRequests, type Refusal } from '../table/refusals.ts';
import type { NameView } from '../table-types.ts';
import type { Core, Moment } from './core-state.ts';
import { errorMessage } from './errors.ts';
import type { Speaker } from './messages.ts';
import { shown } from './reading.ts';
import { jsonBytes } from './welcome.ts';
import type { Look } from './watches.ts';

/** Answered at the end of this turn, so that nothing falls between the first view and the changes. */
export function watch(
  core: Core,
  { entry, session }: Speaker,
  { request, name }: ClientMessageOf<'watch'>,
  { now }: Moment,
): void {
  const { socket } = session;
  const found = core.watches.find(socket, request);
  const refusal = found === null ? roomFor(core, entry.id, socket) : found.name === name ? null : otherName(found.name);
  if (refusal !== null) {
    const { code, message, param, retryAfterMs } = refusal;
    core.outbox.say(
      socket,
      errorMessage({
        request,
        code,
        problem: message,
        cure: '',
        param: param ?? null,
        retryAfterMs: retryAfterMs ?? null,
      }),
    );
  } else if (found === null) core.watches.add(socket, request, name, now);
  else core.watches.ask(found);
}

function roomFor(
  { table, watches, limits: { perSessionMax } }: Core,
  session: Speaker['entry']['id'],
  socket: Speaker['session']['socket'],
): Refusal | null {
  return table.sizeOf(session) + watches.countOf(socket) < perSessionMax ? null : tooManyRequests(perSessionMax);
}

export function unwatch(core: Core, { session }: Speaker, { request }: ClientMessageOf<'unwatch'>): void {
  const found = core.watches.find(session.socket, request);
  if (found !== null) core.watches.remove(found);
}

/** Behind all else of the turn: of what was decided in it watchers see how it ended, and only what is durable (R15). */
export function tellWatchers(core: Core, now: ListeningMs): void {
  core.watches.speak(
    now,
    (name) => lookAt(core, now, name),
    ({ request, seat: { socket } }, view) => {
      core.outbox.say(socket, { type: 'view', request, views: [view] });
      const entry = core.book.bySocket(socket);
      // It may have been the last that it waited for.
      if (entry !== undefined && entry.waitsSince !== null) core.changed.add(entry);
    },
  );
}

function lookAt(core: Core, now: ListeningMs, name: LeaseName): Look<WireLeaseView> {
  const known = core.table.view(now, name);
  const view = shown(core, name, known);
  return { view, news: known === null ? '' : newsIn(known), bytes: jsonBytes(view) };
}

/** What is told once a second: all the rest is told at once. */
const newsIn = ({ queue, holders, lastFencingToken }: NameView): string =>
  [queue, lastFencingToken, ...holders.map((holder) => holder.deadline)].join(' ');
