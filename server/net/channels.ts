import { CLOSE_CODES, type ClosingCode } from '../../shared/close-codes.ts';
import { CLOSE_REASON_BYTES_MAX, ENVELOPE_BYTES_MAX, WELCOME_BYTES_MAX } from '../../shared/limits.ts';
import { cutToBytes } from '../../shared/utf8.ts';
import type { Limits } from '../core/limits.ts';
import { ChannelSocket, type ChannelHost } from './channel-socket.ts';
import { BYTES_BESIDE_HELLO, CLOSE_WITHIN_MS, type Connection } from './connection.ts';
import { closeEnvelope, envelopeOf, readEnvelope } from './envelope.ts';
import type { Loop } from './loop.ts';
import { CHANNEL_COST } from './message-cost.ts';
import { countMessages, freshRate, type RateState } from './rate.ts';
import { errorMessage } from './refusal.ts';
import { SharedLine } from './shared-line.ts';
import type { Socket, SocketListener } from './socket.ts';

export interface Refusal {
  readonly code: ClosingCode;
  readonly text: string;
}

/** What the channels of one socket need of those around them. */
export interface ChannelsHost {
  readonly loop: Loop;
  readonly limits: Limits;
  readonly address: string;
  warn(fields: Readonly<Record<string, unknown>>, text: string): void;
  /** The connection behind a new channel, or why there is none. `limits`: those of this channel, as they are then. */
  connect(socket: Socket, limits: () => Limits): Connection | Refusal;
  /** The socket itself is gone, and with it its channels; called once. */
  gone(channels: Channels): void;
}

type PauseReason = 'rate' | 'outgoing';

/** How many numbers of channels that were closed from here are remembered, for what has crossed the close. */
const CLOSED_REMEMBERED = 64;

/**
 * One socket that carries many sessions. Each channel is a socket of its own to the connection behind it; what only the
 * whole can be held to is held to here: envelopes, numbers, how many there are, and what belongs to no channel.
 */
export class Channels implements SocketListener {
  readonly #socket: Socket;
  readonly #host: ChannelsHost;
  readonly #line: SharedLine;
  readonly #channelHost: ChannelHost;
  readonly #open = new Map<number, ChannelSocket>();
  readonly #closedHere = new Set<number>();
  readonly #paused = new Set<PauseReason>();
  #phase: 'open' | 'closing' | 'closed' = 'open';
  #lastNumber = 0;
  #opened = 0;
  #rate: RateState;
  #bytesBeforeWelcome = 0;
  #wasWelcomed = false;
  #cancelRatePause = (): void => undefined;
  /** Of the time without a channel; of the close, once that was said. */
  #cancelTimer = (): void => undefined;
  #share: { readonly of: Limits; readonly bytes: number; readonly limits: Limits } | null = null;

