import { makeClientCore } from '../../../client/core/client-core.ts';
import {
  reference,
  type AcquireTerms,
  type ClientCore,
  type ClientEvent,
  type DialNumber,
  type Effect,
  type LeaseSnapshot,
} from '../../../client/core/types.ts';
import { checkMessage } from '../../../shared/frame-check.ts';
import {
  COORDINATOR_FRAMES,
  type ClientMessage,
  type ClientMessageType,
  type CoordinatorMessage,
} from '../../../shared/frames.ts';
import { instanceId, leaseName, requestId, type RequestId } from '../../../shared/ids.ts';
import { durationMs, monoMs, wallMs, type Stamp } from '../../../shared/time.ts';

/** A frame that the client sent: when, over which dial, and its messages. */
export interface SentFrame {
  readonly atMs: number;
  readonly dial: DialNumber;
  readonly messages: readonly ClientMessage[];
}

const START_MS = 1_000_000;
const WALL_AHEAD_MS = 1_800_000_000_000;
export const TTL_MS = 10_000;
/** Stop margin of a window of 10 s: a tenth of it. */
export const MARGIN_MS = 1_000;

/** What a coordinator's message is as JSON: unbranded. It is held against the table before the client gets it. */
export type Wire = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * The client's core between a coordinator that a test plays by hand and a platform that does at once what it is asked:
 * sockets open at once unless `reachable` is false. Nothing moves but by `pass`.
 */
export class Script {
  readonly sent: SentFrame[] = [];
  readonly dials: { readonly atMs: number; readonly dial: DialNumber }[] = [];
  readonly abandoned: DialNumber[] = [];
  /** Every effect in its order. */
  readonly effects: Effect[] = [];
  reachable = true;
  #mono = START_MS;
  #wallAhead = WALL_AHEAD_MS;
  readonly #core: ClientCore;

