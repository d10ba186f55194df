import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ClosingCode } from '../../shared/close-codes.ts';
import type { SessionId } from '../../shared/ids.ts';
import { CHANNELS_PROTOCOL, ENVELOPE_BYTES_MAX, PROTOCOL } from '../../shared/limits.ts';
import { socketId, type Input, type SocketId } from '../core/core-types.ts';
import type { Limits } from '../core/limits.ts';
import { Admission, plainAddress } from './admission.ts';
import type { Authenticate } from './auth-port.ts';
import { Channels, type Refusal } from './channels.ts';
import { Connection, type ConnectionHost } from './connection.ts';
import { handshakeProblem, isSocketPath, offeredIn, refuseHandshake, spokenOf } from './handshake.ts';
import { limitedWarn, type Logger } from './logger.ts';
import type { Loop } from './loop.ts';
import { originRefusal, type OriginRules } from './origins.ts';
import type { RateState } from './rate.ts';
import type { Socket } from './socket.ts';
import type { Spoken } from './driver.ts';
import { WebSockets, type Upgrade } from './web-socket.ts';

export interface SocketsOptions {
  readonly loop: Loop;
  readonly logger: Logger;
  readonly auth: Authenticate | null;
  readonly rules: OriginRules;
  /** Path before `/v1/socket`; empty, or begins with `/` and does not end with one. */
  readonly base: string;
  readonly limits: Limits;
  readonly input: (input: Input) => void;
}

/** Refused sockets that are being told so; beyond this a refusal is a plain HTTP answer. */
const REFUSED_MAX = 500;

/** All sockets of a coordinator: who is let in, and which connection has which number. */
export class Sockets {
  readonly #options: SocketsOptions;
  readonly #webSockets = new WebSockets();
  readonly #admission = new Admission();
  /** Sockets of one session, and channels. */
  readonly #connections = new Map<SocketId, Connection>();
  readonly #shared = new Set<Channels>();
  /** What sessions whose socket has just gone have used of their rate, until that would be forgotten anyway. */
  readonly #rates = new Map<SessionId, RateState>();
  readonly #host: ConnectionHost & { limits: Limits };
  readonly #whenEmpty: (() => void)[] = [];
  #lastId = 0;
  #refused = 0;
  /** Why new sockets are refused now, if they are. */
  #closedTo: Refusal | null = null;

