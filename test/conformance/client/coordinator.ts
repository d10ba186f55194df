import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { isList, isNumber, isRecord, isText, messagesOf, textOf, typeOf, type Json, type Message } from '../json.ts';
import type { History } from './history.ts';

interface Lease {
  readonly name: string;
  readonly request: string;
  readonly token: number;
  ttlMs: number;
  deadlineMs: number;
}

interface Session {
  readonly id: string;
  readonly secret: string;
  readonly leases: Map<number, Lease>;
}

/** One socket of the client under test. */
export interface Wire {
  readonly id: number;
  readonly socket: WebSocket;
  session: Session | null;
  /** Half-open: what comes is seen, and nothing is read or said any more. */
  mute: boolean;
  pings: NodeJS.Timeout | null;
}

/** What a scenario does instead of, or with, the honest answer to a message. */
export interface Twist {
  readonly when: string;
  /** Of how many such messages it is the first and the last one; absent: each. */
  readonly nth: readonly [from: number, to: number] | null;
  readonly does: 'answer' | 'lose' | 'mute' | 'drop' | 'answer-then-drop' | 'close';
  readonly delayMs: number;
  /** Fields that replace those of the honest answer. */
  readonly with: Message;
  /** Said instead of the honest answer. */
  readonly say: readonly Json[] | null;
  readonly code: number;
}

/** Of each client one lease a name, no queue, and no honesty where a scenario does not want it. */
export class ScriptedCoordinator {
  journal = 'journal-1';
  /** New sockets are cut at once. */
  away = false;
  /** Pings name the first frame only: a way up that is dead. */
  deaf = false;
  wire: Wire | null = null;
  readonly #server: WebSocketServer;
  readonly #history: History;
  readonly #twists: readonly Twist[];
  readonly #counts = new Map<string, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #sessions = new Map<string, Session>();
  #token = 1_000;
  /** The name of the last grant. */
  #heldName = '';
  #sockets = 0;
  #pings = 0;
  frame = 0;

