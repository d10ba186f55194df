import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ClosingCode } from '../../shared/close-codes.ts';
import type { SessionId } from '../../shared/ids.ts';
import { PROTOCOL } from '../../shared/limits.ts';
import { socketId, type Input, type SocketId } from '../core/core-types.ts';
import type { Limits } from '../core/limits.ts';
import { Admission, plainAddress } from './admission.ts';
import type { Authenticate } from './auth-port.ts';
import { Connection, type ConnectionHost } from './connection.ts';
import { handshakeProblem, isSocketPath, refuseHandshake } from './handshake.ts';
import { limitedWarn, type Logger } from './logger.ts';
import type { Loop } from './loop.ts';
import { originRefusal, type OriginRules } from './origins.ts';
import type { RateState } from './rate.ts';
import type { Spoken } from './driver.ts';
import { WebSockets } from './web-socket.ts';

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
  readonly #webSockets: WebSockets;
  readonly #admission = new Admission();
  readonly #connections = new Map<SocketId, Connection>();
  /** What sessions whose socket has just gone have used of their rate, until that would be forgotten anyway. */
  readonly #rates = new Map<SessionId, RateState>();
  readonly #host: ConnectionHost & { limits: Limits };
  readonly #whenEmpty: (() => void)[] = [];
  #lastId = 0;
  #refused = 0;
  /** Why new sockets are refused now, if they are. */
  #closedTo: { readonly code: ClosingCode; readonly text: string } | null = null;

  constructor(options: SocketsOptions) {
    this.#options = options;
    this.#webSockets = new WebSockets(options.limits.frameBytesMax);
    this.#host = {
      loop: options.loop,
      limits: options.limits,
      auth: options.auth,
      input: options.input,
      warn: limitedWarn(options.logger, options.loop),
      welcomed: (_, session) => this.#welcomed(session),
      gone: (connection, left) => this.#gone(connection, left),
    };
  }

  get connections(): number {
    return this.#admission.connections;
  }

  configure(limits: Limits): void {
    this.#host.limits = limits;
    this.#webSockets.frameBytesMax = limits.frameBytesMax;
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
    const refusal = this.#refusal(request);
    if (refusal !== null) return this.#tell(request, stream, head, address, refusal);
    const full = this.#admission.admit(address, this.#host.limits);
    if (full !== null) return this.#tell(request, stream, head, address, { code: 'too-many', text: full });
    let connected = false;
    this.#webSockets.upgrade(request, stream, head, (socket) => {
      connected = true;
      const connection = new Connection(this.#nextId(), address, socket, this.#host);
      this.#connections.set(connection.id, connection);
      return connection;
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
  }

  terminateAll(): void {
    for (const connection of this.#connections.values()) connection.terminate();
  }

  /** Resolves when there is no connection left. */
  whenEmpty(): Promise<void> {
    if (this.#connections.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  #refusal(request: IncomingMessage): { readonly code: ClosingCode; readonly text: string } | null {
    const { origin, host } = request.headers;
    const scheme = 'encrypted' in request.socket && request.socket.encrypted === true ? 'https' : 'http';
    const foreign = originRefusal(this.#options.rules, { origin, host, scheme });
    if (foreign !== null) return foreign;
    if (this.#closedTo !== null) return this.#closedTo;
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
    if (offered.includes(PROTOCOL)) return null;
    return {
      code: 'version',
      text: `The client does not offer the subprotocol ${PROTOCOL}, the one that is spoken here.`,
    };
  }

  /** Upgrades, tells, closes: a page sees no more of an HTTP answer than "1006". */
  #tell(
    request: IncomingMessage,
    stream: Duplex,
    head: Buffer,
    address: string,
    refusal: { readonly code: ClosingCode; readonly text: string },
  ): void {
    if (this.#refused >= REFUSED_MAX) return refuseHandshake(stream, { status: 503, text: refusal.text });
    const host = { ...this.#host, gone: () => void (this.#refused -= 1) };
    this.#webSockets.upgrade(request, stream, head, (socket) => {
      this.#refused += 1;
      const connection = new Connection(this.#nextId(), address, socket, host);
      connection.refuse(refusal.code, refusal.text);
      return connection;
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
    this.#admission.left(connection.address, left.session !== null);
    if (left.session !== null) this.#keepRate(left.session, left.rate);
    if (this.#connections.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
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
