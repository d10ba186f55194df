import { ANSWER_WITHIN_MS, CHANNELS_PER_SOCKET, CHANNELS_PROTOCOL, PROTOCOL } from '../../shared/limits.ts';

/** The part of a WebSocket that a line uses. */
export interface LineSocket {
  /** What the coordinator has taken of what was offered. */
  readonly protocol: string;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send(data: string): void;
  close(code?: number): void;
}

export type MakeLineSocket = (url: string, protocols: string[]) => LineSocket;

/** What one tab's dial is told. `closed` is the last thing, and is not told of a channel that the tab closed itself. */
export interface ChannelEvents {
  readonly opened: () => void;
  readonly heard: (frame: string) => void;
  readonly closed: (code: number, reason: string) => void;
  /** Just before `closed`: this coordinator carries one session on a socket, and no more. */
  readonly unspoken: () => void;
}

/** What one tab's dial can do. */
export interface Channel {
  /** One frame of leasehold.v1, as it would go over a socket of its own. */
  readonly send: (frame: string) => void;
  readonly close: () => void;
}

interface Open {
  number: number;
  readonly events: ChannelEvents;
  /** When its first frame left; null before: the coordinator does not know it then. */
  sentAt: number | null;
}

/** Without a channel a socket stays open for this long, in ms: a tab that is loaded again finds it there. */
const LINGER_MS = 1_000;
/** A close reason is the code alone, or the code, a colon and a sentence. */
const TOO_MANY = /^too-many(?::|$)/;
/** A tab that leaves behind this long without a word for anybody, in ms, may leave since it had no answer. */
const SILENT_MS = 250;
/** The close code of a connection that ended without one. */
const ABNORMAL = 1006;

/** One WebSocket of the coordinator with the channels of many tabs on it. */
export class Line {
  readonly #socket: LineSocket;
  readonly #channels = new Map<number, Open>();
  readonly #gone: () => void;
  #numbers = 0;
  /** The largest number that the coordinator has seen; it refuses a new one that is not larger. */
  #lastSent = 0;
  #phase: 'connecting' | 'open' | 'closed' = 'connecting';
  /** When it opened; until then, when it was dialled. */
  #openedAt = performance.now();
  /** When it last brought something. */
  #heardAt = -Infinity;
  /** When the first frame left since then; null where none did. */
  #unheardSince: number | null = null;
  /** A channel was left without an answer, so the socket may be dead though nobody has said so: no more go on it. */
  #suspect = false;
  /** Less where the coordinator has said that it takes no more. */
  #most = CHANNELS_PER_SOCKET;
  #linger: ReturnType<typeof setTimeout> | undefined;

