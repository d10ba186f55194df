import { makeClientCore } from '../../../client/core/client-core.ts';
import type { ReloadRecord } from '../../../client/core/reload.ts';
import {
  reference,
  type AcquireTerms,
  type ClientCore,
  type ClientEvent,
  type ClientSettings,
  type ClientStatus,
  type DialNumber,
  type Effect,
  type Outcome,
  type Reference,
} from '../../../client/core/types.ts';
import { CLOSE_CODES } from '../../../shared/close-codes.ts';
import { checkMessage } from '../../../shared/frame-check.ts';
import {
  COORDINATOR_FRAMES,
  type ClientMessage,
  type CoordinatorMessage,
  type CoordinatorMessageOf,
  type WireLeaseView,
} from '../../../shared/frames.ts';
import {
  instanceId,
  requestId,
  type FencingToken,
  type LeaseName,
  type RequestId,
  type Secret,
  type SessionId,
} from '../../../shared/ids.ts';
import { Beliefs } from './beliefs.ts';
import type { Coordinator } from './coordinator.ts';
import type { History } from './history.ts';
import type { Host } from './host.ts';
import type { Connection, Network } from './network.ts';
import type { Random } from './random.ts';

export type ClaimOutcome = Extract<Effect, { readonly kind: 'claim' }>['outcome'];

/** What the platform does. */
const ACTS: ReadonlySet<Effect['kind']> = new Set(['ask-credential', 'dial', 'send', 'abandon']);

/** Of so many claims somebody may still know the keys. */
const RECENT = 4;

/** Runs the production core of one client on a host; a crash and a start make a new instance. */
export class SimulatedClient {
  readonly id: string;
  readonly host: Host;
  core: ClientCore;
  /** The process was started again. */
  onStart: () => void = () => undefined;
  onClaim: (key: RequestId, outcome: ClaimOutcome) => void = () => undefined;
  onLease: (key: RequestId, news: Extract<Effect, { readonly kind: 'lease' }>['news']) => void = () => undefined;
  onView: (view: WireLeaseView) => void = () => undefined;
  onStatus: (status: ClientStatus) => void = () => undefined;
  onQueued: (key: RequestId, position: number) => void = () => undefined;
  readonly #parts: ClientParts;
  readonly #settled = new Map<Reference, (outcome: Outcome) => void>();
  readonly #sockets = new Map<DialNumber, Connection>();
  readonly #beliefs: Beliefs;
  /** What a `welcome` told this instance: with it a copy would resume. */
  known: { readonly session: SessionId; readonly secret: Secret } | null = null;
  /** Its keys of late, the latest first. */
  recent: readonly RequestId[] = [];
  /** Its credential is no good any more: whatever it dials ends as `unauthorized`, until it is started again. */
  isDenied = false;
  #left: ReloadRecord | null = null;
  #timer: (() => void) | null = null;
  #starts = 0;
  #ending = false;
  #ids = 0;
  #isAnswering = false;
  readonly #news: Effect[] = [];
  readonly #acts: Effect[] = [];
  /** Of calls within calls. */
  #depth = 0;

