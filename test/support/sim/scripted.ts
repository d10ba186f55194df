import { makeClientCore } from '../../../client/core/client-core.ts';
import type {
  AcquireTerms,
  ClientCore,
  ClientEvent,
  ClientSettings,
  ClientStatus,
  DialNumber,
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
  instanceId,
  journalId,
  leaseName,
  requestId,
  secret,
  sessionId,
  type RequestId,
} from '../../../shared/ids.ts';
import { RENEW_RATIO_DEFAULT } from '../../../shared/renewal.ts';
import { durationMs, monoMs, wallMs, type Stamp } from '../../../shared/time.ts';

/** A client core on a clock that a test moves by hand, with a coordinator whose words the test chooses. */
export interface Scripted {
  readonly core: ClientCore;
  /** Everything it did, oldest first. */
  readonly effects: readonly Effect[];
  now(): number;
  do(event: ClientEvent, hold?: boolean): readonly Effect[];
  /** Lets time pass; the core is woken when it asked for it. `wallMs` when the wall clock moves otherwise. */
  pass(ms: number): void;
  /** From wake to wake, until something is so; fails after 10 minutes. */
  until(isSo: () => boolean): void;
  /** The host sleeps: no timer runs, the monotonic clock stands still, the wall clock goes on. */
  sleep(ms: number): void;
  step(ms: number): void;
  /** Time passes in which the process does nothing. */
  stall(ms: number): void;
  acquire(name: string, terms?: Partial<AcquireTerms>): RequestId;
  /** Answers the dial that is under way: credential, open, hello. */
  connect(): void;
  /** `connect` and the last part of a welcome. */
  open(fields?: Partial<CoordinatorMessageOf<'welcome'>>): void;
  /** The last part of the welcome for the last hello. */
  welcome(fields?: Partial<CoordinatorMessageOf<'welcome'>>): void;
  say(...messages: CoordinatorMessage[]): readonly Effect[];
  drop(closeCode?: number, reason?: string): void;
  /** Grants what was asked, from the frame that asked. */
  grant(key: RequestId, fields?: Partial<CoordinatorMessageOf<'granted'>>): void;
  /** Answers the last `renew` in full. */
  renewed(fields?: Partial<CoordinatorMessageOf<'renewed'>['leases'][number]>, frame?: number): void;
  lease(key: RequestId): LeaseSnapshot | null;
  /** Messages of a type that were sent, in order, each with the number of its frame. */
  sent<T extends ClientMessageType>(type: T): readonly (ClientMessageOf<T> & { readonly inFrame: number })[];
  of<K extends Effect['kind']>(kind: K): readonly Extract<Effect, { readonly kind: K }>[];
  outcome(of: number): Outcome | undefined;
  claim(key: RequestId): Extract<Effect, { readonly kind: 'claim' }>['outcome'] | undefined;
  news(key: RequestId): readonly string[];
  statuses(): readonly ClientStatus[];
  forget(): void;
}

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

