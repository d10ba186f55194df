import { instanceId, type RequestId } from '../../shared/ids.ts';
import {
  BACKOFF_MS_MAX_DEFAULT,
  CLOSE_ANSWER_MS,
  CONNECT_TIMEOUT_MS_DEFAULT,
  CREDENTIAL_BYTES_MAX,
  DRAIN_MS_DEFAULT,
  TTL_MS_DEFAULT,
} from '../../shared/limits.ts';
import { durationMs } from '../../shared/time.ts';
import { CLOSED } from '../core/failures.ts';
import type { ReloadRecord } from '../core/reload.ts';
import type { ClientStatus, MakeClientCore } from '../core/types.ts';
import { Claims } from './claims.ts';
import { badRequest, errorOf, isLeaseError } from './errors.ts';
import { quiet, type Held } from './lease.ts';
import { guarded, makeListeners } from './listeners.ts';
import {
  checkConnect,
  checkOptions,
  checkText,
  DRAIN_RULES,
  refused,
  RUN_RULES,
  socketUrls,
  termsOf,
  TIMEOUT_RULES,
  TRY_RULES,
} from './options.ts';
import { followPage } from './page.ts';
import { CLOCK_RESOLUTION_MS, idleMsDefault, isBrowser, pingMsFor, randomId, stamp } from './platform.ts';
import type {
  Client,
  ClientEvents,
  ClientSnapshot,
  CloseOptions,
  StatusChange,
  TimeoutOptions,
} from './public-client.ts';
import { elect } from './elect.ts';
import type { ElectOptions } from './public-election.ts';
import type { Inside } from './inside.ts';
import { defaultLabel } from './label.ts';
import { list } from './list.ts';
import { namesIn } from './namespace.ts';
import { once } from './once.ts';
import type { Lease } from './public-lease.ts';
import type { LeaseView } from './public-view.ts';
import { makeStore } from './store.ts';
import { viewOf } from './view.ts';
import { watch } from './watch.ts';
import type {
  AcquireOptions,
  ConnectOptions,
  RunOptions,
  TryAcquireOptions,
  Urls,
  Warning,
  WebSocketClass,
} from './public-options.ts';
import { reloadPlace, type ReloadPlace } from './reload.ts';
import { run, type Running, type Work } from './run.ts';
import { Runner, type Told } from './runner.ts';
import { Transport } from './transport.ts';

/** `connect` with a core of the caller's choice; see there. The methods need no `this`, so that they can be passed on. */
export function makeClient(
  makeCore: MakeClientCore,
  url: Urls,
  options: ConnectOptions,
  browserPart: Inside['browserPart'] = () => Promise.reject(new Error('there is no such part')),
): Client {
  const inner = new InnerClient(makeCore, url, options, browserPart);
  return {
    run: <T>(name: string, given: RunOptions | Work<T>, work?: Work<T>) =>
      // The overloads of `Client.run` say which calls cannot end in undefined.
      (typeof given === 'function' ? inner.run(name, {}, given) : inner.run(name, given, work)) as Promise<T>,
    acquire: (name, given) => quiet(inner.acquire(name, given)),
    tryAcquire: (name, given) => quiet(inner.tryAcquire(name, given)),
    watch: (name, given = {}) => watch(inner.inside, name, given),
    list: (given = {}) => list(inner.inside, given),
    once: (name, given, work) => quiet(once(inner.inside, name, given, work)),
    // Which of the two it is, the options say, and the overloads of `Client.elect`.
    elect: ((name: string, given?: ElectOptions) => elect(inner.inside, name, given)) as Client['elect'],
    inspect: (name, given) => quiet(inner.inspect(name, given)),
    ready: (given) => quiet(inner.ready(given)),
    close: (given) => inner.close(given),
    get status() {
      return inner.status;
    },
    get transport() {
      return inner.store.get().transport;
    },
    on: inner.listeners.on,
    subscribe: inner.store.subscribe,
    getSnapshot: inner.store.get,
    [Symbol.asyncDispose]: () => inner.close(),
  };
}

