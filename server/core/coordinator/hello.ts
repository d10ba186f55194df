import type { ClosingCode } from '../../../shared/close-codes.ts';
import { PROTOCOL_VERSION } from '../../../shared/limits.ts';
import { durationMs, later, listeningMs, type DurationMs } from '../../../shared/time.ts';
import { mayLift } from '../../../shared/tokens.ts';
import type { Input, SocketId } from '../core-types.ts';
import { carry, leftOfQuiet, wake } from './carry.ts';
import { decide, note, type Core, type Moment } from './core-state.ts';
import { errorMessage, type Refusal } from './errors.ts';
import { storeSession } from './follow.ts';
import { bound, readHello, type Hello } from './session.ts';
import { CLOCK_UNKNOWN, newEntry, type SessionEntry } from './session-book.ts';
import { tell } from './speech.ts';
import { heldAsOf, welcomeParts } from './welcome.ts';

export type HelloInput = Extract<Input, { readonly kind: 'hello' }>;

/** Answers the first message of a socket. Returns the session that the socket speaks for from here on, if any. */
export function takeHello(core: Core, input: HelloInput, moment: Moment): SessionEntry | null {
  const refusal = refusalOf(core, input, moment);
  if (refusal !== null) return turnAway(core, input.socket, refusal);
  learnOfOthers(core, input, moment);
  const asked = input.hello.resume;
  if (asked === undefined) return open(core, input, moment, null);
  const entry = core.book.get(asked.session);
  // A wrong secret is answered like an unknown session, so that nobody learns which ones exist.
  if (entry === undefined || input.resumeHash === null || entry.secretHash !== input.resumeHash) {
    return open(core, input, moment, 'unknown-session');
  }
  return resume(core, entry, input, moment);
}

function resume(core: Core, entry: SessionEntry, input: HelloInput, moment: Moment): SessionEntry | null {
  const event = readHello(entry.session, helloOf(input), input.hello.resume?.left);
  const effects = carry(core, entry, event, moment);
  for (const effect of effects) {
    if (effect.kind === 'separate') return open(core, input, moment, 'in-use');
    if (effect.kind !== 'welcome') continue;
    refresh(core, entry, input, event.kind !== 'hello');
    // Said to it and stored by nobody, it would be denied by the next run, and another could be let in (R15).
    if (entry.takeOversUnstored > 0) core.outbox.hold(effect.socket);
    welcome(core, entry, input, { resumed: true }, moment);
    for (const request of entry.gone.splice(0)) core.outbox.say(effect.socket, { type: 'gone', request });
    for (const asked of core.table.yieldsOf(entry.id))
      core.outbox.say(effect.socket, { type: 'yieldRequested', ...asked });
    wake(core, entry, moment);
    return entry;
  }
  return null;
}

/** What a resuming client says of itself takes the place of what was known. */
function refresh(core: Core, entry: SessionEntry, { hello }: HelloInput, otherInstance: boolean): void {
  const [label, metadata] = [hello.label ?? '', hello.metadata ?? null];
  const changed = otherInstance || label !== entry.label || JSON.stringify(metadata) !== JSON.stringify(entry.metadata);
  entry.label = label;
  entry.metadata = metadata;
  entry.ping = { ...entry.ping, askedMs: hello.pingMs ?? null };
  entry.clock = otherInstance ? CLOCK_UNKNOWN : { ...entry.clock, sent: null };
  if (!changed) return;
  if (entry.stored) {
    storeSession(core, entry);
    if (otherInstance) {
      entry.takeOversUnstored += 1;
      core.batches.tellThen(entry.id);
    }
  }
  for (const name of core.table.namesOf(entry.id)) core.watches.change(name, 'at-once');
}

function open(
  core: Core,
  input: HelloInput,
  moment: Moment,
  why: 'unknown-session' | 'in-use' | null,
): SessionEntry | null {
  const { hello, socket } = input;
  const { sessionsMax } = core.limits;
  if (core.book.size >= sessionsMax) {
    const problem = `There are ${core.book.size} sessions, as many as \`sessionsMax\` (${sessionsMax}) allows`;
    return turnAway(core, socket, { code: 'too-many', closing: 'too-many', problem });
  }
  const { secret, hash } = core.ids.secret();
  const identity = {
    id: core.ids.session(),
    secretHash: hash,
    label: hello.label ?? '',
    metadata: hello.metadata ?? null,
  };
  const entry = newEntry(identity, bound(helloOf(input), moment.now), hello.pingMs ?? null);
  core.book.add(entry);
  core.changed.add(entry);
  welcome(core, entry, input, { resumed: false, secret, ...(why === null ? {} : { note: why }) }, moment);
  return entry;
}

