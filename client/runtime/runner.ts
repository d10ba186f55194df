import type { WireLeaseView } from '../../shared/frames.ts';
import type { RequestId } from '../../shared/ids.ts';
import type { MonoMs } from '../../shared/time.ts';
import { reference } from '../core/types.ts';
import type {
  AcquireTerms,
  ClientCore,
  ClientEvent,
  DialNumber,
  Effect,
  LeaseSnapshot,
  Outcome,
  Reference,
} from '../core/types.ts';
import { errorOf } from './errors.ts';
import { after, stamp } from './platform.ts';
import { socketPath, type Socket, type SocketEvents } from './socket.ts';
import type { Transport } from './transport.ts';

/** What an event is settled with when it does not fail; each kind of event has its own. */
export type OutcomeOf<K extends Outcome['kind']> = Extract<Outcome, { readonly kind: K }>;

/** What the platform does. */
type Act = Extract<Effect, { readonly kind: 'ask-credential' | 'dial' | 'send' | 'abandon' }>;

const isOfPlatform = (effect: Effect): effect is Act =>
  effect.kind === 'ask-credential' || effect.kind === 'dial' || effect.kind === 'send' || effect.kind === 'abandon';

/** What people are told. */
export type Told = Exclude<
  Effect,
  { readonly kind: 'ask-credential' | 'dial' | 'send' | 'abandon' | 'settle' | 'view' }
>;

export interface RunnerPorts {
  readonly core: ClientCore;
  readonly transport: Pick<Transport, 'open'>;
  readonly credential: () => Promise<string | undefined>;
  /** Before a turn that may renew something. */
  readonly beforeTurn: () => void;
  readonly told: (effect: Told) => void;
  readonly bad: (problem: string) => void;
}

/** The core at work: its effects become sockets, one timer and promises here; what people are told goes to `told`. */
export class Runner {
  readonly core: ClientCore;
  readonly #ports: RunnerPorts;
  readonly #sockets = new Map<DialNumber, Socket>();
  readonly #asked = new Map<Reference, (outcome: Outcome) => void>();
  readonly #waits = new Set<() => void>();
  readonly #watches = new Map<Reference, (view: WireLeaseView) => void>();
  readonly #news: Exclude<Effect, Act>[] = [];
  readonly #acts: Act[] = [];
  /** Of calls within calls, by what people do as they hear. */
  #depth = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerFor: MonoMs | null = null;
  #references = 0;
  #ending = false;
  /** No socket has opened since one failed. */
  #failedToOpen = false;

  constructor(ports: RunnerPorts) {
    this.core = ports.core;
    this.#ports = ports;
  }