class InnerClient {
  readonly listeners = makeListeners<ClientEvents>({ status: 'function', warning: 'function' }, (cause, event) =>
    (event === 'warning' ? this.#log : this.#warn)(thrown(cause)),
  );
  readonly store = makeStore<ClientSnapshot>({ status: 'idle', error: null, transport: 'socket' }, (cause) =>
    this.#warn(thrown(cause)),
  );
  readonly inside: Inside;
  /** Told of a status before the listeners of people are. */
  readonly #followers = new Set<(change: StatusChange) => void>();
  readonly #makeCore: MakeClientCore;
  readonly #urls: readonly string[];
  readonly #options: ConnectOptions;
  readonly #makeSocket: WebSocketClass;
  readonly #ttlMs: number;
  readonly #connectTimeoutMs: number;
  readonly #running = new Set<Running>();
  /** What ends a `run` whose function goes on after the client's close. */
  readonly #ends = new Set<(error: Error) => void>();
  readonly #claims = new Claims(
    () => this.#runner,
    (cause) => this.#warn(thrown(cause)),
  );
  readonly #reloadPlace: ReloadPlace | null;
  readonly #left: ReloadRecord | null;
  #started: Runner | undefined;
  #label: string | undefined;
  /** Stops following the page that this client lives in. */
  #leavePage: () => void = () => undefined;
  #closing: Promise<void> | undefined;
  #badFrames = 0;
  /** Tells which handles are garbage, when memory is collected: soon, late or never. Some runtimes have none. */
  readonly #handles =
    globalThis.FinalizationRegistry &&
    new FinalizationRegistry<RequestId>((key) => {
      const lease = this.#runner.lease(key);
      if (lease?.remainingMs) this.#warn({ code: 'dropped', message: `lease "${lease.name}" was dropped` });
    });

