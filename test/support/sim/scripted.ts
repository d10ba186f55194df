import { makeClientCore } from '../../../client/core/client-core.ts';
import type {
  AcquireTerms,
  ClientCore,
  ClientEvent,
  ClientSettings,
  ClientStatus,
  Effect,
  LeaseSnapshot,
  Outcome,
} from '../../../client/core/types.ts';
import { reference } from '../../../client/core/types.ts';
import type {
  ClientMessage,
  ClientMessageOf,
  ClientMessageType,
  CoordinatorMessage,
  CoordinatorMessageOf,
} from '../../../shared/frames.ts';
import {
  fencingToken,
  frameNumber,
  instanceId,
  journalId,
  leaseName,
  requestId,
  secret,
  sessionId,
  type FrameNumber,
  type RequestId,
} from '../../../shared/ids.ts';
import { RENEW_RATIO_DEFAULT } from '../../../shared/renewal.ts';
import { durationMs, monoMs, wallMs, type Stamp } from '../../../shared/time.ts';

export const TERMS: Omit<AcquireTerms, 'name'> = {
  ttlMs: durationMs(30_000),
  waitMs: null,
  priority: undefined,
  maxLifetimeMs: undefined,
  minHoldMs: undefined,
  lockDelayMs: undefined,
  steal: false,
  whenOwn: 'queue',
  renew: true,
  stopMarginMs: undefined,
  renewRatio: RENEW_RATIO_DEFAULT,
};

export const SETTINGS: ClientSettings = {
  urls: ['ws://one'],
  instance: instanceId('instance'),
  label: 'tab',
  metadata: undefined,
  connectTimeoutMs: durationMs(5_000),
  maxBackoffMs: durationMs(8_000),
  idleMs: durationMs(1_000),
  pingMs: undefined,
  clockResolutionMs: 0,
  chance: () => 0.5,
};

/** A wall clock of another origin than the monotonic one, as they are. */
const WALL_AT_0 = Date.UTC(2026, 11, 1);
const DAY_MS = 86_400_000;
/** What `until` waits for at most. */
const UNTIL_MS_MAX = 600_000;

type Fields<T extends CoordinatorMessage['type']> = Partial<CoordinatorMessageOf<T>>;
type Renewed = CoordinatorMessageOf<'renewed'>['leases'][number];

/** A client core on a clock that a test moves by hand, with a coordinator whose words the test chooses. */
export class Scripted {
  readonly core: ClientCore;
  /** Everything it did, oldest first. */
  readonly effects: Effect[] = [];
  #mono = 1_000;
  #ahead = WALL_AT_0;
  #keys = 0;
  #sessions = 0;