  private constructor(server: WebSocketServer, history: History, twists: readonly Twist[]) {
    this.#server = server;
    this.#history = history;
    this.#twists = twists;
    server.on('connection', (socket) => this.#take(socket));
  }

  static async open(history: History, twists: readonly Twist[]): Promise<ScriptedCoordinator> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'leasehold.v1' });
    await new Promise((resolve) => server.once('listening', resolve));
    return new ScriptedCoordinator(server, history, twists);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // A TCP server's address is never a path.
  }

  get token(): number {
    return this.#token;
  }

  /** Forgets every session, as a coordinator does that lost them. */
  forget(): void {
    this.#sessions = new Map();
  }

  drop(): void {
    for (const socket of this.#server.clients) socket.terminate();
    this.#history.add({ kind: 'drop', atMs: performance.now(), socket: this.wire?.id ?? 0 });
  }

  mute(): void {
    if (this.wire !== null) this.#mute(this.wire);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
  }

  say(wire: Wire | null, message: Message): void {
    if (wire === null || wire.mute || wire.socket.readyState !== wire.socket.OPEN) return;
    this.#history.add({ kind: 'out', atMs: performance.now(), socket: wire.id, message });
    wire.socket.send(JSON.stringify(message));
  }

  #take(socket: WebSocket): void {
    this.#sockets += 1;
    const wire: Wire = { id: this.#sockets, socket, session: null, mute: false, pings: null };
    this.wire = wire;
    this.#history.add({ kind: 'open', atMs: performance.now(), socket: wire.id });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (wire.pings !== null) clearInterval(wire.pings);
      this.#history.add({ kind: 'close', atMs: performance.now(), socket: wire.id });
    });
    if (this.away) return this.#drop(wire);
    socket.on('message', (data: Buffer) => {
      const atMs = performance.now();
      const messages = messagesOf(data.toString('utf8')) ?? [{ type: 'no JSON' }];
      const [{ frame } = {}] = messages;
      if (!wire.mute && isNumber(frame)) this.frame = frame;
      for (const [index, message] of messages.entries())
        this.#history.add({ kind: 'in', atMs, socket: wire.id, message, first: index === 0, size: messages.length });
      for (const message of messages) if (!wire.mute) this.#read(wire, message, isNumber(frame) ? frame : 0);
    });
  }

  #read(wire: Wire, message: Message, frame: number): void {
    const type = typeOf(message);
    const count = (this.#counts.get(type) ?? 0) + 1;
    this.#counts.set(type, count);
    const twist = this.#twists.find(
      ({ when, nth }) => when === type && (nth === null || (count >= nth[0] && count <= nth[1])),
    );
    // The honest answer is made when the message is read; a delay is the network's.
    const isReplaced = twist?.say !== undefined && twist.say !== null && type !== 'hello';
    const honest = isReplaced ? [] : this.#answer(wire, message, frame);
    if (twist === undefined) {
      for (const answer of honest) this.say(wire, answer);
      return;
    }
    if (twist.does === 'mute') return this.#mute(wire);
    if (twist.does === 'drop') return this.#drop(wire);
    const told =
      twist.say === null ? honest.map((answer) => ({ ...answer, ...twist.with })) : twist.say.filter(isRecord);
    this.after(twist.delayMs, () => {
      if (twist.does !== 'lose') for (const answer of told) this.say(wire, this.filled(answer, message, frame));
      if (twist.does === 'answer-then-drop') this.#drop(wire);
      if (twist.does === 'close') wire.socket.close(twist.code);
    });
  }

  /** `${request}`, `${name}`, `${frame}`, `${token}` and `${heldName}` of the last grant, in what a scenario says. */
  filled(template: Message, about: Message, frame: number): Message {
    const values: Readonly<Record<string, Json>> = {
      request: about['request'] ?? '',
      name: about['name'] ?? '',
      frame,
      token: this.#token,
      heldName: this.#heldName,
    };
    const fill = (value: Json): Json => {
      if (isText(value)) return values[/^\$\{(\w+)\}$/.exec(value)?.[1] ?? ''] ?? value;
      if (isList(value)) return value.map(fill);
      return isRecord(value) ? fillAll(value) : value;
    };
    const fillAll = (record: Message): Message =>
      Object.fromEntries(Object.entries(record).map(([key, value]) => [key, fill(value)]));
    return fillAll(template);
  }

  after(ms: number, act: () => void): void {
    if (ms === 0) return act();
    this.#timers.add(setTimeout(act, ms));
  }

  #mute(wire: Wire): void {
    Object.assign(wire, { mute: true });
    this.#history.add({ kind: 'mute', atMs: performance.now(), socket: wire.id });
  }

  #drop(wire: Wire): void {
    this.#history.add({ kind: 'drop', atMs: performance.now(), socket: wire.id });
    wire.socket.terminate();
  }

  #answer(wire: Wire, message: Message, frame: number): readonly Message[] {
    const { type, request = '', name = '', fencingToken } = message;
    const leases = wire.session?.leases;
    switch (type) {
      case 'hello':
        return [this.#welcome(wire, message, frame)];
      case 'acquire':
        return leases === undefined ? [] : [this.#grant(leases, message, frame)];
      case 'renew':
        return [
          { type: 'renewed', request, frame, leases: listOf(message['leases']).map((one) => renewed(leases, one)) },
        ];
      case 'release':
        return [{ type: 'released', request, released: leases?.delete(Number(fencingToken)) ?? false }];
      case 'cancel':
        return [{ type: 'error', request, code: 'cancelled', message: 'The claim was withdrawn.', retryable: false }];
      case 'list':
      case 'watch':
        return [{ type: 'view', request, views: [{ name, holders: [], queue: 0 }] }];
      case 'setState':
        return [{ type: 'stateSet', request, version: 1 }];
      default:
        return [];
    }
  }

  #welcome(wire: Wire, hello: Message, frame: number): Message {
    const { resume, pingMs } = hello;
    const known = isRecord(resume) ? this.#sessions.get(textOf(resume['session'])) : undefined;
    const session: Session = known ?? {
      id: randomBytes(6).toString('hex'),
      secret: randomBytes(8).toString('hex'),
      leases: new Map(),
    };
    this.#sessions.set(session.id, session);
    Object.assign(wire, { session, pings: setInterval(() => this.#ping(wire), isNumber(pingMs) ? pingMs : 500) });
    const now = performance.now();
    const held = [...session.leases.values()]
      .filter(({ deadlineMs }) => deadlineMs > now)
      .map(({ name, token, deadlineMs, ttlMs }) => ({
        name,
        fencingToken: token,
        leftMs: Math.floor(deadlineMs - now),
        ttlMs,
        ceilingLeftMs: CEILING_MS,
      }));
    const how = known === undefined ? { secret: session.secret, resumed: false } : { resumed: true };
    const note = known === undefined && resume !== undefined ? { note: 'unknown-session' } : {};
    const limits = { stateBytesMax: 65_536, frameBytesMax: 262_144 };
    return {
      type: 'welcome',
      frame,
      session: session.id,
      ...how,
      ...note,
      journal: this.journal,
      protocol: 1,
      held,
      more: false,
      ...limits,
    };
  }

  #grant(leases: Map<number, Lease>, { request, name, ttlMs }: Message, frame: number): Message {
    const now = performance.now();
    const window = Number(ttlMs);
    let lease = [...leases.values()].find((one) => one.request === request && one.deadlineMs > now);
    if (lease === undefined) {
      this.#token += 1;
      lease = { name: textOf(name), request: textOf(request), token: this.#token, ttlMs: window, deadlineMs: 0 };
      leases.set(lease.token, lease);
      this.#heldName = lease.name;
    }
    lease.deadlineMs = now + window;
    return {
      type: 'granted',
      request: lease.request,
      name: lease.name,
      fencingToken: lease.token,
      frame,
      leftMs: window,
      ttlMs: window,
      ceilingLeftMs: CEILING_MS,
    };
  }

  #ping(wire: Wire): void {
    this.#pings += 1;
    this.say(wire, { type: 'ping', ping: this.#pings, nextMs: 500, frame: this.deaf ? 1 : this.frame });
  }
}

const CEILING_MS = 86_400_000;
const listOf = (value: Json | undefined): readonly Message[] => (isList(value) ? value.filter(isRecord) : []);

function renewed(leases: Map<number, Lease> | undefined, { name = '', fencingToken = 0 }: Message): Message {
  const lease = leases?.get(Number(fencingToken));
  const now = performance.now();
  if (lease === undefined || lease.deadlineMs <= now) return { name, fencingToken, code: 'expired' };
  lease.deadlineMs = now + lease.ttlMs;
  return { name, fencingToken, leftMs: lease.ttlMs, ttlMs: lease.ttlMs, ceilingLeftMs: CEILING_MS };
}