  /**
   * People hear first, then the platform acts, in order: whoever is told that a lease is over has stopped before anybody
   * else can be granted it (R13). What people do in between comes back here, and goes behind.
   * The core holds back what is to be sent until this tick's calls are over: they leave as one frame.
   */
  handle(event: ClientEvent): void {
    if (!this.#ending) queueMicrotask(() => this.#endTick());
    this.#ending = true;
    this.#step(event, true);
  }

  /** What is known of a lease now; a `wake` before it delivers what is over. */
  lease(key: RequestId): LeaseSnapshot | null {
    return this.core.lease(stamp(), key);
  }

  /** An event that is settled; rejects with what failed, and `unavailable` after `timeoutMs`. */
  ask<K extends Outcome['kind']>(
    event: (reference: Reference) => ClientEvent,
    timeoutMs?: number,
  ): Promise<OutcomeOf<K>> {
    const mine = reference((this.#references += 1));
    return new Promise((resolve, reject) => {
      const limit =
        timeoutMs === undefined
          ? undefined
          : after(timeoutMs, () => this.handle({ kind: 'give-up', reference: mine, afterMs: timeoutMs }));
      this.#asked.set(mine, (outcome) => {
        clearTimeout(limit);
        if (outcome.kind === 'failed') reject(errorOf(outcome.failure));
        // The core settles an event with the kind that belongs to it; the caller names that.
        else resolve(outcome as OutcomeOf<K>);
      });
      this.handle(event(mine));
    });
  }

  /** Tells each view of `name` to `seen`, until the returned function is called, or `failed` says why no more will come. */
  watch(
    { name, shownAs }: Pick<AcquireTerms, 'name' | 'shownAs'>,
    seen: (view: WireLeaseView) => void,
    failed: (error: Error) => void,
  ): () => void {
    const mine = reference((this.#references += 1));
    this.#watches.set(mine, seen);
    this.#asked.set(mine, (outcome) => {
      this.#watches.delete(mine);
      if (outcome.kind === 'failed') failed(errorOf(outcome.failure));
    });
    this.handle({ kind: 'watch', reference: mine, name, shownAs });
    return () => {
      if (!this.#watches.delete(mine)) return;
      this.#asked.delete(mine);
      this.handle({ kind: 'unwatch', reference: mine });
    };
  }

  /** Resolves once `over()` is true after an event, or after `ms`. */
  until(over: () => boolean, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(limit);
        this.#waits.delete(look);
        resolve();
      };
      const look = (): void => void (over() && done());
      const limit = after(ms, done);
      this.#waits.add(look);
      look();
    });
  }

  #endTick(): void {
    this.#ending = false;
    this.#step({ kind: 'wake' }, false);
    this.#armTimer();
  }

  #turn(event: ClientEvent): void {
    this.#ports.beforeTurn();
    this.handle(event);
  }

  #step(event: ClientEvent, hold: boolean): void {
    this.#depth += 1;
    try {
      for (const effect of this.core.handle(stamp(), event, hold)) {
        if (isOfPlatform(effect)) this.#acts.push(effect);
        else this.#news.push(effect);
      }
      this.#tellNews();
    } finally {
      this.#depth -= 1;
    }
    if (this.#depth > 0) return;
    for (let effect = this.#acts.shift(); effect !== undefined; effect = this.#acts.shift()) this.#perform(effect);
    for (const look of this.#waits) look();
  }

  /** The rest of the news goes with an inner call, if a listener makes one: in order all the same. */
  #tellNews(): void {
    for (let effect = this.#news.shift(); effect !== undefined; effect = this.#news.shift()) {
      if (effect.kind === 'view') this.#watches.get(effect.reference)?.(effect.view);
      else if (effect.kind !== 'settle') this.#ports.told(effect);
      else {
        this.#asked.get(effect.reference)?.(effect.outcome);
        this.#asked.delete(effect.reference);
      }
    }
  }

  #perform(effect: Act): void {
    switch (effect.kind) {
      case 'dial':
        return this.#dial(effect.dial, effect.url);
      case 'ask-credential':
        return void this.#ports.credential().then(
          (credential) => this.handle({ kind: 'credential', dial: effect.dial, credential }),
          (cause: unknown) => this.handle({ kind: 'credential-failed', dial: effect.dial, cause }),
        );
      case 'send':
        return this.#sockets.get(effect.dial)?.send(effect.messages);
      case 'abandon':
        this.#sockets.get(effect.dial)?.close();
        return void this.#sockets.delete(effect.dial);
      default:
        effect satisfies never;
    }
  }

  #dial(dial: DialNumber, url: string): void {
    const path = socketPath(this.#failedToOpen);
    // Until it has opened: also for one that is abandoned as it takes too long.
    this.#failedToOpen = true;
    const closed: SocketEvents['closed'] = (closeCode, reason) => {
      this.#sockets.delete(dial);
      this.#turn({ kind: 'socket-closed', dial, closeCode, reason });
    };
    const events: SocketEvents = {
      bad: this.#ports.bad,
      closed,
      opened: () => {
        this.#failedToOpen = false;
        this.#turn({ kind: 'socket-opened', dial });
      },
      heard: (messages) => this.#turn({ kind: 'socket-frame', dial, messages }),
    };
    try {
      this.#sockets.set(dial, this.#ports.transport.open(url + path, events));
    } catch (cause) {
      // A page of https refuses ws:, for one. It comes back as any other failed dial, and not inside this turn.
      queueMicrotask(() => closed(0, String(cause)));
    }
  }

  #armTimer(): void {
    const at = this.core.nextWake();
    if (at === this.#timerFor) return;
    clearTimeout(this.#timer);
    this.#timerFor = at;
    if (at === null) return;
    this.#timer = after(at - stamp().mono, () => {
      this.#timerFor = null;
      this.#turn({ kind: 'wake' });
    });
  }
}
