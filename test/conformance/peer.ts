import { WebSocket } from 'ws';
import { Changes } from './changes.ts';
import { Channel, problemOf, type Envelope, type Wire } from './channel.ts';
import {
  inShort,
  isList,
  isNumber,
  isRecord,
  isText,
  messagesOf,
  typeOf,
  type Json,
  type Message,
  textOf,
} from './json.ts';

export interface Heard {
  readonly atMs: number;
  readonly message: Message;
  taken: boolean;
}

export interface Closing {
  readonly atMs: number;
  readonly code: number;
  readonly reason: string;
}

/** Readings are rounded, and two clocks drift. */
const CLOCKS_MS = 5;

/** One client: what it counts over all its sockets. */
export class Peer {
  readonly instance: string;
  frame = 0;
  dial = 0;
  /** What it was granted, by token: given back when the script is over. */
  readonly granted = new Map<number, { readonly name: string; readonly request: string }>();
  readonly frames = new Map<number, number>();

  constructor(instance: string) {
    this.instance = instance;
  }
}

export interface Door {
  readonly url: string;
  readonly subprotocol: string;
  /** Whether it answers pings by itself. */
  readonly pong: boolean;
  /** A channel of another socket, where it is no socket of its own. */
  readonly wire?: Wire | undefined;
}

export const CHANNELS_SUBPROTOCOL = 'leasehold.v1.channels';

/** One socket of a client. What breaks a rule that holds for every frame is kept in `broken`. */
export class Line {
  readonly peer: Peer;
  readonly heard: Heard[] = [];
  broken: string | null = null;
  closing: Closing | null = null;
  readonly #socket: Wire;
  readonly #isShared: boolean;
  readonly #channels = new Map<number, Channel>();
  readonly #pong: boolean;
  /** One that is refused opens, is told why, and may be closed before anybody looks. */
  #wasOpen = false;
  readonly #changes = new Changes();

  constructor(peer: Peer, door: Door) {
    this.peer = peer;
    this.#pong = door.pong;
    this.#isShared = door.subprotocol === CHANNELS_SUBPROTOCOL && door.wire === undefined;
    this.#socket = door.wire ?? new WebSocket(door.url, door.subprotocol === '' ? [] : [door.subprotocol]);
    this.#socket.on('open', () => {
      this.#wasOpen = true;
      this.#changes.tell();
    });
    this.#socket.on('message', (data, isBinary) => {
      if (this.#isShared) this.#sort(data);
      else this.#hear(data, isBinary);
    });
    this.#socket.on('close', (code, reason) => {
      for (const channel of this.#channels.values()) channel.end(code, reason.toString('utf8'));
      this.closing = { atMs: performance.now(), code, reason: reason.toString('utf8') };
      this.#changes.tell();
    });
    this.#socket.on('error', () => undefined);
  }

  async opened(withinMs: number): Promise<void> {
    const how = await this.until(() => (this.#wasOpen ? 'open' : this.closing && 'closed'), withinMs);
    if (how !== 'open') throw new Error(`the socket does not open${how === null ? ` within ${withinMs} ms` : ''}`);
  }

  /** One that no frame has opened yet; without a number the next one. */
  channel(number = Math.max(0, ...this.#channels.keys()) + 1): Channel {
    const channel = new Channel(number, this.#socket);
    this.#channels.set(number, channel);
    return channel;
  }

  until<T>(look: () => T | null, withinMs: number): Promise<T | null> {
    return this.#changes.until(look, withinMs);
  }

  /** Numbers the frame, where the script does not; returns the number. */
  send(messages: readonly Message[], alone: boolean): number {
    const [first = {}, ...rest] = messages;
    const given = first['frame'];
    if (given === undefined) this.peer.frame += 1;
    const numbered = given === undefined ? { ...first, frame: this.peer.frame } : first;
    const number = isNumber(given) ? given : this.peer.frame;
    this.peer.frames.set(number, performance.now());
    this.#socket.send(JSON.stringify(alone ? numbered : [numbered, ...rest]));
    return number;
  }

  raw(data: string | Buffer): void {
    this.#socket.send(data);
  }

  close(): void {
    this.#socket.close(1000);
  }

  cut(): void {
    this.#socket.terminate();
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  get isWelcome(): boolean {
    return this.heard.some(({ message }) => message['type'] === 'welcome');
  }

  #sort(data: Buffer): void {
    const text = data.toString('utf8');
    const problem = problemOf(text);
    this.broken ??= problem;
    if (problem !== null) return this.#changes.tell();
    const envelope = JSON.parse(text) as Envelope; // It has no problem.
    const channel = this.#channels.get(envelope.channel);
    this.broken ??=
      channel === undefined ? `an envelope of a channel that was never opened: ${text.slice(0, 200)}` : null;
    channel?.take(envelope);
    return this.#changes.tell();
  }

  #hear(data: Buffer, isBinary: boolean): void {
    const messages = isBinary ? null : messagesOf(data.toString('utf8'));
    if (messages === null)
      this.broken ??= `a frame that is no list of messages: ${data.toString('utf8').slice(0, 200)}`;
    else if (messages.length > 1_000) this.broken ??= `a frame of ${messages.length} messages`;
    const atMs = performance.now();
    for (const message of messages ?? []) {
      this.broken ??= this.#brokenBy(message);
      this.heard.push({ atMs, message, taken: false });
      this.#answer(message);
    }
    this.#changes.tell();
  }

  /** What holds for every message, whatever the script: anchors are frames of this client, and no window exceeds itself. */
  #brokenBy(message: Message): string | null {
    if (!isText(message['type'])) return `a message without a type: ${inShort(message)}`;
    const frame = message['frame'];
    if (['welcome', 'granted', 'renewed', 'ping'].includes(typeOf(message)) && !this.peer.frames.has(Number(frame)))
      return `${typeOf(message)} names frame ${inShort(frame)}, which this client never sent`;
    const told: readonly Json[] = [message, ...listIn(message, 'held'), ...listIn(message, 'leases')];
    // A window begins between the reading of its anchor and the saying of it, so it reaches no further than this.
    const ageMs = performance.now() - (this.peer.frames.get(Number(frame)) ?? 0);
    const longer = told.find(
      (one) =>
        isRecord(one) &&
        isNumber(one['leftMs']) &&
        isNumber(one['ttlMs']) &&
        one['leftMs'] > one['ttlMs'] + ageMs + CLOCKS_MS,
    );
    return longer === undefined
      ? null
      : `a window that reaches beyond its length from now: ${inShort(longer)}, ${ageMs.toFixed(1)} ms after its anchor`;
  }

  #answer(message: Message): void {
    const { type, ping, fencingToken, name, request } = message;
    if (type === 'granted')
      this.peer.granted.set(Number(fencingToken), { name: textOf(name), request: textOf(request) });
    if (type === 'ping' && this.#pong && this.isOpen && ping !== undefined)
      this.send([{ type: 'pong', ping, clockMs: performance.now() }], true);
  }
}

const listIn = (message: Message, key: string): readonly Json[] => {
  const list = message[key];
  return isList(list) ? list : [];
};