export function scripted(settings: Partial<ClientSettings> = {}): Scripted {
  let mono = 1_000;
  let ahead = WALL_AT_0;
  let keys = 0;
  const stamp = (): Stamp => ({ mono: monoMs(mono), wall: wallMs(mono + ahead) });
  const core = makeClientCore({ ...SETTINGS, ...settings }, stamp());
  const effects: Effect[] = [];
  let session = 0;

  const perform = (event: ClientEvent, hold?: boolean): readonly Effect[] => {
    const now = core.handle(stamp(), event, hold);
    effects.push(...now);
    // As a runner does, to set its timer.
    core.nextWake();
    return now;
  };
  const last = <K extends Effect['kind']>(kind: K): Extract<Effect, { readonly kind: K }> => {
    const found = of(kind).at(-1);
    if (found === undefined) throw new Error(`no ${kind} yet`);
    return found;
  };
  const of = <K extends Effect['kind']>(kind: K) =>
    effects.filter((effect): effect is Extract<Effect, { readonly kind: K }> => effect.kind === kind);
  const dial = (): DialNumber => last('dial').dial;

  function pass(ms: number): void {
    const until = mono + ms;
    for (;;) {
      const wake = core.nextWake();
      if (wake === null || wake > until) break;
      // Timers of real platforms are whole milliseconds, and never early.
      mono = Math.max(mono, Math.ceil(wake));
      if (mono > until) break;
      perform({ kind: 'wake' });
    }
    mono = Math.max(mono, until);
  }

  function sent<T extends ClientMessageType>(type: T) {
    return of('send').flatMap(({ messages }) => {
      const [first] = messages;
      const inFrame = first !== undefined && 'frame' in first ? Number(first.frame) : 0;
      return messages
        .filter((message: ClientMessage): message is ClientMessageOf<T> => message.type === type)
        .map((message) => ({ ...message, inFrame }));
    });
  }

  function connect(): void {
    const asked = last('ask-credential');
    perform({ kind: 'credential', dial: asked.dial, credential: undefined });
    perform({ kind: 'socket-opened', dial: asked.dial });
  }

  const say = (...messages: CoordinatorMessage[]): readonly Effect[] =>
    perform({ kind: 'socket-frame', dial: dial(), messages });

  function welcome(fields: Partial<CoordinatorMessageOf<'welcome'>> = {}): void {
    const hello = sent('hello').at(-1);
    if (hello === undefined) throw new Error('no hello yet');
    const resumed = hello.resume !== undefined;
    session += resumed ? 0 : 1;
    say({
      type: 'welcome',
      frame: hello.frame,
      session: sessionId(`session-${session}`),
      ...(resumed ? {} : { secret: secret(`secret-${session}`) }),
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

  return {
    core,
    effects,
    now: () => mono,
    do: perform,
    pass,
    until(isSo) {
      const limit = mono + 600_000;
      while (!isSo()) {
        const wake = core.nextWake() ?? Infinity;
        if (wake > limit) throw new Error('it never was');
        pass(Math.max(0, Math.ceil(wake) - mono));
      }
    },
    sleep: (ms) => {
      ahead += ms;
    },
    step: (ms) => {
      ahead += ms;
    },
    stall: (ms) => {
      mono += ms;
    },
    acquire(name, terms = {}) {
      const key = requestId(`key-${(keys += 1)}`);
      perform({ kind: 'acquire', key, terms: { ...TERMS, name: leaseName(name), ...terms } });
      return key;
    },
    connect,
    open(fields) {
      connect();
      welcome(fields);
    },
    welcome,
    say,
    drop: (closeCode = 1006, reason = '') => void perform({ kind: 'socket-closed', dial: dial(), closeCode, reason }),
    grant(key, fields = {}) {
      const asked = sent('acquire').findLast(({ request }) => request === key);
      if (asked === undefined) throw new Error(`${key} was not sent`);
      say({
        type: 'granted',
        request: key,
        name: asked.name,
        fencingToken: fencingToken(100 + keys),
        frame: asked.inFrame as never,
        leftMs: asked.ttlMs,
        ttlMs: asked.ttlMs,
        ceilingLeftMs: durationMs(DAY_MS),
        ...fields,
      });
    },
    renewed(fields = {}, frame) {
      const renew = sent('renew').at(-1);
      if (renew === undefined) throw new Error('no renew yet');
      say({
        type: 'renewed',
        request: renew.request,
        frame: (frame ?? renew.inFrame) as never,
        leases: renew.leases.map((one) => ({
          ...one,
          leftMs: durationMs(30_000),
          ttlMs: durationMs(30_000),
          ceilingLeftMs: durationMs(DAY_MS),
          ...fields,
        })),
      });
    },
    lease: (key) => core.lease(stamp(), key),
    sent,
    of,
    outcome: (one) => of('settle').find((effect) => effect.reference === reference(one))?.outcome,
    claim: (key) => of('claim').find((effect) => effect.key === key)?.outcome,
    news: (key) =>
      of('lease')
        .filter((effect) => effect.key === key)
        .map(({ news }) =>
          news.kind === 'lost' ? `lost ${news.code}` : news.kind === 'at-risk' ? `at-risk ${news.why}` : news.kind,
        ),
    statuses: () => of('status').map(({ status }) => status),
    forget: () => void effects.splice(0),
  };
}