  constructor(id: string, parts: ClientParts) {
    this.id = id;
    this.#parts = parts;
    this.host = parts.host;
    this.#beliefs = new Beliefs(id, parts.host, parts.history);
    this.core = this.#start();
    this.host.onSleep = (asleep) => (asleep ? this.#beliefs.cut() : this.observe());
  }

  acquire(terms: AcquireTerms): RequestId {
    const { history } = this.#parts;
    const { name, waitMs, priority = 0, steal: steals } = terms;
    const key = this.#leftFor(name) ?? requestId(`${this.id}-${this.#starts}-${(this.#ids += 1)}`);
    this.recent = [key, ...this.recent.slice(0, RECENT - 1)];
    const at = this.host.world.now;
    history.add({ kind: 'claimed', at, client: this.id, claim: key, name, waitMs, priority, steals });
    this.handle({ kind: 'acquire', key, terms });
    return key;
  }

  ask(event: (reference: Reference) => ClientEvent, settled: (outcome: Outcome) => void): void {
    const mine = reference((this.#ids += 1));
    const asked = event(mine);
    const released = asked.kind === 'release' ? this.#beliefs.tokenOf(asked.key) : undefined;
    this.#settled.set(mine, (outcome) => {
      const { history } = this.#parts;
      // It also resolves without an answer, at the end of the window: that says nothing of the coordinator.
      if (released !== undefined && outcome.kind === 'released' && outcome.released && this.#isAnswering)
        history.add({ kind: 'released', at: this.host.world.now, client: this.id, token: released });
      settled(outcome);
    });
    this.handle(asked);
  }

  handle(event: ClientEvent): void {
    const { coalesces } = this.#parts;
    this.#isAnswering = event.kind === 'socket-frame';
    if (event.kind === 'withdraw') this.#ended(event.key, null, 'withdrawn');
    const effects = this.core.handle(this.host.stamp, event, coalesces);
    // As the runner does: what is said in one tick leaves as one frame.
    if (coalesces && !this.#ending) this.#later(() => this.#endTick());
    this.#ending = coalesces;
    // First what ends a belief, then what leaves (R13).
    this.observe();
    this.#carryOut(effects);
    this.observe();
    this.#plan();
  }

  #endTick(): void {
    this.#ending = false;
    this.#carryOut(this.core.handle(this.host.stamp, { kind: 'wake' }));
    this.observe();
    this.#plan();
  }

  /** As the runner does: people hear first, then the platform acts; what they do as they hear goes behind. */
  #carryOut(effects: readonly Effect[]): void {
    for (const effect of effects) (ACTS.has(effect.kind) ? this.#acts : this.#news).push(effect);
    this.#depth += 1;
    for (let effect = this.#news.shift(); effect !== undefined; effect = this.#news.shift()) this.#perform(effect);
    this.#depth -= 1;
    if (this.#depth > 0) return;
    for (let effect = this.#acts.shift(); effect !== undefined; effect = this.#acts.shift()) this.#perform(effect);
  }

  /** What a page that was loaded before this one called a claim of that name. */
  #leftFor(name: LeaseName): RequestId | undefined {
    const key = this.core.keyFor(name);
    return this.#left?.asked.find(({ request }) => request === key)?.request;
  }

  /** Its sockets are closed under it; it is told of that no sooner than of anything else. */
  cut(): void {
    for (const connection of this.#sockets.values()) connection.close('client', 1001, '');
    this.#sockets.clear();
  }

  /** Its page is about to be loaded again, and leaves its session. */
  leave(): ReloadRecord | null {
    const record = this.core.record();
    this.handle({ kind: 'put-away', keepMs: record?.keepMs });
    return record;
  }

  /**
   * The process is killed and started again: nothing of it is left but what it left itself, the kernel closes its
   * sockets.
   */
  restart(left: ReloadRecord | null = null): void {
    this.#beliefs.cut();
    this.#beliefs.clear();
    this.cut();
    this.#settled.clear();
    this.#news.length = 0;
    this.#acts.length = 0;
    this.#ending = false;
    this.known = left;
    this.#left = left;
    this.isDenied = false;
    this.#parts.history.add({ kind: 'restarted', at: this.host.world.now, client: this.id });
    this.core = this.#start();
    this.onStart();
  }

  observe(): void {
    this.#beliefs.observe(this.core);
  }

  finish(): void {
    this.observe();
    this.#beliefs.cut();
  }

  #start(): ClientCore {
    this.#starts += 1;
    const { random, settings } = this.#parts;
    const chance = random.fork();
    this.#timer?.();
    return makeClientCore(
      {
        ...settings,
        instance: instanceId(`${this.id}-${this.#starts}`),
        label: this.id,
        chance: () => chance.next(),
        resume: this.#left ?? undefined,
      },
      this.host.stamp,
    );
  }

  #plan(): void {
    this.#timer?.();
    const wake = this.core.nextWake();
    const { core } = this;
    if (wake === null) return;
    // A platform's timers are whole milliseconds, never early, and sometimes late.
    const ms =
      Math.max(1, Math.ceil(wake - this.host.mono)) +
      (this.#parts.random.chance(0.1) ? this.#parts.random.between(0, 30) : 0);
    this.#timer = this.host.after(ms, () => {
      if (this.core === core) this.handle({ kind: 'wake' });
    });
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case 'ask-credential':
        this.#askCredential(effect.dial);
        return;
      case 'dial':
        this.#dial(effect.dial);
        return;
      case 'send':
        this.#send(effect.dial, effect.messages);
        return;
      case 'abandon':
        this.#sockets.get(effect.dial)?.close('client', 1000, '');
        this.#sockets.delete(effect.dial);
        return;
      case 'claim':
        this.#told(effect.key, effect.outcome);
        this.onClaim(effect.key, effect.outcome);
        return;
      case 'lease':
        this.onLease(effect.key, effect.news);
        return;
      case 'settle':
        this.#settled.get(effect.reference)?.(effect.outcome);
        this.#settled.delete(effect.reference);
        return;
      case 'status':
        this.onStatus(effect.status);
        return;
      case 'queued':
        this.onQueued(effect.key, effect.position);
        return;
      case 'warning':
        return;
      case 'view':
        this.onView(effect.view);
        return;
      default:
        effect satisfies never;
    }
  }

  #told(key: RequestId, outcome: ClaimOutcome): void {
    if (outcome.kind === 'failed') return this.#ended(key, null, outcome.failure.code);
    const { name, fencingToken: token } = outcome;
    this.#ended(key, token, 'granted');
    this.#beliefs.begins(key, name, token);
    return this.observe();
  }

