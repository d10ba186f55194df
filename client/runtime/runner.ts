import { SOCKET_PATH } from '../../shared/limits.ts';
import type { RequestId } from '../../shared/ids.ts';
import type { MonoMs } from '../../shared/time.ts';
import { reference } from '../core/types.ts';
import type {
  ClientCore, ClientEvent, ClientStatus, DialNumber, Effect, LeaseSnapshot, Outcome, Reference,
} from '../core/types.ts';
import { errorOf, LeaseError } from './errors.ts';
import { after, stamp } from './platform.ts';
import type { WebSocketClass } from './public-options.ts';
import { openSocket, type Socket, type SocketEvents } from './socket.ts';

/** What an event is settled with when it does not fail; each kind of event has its own. */
export type OutcomeOf<K extends Outcome['kind']> = Extract<Outcome, { readonly kind: K }>;

/** The core at work: its effects become sockets and one timer here, and what people are told in `told`. */
export interface Runner {
  handle(event: ClientEvent): void;
  /** An event that is settled; rejects with what failed, and `unavailable` after `timeoutMs`. */
  ask<K extends Outcome['kind']>(event: (reference: Reference) => ClientEvent, timeoutMs?: number): Promise<OutcomeOf<K>>;
  /** What is known of a lease now; a `wake` before it delivers what is over. */
  lease(key: RequestId): LeaseSnapshot | null;
  /** Resolves once `over()` is true after an event, or after `ms`. */
  until(over: () => boolean, ms: number): Promise<void>;
  readonly status: ClientStatus;
  readonly idle: boolean;
}

/** What people are told. */
export type Told = Exclude<Effect, { readonly kind: 'ask-credential' | 'dial' | 'send' | 'abandon' | 'settle' }>;

export interface RunnerPorts {
  readonly core: ClientCore;
  readonly makeSocket: WebSocketClass;
  readonly credential: () => Promise<string | undefined>;
  /** Before a turn that may renew something. */
  readonly beforeTurn: () => void;
  readonly told: (effect: Told) => void;
  readonly bad: (problem: string) => void;
}

export function makeRunner({ core, makeSocket, credential, beforeTurn, told, bad }: RunnerPorts): Runner {
  const sockets = new Map<DialNumber, Socket>();
  const asked = new Map<Reference, (outcome: Outcome) => void>();
  const waits = new Set<() => void>();
  const news: (Told | Extract<Effect, { readonly kind: 'settle' }>)[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let timerFor: MonoMs | null = null;
  let references = 0;
  let ending = false;

  /**
   * What the platform does is done at once, in order; people hear afterwards, since what they do then comes back here.
   * The core holds back what is to be sent until this tick's calls are over: they leave as one frame.
   */
  function handle(event: ClientEvent): void {
    if (!ending) queueMicrotask(endTick);
    ending = true;
    step(event, true);
  }

  function endTick(): void {
    ending = false;
    step({ kind: 'wake' }, false);
    armTimer();
  }

  function step(event: ClientEvent, hold: boolean): void {
    for (const effect of core.handle(stamp(), event, hold)) perform(effect);
    // The rest of the news goes with an inner call, if a listener makes one: in order all the same.
    for (let effect = news.shift(); effect !== undefined; effect = news.shift()) {
      if (effect.kind !== 'settle') told(effect);
      else {
        asked.get(effect.reference)?.(effect.outcome);
        asked.delete(effect.reference);
      }
    }
    for (const look of waits) look();
  }

  function turn(event: ClientEvent): void {
    beforeTurn();
    handle(event);
  }

  function perform(effect: Effect): void {
    switch (effect.kind) {
      case 'dial':
        return dial(effect.dial, effect.url);
      case 'ask-credential':
        return void credential().then(
          (text) => handle({ kind: 'credential', dial: effect.dial, credential: text }),
          (cause: unknown) => handle({ kind: 'credential-failed', dial: effect.dial, cause }),
        );
      case 'send':
        return sockets.get(effect.dial)?.send(effect.messages);
      case 'abandon':
        sockets.get(effect.dial)?.close();
        sockets.delete(effect.dial);
        return undefined;
      default:
        news.push(effect);
    }
  }

  function dial(number: DialNumber, url: string): void {
    const closed: SocketEvents['closed'] = (closeCode, reason) => {
      sockets.delete(number);
      turn({ kind: 'socket-closed', dial: number, closeCode, reason });
    };
    const events: SocketEvents = {
      bad,
      closed,
      opened: () => turn({ kind: 'socket-opened', dial: number }),
      heard: (messages) => turn({ kind: 'socket-frame', dial: number, messages }),
    };
    try {
      // A path of its own for each dial: Firefox delays a path that has failed, by up to a minute.
      sockets.set(number, openSocket(`${url}${SOCKET_PATH}/${number}`, makeSocket, events));
    } catch (cause) {
      // A page of https refuses ws:, for one. It comes back as any other failed dial, and not inside this turn.
      queueMicrotask(() => closed(0, String(cause)));
    }
  }

  function armTimer(): void {
    const at = core.nextWake();
    if (at === timerFor) return;
    clearTimeout(timer);
    timerFor = at;
    if (at === null) return;
    timer = after(at - stamp().mono, () => {
      timerFor = null;
      turn({ kind: 'wake' });
    });
  }

  function ask<K extends Outcome['kind']>(event: (reference: Reference) => ClientEvent, timeoutMs?: number): Promise<OutcomeOf<K>> {
    const mine = reference((references += 1));
    return new Promise((resolve, reject) => {
      const limit = timeoutMs === undefined ? undefined : after(timeoutMs, () => {
        asked.delete(mine);
        // Read before the core gives up, which puts it to rest.
        const message = `no coordinator answered within ${timeoutMs} ms (status ${core.status}): is it running at that URL?`;
        handle({ kind: 'give-up', reference: mine });
        reject(new LeaseError({ code: 'unavailable', message, retryable: true }));
      });
      asked.set(mine, (outcome) => {
        clearTimeout(limit);
        if (outcome.kind === 'failed') reject(errorOf(outcome.failure));
        // The core settles an event with the kind that belongs to it; the caller names that.
        else resolve(outcome as OutcomeOf<K>);
      });
      handle(event(mine));
    });
  }

  return {
    handle,
    ask,
    lease: (key) => core.lease(stamp(), key),
    until: (over, ms) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(limit);
          waits.delete(look);
          resolve();
        };
        const look = (): void => void (over() && done());
        const limit = after(ms, done);
        waits.add(look);
        look();
      }),
    get status() {
      return core.status;
    },
    get idle() {
      return core.idle;
    },
  };
}
