import type { ClientMessage, ClientMessageOf, CoordinatorMessageOf } from '../../../shared/frames.ts';
import { KEEP_MS_DEFAULT, TTL_MS_MAX, TTL_MS_MIN, TTL_MS_MIN_FIXED } from '../../../shared/limits.ts';
import type { RequestId } from '../../../shared/ids.ts';
import { durationMs } from '../../../shared/time.ts';
import type { ClaimTerms } from '../journal-port.ts';
import type { TableEvent } from '../table-types.ts';
import { BACKLOG_MAX, withOneMore } from './backlog.ts';
import { carry } from './carry.ts';
import { decide, type Core, type Moment } from './core-state.ts';
import { errorMessage, type Refusal } from './errors.ts';
import { addClaim } from './follow.ts';
import { readPong } from './pings.ts';
import type { Session } from './session.ts';
import type { SessionEntry } from './session-book.ts';
import { list as listNames, show } from './reading.ts';
import { tell } from './speech.ts';
import { unwatch, watch } from './watching.ts';
import { heldAsOf } from './welcome.ts';

/** Who sent a message: a session, and what binds it to the socket that the message came on. */
export interface Speaker {
  readonly entry: SessionEntry;
  readonly session: Extract<Session, { readonly kind: 'bound' }>;
}

/** Turns one message of a client into a command of the table, or answers it. */
export function handleMessage(core: Core, speaker: Speaker, message: ClientMessage, moment: Moment): void {
  const { entry } = speaker;
  switch (message.type) {
    case 'hello':
      return refuse(core, speaker, {
        code: 'bad-request',
        problem: '`hello` is the first message of a socket, and only that',
        cure: '',
        param: 'type',
      });
    case 'acquire':
      return acquire(core, speaker, message, moment);
    case 'amend':
      return run(core, moment, {
        kind: 'amend',
        session: entry.id,
        request: message.request,
        priority: message.priority,
      });
    case 'cancel':
      return cancel(core, speaker, message, moment);
    case 'renew':
      return renew(core, speaker, message, moment);
    case 'release': {
      const { request, name, fencingToken, handOver = false } = message;
      return run(core, moment, { kind: 'release', session: entry.id, request, name, fencingToken, handOver });
    }
    case 'setState':
      return setState(core, speaker, message, moment);
    case 'endAck':
      return run(core, moment, {
        kind: 'end-ack',
        session: entry.id,
        name: message.name,
        fencingToken: message.fencingToken,
      });
    case 'list':
      return list(core, speaker, message, moment);
    case 'watch':
      return watch(core, speaker, message, moment);
    case 'unwatch':
      return unwatch(core, speaker, message);
    case 'pong':
      return readPong(core, entry, message, moment);
    case 'bye':
      carry(
        core,
        entry,
        {
          kind: 'bye',
          socket: speaker.session.socket,
          keepMs: message.keepMs ?? durationMs(KEEP_MS_DEFAULT),
          comesBack: message.comesBack ?? false,
        },
        moment,
      );
      return;
    default:
      message satisfies never;
  }
}

function run(core: Core, moment: Moment, command: Parameters<typeof decide>[2]): void {
  tell(core, moment, decide(core, moment.now, command));
}

function refuse(core: Core, { session }: Speaker, refusal: Refusal): void {
  core.outbox.say(session.socket, errorMessage(refusal));
}

function acquire(core: Core, speaker: Speaker, message: ClientMessageOf<'acquire'>, moment: Moment): void {
  const { request, ttlMs } = message;
  if (message.renew !== false && ttlMs < TTL_MS_MIN) {
    const problem = `ttlMs is ${ttlMs}; a lease that renews has ${TTL_MS_MIN} to ${TTL_MS_MAX} ms, one with \`renew: false\` from ${TTL_MS_MIN_FIXED} ms`;
    return refuse(core, speaker, { request, code: 'bad-request', problem, cure: '', param: 'ttlMs' });
  }
  if (!hasRoom(core, speaker, request, 0)) return;
  const { entry } = speaker;
  const events = decide(core, moment.now, {
    kind: 'acquire',
    terms: termsOf(core, entry, message),
    waitMs: message.waitMs ?? null,
    steal: message.steal ?? false,
    whenOwn: message.whenOwn ?? 'queue',
    watches: core.watches.countOf(speaker.session.socket),
  });
  const isQueued = events.some(
    (event) => event.kind === 'queued' && event.session === entry.id && event.request === request,
  );
  if (isQueued && !entry.claims.has(request)) addClaim(core, entry.id, request, { ttlMs, pending: false });
  tell(core, moment, events);
}