  #ended(claim: string, token: FencingToken | null, code: string): void {
    this.#parts.history.add({ kind: 'claim-ended', at: this.host.world.now, client: this.id, claim, token, code });
  }

  #later(job: () => void): void {
    const { core } = this;
    this.host.soon(() => {
      if (this.core === core) job();
    });
  }

  /** Where it is no good any more there is at times none at all. */
  #askCredential(dial: DialNumber): void {
    const fails = this.isDenied && dial % 2 === 0;
    this.#later(() =>
      this.handle(
        fails
          ? { kind: 'credential-failed', dial, cause: 'none' }
          : { kind: 'credential', dial, credential: undefined },
      ),
    );
  }

  #dial(dial: DialNumber): void {
    const { core } = this;
    const { network, coordinator } = this.#parts;
    const isHere = (): boolean => this.core === core && this.#sockets.has(dial);
    // Nothing comes back through a cut: the core's own time-out is what ends it.
    if (network.isCut(this.id)) return;
    const connection = coordinator.accept((end) =>
      network.connect(this.id, {
        coordinator: end,
        client: {
          host: this.host,
          heard: (text) => void (isHere() && this.#hear(dial, text)),
          closed: (closeCode, reason) => {
            if (!isHere()) return;
            this.#sockets.delete(dial);
            // Only a newer one of the same client takes its place, and then nobody listens here any more (R9).
            if (closeCode === CLOSE_CODES.replaced)
              this.#parts.history.broken.push(`R9 the newest socket of ${this.id}, dial ${dial}, was replaced`);
            this.handle({ kind: 'socket-closed', dial, closeCode, reason });
          },
        },
      }),
    );
    const ms = network.delayMs(this.id) * 2;
    this.host.after(ms, () => {
      if (this.core !== core) return;
      if (connection === null) this.handle({ kind: 'socket-closed', dial, closeCode: 1006, reason: 'refused' });
      else if (this.#sockets.has(dial)) this.handle({ kind: 'socket-opened', dial });
    });
    if (connection !== null) this.#sockets.set(dial, connection);
  }

  #send(dial: DialNumber, messages: readonly ClientMessage[]): void {
    this.#sockets.get(dial)?.send('coordinator', JSON.stringify(messages));
  }

  #welcomed({ resumed, session, secret }: CoordinatorMessageOf<'welcome'>): void {
    const { counts } = this.#parts.history;
    if (resumed) counts.resumed += 1;
    // The first word that it hears, and no secret in it.
    if (resumed && this.#left !== null && this.known === this.#left) counts.takenOver += 1;
    if (this.#left !== null && this.known === this.#left) this.known = { session, secret: this.#left.secret };
    if (secret !== undefined) this.known = { session, secret };
  }

  deny(): void {
    this.isDenied = true;
    for (const dial of this.#sockets.keys()) this.#turnAway(dial);
  }

  /** As a coordinator, or what stands before it, does that knows this credential no more. */
  #turnAway(dial: DialNumber): void {
    this.#sockets.get(dial)?.close('client', 1000, '');
    this.#sockets.delete(dial);
    this.handle({ kind: 'socket-closed', dial, closeCode: CLOSE_CODES.unauthorized, reason: '' });
  }

  #hear(dial: DialNumber, text: string): void {
    if (this.isDenied) return this.#turnAway(dial);
    const messages = messagesIn(text);
    for (const message of messages) if (message.type === 'welcome') this.#welcomed(message);
    return this.handle({ kind: 'socket-frame', dial, messages });
  }
}

export interface ClientParts {
  readonly host: Host;
  readonly network: Network;
  readonly coordinator: Coordinator;
  readonly history: History;
  readonly random: Random;
  readonly settings: Omit<ClientSettings, 'instance' | 'chance' | 'label'>;
  /** Whether sends wait for the end of a tick. */
  readonly coalesces: boolean;
}

function messagesIn(text: string): readonly CoordinatorMessage[] {
  const parsed: unknown = JSON.parse(text);
  return (Array.isArray(parsed) ? parsed : [parsed]).map((one) => {
    const checked = checkMessage(COORDINATOR_FRAMES, one);
    if (!checked.ok) throw new Error(`${checked.param}: ${checked.problem} in ${text}`);
    return checked.message;
  });
}