  constructor(socket: Socket, host: ChannelsHost) {
    this.#socket = socket;
    this.#host = host;
    this.#rate = freshRate(host.limits, host.loop.mono());
    this.#line = new SharedLine(socket, () => ({
      loop: host.loop,
      outgoingBytesMax: host.limits.outgoingBytesMax,
      pause: () => this.#pause('outgoing'),
      resume: () => this.#resume('outgoing'),
      cut: (why) => this.#cut(why),
    }));
    this.#channelHost = {
      line: this.#line,
      soon: (job) => host.loop.soon(job),
      over: (channel) => this.#over(channel),
    };
    this.#awaitChannel();
  }

  get isWelcomed(): boolean {
    this.#wasWelcomed ||= [...this.#open.values()].some(({ connection }) => connection?.isWelcomed);
    return this.#wasWelcomed;
  }

  /** Before anybody was welcomed here, each channel may have brought a hello, and one more may be on its way. */
  received(bytes: number): void {
    this.#bytesBeforeWelcome += bytes;
    const bytesMax = (this.#opened + 1) * (this.#host.limits.helloBytesMax + BYTES_BESIDE_HELLO);
    if (this.#bytesBeforeWelcome > bytesMax)
      this.refuse('frame-too-large', `More than ${bytesMax} bytes came before the first "welcome".`);
  }

  control(): void {
    if (this.#phase !== 'open') return;
    this.#count(1);
    this.#line.bound();
  }

  pong(): void {
    if (this.#phase === 'open' && !this.#line.pong()) this.control();
  }

  message(bytes: Uint8Array, text: () => string, isBinary: boolean): void {
    if (this.#phase !== 'open') return;
    if (isBinary) return this.refuse('not-text', 'A binary frame came; frames are JSON text.');
    const read = readEnvelope(bytes, text());
    if (!read.ok) return this.refuse('bad-request', read.text);
    const { envelope } = read;
    if (envelope.kind === 'close') return this.#closedByPeer(envelope.channel);
    const channel = this.#open.get(envelope.channel) ?? this.#openNew(envelope.channel);
    if (channel === null) return;
    channel.take(envelope.messages, Math.max(1, bytes.length - ENVELOPE_BYTES_MAX));
    if (channel.heldBytes > 0) this.#boundHeld();
  }

  protocolBroken(text: string): void {
    if (this.#phase !== 'open') return;
    this.#warn('bad-request', `closed a socket: ${text}`);
    this.#end();
  }

  closed(): void {
    if (this.#phase === 'closed') return;
    this.#end();
    this.#cancelTimer();
    this.#phase = 'closed';
    this.#host.gone(this);
  }

  /** Says so to the socket as a whole: what belongs to no channel cannot be said in one. */
  refuse(code: ClosingCode, text: string): void {
    if (this.#phase !== 'open') return;
    this.#warn(code, `refused a socket: ${text}`);
    this.close(code, text);
  }

  /** `reason`: the code itself, or a sentence that goes behind it. */
  close(code: ClosingCode, reason: string): void {
    if (this.#phase !== 'open') return;
    this.#line.flush();
    this.#end();
    const text = reason === code ? code : `${code}: ${reason}`;
    this.#socket.close(CLOSE_CODES[code], cutToBytes(text, CLOSE_REASON_BYTES_MAX));
    if (this.#paused.size > 0) this.#socket.resume();
  }

  terminate(): void {
    this.#end();
    this.#socket.terminate();
  }

  #openNew(number: number): ChannelSocket | null {
    // It has crossed the close on its way.
    if (this.#closedHere.has(number)) return this.#count(1);
    if (number <= this.#lastNumber) {
      this.#count(1);
      const text = `The channel ${number} was used, or passed over, before; numbers of channels rise.`;
      return this.#refuseChannel(number, { code: 'bad-request', text });
    }
    this.#lastNumber = number;
    this.#count(CHANNEL_COST);
    if (this.#phase !== 'open') return null;
    const { channelsPerSocketMax } = this.#host.limits;
    if (this.#open.size >= channelsPerSocketMax) {
      const text = `There are ${this.#open.size} channels on this socket; allowed are at most ${channelsPerSocketMax} (channelsPerSocketMax).`;
      return this.#refuseChannel(number, { code: 'too-many', text });
    }
    const channel = new ChannelSocket(number, this.#channelHost);
    const connection = this.#host.connect(channel, () => this.#limitsOfOne());
    if ('code' in connection) return this.#refuseChannel(number, connection);
    channel.behind(connection);
    this.#cancelTimer();
    this.#opened += 1;
    this.#open.set(number, channel);
    return channel;
  }

  #refuseChannel(number: number, { code, text }: Refusal): null {
    this.#warn(code, `refused a channel: ${text}`);
    this.#rememberClosed(number);
    const error = JSON.stringify(errorMessage(code, text));
    const reason = cutToBytes(`${code}: ${text}`, CLOSE_REASON_BYTES_MAX);
    this.#line.say(this.#line.aside, { text: envelopeOf(number, error) });
    this.#line.say(this.#line.aside, { text: closeEnvelope(number, CLOSE_CODES[code], reason) });
    this.#line.bound();
    return null;
  }

  #closedByPeer(number: number): void {
    this.#count(1);
    this.#lastNumber = Math.max(this.#lastNumber, number);
    this.#open.get(number)?.closedByPeer();
    // Nothing that comes under this number has crossed a close of ours: it is used again.
    this.#closedHere.delete(number);
  }

  #over(channel: ChannelSocket): void {
    this.#wasWelcomed ||= channel.connection?.isWelcomed === true;
    this.#open.delete(channel.number);
    this.#rememberClosed(channel.number);
    if (this.#open.size === 0 && this.#phase === 'open') this.#awaitChannel();
  }

  #rememberClosed(number: number): void {
    this.#closedHere.add(number);
    for (const oldest of this.#closedHere) {
      if (this.#closedHere.size <= CLOSED_REMEMBERED) break;
      this.#closedHere.delete(oldest);
    }
  }

  #awaitChannel(): void {
    const { loop, limits } = this.#host;
    const { helloWithinMs } = limits;
    this.#cancelTimer = loop.after(helloWithinMs, () => {
      this.refuse('hello-timeout', `No channel was open for ${helloWithinMs} ms.`);
    });
  }

  /** What is kept of all that came and is not read yet is as much as a socket may have going out; who has most of it goes. */
  #boundHeld(): void {
    const { outgoingBytesMax } = this.#host.limits;
    let [held, most]: [number, ChannelSocket | null] = [0, null];
    for (const channel of this.#open.values()) {
      held += channel.heldBytes;
      if (channel.heldBytes > (most?.heldBytes ?? 0)) most = channel;
    }
    if (held <= outgoingBytesMax) return;
    const text = `${most?.heldBytes ?? 0} bytes came faster than they are read; a socket's channels may have ${outgoingBytesMax} waiting.`;
    most?.connection?.refuse('rate-limited', text);
  }

  /** The outgoing bytes are those of the whole socket: each channel has its part of them, and room for one answer. */
  #limitsOfOne(): Limits {
    const { limits } = this.#host;
    const bytes = Math.max(WELCOME_BYTES_MAX, Math.floor(limits.outgoingBytesMax / Math.max(1, this.#open.size)));
    if (this.#share?.of !== limits || this.#share.bytes !== bytes)
      this.#share = { of: limits, bytes, limits: { ...limits, outgoingBytesMax: bytes } };
    return this.#share.limits;
  }

  /** From here on nothing is read and nothing but a close is sent; the channels are over. */
  #end(): void {
    if (this.#phase !== 'open') return;
    this.#phase = 'closing';
    this.#cancelTimer();
    this.#cancelRatePause();
    for (const channel of this.#open.values()) channel.closedByPeer();
    this.#line.stop();
    this.#cancelTimer = this.#host.loop.after(CLOSE_WITHIN_MS, () => this.#socket.terminate());
  }

  #count(messages: number): null {
    const { limits, loop } = this.#host;
    const { state, verdict } = countMessages(this.#rate, messages, loop.mono(), limits);
    this.#rate = state;
    if (verdict.kind === 'pause') {
      this.#pause('rate');
      this.#cancelRatePause();
      this.#cancelRatePause = loop.after(verdict.forMs, () => this.#resume('rate'));
    } else if (verdict.kind === 'close')
      this.refuse(
        'rate-limited',
        `More than ${limits.messagesPerSecond} pings and openings a second came for ${limits.overRateMsMax} ms.`,
      );
    return null;
  }

  #cut(why: string): void {
    this.#warn('slow-consumer', `cut a socket: ${why}`);
    this.terminate();
  }

  #warn(code: ClosingCode, text: string): void {
    this.#host.warn({ code, address: this.#host.address }, text);
  }

  #pause(reason: PauseReason): void {
    this.#paused.add(reason);
    this.#socket.pause();
  }

  #resume(reason: PauseReason): void {
    if (this.#paused.delete(reason) && this.#paused.size === 0 && this.#phase === 'open') this.#socket.resume();
  }
}