  constructor(options: SocketsOptions) {
    this.#options = options;
    this.#host = {
      loop: options.loop,
      limits: options.limits,
      auth: options.auth,
      input: options.input,
      warn: limitedWarn(options.logger, options.loop),
      welcomed: (_, session) => this.#welcomed(session),
      gone: (connection, left) => {
        this.#admission.left(connection.address, left.session !== null);
        this.#gone(connection, left);
      },
    };
  }

  /** A channel counts as one, a socket of channels as those that it has. */
  get connections(): number {
    return this.#connections.size;
  }

  configure(limits: Limits): void {
    this.#host.limits = limits;
  }

  /** Refuses new sockets from now on; those that are open stay. */
  closeTo(code: ClosingCode, text: string): void {
    this.#closedTo = { code, text };
  }

  isOwnPath(url: string | undefined): boolean {
    return isSocketPath(url, this.#options.base);
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    // The peer may be gone at any moment; `ws` has a listener of its own once it has taken over.
    stream.on('error', () => stream.destroy());
    const problem = handshakeProblem(request);
    if (problem !== null) return refuseHandshake(stream, problem);
    const address = plainAddress(request.socket.remoteAddress);
    const upgrade = { request, stream, head };
    const refusal = this.#refusal(request);
    if (refusal !== null) return this.#tell(upgrade, address, refusal);
    const full = this.#admission.admit(address, this.#host.limits);
    if (full !== null) return this.#tell(upgrade, address, { code: 'too-many', text: full });
    let connected = false;
    const { isShared, bytesMax } = this.#kindOf(request);
    this.#webSockets.upgrade(upgrade, bytesMax, (socket) => {
      connected = true;
      return isShared ? this.#connectShared(socket, address) : this.#connect(socket, address, this.#host);
    });
    if (!connected) this.#admission.left(address, false);
    return undefined;
  }

  speak(output: Extract<Spoken, { readonly kind: 'send' | 'close' }>): void {
    const connection = this.#connections.get(output.socket);
    // A socket that is gone: its `socket-closed` is on its way.
    if (connection === undefined) return;
    if (output.kind === 'send') connection.say(output.messages);
    else connection.close(output.code, output.reason);
  }

  closeAll(code: ClosingCode, reason: string): void {
    for (const connection of this.#connections.values()) connection.close(code, reason);
    for (const channels of this.#shared) channels.close(code, reason);
  }

  terminateAll(): void {
    for (const connection of this.#connections.values()) connection.terminate();
    for (const channels of this.#shared) channels.terminate();
  }

  /** Resolves when there is no connection left. */
  whenEmpty(): Promise<void> {
    if (this.#isEmpty) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  get #isEmpty(): boolean {
    return this.#connections.size === 0 && this.#shared.size === 0;
  }

  #kindOf(request: IncomingMessage): { readonly isShared: boolean; readonly bytesMax: number } {
    const { frameBytesMax } = this.#host.limits;
    const isShared = spokenOf(offeredIn(request)) === CHANNELS_PROTOCOL;
    return { isShared, bytesMax: isShared ? frameBytesMax + ENVELOPE_BYTES_MAX : frameBytesMax };
  }

  #connect(socket: Socket, address: string, host: ConnectionHost): Connection {
    const connection = new Connection(this.#nextId(), address, socket, host);
    this.#connections.set(connection.id, connection);
    return connection;
  }

  /** Admission counts the socket once, and each hello that is awaited on it. */
  #connectShared(socket: Socket, address: string): Channels {
    const host = this.#host;
    let hasOpened = false;
    const channels = new Channels(socket, {
      loop: host.loop,
      get limits() {
        return host.limits;
      },
      address,
      warn: (fields, text) => host.warn(fields, text),
      connect: (channel, limits) => {
        if (this.#closedTo !== null) return this.#closedTo;
        const full = this.#admission.admitChannel(!hasOpened, host.limits);
        if (full !== null) return { code: 'too-many', text: full };
        hasOpened = true;
        return this.#connect(channel, address, this.#channelHost(limits));
      },
      gone: () => {
        this.#shared.delete(channels);
        this.#admission.left(address, hasOpened);
        this.#tellEmpty();
      },
    });
    this.#shared.add(channels);
    return channels;
  }

  #channelHost(limits: () => Limits): ConnectionHost {
    return {
      ...this.#host,
      get limits() {
        return limits();
      },
      gone: (connection, left) => {
        this.#admission.channelLeft(left.session !== null);
        this.#gone(connection, left);
      },
    };
  }

  #refusal(request: IncomingMessage): Refusal | null {
    const { origin, host } = request.headers;
    const scheme = 'encrypted' in request.socket && request.socket.encrypted === true ? 'https' : 'http';
    const foreign = originRefusal(this.#options.rules, { origin, host, scheme });
    if (foreign !== null) return foreign;
    if (this.#closedTo !== null) return this.#closedTo;
    if (spokenOf(offeredIn(request)) !== null) return null;
    return {
      code: 'version',
      text: `The client does not offer the subprotocol ${PROTOCOL} that is spoken here, nor ${CHANNELS_PROTOCOL}.`,
    };
  }

  /** Upgrades, tells, closes: a page sees no more of an HTTP answer than "1006". */
  #tell(upgrade: Upgrade, address: string, refusal: Refusal): void {
    if (this.#refused >= REFUSED_MAX) return refuseHandshake(upgrade.stream, { status: 503, text: refusal.text });
    const host = { ...this.#host, gone: () => void (this.#refused -= 1) };
    const { isShared, bytesMax } = this.#kindOf(upgrade.request);
    this.#webSockets.upgrade(upgrade, bytesMax, (socket) => {
      this.#refused += 1;
      const listener = isShared
        ? new Channels(socket, { ...host, address, connect: () => refusal })
        : new Connection(this.#nextId(), address, socket, host);
      listener.refuse(refusal.code, refusal.text);
      return listener;
    });
    return undefined;
  }

  #nextId(): SocketId {
    this.#lastId += 1;
    return socketId(this.#lastId);
  }

  #welcomed(session: SessionId): RateState | null {
    this.#admission.welcomed();
    return this.#rates.get(session) ?? null;
  }

  #gone(connection: Connection, left: { readonly session: SessionId | null; readonly rate: RateState }): void {
    this.#connections.delete(connection.id);
    if (left.session !== null) this.#keepRate(left.session, left.rate);
    this.#tellEmpty();
  }

  #tellEmpty(): void {
    if (this.#isEmpty) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  #keepRate(session: SessionId, rate: RateState): void {
    const { limits, loop } = this.#host;
    const fullAfterMs = ((limits.messagesBurst - rate.tokens) * 1_000) / limits.messagesPerSecond;
    this.#rates.set(session, rate);
    loop.after(fullAfterMs, () => {
      if (this.#rates.get(session) === rate) this.#rates.delete(session);
    });
  }
}
