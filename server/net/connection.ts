import { CLOSE_CODES, type ClosingCode } from '../../shared/close-codes.ts';
import type { ClientMessageOf, CoordinatorMessage } from '../../shared/frames.ts';
import type { FrameNumber, SessionId } from '../../shared/ids.ts';
import { CLOSE_REASON_BYTES_MAX } from '../../shared/limits.ts';
import { cutToBytes } from '../../shared/utf8.ts';
import type { Input, SocketId } from '../core/core-types.ts';
import type { Limits } from '../core/limits.ts';
import { AUTH_WITHIN_MS, type Authenticate } from './auth-port.ts';
import { checkFrame, type LaterMessage } from './check-frame.ts';
import { Inbox } from './inbox.ts';
import type { Loop } from './loop.ts';
import { countMessages, freshRate, type RateState } from './rate.ts';
import { costOf } from './message-cost.ts';
import { Outgoing } from './outgoing.ts';
import { frameOf, readFrame, type ReadFrame } from './read-frame.ts';
import { readHello } from './read-hello.ts';
import { errorMessage } from './refusal.ts';
import { hashOf } from './secrets.ts';
import type { Socket, SocketListener } from './socket.ts';

/** What a connection needs of those around it. */
export interface ConnectionHost {
  readonly loop: Loop;
  readonly limits: Limits;
  readonly auth: Authenticate | null;
  input(input: Input): void;
  /** One short line about a peer that did something wrong; limited. */
  warn(fields: Readonly<Record<string, unknown>>, text: string): void;
  /** Its session is known from here on; returns what that session has used up of its rate. */
  welcomed(connection: Connection, session: SessionId): RateState | null;
  /** The socket is gone; called once. */
  gone(connection: Connection, left: { readonly session: SessionId | null; readonly rate: RateState }): void;
}

/** `inbox`: what was read already is more than one turn is given. */
type PauseReason = 'checking' | 'rate' | 'outgoing' | 'inbox';

interface Frame {
  readonly frame: FrameNumber;
  readonly messages: readonly unknown[];
}

type Phase =
  | { readonly kind: 'awaiting-hello'; readonly cancelTimer: () => void }
  /** The credential is being looked at; what comes meanwhile waits, bounded by the bytes before `welcome`. */
  | { readonly kind: 'checking'; readonly waiting: Frame[]; readonly cancelTimer: () => void }
  /** The core has the `hello` and has not answered it. */
  | { readonly kind: 'greeting' }
  | { readonly kind: 'open'; readonly session: SessionId }
  | { readonly kind: 'closing'; readonly session: SessionId | null; readonly cancelTimer: () => void }
  | { readonly kind: 'closed' };

/** Pings and the frames' own headers, beside the `hello` itself. */
export const BYTES_BESIDE_HELLO = 1_024;
const LOGGED_LENGTH_MAX = 200;
/** A peer that does not answer a close is cut after this (F19). */
export const CLOSE_WITHIN_MS = 1_000;

/** One socket, from its upgrade to its end: bounds what comes in and what waits to go out, and hands checked messages on. */
export class Connection implements SocketListener {
  readonly id: SocketId;
  readonly address: string;
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  readonly #outgoing: Outgoing;
  readonly #inbox: Inbox;
  readonly #paused = new Set<PauseReason>();
  #phase: Phase;
  #isKnownToCore = false;
  #turnIsAwaited = false;
  #rate: RateState;
  #cancelRatePause = (): void => undefined;
  #bytesBeforeWelcome = 0;