type WelcomeHead = Parameters<typeof welcomeParts>[0];

/** Made when it is spoken; tells what is durable, and what is left of it at the reading of this `hello` (R8). */
function welcome(
  core: Core,
  entry: SessionEntry,
  input: HelloInput,
  how: Pick<WelcomeHead, 'resumed' | 'secret' | 'note'>,
  { now }: Moment,
): void {
  const quietMs = leftOfQuiet(core, now);
  const head: WelcomeHead = {
    frame: input.hello.frame,
    session: entry.id,
    ...how,
    journal: core.journal,
    protocol: PROTOCOL_VERSION,
    ...(quietMs === 0 ? {} : { quietMs: durationMs(quietMs) }),
    stateBytesMax: core.limits.stateBytesMax,
    frameBytesMax: core.limits.frameBytesMax,
  };
  for (const part of welcomeParts(
    head,
    core.table.heldBy(entry.id).map((lease) => heldAsOf(lease, now)),
  )) {
    core.outbox.say(input.socket, part);
    if (part.more) core.outbox.cut(input.socket);
  }
}

/** Why no session at all is given, and the code with which the socket is closed. */
type HelloRefusal = Refusal & { readonly closing: ClosingCode };

function refusalOf(core: Core, { hello }: HelloInput, { wall }: Moment): HelloRefusal | null {
  const { protocolMin, protocolMax, tokenMark } = hello;
  if (protocolMin > PROTOCOL_VERSION || protocolMax < PROTOCOL_VERSION) {
    const problem = `The client speaks protocol ${protocolMin} to ${protocolMax}, this coordinator ${PROTOCOL_VERSION}`;
    return { code: 'version', closing: 'version', problem };
  }
  if (core.drain !== 'no') return { code: 'draining', closing: 'draining' };
  if (tokenMark === undefined || tokenMark <= core.mark || mayLift(tokenMark, wall)) return null;
  const problem = `The token shown, ${tokenMark}, is further above the largest one known here, ${core.mark}, than a day of grants`;
  note(core, 'warn', 'bad-token', `${problem}. Client: ${hello.label ?? ''}.`);
  return { code: 'bad-token', problem, param: 'tokenMark', closing: 'bad-request' };
}

/**
 * A client that knows another journal, or a token above our mark, was served by a coordinator whose leases we do not
 * know: nothing is granted until the largest window that it saw is over, counted from the start of this run (S5).
 */
function learnOfOthers(core: Core, { hello }: HelloInput, moment: Moment): void {
  const { tokenMark, journal, windowMs } = hello;
  const lifts = tokenMark !== undefined && tokenMark > core.mark;
  const elsewhere = journal !== undefined && journal !== core.journal;
  if (lifts) {
    core.mark = tokenMark;
    tell(core, moment, decide(core, moment.now, { kind: 'lift-mark', fencingToken: tokenMark }));
  }
  if (lifts || elsewhere) {
    const what = elsewhere ? `journal ${journal}` : `token ${tokenMark}`;
    keepQuiet(
      core,
      windowMs ?? durationMs(0),
      moment,
      `A client knows ${what}, which is not of this journal (${core.journal}).`,
    );
  }
}

const helloOf = ({ socket, hello: { instance, dial, frame } }: HelloInput): Hello => ({
  socket,
  instance,
  dial,
  frame,
});

/** Quiet for `windowMs` of listening time since the start of this run, which may be over already. */
export function keepQuiet(core: Core, windowMs: DurationMs, moment: Moment, why: string): void {
  const { now } = moment;
  const until = later(listeningMs(0), windowMs);
  if (until <= now || (core.quietUntil !== null && until <= core.quietUntil)) return;
  core.quietUntil = until;
  tell(core, moment, decide(core, now, { kind: 'quiet', until }));
  note(
    core,
    'warn',
    'quiet',
    `${why} Nothing is granted for ${Math.ceil(until - now)} ms, until every window that may be out is over.`,
  );
}

function turnAway(core: Core, socket: SocketId, refusal: HelloRefusal): null {
  core.outbox.say(socket, errorMessage(refusal));
  core.outbox.close(socket, refusal.closing);
  return null;
}