  constructor(makeCore: MakeClientCore, url: Urls, options: ConnectOptions, browserPart: Inside['browserPart']) {
    this.#urls = socketUrls(url);
    this.#options = checkConnect(options);
    this.#makeSocket = socketClass(options);
    this.#makeCore = makeCore;
    this.#reloadPlace = options.resumeOnReload ? reloadPlace(this.#urls, options.namespace) : null;
    // At once, so that it lies there for no tab to copy.
    this.#left = this.#reloadPlace?.take() ?? null;
    this.#ttlMs = options.ttlMs ?? TTL_MS_DEFAULT;
    this.#connectTimeoutMs = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS_DEFAULT;
    const names = namesIn(options.namespace);
    const label = (): string => (this.#label ??= options.label ?? defaultLabel());
    this.inside = {
      runner: () => this.#runner,
      claims: this.#claims,
      names,
      connectTimeoutMs: this.#connectTimeoutMs,
      // At its first use: nothing is read of the platform before.
      get label() {
        return label();
      },
      metadata: this.#options.metadata ?? null,
      terms: (name, given, rules) => ({
        ...termsOf(name, given, this.#ttlMs, rules),
        name: names.full(name),
        shownAs: name,
      }),
      // Only with `ifUnavailable: 'skip'` does it end in undefined.
      run: <T>(name: string, given: RunOptions, work: Work<T>) => this.run(name, given, work) as Promise<T>,
      onStatus: (follower) => {
        this.#followers.add(follower);
        return () => void this.#followers.delete(follower);
      },
      isClosed: () => this.status === 'closed',
      browserPart,
      failed: (cause) => this.#warn(thrown(cause)),
    };
  }

  get status(): ClientStatus {
    return this.#started?.core.status ?? 'idle';
  }

  async acquire(name: string, given: AcquireOptions = {}): Promise<Lease> {
    const held: Held = await this.#claims.claim(this.inside.terms(name, given), given);
    const lease = held.handle();
    this.#handles?.register(lease, held.key);
    return lease;
  }

  async tryAcquire(name: string, given: TryAcquireOptions = {}): Promise<Lease | null> {
    checkOptions(given, TRY_RULES);
    return this.acquire(name, { ...given, waitMs: 0 }).catch((error: unknown) => {
      if (isLeaseError(error, 'wait-timeout')) return null;
      throw error;
    });
  }

  async run<T>(name: string, given: RunOptions, work: Work<T> | undefined): Promise<T | undefined> {
    if (typeof work !== 'function') throw refused('work', work, 'function');
    const terms = this.inside.terms(name, given, RUN_RULES);
    let end: (error: Error) => void = () => undefined;
    const closed = new Promise<never>((_, reject) => this.#ends.add((end = reject)));
    const ended = run(this.#claims, () => this.ready(), this.#running, terms, given, work);
    return Promise.race([ended, closed]).finally(() => {
      this.#ends.delete(end);
      // Whoever waits for the end of all work looks again.
      this.#runner.handle({ kind: 'wake' });
    });
  }

  async ready(given: TimeoutOptions = {}): Promise<void> {
    checkOptions(given, TIMEOUT_RULES);
    const { timeoutMs = this.#connectTimeoutMs } = given;
    await this.#runner.ask<'done'>((reference) => ({ kind: 'ready', reference }), timeoutMs);
  }

  async inspect(name: string, given: TimeoutOptions = {}): Promise<LeaseView> {
    const { names } = this.inside;
    const full = names.full(name);
    checkOptions(given, TIMEOUT_RULES);
    const exactly = { kind: 'list', name: full, prefix: '', after: '', limit: 1 } as const;
    const { timeoutMs = this.#connectTimeoutMs } = given;
    const { views } = await this.#runner.ask<'views'>((reference) => ({ ...exactly, reference }), timeoutMs);
    return viewOf(views[0] ?? { name: full, holders: [], queue: 0 }, names);
  }

  close(given: CloseOptions = {}): Promise<void> {
    this.#closing ??= quiet(
      this.#end(given).catch((error: unknown) => {
        // Bad options: nothing was closed.
        this.#closing = undefined;
        throw error;
      }),
    );
    return this.#closing;
  }

  async #end(given: CloseOptions): Promise<void> {
    checkOptions(given, DRAIN_RULES);
    const runner = this.#runner;
    const running = this.#running;
    runner.handle({ kind: 'close', keep: [...running].flatMap(({ key }) => key ?? []) });
    for (const work of running) work.stop();
    await runner.until(() => running.size === 0, given.drainMs ?? DRAIN_MS_DEFAULT);
    await runner.until(() => runner.core.idle, CLOSE_ANSWER_MS);
    runner.handle({ kind: 'close-now' });
    this.#leavePage();
    // Whoever waited only for the answer to its release has it now, and ends as its work did.
    await runner.until(() => this.#ends.size === 0, 0);
    for (const end of this.#ends) end(errorOf(CLOSED));
  }

  /** Made at the first use: nothing that a module does while it loads may need chance, clocks or I/O. */
  get #runner(): Runner {
    return (this.#started ??= this.#start());
  }

  #start(): Runner {
    const { metadata, maxBackoffMs = BACKOFF_MS_MAX_DEFAULT, idleMs = idleMsDefault() } = this.#options;
    const settings = {
      urls: this.#urls,
      instance: instanceId(randomId()),
      label: this.inside.label,
      metadata,
      connectTimeoutMs: durationMs(this.#connectTimeoutMs),
      maxBackoffMs: durationMs(maxBackoffMs),
      idleMs: durationMs(idleMs),
      pingMs: pingMsFor(this.#ttlMs),
      clockResolutionMs: CLOCK_RESOLUTION_MS,
      chance: Math.random,
      holdsDialsBack: isBrowser('Chrome'),
      resume: this.#left ?? undefined,
    };
    const runner = new Runner({
      core: this.#makeCore(settings, stamp()),
      transport: new Transport({
        makeSocket: this.#makeSocket,
        share: this.#options.share,
        goesOver: (transport) => this.store.update({ transport }),
        alone: (problem) => this.#warn({ code: 'not-shared', message: `a socket of its own: ${problem}` }),
      }),
      credential: () => this.#credential(),
      beforeTurn: () => this.#claims.askRenewWhile(),
      told: (effect) => this.#told(effect),
      bad: (problem) => this.#bad(problem),
    });
    const place = this.#reloadPlace;
    this.#leavePage = followPage(
      ({ type }) => {
        // A page that is merely frozen is not loaded again.
        const record = type === 'pagehide' && place && runner.core.record();
        const isLeft = record && place.put(record);
        runner.handle({ kind: 'put-away', keepMs: isLeft ? record.keepMs : undefined });
      },
      (event) => {
        if ('persisted' in event && event.persisted) place?.drop();
        runner.handle({ kind: 'brought-back' });
      },
    );
    return runner;
  }

  async #credential(): Promise<string | undefined> {
    const { credential } = this.#options;
    const text = typeof credential === 'function' ? await credential() : credential;
    if (text !== undefined) checkText('credential', text, CREDENTIAL_BYTES_MAX);
    return text;
  }

  #told(effect: Told): void {
    if (effect.kind === 'warning') return this.#warn({ code: effect.code, message: effect.text });
    if (effect.kind !== 'status') return this.#claims.tell(effect);
    const change = { status: effect.status, error: effect.failure && errorOf(effect.failure) };
    for (const follower of this.#followers) follower(change);
    this.store.update(change);
    this.listeners.emit('status', change);
  }

  /** Warned of at the 1st, 2nd, 4th, 8th ...: garbage must not become a flood of its own. */
  #bad(problem: string): void {
    const count = (this.#badFrames += 1);
    if ((count & (count - 1)) === 0)
      this.#warn({ code: 'bad-frame', message: `${count} bad messages so far; ${problem}` });
  }

  readonly #warn = (warning: Warning): void => {
    this.#log(warning);
    this.listeners.emit('warning', warning);
  };

  readonly #log = ({ message, ...details }: Warning): void =>
    guarded(
      () => this.#options.logger?.warn(details, message),
      // A logger that throws has nobody left to tell.
      () => undefined,
    );
}

const thrown = (cause: unknown): Warning => ({
  code: 'listener',
  message: `a callback threw: ${String(cause)}`,
  cause,
});

function socketClass(options: ConnectOptions): WebSocketClass {
  const found = options.WebSocket ?? globalThis.WebSocket;
  const cure = 'this runtime has no WebSocket: give one as options.WebSocket, or use Node 22 or newer';
  if (found === undefined) throw badRequest('WebSocket', cure);
  return found;
}
