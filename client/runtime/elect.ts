import { fencingToken, type RequestId } from '../../shared/ids.ts';
import { PRIORITY_MAX } from '../../shared/limits.ts';
import {
  candidateOf,
  electionStatus,
  electionStep,
  leaderOf,
  type Candidate,
  type ElectionEffect,
  type ElectionEvent,
} from '../core/election-machine.ts';
import type { AcquireTerms } from '../core/types.ts';
import type { Claimant } from './claims.ts';
import { electInBrowser } from './elect-browser.ts';
import { errorOf } from './errors.ts';
import { handleOf } from './handle.ts';
import type { Inside } from './inside.ts';
import type { Held } from './lease.ts';
import { makeListeners } from './listeners.ts';
import { refused, TRY_RULES, type Rules } from './options.ts';
import { ownView } from './own-view.ts';
import { after, isPage, stamp } from './platform.ts';
import type { BrowserElectOptions } from './public-browser.ts';
import type { ElectionEvents, ElectionSnapshot, Election, ElectOptions } from './public-election.ts';
import type { QueuedInfo } from './public-options.ts';
import type { LeaseView } from './public-view.ts';
import { makeStore, type Store } from './store.ts';
import { viewOf } from './view.ts';
import type { Following, Preferring } from './visibility.ts';

const EVENTS: Rules<ElectionEvents> = { elected: 'function', deposed: 'function', leader: 'function' };

/** `client.elect`, see there. */
export function elect(inside: Inside, name: string, options: ElectOptions | BrowserElectOptions = {}) {
  return isOfBrowser(options) ? electInBrowser(inside, name, options) : electByCoordinator(inside, name, options);
}

/** As a program without types may call it, it need not be an object. */
const isOfBrowser = (options: ElectOptions | BrowserElectOptions): options is BrowserElectOptions =>
  (Object(options) as Partial<BrowserElectOptions>).scope !== undefined;

function electByCoordinator(inside: Inside, name: string, options: ElectOptions): Election {
  const { steal: _steal, whenOwn: _whenOwn, ...rules } = TRY_RULES;
  const terms = inside.terms(name, options, { ...rules, prefer: '"visible"' });
  const { prefer, priority } = options;
  if (prefer !== undefined && priority === PRIORITY_MAX)
    throw refused('priority', priority, `at most ${PRIORITY_MAX - 1} with prefer, which asks with 1 above it`);
  const candidacy = new Candidacy(inside, { ...terms, candidate: true }, options);
  return handleOf(name, candidacy);
}

/** The election machine at work: its effects become claims, releases, a watch and a timer here, and news to people. */
class Candidacy {
  readonly listeners;
  readonly store: Store<ElectionSnapshot>;
  error: Error | null = null;
  readonly #inside: Inside;
  #terms: AcquireTerms;
  /** With `prefer`. */
  #preference: Following | undefined;
  readonly #options: ElectOptions;
  #candidate: Candidate;
  #held: Held | null = null;
  /** Of the claim that is asked. */
  #key: RequestId | null = null;
  #seen: LeaseView | null = null;
  #own: LeaseView | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unwatch: (() => void) | null = null;
  #unfollow: () => void = () => undefined;
  /** What people have still to hear: each piece to all of them before the next, whatever they do meanwhile. */
  readonly #news: (() => void)[] = [];
  /** Somebody is being told; or the lease has ended, and tells so first. */
  #telling = false;
  #ending = false;
  #released: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  readonly #abort = (): void => void this.stop();

  constructor(inside: Inside, terms: AcquireTerms, options: ElectOptions) {
    this.#inside = inside;
    this.#terms = terms;
    this.#options = options;
    this.listeners = makeListeners<ElectionEvents>(EVENTS, inside.failed);
    this.#candidate = candidateOf(inside.runner().core.status, stamp().mono);
    this.store = makeStore<ElectionSnapshot>(this.#snapshot(), inside.failed);
    this.#unfollow = inside.onStatus(({ status }) => {
      if (status !== 'open') this.#preference?.tell({ kind: 'cut' });
      this.#step({ kind: 'connection', status });
    });
    options.signal?.addEventListener('abort', this.#abort);
    if (options.signal?.aborted === true) this.#abort();
    else if (options.prefer !== undefined && isPage()) void this.#prefer();
    else this.#claim();
  }

