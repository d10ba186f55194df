import type { SocketId } from '../../server/core/core-types.ts';
import type {
  ClientMessage,
  ClientMessageOf,
  CoordinatorMessage,
  CoordinatorMessageOf,
  CoordinatorMessageType,
} from '../../shared/frames.ts';
import {
  fencingToken,
  frameNumber,
  instanceId,
  leaseName,
  requestId,
  secretHash,
  type FrameNumber,
  type Secret,
  type SessionId,
} from '../../shared/ids.ts';
import type { Json } from '../../shared/json.ts';
import { durationMs } from '../../shared/time.ts';
import type { CoreDriver } from './core-driver.ts';

type Hello = ClientMessageOf<'hello'>;
type Terms = Omit<ClientMessageOf<'acquire'>, 'type' | 'request' | 'name' | 'ttlMs'>;

/** A client of a `CoreDriver` that does as it is told: it numbers its frames, and concludes nothing. */
export class RawClient {
  readonly label: string;
  instance: string;
  /** Whether it answers each ping by itself, in the next turn; it hears them all the same. */
  answers = false;
  dial = 0;
  frame = 0;
  socket: SocketId | null = null;
  session: SessionId | null = null;
  secret: Secret | null = null;
  /** All that was said to it, whatever the socket, since it was last taken. */
  heard: CoordinatorMessage[] = [];
  /** Frames by socket, as they came. */
  readonly frames: { readonly socket: SocketId; readonly messages: readonly CoordinatorMessage[] }[] = [];
  readonly closed = new Map<SocketId, string>();
  #requests = 0;
  #driver: CoreDriver;

  constructor(driver: CoreDriver, label: string) {
    this.#driver = driver;
    this.label = label;
    this.instance = `instance of ${label}`;
  }

  /** Dials, says `hello` and hears the answer; resumes where it has a session. */
  connect(fields: Partial<Hello> = {}): this {
    this.dialUp(fields);
    this.#driver.settle();
    return this;
  }

  /** Dials and says `hello`, which waits for the next turn. */
  dialUp(fields: Partial<Hello> = {}, rest: readonly Exclude<ClientMessage, Hello>[] = []): this {
    this.dial += 1;
    this.socket = this.#driver.open(this);
    const resume =
      this.session !== null && this.secret !== null ? { resume: { session: this.session, secret: this.secret } } : {};
    const hello: Hello = {
      type: 'hello',
      frame: this.nextFrame(),
      protocolMin: 1,
      protocolMax: 1,
      instance: instanceId(this.instance),
      dial: this.dial,
      label: this.label,
      ...resume,
      ...fields,
    };
    const resumeHash = hello.resume === undefined ? null : hashOf(hello.resume.secret);
    this.#driver.input({ kind: 'hello', socket: this.socket, hello, resumeHash, rest });
    return this;
  }

  /** One frame, which waits for the next turn. */
  push(...messages: readonly ClientMessage[]): this {
    if (this.socket === null) throw new Error(`${this.label} has no socket`);
    this.#driver.input({ kind: 'frame', socket: this.socket, frame: this.nextFrame(), messages });
    return this;
  }

  send(...messages: readonly ClientMessage[]): this {
    this.push(...messages);
    this.#driver.settle();
    return this;
  }

  /** The socket breaks. */
  drop(): this {
    if (this.socket !== null) this.#driver.input({ kind: 'socket-closed', socket: this.socket });
    this.#driver.settle();
    this.socket = null;
    return this;
  }

  /** Takes out what was heard of one type. */
  take<K extends CoordinatorMessageType>(type: K): readonly CoordinatorMessageOf<K>[] {
    const isAsked = (message: CoordinatorMessage): message is CoordinatorMessageOf<K> => message.type === type;
    const taken = this.heard.filter(isAsked);
    this.heard = this.heard.filter((message) => !isAsked(message));
    return taken;
  }

  /** Takes out the one message of this type that was heard. */
  only<K extends CoordinatorMessageType>(type: K): CoordinatorMessageOf<K> {
    const [first, ...others] = this.take(type);
    if (first === undefined || others.length > 0) {
      throw new Error(
        `${this.label} heard ${others.length + (first === undefined ? 0 : 1)} messages ${type}, and ${JSON.stringify(this.heard)}`,
      );
    }
    return first;
  }

  /** Acquires, and gives the grant that was heard. */
  granted(name: string, ttlMs = 30_000, terms: Terms = {}): CoordinatorMessageOf<'granted'> {
    this.send(this.acquire(name, ttlMs, terms));
    return this.only('granted');
  }

  acquire(name: string, ttlMs = 30_000, terms: Terms & { readonly request?: string } = {}): ClientMessageOf<'acquire'> {
    const { request, ...others } = terms;
    return {
      type: 'acquire',
      request: requestId(request ?? this.nextRequest()),
      name: leaseName(name),
      ttlMs: durationMs(ttlMs),
      ...others,
    };
  }

  renew(...leases: readonly { readonly name: string; readonly fencingToken: number }[]): ClientMessageOf<'renew'> {
    const named = leases.map((lease) => ({
      name: leaseName(lease.name),
      fencingToken: fencingToken(lease.fencingToken),
    }));
    return { type: 'renew', request: requestId(this.nextRequest()), leases: named };
  }

  release(
    { name, fencingToken: token }: { readonly name: string; readonly fencingToken: number },
    handOver = false,
  ): ClientMessageOf<'release'> {
    return {
      type: 'release',
      request: requestId(this.nextRequest()),
      name: leaseName(name),
      fencingToken: fencingToken(token),
      handOver,
    };
  }

  setState(
    lease: { readonly name: string; readonly fencingToken: number },
    value: Json | undefined,
    request?: string,
  ): ClientMessageOf<'setState'> {
    const { name, fencingToken: token } = lease;
    const named = {
      request: requestId(request ?? this.nextRequest()),
      name: leaseName(name),
      fencingToken: fencingToken(token),
    };
    return { type: 'setState', ...named, ...(value === undefined ? {} : { value }) };
  }

  /** Answers the ping heard last. */
  pong(clockMs = this.#driver.now): ClientMessageOf<'pong'> {
    const last = this.take('ping').at(-1);
    if (last === undefined) throw new Error(`${this.label} heard no ping`);
    return { type: 'pong', ping: last.ping, clockMs };
  }

  nextFrame(): FrameNumber {
    this.frame += 1;
    return frameNumber(this.frame);
  }

  nextRequest(): string {
    this.#requests += 1;
    return `${this.label}-${this.#requests}`;
  }

  movedTo(driver: CoreDriver): void {
    this.#driver = driver;
    this.socket = null;
  }

  hear(socket: SocketId, messages: readonly CoordinatorMessage[]): void {
    this.frames.push({ socket, messages });
    this.heard.push(...messages);
    for (const message of messages) {
      if (message.type === 'ping' && this.answers && socket === this.socket) {
        this.push({ type: 'pong', ping: message.ping, clockMs: this.#driver.now });
      }
      if (message.type !== 'welcome') continue;
      this.session = message.session;
      if (message.secret !== undefined) this.secret = message.secret;
    }
  }

  closedBy(socket: SocketId, code: string): void {
    this.closed.set(socket, code);
    if (this.socket === socket) this.socket = null;
  }
}

export const hashOf = (text: string) => secretHash(`hash of ${text}`);