  /** `gone` is called once, when the socket is no more. */
  constructor(url: string, make: MakeLineSocket, gone: () => void) {
    this.#gone = gone;
    // Offered alone it would be refused by whoever does not know it, and a page is never told why.
    this.#socket = make(url, [CHANNELS_PROTOCOL, PROTOCOL]);
    this.#socket.onopen = () => {
      if (this.#socket.protocol !== CHANNELS_PROTOCOL) return this.#endUnspoken();
      this.#phase = 'open';
      this.#openedAt = performance.now();
      this.#suspect = false;
      for (const { events } of this.#channels.values()) events.opened();
    };
    this.#socket.onmessage = ({ data }: { readonly data: unknown }) => this.#take(data);
    // An `error` says nothing, and a `close` follows it.
    this.#socket.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) =>
      this.#end(code, reason);
  }

  /** Whether another channel may go on it. */
  get takes(): boolean {
    return this.#phase !== 'closed' && !this.#suspect && this.#channels.size < this.#most;
  }

  /** Since when it may be dead; null where nobody was left without an answer. */
  get silentSince(): number | null {
    return this.#suspect ? (this.#unheardSince ?? this.#openedAt) : null;
  }

  /** When it was last seen to live, or begun. */
  get livedAt(): number {
    return Math.max(this.#openedAt, this.#heardAt);
  }

  open(events: ChannelEvents): Channel {
    const number = (this.#numbers += 1);
    const open: Open = { number, events, sentAt: null };
    this.#channels.set(number, open);
    if (this.#phase === 'open') events.opened();
    return { send: (frame) => this.#send(open, frame), close: () => this.#leave(open) };
  }

  #send(open: Open, frame: string): void {
    if (!this.#has(open) || this.#phase !== 'open') return;
    if (open.sentAt === null) this.#rise(open);
    // The tab's frame is one message or a list of such; here it is always a list.
    const messages = frame.startsWith('[') ? frame : `[${frame}]`;
    this.#socket.send(`{"channel":${open.number},"messages":${messages}}`);
    const now = performance.now();
    this.#unheardSince ??= now;
    if (open.sentAt !== null) return;
    open.sentAt = now;
    // It begins with `hello`. One that has just opened lives, however long a credential is looked at.
    if (now - this.#openedAt <= ANSWER_WITHIN_MS) return;
    setTimeout(() => {
      if (!this.#has(open) || this.#proven(open)) return;
      this.#leave(open);
      open.events.closed(ABNORMAL, '');
    }, ANSWER_WITHIN_MS);
  }

  #has(open: Open): boolean {
    return this.#channels.get(open.number) === open;
  }

  /** A tab that came later may have said its first word before: this one takes a new number then. */
  #rise(open: Open): void {
    if (open.number < this.#lastSent) {
      this.#channels.delete(open.number);
      open.number = this.#numbers += 1;
      this.#channels.set(open.number, open);
    }
    this.#lastSent = open.number;
  }

  #proven({ sentAt }: Open): boolean {
    return this.#phase === 'open' && (sentAt === null || this.#heardAt >= sentAt);
  }

  /** The tab wants this channel no more. */
  #leave(open: Open): void {
    if (!this.#has(open)) return;
    // Or whoever dials anew since nothing was answered would dial into the same silence.
    const silent = this.#unheardSince !== null && performance.now() - this.#unheardSince >= SILENT_MS;
    this.#suspect ||= silent || !this.#proven(open);
    this.#channels.delete(open.number);
    if (open.sentAt !== null) this.#socket.send(`{"channel":${open.number},"close":1000,"reason":""}`);
    this.#rest();
  }

  #take(data: unknown): void {
    this.#heardAt = performance.now();
    this.#unheardSince = null;
    this.#suspect = false;
    const envelope = envelopeOf(data);
    if (envelope === null) return this.#end(ABNORMAL, 'an envelope that cannot be read');
    const open = this.#channels.get(envelope.channel);
    // Of one that was closed here meanwhile.
    if (open === undefined) return;
    if ('messages' in envelope) return open.events.heard(envelope.messages);
    this.#channels.delete(envelope.channel);
    if (TOO_MANY.test(envelope.reason)) this.#most = Math.max(1, this.#channels.size);
    open.events.closed(envelope.close, envelope.reason);
    this.#rest();
  }

  #rest(): void {
    if (this.#channels.size > 0 || this.#phase === 'closed') return;
    clearTimeout(this.#linger);
    this.#linger = setTimeout(() => this.#channels.size === 0 && this.#end(1000, ''), LINGER_MS);
  }

  #endUnspoken(): void {
    for (const { events } of this.#channels.values()) events.unspoken();
    this.#end(ABNORMAL, '');
  }

  #end(code: number, reason: string): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    clearTimeout(this.#linger);
    this.#socket.close(1000);
    this.#gone();
    const channels = [...this.#channels.values()];
    this.#channels.clear();
    for (const { events } of channels) events.closed(code, reason);
  }
}

type Envelope =
  | { readonly channel: number; readonly messages: string }
  | { readonly channel: number; readonly close: number; readonly reason: string };

/** As coordinators write it: what is inside goes to the tab as it came. */
const PLAIN = /^\{"channel":(\d+),"messages":(\[.*\])\}$/s;

function envelopeOf(data: unknown): Envelope | null {
  if (typeof data !== 'string') return null;
  const [, number, inside] = PLAIN.exec(data) ?? [];
  if (number !== undefined && inside !== undefined) return { channel: Number(number), messages: inside };
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch {
    return null;
  }
  // Its fields are looked at one by one.
  const { channel, messages, close, reason } = Object(parsed) as Readonly<Record<string, unknown>>;
  if (typeof channel !== 'number') return null;
  if (Array.isArray(messages)) return { channel, messages: JSON.stringify(messages) };
  if (typeof close !== 'number') return null;
  return { channel, close, reason: typeof reason === 'string' ? reason : '' };
}