  constructor() {
    this.#core = makeClientCore(
      {
        urls: ['ws://coordinator.example'],
        instance: instanceId('instance-1'),
        label: 'script',
        metadata: undefined,
        connectTimeoutMs: durationMs(5_000),
        maxBackoffMs: durationMs(8_000),
        idleMs: durationMs(60_000),
        pingMs: undefined,
        clockResolutionMs: 0,
        chance: () => 0.5,
      },
      this.now,
    );
  }

  get now(): Stamp {
    return { mono: monoMs(this.#mono), wall: wallMs(this.#mono + this.#wallAhead) };
  }

  get idle(): boolean {
    return this.#core.idle;
  }

  get nowMs(): number {
    return this.#mono;
  }

  do(event: ClientEvent): void {
    for (const effect of this.#core.handle(this.now, event)) {
      this.effects.push(effect);
      this.#carryOut(effect);
    }
  }

  #carryOut(effect: Effect): void {
    if (effect.kind === 'ask-credential') this.do({ kind: 'credential', dial: effect.dial, credential: undefined });
    if (effect.kind === 'send') this.sent.push({ atMs: this.#mono, dial: effect.dial, messages: effect.messages });
    if (effect.kind === 'abandon') this.abandoned.push(effect.dial);
    if (effect.kind !== 'dial') return;
    this.dials.push({ atMs: this.#mono, dial: effect.dial });
    if (this.reachable) this.do({ kind: 'socket-opened', dial: effect.dial });
    else this.do({ kind: 'socket-closed', dial: effect.dial, closeCode: 0, reason: '' });
  }

  /** Lets time pass, with every wake that the core asks for at its moment. */
  pass(ms: number): void {
    const until = this.#mono + ms;
    let idle = 0;
    for (let wake = this.#core.nextWake(); wake !== null && wake <= until; wake = this.#core.nextWake()) {
      idle = wake <= this.#mono ? idle + 1 : 0;
      if (idle > 100) throw new Error('the core asks for a wake again and again without going on');
      this.#mono = Math.max(this.#mono, wake);
      this.do({ kind: 'wake' });
    }
    this.#mono = until;
    this.do({ kind: 'wake' });
  }

  /** The machine sleeps: the wall clock goes on, the monotonic one stands. */
  sleep(ms: number): void {
    this.#wallAhead += ms;
  }

  /** One frame of the coordinator over the newest socket, or over an older one. */
  receive(messages: readonly Wire[], dial: DialNumber = this.dial): void {
    const checked = messages.map((message): CoordinatorMessage => {
      const result = checkMessage(COORDINATOR_FRAMES, message);
      if (!result.ok) throw new Error(`${message.type}.${result.param}: ${result.problem}`);
      return result.message;
    });
    this.do({ kind: 'socket-frame', dial, messages: checked });
  }

  close(closeCode = 1006): void {
    this.do({ kind: 'socket-closed', dial: this.dial, closeCode, reason: '' });
  }

  get dial(): DialNumber {
    const last = this.dials.at(-1);
    if (last === undefined) throw new Error('nothing was dialled yet');
    return last.dial;
  }

  /** The number of the newest frame that was sent. */
  get frame(): number {
    const first = this.sent.at(-1)?.messages[0];
    if (first?.frame === undefined) throw new Error('nothing was sent yet');
    return first.frame;
  }

  /** All messages of one type that were sent, in order. */
  all<T extends ClientMessageType>(type: T): readonly Extract<ClientMessage, { readonly type: T }>[] {
    return this.sent
      .flatMap((frame) => frame.messages)
      .filter((message): message is Extract<ClientMessage, { readonly type: T }> => message.type === type);
  }

  welcome(more: object = {}): void {
    this.receive([
      {
        type: 'welcome',
        frame: this.frame,
        session: 'session-1',
        secret: 'secret-1',
        resumed: this.dials.length > 1,
        journal: 'journal-1',
        protocol: 1,
        held: [],
        more: false,
        stateBytesMax: 65_536,
        frameBytesMax: 262_144,
        ...more,
      },
    ]);
  }

  acquire(key = 'claim-1', more: Partial<AcquireTerms> = {}): RequestId {
    this.do({
      kind: 'acquire',
      key: requestId(key),
      terms: {
        name: leaseName('printer'),
        ttlMs: durationMs(TTL_MS),
        waitMs: null,
        priority: undefined,
        maxLifetimeMs: undefined,
        minHoldMs: undefined,
        lockDelayMs: undefined,
        steal: false,
        whenOwn: 'queue',
        renew: true,
        stopMarginMs: undefined,
        renewRatio: 2 / 3,
        ...more,
      },
    });
    return requestId(key);
  }

  lease(key: RequestId): LeaseSnapshot | null {
    this.do({ kind: 'wake' });
    return this.#core.lease(this.now, key);
  }

  release(key: RequestId): void {
    this.do({ kind: 'release', key, reference: reference(1), handOver: false });
  }

  setState(key: RequestId, value: number): void {
    this.do({ kind: 'set-state', key, reference: reference(100 + value), value, ifVersion: undefined });
  }
}

export const TOKEN = 1_000_001;

export const granted = (frame: number, more: object = {}): Wire => ({
  type: 'granted',
  request: 'claim-1',
  name: 'printer',
  fencingToken: TOKEN,
  frame,
  leftMs: TTL_MS,
  ttlMs: TTL_MS,
  ceilingLeftMs: 86_400_000,
  ...more,
});

export const held = (leftMs: number, more: object = {}): object => ({
  name: 'printer',
  fencingToken: TOKEN,
  leftMs,
  ttlMs: TTL_MS,
  ceilingLeftMs: 86_000_000,
  ...more,
});

export const renewed = (request: string, frame: number, lease: object = held(TTL_MS)): Wire => ({
  type: 'renewed',
  request,
  frame,
  leases: [lease],
});

/** A client that holds the lease of `claim-1`, granted at this moment for a frame sent at this moment. */
export function holding(): { readonly script: Script; readonly key: RequestId } {
  const script = new Script();
  const key = script.acquire();
  script.welcome();
  script.receive([granted(script.frame)]);
  return { script, key };
}
