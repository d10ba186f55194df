import type { Shell, Standing } from '../runtime/elect-browser.ts';
import type { BrowserElectionSnapshot } from '../runtime/public-browser.ts';
import { holdLease, type Held } from './lease.ts';
import { Locks, type Asked } from './locks.ts';
import {
  begin,
  candidateStep,
  leaderOf,
  statusOf,
  type Candidate,
  type CandidateEffect,
  type CandidateEvent,
  type Reign,
} from './machine.ts';
import { messageOf, type Message } from './messages.ts';

const PREFIX = 'leasehold:';
const NO_LOCKS =
  'there are no Web Locks (navigator.locks) here: scope "browser" needs them; a page has them over https or on localhost';
/** Such a page (sandboxed, without an origin) has no locks, now or later. */
const FOR_GOOD: readonly string[] = ['SecurityError', 'NotSupportedError'];

const nameOf = (cause: unknown): string => (cause instanceof Error ? cause.name : '');

/** Stands as a candidate for the native lock, from now on. */
export function standInBrowser(shell: Shell): Standing {
  const candidacy = new Candidacy(shell);
  return { resign: () => candidacy.resign(), stop: () => candidacy.stop() };
}

/** The machine at work: its effects become requests for the lock, messages and a timer here, and news to people. */
class Candidacy {
  readonly #shell: Shell;
  readonly #lockName: string;
  readonly #locks: Locks | null;
  #candidate: Candidate;
  /** What is to be done, in order, also where a listener makes more of it. */
  readonly #todo: (() => void)[] = [];
  #working = false;
  #asked: Asked | null = null;
  /** While it leads. */
  #held: Held | null = null;
  #channel: BroadcastChannel | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #unfollow: () => void;

