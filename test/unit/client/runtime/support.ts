import { makeClient } from '../../../../client/runtime/client.ts';
import type { Client } from '../../../../client/runtime/public-client.ts';
import type { ConnectOptions } from '../../../../client/runtime/public-options.ts';
import type { ReloadRecord } from '../../../../client/core/reload.ts';
import type {
  ClientCore,
  ClientEvent,
  ClientSettings,
  ClientStatus,
  Effect,
  Failure,
  LeaseNews,
  LeaseSnapshot,
} from '../../../../client/core/types.ts';
import {
  fencingToken,
  leaseName,
  requestId,
  type LeaseName,
  type RequestId,
  type SessionId,
} from '../../../../shared/ids.ts';
import { monoMs, type MonoMs, type Stamp } from '../../../../shared/time.ts';

/** A WebSocket without a network: tests say what happens to it, and read what was sent. */
export class FakeSocket {
  static made: FakeSocket[] = [];
  readyState = 0;
  readonly sent: string[] = [];
  readonly closedWith: (number | undefined)[] = [];
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  readonly url: string;
  readonly protocols: readonly string[];

  constructor(url: string, protocols: readonly string[]) {
    this.url = url;
    this.protocols = protocols;
    FakeSocket.made.push(this);
  }
  send(data: string): void {
    this.sent.push(data);
  }
  close(code?: number): void {
    this.readyState = 3;
    this.closedWith.push(code);
  }
  /** What the runtime says of the socket. */
  say(event: 'open' | 'message' | 'error' | 'close', detail: object = {}): void {
    if (event === 'open') this.readyState = 1;
    if (event === 'close') this.readyState = 3;
    // The handlers take the runtime's event objects, of which these are the part that is read.
    this[`on${event}`]?.(detail as never);
  }
  frames(): unknown[] {
    return this.sent.map((text) => JSON.parse(text) as unknown);
  }
}

/** The last socket that was made. */
export function lastSocket(): FakeSocket {
  const socket = FakeSocket.made.at(-1);
  if (socket === undefined) throw new Error('no socket was made');
  return socket;
}

type Answer = (event: ClientEvent, now: Stamp) => readonly Effect[];

/** A core that does what the test tells it to, and remembers what it was told. */
export class ScriptedCore implements ClientCore {
  readonly events: ClientEvent[] = [];
  readonly leases = new Map<RequestId, LeaseSnapshot>();
  settings: ClientSettings | null = null;
  status: ClientStatus = 'idle';
  session: SessionId | null = null;
  idle = true;
  wake: number | null = null;
  answer: Answer = () => [];
  ticks = 0;
  atEndOfTick: () => readonly Effect[] = () => [];

  handle(now: Stamp, event: ClientEvent, hold = false): readonly Effect[] {
    // The end of a tick is not an event of anybody's.
    if (!hold) {
      this.ticks += 1;
      return this.atEndOfTick();
    }
    this.events.push(event);
    const effects = this.answer(event, now);
    if (event.kind !== 'give-up') return effects;
    const { reference, afterMs } = event;
    const late = failure({ message: `nobody within ${afterMs} ms` });
    return [...effects, { kind: 'settle', reference, outcome: { kind: 'failed', failure: late } }];
  }
  nextWake(): MonoMs | null {
    return this.wake === null ? null : monoMs(this.wake);
  }
  lease(_now: Stamp, key: RequestId): LeaseSnapshot | null {
    return this.leases.get(key) ?? null;
  }
  /** Keys by name, of an earlier instance. */
  readonly left = new Map<string, RequestId>();
  keys = 0;
  keyFor(name: LeaseName): RequestId {
    return this.left.get(name) ?? requestId(`${(this.keys += 1)}`);
  }
  recorded: ReloadRecord | null = null;
  record(): ReloadRecord | null {
    return this.recorded;
  }
  /** The events of one kind, in order. */
  heard<K extends ClientEvent['kind']>(kind: K): Extract<ClientEvent, { readonly kind: K }>[] {
    return this.events.filter((event): event is Extract<ClientEvent, { readonly kind: K }> => event.kind === kind);
  }
  /** Answers the first event of that kind from now on, once. */
  once<K extends ClientEvent['kind']>(
    kind: K,
    effects: (event: Extract<ClientEvent, { readonly kind: K }>) => readonly Effect[],
  ): void {
    const before = this.answer;
    this.answer = (event, now) => {
      if (event.kind !== kind) return before(event, now);
      this.answer = before;
      return effects(event as Extract<ClientEvent, { readonly kind: K }>);
    };
  }
}

export const snapshot = (over: Partial<LeaseSnapshot> = {}): LeaseSnapshot => ({
  name: leaseName('printer'),
  fencingToken: fencingToken(7),
  ttlMs: 30_000,
  status: 'held',
  remainingMs: 27_000,
  ceilingLeftMs: 86_400_000,
  state: undefined,
  lossCode: undefined,
  attempts: [],
  ...over,
});

export const failure = (over: Partial<Failure> = {}): Failure => ({
  code: 'unavailable',
  message: 'no coordinator',
  retryable: true,
  retryAfterMs: undefined,
  param: undefined,
  requestId: undefined,
  position: undefined,
  cause: undefined,
  ...over,
});

export interface Rig {
  readonly core: ScriptedCore;
  readonly client: Client;
  /** A turn of the core with these effects. */
  readonly turn: (...effects: readonly Effect[]) => void;
}

/** A client over a scripted core and fake sockets. It grants every claim at once unless told otherwise. */
export function rig(options: ConnectOptions = {}): Rig {
  FakeSocket.made = [];
  const core = new ScriptedCore();
  const client = makeClient(
    (settings) => {
      core.settings = settings;
      return core;
    },
    'ws://coordinator.test',
    { WebSocket: FakeSocket, ...options },
  );
  core.answer = (event) => (event.kind === 'acquire' ? grant(core, event.key) : []);
  return {
    core,
    client,
    turn(...effects) {
      core.once('ready', ({ reference }) => [...effects, { kind: 'settle', reference, outcome: { kind: 'done' } }]);
      void client.ready();
    },
  };
}

export function grant(core: ScriptedCore, key: RequestId, over: Partial<LeaseSnapshot> = {}): readonly Effect[] {
  const lease = snapshot(over);
  core.leases.set(key, lease);
  return [
    { kind: 'claim', key, outcome: { kind: 'granted', name: leaseName(lease.name), fencingToken: lease.fencingToken } },
  ];
}

/** Its window is over by the clocks, and the next `wake` says so. */
export function overByTheClock(core: ScriptedCore, key: RequestId): void {
  const over = { status: 'lost', lossCode: 'missed-ack', remainingMs: 0, ceilingLeftMs: 0 } as const;
  core.leases.set(key, { ...snapshot(), ...core.leases.get(key), ...over });
  core.once('wake', () => [{ kind: 'lease', key, news: { kind: 'lost', code: 'missed-ack', attempts: [] } }]);
}

/** What becomes of the only lease of a rig. */
export function news(rigged: Rig, told: LeaseNews, over: Partial<LeaseSnapshot> = {}): void {
  const key = rigged.core.heard('acquire')[0]?.key;
  if (key === undefined) throw new Error('nothing was acquired');
  const last = rigged.core.leases.get(key);
  if (told.kind === 'lost' || told.kind === 'released') rigged.core.leases.delete(key);
  else if (last !== undefined) rigged.core.leases.set(key, { ...last, ...over });
  rigged.turn({ kind: 'lease', key, news: told });
}

/** Until what this tick's calls have put off is done. */
export const tick = (): Promise<void> => Promise.resolve();
