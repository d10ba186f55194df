import type { CoordinatorMessage } from '../../../shared/frames.ts';
import type { SessionId } from '../../../shared/ids.ts';
import { inWords } from '../../../shared/options.ts';
import { durationMs, type ListeningMs } from '../../../shared/time.ts';
import type { QueuePlace, TableEvent } from '../table-types.ts';
import type { Core, Moment } from './core-state.ts';
import { errorMessage } from './errors.ts';
import { sendPing } from './pings.ts';
import type { Line } from './session.ts';
import { wireState, type Describe } from './views.ts';
import { heldAsOf, leftAsOf } from './welcome.ts';

/**
 * Says what the table decided to those whom it concerns, in the order decided (R2). A session without a socket hears
 * what still holds in its next `welcome`; only that a claim is gone is kept for it.
 */
export function tell(core: Core, moment: Moment, events: readonly TableEvent[]): void {
  const describe = describeIn(core);
  for (const event of events) {
    const session = sessionOf(event);
    const entry = session === null ? undefined : core.book.get(session);
    if (entry === undefined) continue;
    if (event.kind === 'passed-over') sendPing(core, entry, moment);
    else if (entry.session.kind === 'bound') {
      const message =
        event.kind === 'claim-ended'
          ? claimEnded(event, () => holderInWords(core, event, moment.now))
          : messageFor(event, entry.session.line, moment.now, describe);
      if (message !== null) core.outbox.say(entry.session.socket, message);
    } else if (event.kind === 'claim-ended' && event.code === 'gone' && !('keepUntil' in entry.session)) {
      // As bounded as its claims are, since one that is away makes no new ones. After a `bye` nobody waits for it.
      entry.gone.push(event.request);
    }
  }
}

/** Labels and metadata of sessions; a holder of an earlier run has them from the journal. */
export const describeIn =
  (core: Pick<Core, 'book'>): Describe =>
  (session) => {
    const entry = core.book.get(session);
    return entry === undefined ? { label: '', metadata: null } : { label: entry.label, metadata: entry.metadata };
  };

/** Who hears of an event; null where nobody in particular does. */
function sessionOf(event: TableEvent): SessionId | null {
  switch (event.kind) {
    case 'granted':
    case 'renewed':
      return event.lease.session;
    case 'grant-decided':
    case 'view-changed':
      return null;
    default:
      return event.session;
  }
}

function messageFor(
  event: Exclude<TableEvent, ClaimEnded>,
  line: Line,
  now: ListeningMs,
  describe: Describe,
): CoordinatorMessage | null {
  switch (event.kind) {
    case 'granted': {
      const state = wireState(event.state);
      const { request } = event;
      return {
        type: 'granted',
        request,
        frame: line.frame,
        ...heldAsOf(event.lease, line.heardAt),
        ...(state === undefined ? {} : { state }),
      };
    }
    case 'queued':
      return { type: 'queued', request: event.request, ...placeAsOf(event.place, now, describe) };
    case 'amended':
      return { type: 'amended', request: event.request, position: event.position };
    case 'released':
      return {
        type: 'released',
        request: event.request,
        released: event.released,
        ...(event.code === null ? {} : { code: event.code }),
      };
    case 'ending':
      return { type: 'ended', name: event.name, fencingToken: event.fencingToken, code: event.code };
    case 'ended':
      return event.told
        ? null
        : { type: 'ended', name: event.name, fencingToken: event.fencingToken, code: event.code };
    case 'ceiling-near':
      return {
        type: 'ceilingNear',
        name: event.name,
        fencingToken: event.fencingToken,
        ceilingLeftMs: durationMs(Math.floor(event.ceilingLeftMs)),
      };
    case 'yield-requested': {
      const { name, fencingToken, priority } = event;
      return { type: 'yieldRequested', name, fencingToken, priority };
    }
    case 'state-set':
      return { type: 'stateSet', request: event.request, version: event.version };
    case 'refused': {
      const { request, code, message, param, retryAfterMs } = event;
      return errorMessage({ request, code, problem: message, cure: '', param, retryAfterMs });
    }
    // A renewal's answer names its request: whoever decides it says it.
    case 'renewed':
    case 'renew-refused':
    case 'grant-decided':
    case 'grant-undone':
    case 'passed-over':
    case 'view-changed':
      return null;
    default:
      return event satisfies never;
  }
}

function placeAsOf(place: QueuePlace, now: ListeningMs, describe: Describe) {
  const { position, behind, holder, heldForMs, quietMs } = place;
  return {
    position,
    behind,
    ...(holder === null ? {} : { holder: describe(holder.session).label, remainingMs: leftAsOf(holder.deadline, now) }),
    ...(heldForMs === null ? {} : { heldForMs: durationMs(Math.floor(heldForMs)) }),
    ...(quietMs === null ? {} : { quietMs: durationMs(Math.floor(quietMs)) }),
  };
}

type ClaimEnded = Extract<TableEvent, { readonly kind: 'claim-ended' }>;

/** Who stands in the way, where somebody does who may be told of. */
function holderInWords(core: Core, { name, session }: ClaimEnded, now: ListeningMs): string {
  const holder = core.table.view(now, name)?.holders[0];
  if (holder === undefined) return '';
  if (holder.session === session) return '; this client holds it itself';
  const { label } = describeIn(core)(holder.session);
  return label === '' ? '; a client without a label holds it' : `; ${inWords(label)} holds it`;
}

function claimEnded({ code, request, name, position }: ClaimEnded, holder: () => string): CoordinatorMessage {
  switch (code) {
    case 'gone':
      return { type: 'gone', request };
    case 'wait-timeout': {
      const stood = position === 1 ? '; 1 claim stood' : `; ${position} claims stood`;
      const before = position === 0 ? '' : `${stood} before this one`;
      const problem = `"${name}" was not free within the time to wait${holder()}${before}`;
      return errorMessage({ request, code, problem, position });
    }
    case 'cancelled':
      return errorMessage({ request, code, problem: `The claim on "${name}" was withdrawn` });
    case 'revoked':
      return errorMessage({ request, code, problem: `The claim on "${name}" was ended by an operator` });
    default:
      return code satisfies never;
  }
}