  constructor(shell: Shell) {
    const { fullName, kit } = shell;
    this.#shell = shell;
    this.#lockName = PREFIX + fullName;
    // Absent in some runtimes, and in pages of an insecure origin, whatever the types say.
    const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
    this.#locks = locks === undefined ? null : new Locks(locks);
    this.#unfollow = kit.followPage(
      () => this.#step({ kind: 'away' }),
      () => this.#step({ kind: 'back' }),
    );
    const { state, effects } = begin();
    this.#candidate = state;
    this.#put(effects);
  }

  resign(): Promise<void> {
    return this.#held === null ? Promise.resolve() : this.#giveBack({ kind: 'resign' });
  }

  stop(): Promise<void> {
    return this.#giveBack({ kind: 'stop' });
  }

  /** Resolves when the browser has back what was asked of it before. */
  #giveBack(event: CandidateEvent): Promise<void> {
    const { settled = Promise.resolve() } = this.#asked ?? {};
    this.#step(event);
    return settled;
  }

  #step(event: CandidateEvent): void {
    const before = this.#candidate;
    const { state, effects } = candidateStep(before, event, this.#shell.kit.stamp().mono);
    this.#candidate = state;
    if (event.kind === 'granted' && state !== before) this.#held = holdLease(this.#shell, () => this.#release(held));
    const held = this.#held;
    const ended = effects.find(({ kind }) => kind === 'ended');
    // Whatever is read from here on says so, whoever is told first.
    if (ended?.kind === 'ended') this.#held?.end(ended.code);
    if (state.phase.kind !== 'leading') this.#held = null;
    this.#put(effects, held);
  }

  /** Puts what is so now in its place, and what is to be done about it at the end of the line. */
  #put(effects: readonly CandidateEffect[], held: Held | null = null): void {
    const { store } = this.#shell;
    store.put(this.#snapshot());
    this.#todo.push(() => store.update({}), ...effects.map((effect) => () => this.#perform(effect, held)));
    if (this.#working) return;
    this.#working = true;
    for (let next = this.#todo.shift(); next !== undefined; next = this.#todo.shift()) next();
    this.#working = false;
  }

  #snapshot(): BrowserElectionSnapshot {
    const { phase } = this.#candidate;
    const status = statusOf(this.#candidate);
    return {
      status,
      isLeader: status === 'leading',
      leader: leaderOf(this.#candidate)?.shown ?? null,
      position: phase.kind === 'standing' ? phase.position : null,
      lease: this.#held?.lease ?? null,
    };
  }

  #perform(effect: CandidateEffect, held: Held | null): void {
    const { listeners, kit } = this.#shell;
    switch (effect.kind) {
      case 'elected':
        return held === null ? undefined : listeners.emit('elected', held.lease);
      case 'ended':
        return held?.tell();
      case 'deposed': {
        const { error } = held?.lease.getSnapshot() ?? { error: null };
        return error === null ? undefined : listeners.emit('deposed', error);
      }
      case 'leader':
        return listeners.emit('leader', effect.reign?.shown ?? null);
      case 'request':
        return this.#request();
      case 'free':
        return this.#asked?.free();
      case 'look':
        return this.#look(effect.about);
      case 'pause':
        clearTimeout(this.#timer);
        this.#timer = kit.after(kit.backoffMs('refused', effect.attempt, Math.random(), Infinity), () =>
          this.#step({ kind: 'due' }),
        );
        return undefined;
      case 'rest':
        return this.#rest();
      case 'leave':
        this.#rest();
        this.#unfollow();
        return this.#shell.left();
      default:
        return this.#say(effect);
    }
  }

  #say(effect: Extract<CandidateEffect, { readonly kind: 'ask' | `tell-${string}` }>): void {
    const message: Message =
      effect.kind === 'ask'
        ? { kind: 'who' }
        : effect.kind === 'tell-leads'
          ? { kind: 'leads', reign: effect.reign }
          : effect.kind === 'tell-over'
            ? { kind: 'over', id: effect.id }
            : { kind: 'moved' };
    this.#channel?.postMessage(message);
  }

  #request(): void {
    clearTimeout(this.#timer);
    if (this.#locks === null) return this.#fail(true, NO_LOCKS);
    this.#listen();
    this.#asked = this.#locks.ask(this.#lockName, {
      granted: () => this.#step({ kind: 'granted', reign: this.#newReign() }),
      stolen: () => this.#step({ kind: 'stolen' }),
      failed: (cause) =>
        this.#fail(FOR_GOOD.includes(nameOf(cause)), `the browser gives no lock: ${String(cause)}`, cause),
    });
  }

  #fail(forGood: boolean, message: string, cause?: unknown): void {
    const { LeaseError } = this.#shell.kit;
    if (forGood) this.#shell.error = new LeaseError({ code: 'unavailable', message, cause });
    this.#step({ kind: 'failed', forGood });
  }

  #newReign(): Reign {
    const { label, kit } = this.#shell;
    const { mono: _mono, wall } = kit.stamp();
    return {
      id: kit.randomId(),
      client: null,
      shown: Object.freeze({ label, since: new Date(wall).toISOString() }),
    };
  }

  #look(about: Reign | null): void {
    const probe = `${PREFIX}look:${this.#shell.kit.randomId()}`;
    this.#locks?.look(this.#lockName, probe, this.#asked).then(
      (seen) => this.#step({ kind: 'looked', about, seen }),
      // A page that is going away gets no answer, and needs none.
      () => undefined,
    );
  }

  /** Without a channel nobody is known to lead, and the lock is held all the same. */
  #listen(): void {
    // Absent in some runtimes, whatever the types say.
    const { BroadcastChannel: Channel } = globalThis as Partial<typeof globalThis>;
    if (this.#channel !== null || Channel === undefined) return;
    this.#channel = new Channel(this.#lockName);
    this.#channel.onmessage = ({ data }: { readonly data: unknown }) => {
      const message = messageOf(data);
      if (message === null) return;
      if (message.kind === 'leads') this.#step({ kind: 'heard', reign: message.reign });
      else if (message.kind === 'over') this.#step({ kind: 'heard-over', id: message.id });
      else this.#step({ kind: message.kind === 'who' ? 'asked' : 'heard-moved' });
    };
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#channel?.close();
    this.#channel = null;
  }

  /** Of the lease that it holds: nothing of an earlier one, which is over. */
  async #release(held: Held | null): Promise<boolean> {
    if (held === null || held !== this.#held) return false;
    await this.resign();
    return true;
  }
}