  constructor(id: SocketId, address: string, socket: Socket, host: ConnectionHost) {
    this.id = id;
    this.address = address;
    this.#socket = socket;
    this.#host = host;
    this.#rate = freshRate(host.limits, host.loop.mono());
    this.#inbox = new Inbox(() => host.limits);
    this.#outgoing = new Outgoing(socket, () => ({
      loop: host.loop,
      outgoingBytesMax: host.limits.outgoingBytesMax,
      pause: () => this.#pause('outgoing'),
      resume: () => {
        this.#resume('outgoing');
        this.#handOn();
      },
      congested: (congested) => {
        if (this.#isKnownToCore && !this.#isEnding) host.input({ kind: 'congestion', socket: id, congested });
      },
      cut: (why) => this.#cut(why),
    }));
    const { helloWithinMs } = host.limits;
    const cancelTimer = host.loop.after(helloWithinMs, () => {
      this.refuse('hello-timeout', `No "hello" came within ${helloWithinMs} ms.`);
    });
    this.#phase = { kind: 'awaiting-hello', cancelTimer };
  }

  get isWelcomed(): boolean {
    return this.#phase.kind === 'open' || (this.#phase.kind === 'closing' && this.#phase.session !== null);
  }

  /** Bytes that came in, of whatever kind: bounds a message that is never finished. */
  received(bytes: number): void {
    if (!this.#isBeforeWelcome) return;
    this.#bytesBeforeWelcome += bytes;
    const { helloBytesMax } = this.#host.limits;
    if (this.#bytesBeforeWelcome <= helloBytesMax + BYTES_BESIDE_HELLO) return;
    this.refuse(
      'frame-too-large',
      `More than ${helloBytesMax} bytes came before "welcome"; allowed are at most ${helloBytesMax}.`,
    );
  }

  /** A ping of the WebSocket protocol, or a pong that nobody asked for. It costs an answer, so that it counts like a message. */
  control(): void {
    if (this.#isEnding) return;
    this.#count(1);
    this.#outgoing.bound();
  }

  /** A pong. One that answers no ping of ours costs like any. */
  pong(): void {
    if (this.#isEnding) return;
    if (!this.#outgoing.pong()) this.control();
  }

  message(bytes: Uint8Array, text: () => string, isBinary: boolean): void {
    if (this.#isEnding) return;
    if (isBinary) return this.refuse('not-text', 'A binary frame came; frames are JSON text.');
    if (this.#isTooLarge(bytes.length)) return;
    this.#read(readFrame(bytes, text()));
  }

  /** The same of a frame that was parsed with the envelope around it. */
  messages(messages: readonly unknown[], bytes: number): void {
    if (this.#isEnding || this.#isTooLarge(bytes)) return;
    this.#read(frameOf(messages));
  }

  /** The peer broke the WebSocket protocol; the socket closes itself with the code that belongs to it. */
  protocolBroken(text: string): void {
    if (this.#isEnding) return;
    this.#host.warn({ code: 'bad-request', address: this.address }, `closed a socket: ${text}`);
    this.#end();
  }

  closed(): void {
    if (this.#phase.kind === 'closed') return;
    const session = this.#session;
    this.#cancelTimer();
    this.#cancelRatePause();
    this.#outgoing.stop();
    this.#phase = { kind: 'closed' };
    for (const part of this.#inbox.rest()) this.#host.input({ kind: 'frame', socket: this.id, ...part });
    if (this.#isKnownToCore) this.#host.input({ kind: 'socket-closed', socket: this.id });
    this.#host.gone(this, { session, rate: this.#rate });
  }

  /** What one turn says to this socket. */
  say(messages: readonly CoordinatorMessage[]): void {
    if (this.#isEnding || messages.length === 0) return;
    if (this.#phase.kind === 'greeting') this.#noticeWelcome(messages);
    this.#outgoing.send(messages);
  }

  /** Tells the peer what was wrong, then closes. */
  refuse(code: ClosingCode, text: string, param?: string): void {
    if (this.#isEnding) return;
    this.#host.warn({ code, address: this.address }, `refused a socket: ${text}`);
    this.say([errorMessage(code, text, { param })]);
    this.close(code, text);
  }

  /** `reason`: the code itself, or a sentence that goes behind it. */
  close(code: ClosingCode, reason: string): void {
    if (this.#isEnding) return;
    this.#outgoing.flush();
    this.#end();
    const text = reason === code ? code : `${code}: ${reason}`;
    this.#socket.close(CLOSE_CODES[code], cutToBytes(text, CLOSE_REASON_BYTES_MAX));
    // The answer to the close lies behind whatever the peer has sent; it is read and dropped.
    if (this.#paused.size > 0) this.#socket.resume();
  }

  terminate(): void {
    this.#end();
    this.#socket.terminate();
  }

  get #isBeforeWelcome(): boolean {
    const { kind } = this.#phase;
    return kind === 'awaiting-hello' || kind === 'checking' || kind === 'greeting';
  }

  get #isEnding(): boolean {
    return this.#phase.kind === 'closing' || this.#phase.kind === 'closed';
  }

  get #session(): SessionId | null {
    return this.#phase.kind === 'open' || this.#phase.kind === 'closing' ? this.#phase.session : null;
  }

  #cancelTimer(): void {
    if ('cancelTimer' in this.#phase) this.#phase.cancelTimer();
  }

  /** From here on nothing is read from this socket and nothing but a close is sent. */
  #end(): void {
    if (this.#isEnding) return;
    const session = this.#session;
    this.#cancelTimer();
    this.#cancelRatePause();
    this.#outgoing.stop();
    const cancelTimer = this.#host.loop.after(CLOSE_WITHIN_MS, () => this.#socket.terminate());
    this.#phase = { kind: 'closing', session, cancelTimer };
  }

  #isTooLarge(bytes: number): boolean {
    const { frameBytesMax, helloBytesMax } = this.#host.limits;
    const bytesMax = this.#isBeforeWelcome ? helloBytesMax : frameBytesMax;
    if (bytes <= bytesMax) return false;
    const where = this.#isBeforeWelcome ? ' before "welcome"' : '';
    this.refuse('frame-too-large', `The frame has ${bytes} bytes; allowed are at most ${bytesMax}${where}.`);
    return true;
  }

  #read(read: ReadFrame): void {
    this.#count(read.ok ? costOf(read.messages) : 1);
    if (!read.ok) return this.refuse('bad-request', read.text);
    return this.#take(read);
  }

  #take(frame: Frame & { readonly first: unknown }): void {
    switch (this.#phase.kind) {
      case 'awaiting-hello':
        return this.#takeHello(frame);
      case 'checking':
        this.#phase.waiting.push(frame);
        return undefined;
      case 'greeting':
      case 'open':
        return this.#passOn(frame);
      case 'closing':
      case 'closed':
        return undefined;
      default:
        return this.#phase satisfies never;
    }
  }

  #takeHello(frame: Frame & { readonly first: unknown }): void {
    const read = readHello(frame.first);
    if (!read.ok) {
      const code = read.code === 'version' ? 'version' : 'bad-request';
      return this.refuse(code, read.text, read.param);
    }
    const { auth, loop } = this.#host;
    this.#cancelTimer();
    if (auth === null) return this.#passHelloOn(read.hello, frame, []);
    const waiting: Frame[] = [];
    const cancelTimer = loop.after(AUTH_WITHIN_MS, () => {
      this.refuse('unavailable', `The credential could not be checked within ${AUTH_WITHIN_MS} ms. Try again.`);
    });
    this.#phase = { kind: 'checking', waiting, cancelTimer };
    this.#pause('checking');
    void this.#authenticate(auth, read.hello, frame, waiting);
    return undefined;
  }

  async #authenticate(
    auth: Authenticate,
    hello: ClientMessageOf<'hello'>,
    frame: Frame,
    waiting: readonly Frame[],
  ): Promise<void> {
    try {
      const { ok } = await auth(hello.credential);
      if (this.#phase.kind !== 'checking') return;
      this.#cancelTimer();
      if (ok) this.#passHelloOn(hello, frame, waiting);
      else this.refuse('unauthorized', 'The credential is missing, wrong or over. Give a fresh one.');
    } catch (error) {
      this.#host.warn({ code: 'unavailable', error: String(error) }, 'a credential could not be checked');
      this.refuse('unavailable', 'The credential could not be checked now. Try again.');
    }
  }

  #passHelloOn(hello: ClientMessageOf<'hello'>, frame: Frame, waiting: readonly Frame[]): void {
    this.#phase = { kind: 'greeting' };
    this.#isKnownToCore = true;
    const resumeHash = hello.resume === undefined ? null : hashOf(hello.resume.secret);
    this.#host.input({ kind: 'hello', socket: this.id, hello, resumeHash, rest: [] });
    const rest = this.#checked(frame.messages.slice(1));
    if (rest.length > 0) this.#inbox.add({ frame: frame.frame, messages: rest, goesOn: true });
    for (const one of waiting) this.#passOn(one);
    this.#handOn();
    this.#resume('checking');
  }

  /** A frame without a good message is passed on too: that it was read is news of its session. */
  #passOn(frame: Frame): void {
    this.#inbox.add({ frame: frame.frame, messages: this.#checked(frame.messages), goesOn: false });
    this.#handOn();
  }

  /** As much as one turn is given, and no more while the peer does not take what it asked for before. */
  #handOn(): void {
    if (this.#isEnding || this.#paused.has('outgoing')) return;
    for (let part = this.#inbox.take(); part !== null; part = this.#inbox.take())
      this.#host.input({ kind: 'frame', socket: this.id, ...part });
    if (this.#inbox.isEmpty) this.#resume('inbox');
    else if (!this.#paused.has('inbox')) this.#pause('inbox');
    if (this.#turnIsAwaited || !this.#inbox.isUsed) return;
    this.#turnIsAwaited = true;
    // Behind the turn that was asked for by the inputs above.
    this.#host.loop.soon(() => {
      this.#turnIsAwaited = false;
      this.#inbox.nextTurn();
      this.#handOn();
    });
  }

  #checked(messages: readonly unknown[]): readonly LaterMessage[] {
    const { good, errors } = checkFrame(messages);
    const [first] = errors;
    if (first === undefined) return good;
    this.#host.warn(
      { code: first.code, address: this.address, count: errors.length },
      `bad message: ${first.message.slice(0, LOGGED_LENGTH_MAX)}`,
    );
    this.say(errors);
    return good;
  }

  #noticeWelcome(messages: readonly CoordinatorMessage[]): void {
    const welcome = messages.find((message) => message.type === 'welcome');
    if (welcome === undefined) return;
    this.#phase = { kind: 'open', session: welcome.session };
    const used = this.#host.welcomed(this, welcome.session);
    // A session's rate goes with it from socket to socket.
    if (used !== null) this.#rate = used;
  }

  #count(messages: number): void {
    const { limits, loop } = this.#host;
    const counted = countMessages(this.#rate, messages, loop.mono(), limits);
    this.#rate = counted.state;
    switch (counted.verdict.kind) {
      case 'read':
        return undefined;
      case 'pause':
        this.#pause('rate');
        // What lies behind in the same read raises the debt; the last verdict knows all of it.
        this.#cancelRatePause();
        this.#cancelRatePause = loop.after(counted.verdict.forMs, () => this.#resume('rate'));
        return undefined;
      case 'close':
        return this.refuse(
          'rate-limited',
          `More than ${limits.messagesPerSecond} messages a second came for ${limits.overRateMsMax} ms.`,
        );
      default:
        return counted.verdict satisfies never;
    }
  }

  /** Without a close frame: behind so much it would never arrive. */
  #cut(why: string): void {
    if (this.#isEnding) return;
    this.#host.warn({ code: 'slow-consumer', address: this.address }, `cut a socket: ${why}`);
    this.terminate();
  }

  #pause(reason: PauseReason): void {
    if (this.#isEnding) return;
    this.#paused.add(reason);
    this.#socket.pause();
  }

  #resume(reason: PauseReason): void {
    if (this.#paused.delete(reason) && this.#paused.size === 0 && this.#phase.kind !== 'closed') this.#socket.resume();
  }
}