  constructor(settings: Partial<ClientSettings>) {
    this.core = makeClientCore({ ...SETTINGS, ...settings }, this.#stamp());
  }

  now(): number {
    return this.#mono;
  }

  do(event: ClientEvent, hold?: boolean): readonly Effect[] {
    const now = this.core.handle(this.#stamp(), event, hold);
    this.effects.push(...now);
    // As a runner does at the end of a tick, to set its timer.
    if (hold !== true) this.core.nextWake();
    return now;
  }

  /** Lets time pass; the core is woken when it asked for it. */
  pass(ms: number): void {
    const until = this.#mono + ms;
    for (;;) {
      const wake = this.core.nextWake();
      // Timers of real platforms are whole milliseconds, and never early.
      if (wake === null || Math.ceil(wake) > until) break;
      this.#mono = Math.max(this.#mono, Math.ceil(wake));
      this.do({ kind: 'wake' });
    }
    this.#mono = until;
  }

  /** From wake to wake, until something is so. */
  until(isSo: () => boolean): void {
    const limit = this.#mono + UNTIL_MS_MAX;
    while (!isSo()) {
      const wake = this.core.nextWake() ?? Infinity;
      if (wake > limit) throw new Error('it never was');
      this.pass(Math.max(0, Math.ceil(wake) - this.#mono));
    }
  }

  /** The host sleeps: no timer runs, the monotonic clock stands still, the wall clock goes on. To the core a step is the same. */
  sleep(ms: number): void {
    this.#ahead += ms;
  }

  step(ms: number): void {
    this.#ahead += ms;
  }

  /** Time passes in which the process does nothing. */
  stall(ms: number): void {
    this.#mono += ms;
  }

  acquire(name: string, terms: Partial<AcquireTerms> = {}): RequestId {
    const key = requestId(`key-${(this.#keys += 1)}`);
    this.do({ kind: 'acquire', key, terms: { ...TERMS, name: leaseName(name), ...terms } });
    return key;
  }

  /** Answers the dial that is under way: credential, open; the core says its hello. */
  connect(): void {
    const { dial } = this.#last('ask-credential');
    this.do({ kind: 'credential', dial, credential: undefined });
    this.do({ kind: 'socket-opened', dial });
  }

  /** `connect` and the last part of the welcome. */
  open(fields?: Fields<'welcome'>): void {
    this.connect();
    this.welcome(fields);
  }

  /** The last part of the welcome for the last hello. */
  welcome(fields: Fields<'welcome'> = {}): void {
    const hello = this.#lastSent('hello');
    const resumed = hello.resume !== undefined;
    this.#sessions += resumed ? 0 : 1;
    this.say({
      type: 'welcome',
      frame: hello.frame,
      session: sessionId(`session-${this.#sessions}`),
      ...(resumed ? {} : { secret: secret(`secret-${this.#sessions}`) }),
      resumed,
      journal: journalId('journal'),
      protocol: 1,
      held: [],
      more: false,
      stateBytesMax: 65_536,
      frameBytesMax: 262_144,
      ...fields,
    });
  }

  say(...messages: CoordinatorMessage[]): readonly Effect[] {
    return this.do({ kind: 'socket-frame', dial: this.#last('dial').dial, messages });
  }

  drop(closeCode = 1006, reason = ''): void {
    this.do({ kind: 'socket-closed', dial: this.#last('dial').dial, closeCode, reason });
  }

  /** Grants what was asked in full, from the frame that asked. */
  grant(key: RequestId, fields: Fields<'granted'> = {}): void {
    const asked = this.sent('acquire').findLast(({ request }) => request === key);
    if (asked === undefined) throw new Error(`${key} was not sent`);
    this.say({
      type: 'granted',
      request: key,
      name: asked.name,
      fencingToken: fencingToken(100 + this.#keys),
      frame: asked.inFrame,
      leftMs: asked.ttlMs,
      ttlMs: asked.ttlMs,
      ceilingLeftMs: durationMs(DAY_MS),
      ...fields,
    });
  }

  /** Answers the last `renew`, for 30 s unless said otherwise. */
  renewed(fields: Partial<Renewed> = {}, frame?: FrameNumber): void {
    const { request, leases, inFrame } = this.#lastSent('renew');
    const full = { leftMs: durationMs(30_000), ttlMs: durationMs(30_000), ceilingLeftMs: durationMs(DAY_MS) };
    const told = leases.map((one) => ({ ...one, ...full, ...fields }));
    this.say({ type: 'renewed', request, frame: frame ?? inFrame, leases: told });
  }

  lease(key: RequestId): LeaseSnapshot | null {
    return this.core.lease(this.#stamp(), key);
  }

  of<K extends Effect['kind']>(kind: K) {
    return this.effects.filter((effect): effect is Extract<Effect, { readonly kind: K }> => effect.kind === kind);
  }

  /** Messages of a type that were sent, in order, each with the number of its frame. */
  sent<T extends ClientMessageType>(type: T) {
    return this.of('send').flatMap(({ messages }) => {
      const [first] = messages;
      const inFrame = frameNumber(first !== undefined && 'frame' in first ? Number(first.frame) : 0);
      return messages
        .filter((message: ClientMessage): message is ClientMessageOf<T> => message.type === type)
        .map((message) => ({ ...message, inFrame }));
    });
  }

  outcome(of: number): Outcome | undefined {
    return this.of('settle').find((effect) => effect.reference === reference(of))?.outcome;
  }

  claim(key: RequestId) {
    return this.of('claim').find((effect) => effect.key === key)?.outcome;
  }

  /** News of a lease, each in a word or two. */
  news(key: RequestId): readonly string[] {
    return this.of('lease')
      .filter((effect) => effect.key === key)
      .map(({ news }) => {
        if (news.kind === 'lost') return `lost ${news.code}`;
        return news.kind === 'at-risk' ? `at-risk ${news.why}` : news.kind;
      });
  }

  statuses(): readonly ClientStatus[] {
    return this.of('status').map(({ status }) => status);
  }

  #stamp(): Stamp {
    return { mono: monoMs(this.#mono), wall: wallMs(this.#mono + this.#ahead) };
  }

  #last<K extends Effect['kind']>(kind: K) {
    const found = this.of(kind).at(-1);
    if (found === undefined) throw new Error(`no ${kind} yet`);
    return found;
  }

  #lastSent<T extends ClientMessageType>(type: T) {
    const found = this.sent(type).at(-1);
    if (found === undefined) throw new Error(`no ${type} yet`);
    return found;
  }
}

export const scripted = (settings: Partial<ClientSettings> = {}): Scripted => new Scripted(settings);