  /** What is true now, by the clocks of the lease: where it is over by them, whoever listens hears it behind this turn. */
  look(): ElectionSnapshot {
    if (this.#held?.isOver === true) {
      const { state } = electionStep(this.#candidate, { kind: 'over' }, stamp().mono, Math.random);
      this.store.put(this.#snapshot(state, null));
    }
    return this.store.get();
  }

  resign(): Promise<void> {
    this.#step({ kind: 'resign' });
    return this.#released;
  }

  stop(): Promise<void> {
    if (this.#stopped === undefined) {
      this.#step({ kind: 'stop' });
      this.#stopped = this.#released;
    }
    return this.#stopped;
  }

  #step(event: ElectionEvent): void {
    const before = this.#candidate;
    const { state, effects } = electionStep(before, event, stamp().mono, Math.random);
    this.#candidate = state;
    const isSeen = state.view !== null && state.view !== before.view;
    if (isSeen) this.#seen = viewOf(state.view, this.#inside.names);
    if (this.#held !== null && (isSeen || event.kind === 'granted'))
      this.#own = ownView(this.#inside, this.#terms, this.#held, this.#seen);
    // Put in its place before anything is done, since more steps may come of that.
    for (const effect of effects) this.#note(effect);
    if (state.phase.kind !== 'leading') this.#held = null;
    if (state.phase.kind === 'refused') this.error ??= errorOf(state.phase.failure);
    for (const effect of effects) this.#perform(effect);
    this.store.update(this.#snapshot());
    this.#tell();
  }

  #snapshot(candidate = this.#candidate, held = this.#held): ElectionSnapshot {
    const { phase, open } = candidate;
    const status = electionStatus(candidate);
    return {
      status,
      isLeader: status === 'leading',
      leader: this.#leader(candidate),
      position: open && phase.kind === 'standing' ? phase.position : null,
      lease: held?.lease ?? null,
    };
  }

  #leader(candidate = this.#candidate): LeaseView | null {
    if (leaderOf(candidate) === null) return null;
    return candidate.phase.kind === 'leading' ? this.#own : this.#seen;
  }

  #note(effect: ElectionEffect): void {
    const { emit } = this.listeners;
    const held = this.#held;
    if (effect.kind === 'leader') {
      const leader = effect.token === null ? null : this.#leader();
      this.#news.push(() => emit('leader', leader));
    } else if (held !== null && effect.kind === 'elected') this.#news.push(() => emit('elected', held.lease));
    else if (held !== null && effect.kind === 'deposed') {
      const { ended } = held;
      if (ended !== null) this.#news.push(() => emit('deposed', ended));
    }
  }

  #tell(): void {
    if (this.#telling || this.#ending) return;
    this.#telling = true;
    for (let news = this.#news.shift(); news !== undefined; news = this.#news.shift()) news();
    this.#telling = false;
  }

  #perform(effect: ElectionEffect): void {
    switch (effect.kind) {
      case 'claim':
        return this.#claim();
      case 'pause':
        clearTimeout(this.#timer);
        this.#timer = after(effect.ms, () => this.#step({ kind: 'due' }));
        return undefined;
      case 'release':
        if (this.#held !== null) this.#released = this.#held.lease.release().then(() => undefined);
        return undefined;
      case 'leave':
        return this.#leave();
      default:
        return undefined;
    }
  }

  /** The first claim comes behind what is loaded for it, so that nothing is missed. */
  async #prefer(): Promise<void> {
    try {
      const { preferVisible } = await import('./visibility.ts');
      if (this.#stopped === undefined) this.#preference = preferVisible(this.#preferring());
    } catch (cause) {
      this.#inside.failed(new Error('prefer "visible" has no effect: its part of the client did not load', { cause }));
    }
    if (this.#candidate.phase.kind === 'standing') this.#claim();
  }

  #preferring(): Preferring {
    const { priority = 0 } = this.#terms;
    return {
      now: () => stamp().mono,
      after(ms, wake) {
        const timer = after(ms, wake);
        return () => clearTimeout(timer);
      },
      amend: (above) => {
        this.#terms = { ...this.#terms, priority: priority + above };
        const key = this.#key ?? this.#held?.key;
        if (key !== undefined) this.#inside.runner().handle({ kind: 'amend', key, priority: priority + above });
      },
      resign: () => void this.resign(),
    };
  }

  #claim(): void {
    const { claims } = this.#inside;
    clearTimeout(this.#timer);
    this.#watch();
    const key = (this.#key = claims.newKey(this.#terms));
    const claimant: Claimant = {
      granted: (held) => {
        this.#key = null;
        held.ending = () => this.#over();
        this.#held = held;
        held.listeners.on('yield-requested', () => this.#preference?.tell({ kind: 'asked' }));
        this.#preference?.tell({ kind: 'elected' });
        this.#step({ kind: 'granted', token: fencingToken(held.lease.fencingToken) });
      },
      failed: (failure) => {
        this.#key = null;
        this.#step({ kind: 'failed', failure });
      },
      over: () => {
        this.#ending = false;
        this.#tell();
      },
    };
    const onQueued = ({ position }: QueuedInfo): void => this.#step({ kind: 'queued', position });
    claims.open(key, this.#terms, { renewWhile: this.#options.renewWhile, onQueued }, claimant);
  }

  /** The lease has ended and nobody has heard: its status comes first, then the lease tells, then the rest. */
  #over(): void {
    this.#ending = true;
    this.#preference?.tell({ kind: 'over' });
    this.#step({ kind: 'over' });
  }

  /** One that failed (a session has only so many) is tried again with each claim. */
  #watch(): void {
    this.#unwatch ??= this.#inside.runner().watch(
      this.#terms,
      (view) => this.#step({ kind: 'view', view }),
      () => (this.#unwatch = null),
    );
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#preference?.stop();
    this.#unfollow();
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#unwatch?.();
    this.#unwatch = null;
    const key = this.#key;
    this.#key = null;
    if (key !== null) this.#inside.claims.withdraw(key);
  }
}