const BACKLOG_RETRY_MS = durationMs(500);

/** Counts a request that has to be stored, or refuses it where too much waits for the disk already. */
function hasRoom(core: Core, speaker: Speaker, request: RequestId, bytes: number): boolean {
  const backlog = withOneMore(core.backlog, bytes);
  if (backlog === null) {
    const { commands, bytes: waiting } = core.backlog;
    const problem = `${commands} requests with ${waiting} bytes wait for the disk; ${BACKLOG_MAX.commands} with ${BACKLOG_MAX.bytes} may`;
    refuse(core, speaker, { request, code: 'unavailable', problem, retryAfterMs: BACKLOG_RETRY_MS });
    return false;
  }
  core.backlog = backlog;
  return true;
}

/** A ceiling over the coordinator's own maximum is cut; `ceilingLeftMs` of the grant says so. */
function termsOf({ limits }: Core, entry: SessionEntry, message: ClientMessageOf<'acquire'>): ClaimTerms {
  return {
    session: entry.id,
    request: message.request,
    name: message.name,
    askedTtlMs: message.ttlMs,
    maxLifetimeMs: durationMs(Math.min(message.maxLifetimeMs ?? limits.lifetimeMsDefault, limits.lifetimeMsMax)),
    minHoldMs: message.minHoldMs ?? durationMs(0),
    lockDelayMs: message.lockDelayMs ?? durationMs(0),
    priority: message.priority ?? 0,
    renews: message.renew ?? true,
  };
}

/** Answered once, whatever it meets: nothing, a claim, or a grant, which is then released. */
function cancel(core: Core, speaker: Speaker, { request }: ClientMessageOf<'cancel'>, moment: Moment): void {
  const events = decide(core, moment.now, { kind: 'cancel', session: speaker.entry.id, request });
  tell(core, moment, events);
  if (events.some((event) => event.kind === 'claim-ended' && event.request === request)) return;
  refuse(core, speaker, { request, code: 'cancelled' });
}

type Renewals = CoordinatorMessageOf<'renewed'>['leases'][number];

/** One answer for all its leases; what else came of it follows (R2). */
function renew(core: Core, speaker: Speaker, { request, leases }: ClientMessageOf<'renew'>, moment: Moment): void {
  const { frame, heardAt } = speaker.session.line;
  const answers: Renewals[] = [];
  const others: TableEvent[] = [];
  for (const { name, fencingToken } of leases) {
    for (const event of decide(core, moment.now, { kind: 'renew', session: speaker.entry.id, name, fencingToken })) {
      if (event.kind === 'renewed') answers.push(heldAsOf(event.lease, heardAt));
      else if (event.kind === 'renew-refused') answers.push({ name, fencingToken, code: event.code });
      else others.push(event);
    }
  }
  core.outbox.say(speaker.session.socket, { type: 'renewed', request, frame, leases: answers });
  tell(core, moment, others);
}

function setState(core: Core, speaker: Speaker, message: ClientMessageOf<'setState'>, moment: Moment): void {
  const { request, name, fencingToken, value, ifVersion } = message;
  const valueJson = value === undefined ? null : JSON.stringify(value);
  if (!hasRoom(core, speaker, request, valueJson?.length ?? 0)) return;
  const events = decide(core, moment.now, {
    kind: 'set-state',
    session: speaker.entry.id,
    request,
    name,
    fencingToken,
    valueJson,
    ifVersion: ifVersion ?? null,
    wall: moment.wall,
  });
  const isAnswered = events.some(
    (event) => (event.kind === 'state-set' || event.kind === 'refused') && event.request === request,
  );
  // Until the disk has it, pings show that the request was read (R21).
  if (!isAnswered) speaker.entry.writes.add(request);
  tell(core, moment, events);
}

function list(core: Core, { session }: Speaker, message: ClientMessageOf<'list'>, { now }: Moment): void {
  const { request, name } = message;
  const { views, next } =
    name === undefined ? listNames(core, now, message) : { views: [show(core, now, name)], next: null };
  core.outbox.say(session.socket, { type: 'view', request, views, ...(next === null ? {} : { next }) });
}
