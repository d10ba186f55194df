import {
  BACKOFF_MS_MAX_DEFAULT, CLOSE_ANSWER_MS, CONNECT_TIMEOUT_MS_DEFAULT, CREDENTIAL_BYTES_MAX, DRAIN_MS_DEFAULT, TTL_MS_DEFAULT,
} from '../../shared/limits.ts';
import { instanceId, leaseName, requestId } from '../../shared/ids.ts';
import { inWords } from '../../shared/options.ts';
import { durationMs } from '../../shared/time.ts';
import type { MakeClientCore } from '../core/types.ts';
import { makeClaims } from './claims.ts';
import { badRequest, errorOf, isLeaseError } from './errors.ts';
import { quiet } from './lease.ts';
import { guarded, makeListeners } from './listeners.ts';
import { checkConnect, checkName, checkOptions, checkText, DRAIN_RULES, RUN_RULES, socketUrls, termsOf, TIMEOUT_RULES } from './options.ts';
import { CLOCK_RESOLUTION_MS, idleMsDefault, pingMsFor, randomId, stamp } from './platform.ts';
import type { Client, ClientEvents, CloseOptions, LeaseView, TimeoutOptions } from './public-client.ts';
import type { Lease } from './public-lease.ts';
import type { AcquireOptions, ConnectOptions, RunOptions, Warning, WebSocketClass } from './public-options.ts';
import { run, type Running, type Work } from './run.ts';
import { makeRunner, type Runner, type Told } from './runner.ts';

/** `connect` with a core of the caller's choice; see there. */
export function makeClient(makeCore: MakeClientCore, given: string | readonly string[], options: ConnectOptions): Client {
  const urls = socketUrls(given);
  checkConnect(options);
  const makeSocket = socketClass(options);
  const { ttlMs = TTL_MS_DEFAULT, connectTimeoutMs = CONNECT_TIMEOUT_MS_DEFAULT, credential, logger } = options;
  const listeners = makeListeners<ClientEvents>((cause, event) => (event === 'warning' ? log : warn)(thrown(cause)));
  const log = ({ message, ...details }: Warning): void => guarded(() => logger?.warn(details, message), () => undefined);
  const failed = (cause: unknown): void => warn(thrown(cause));
  const running = new Set<Running>();
  let started: Runner | undefined;
  let keys = 0;
  let badFrames = 0;
  let closing: Promise<void> | undefined;

  function warn(warning: Warning): void {
    log(warning);
    listeners.emit('warning', warning);
  }

  /** At the first use, and not before: nothing that a module does while it loads may need chance, clocks or I/O. */
  const runner = (): Runner => (started ??= start());
  function start(): Runner {
    const core = makeCore(
      {
        urls,
        instance: instanceId(randomId()),
        label: options.label ?? '',
        metadata: options.metadata,
        connectTimeoutMs: durationMs(connectTimeoutMs),
        maxBackoffMs: durationMs(options.maxBackoffMs ?? BACKOFF_MS_MAX_DEFAULT),
        idleMs: durationMs(options.idleMs ?? idleMsDefault()),
        pingMs: pingMsFor(ttlMs),
        clockResolutionMs: CLOCK_RESOLUTION_MS,
        chance: Math.random,
      },
      stamp(),
    );
    return makeRunner({ core, makeSocket, credential: fetchCredential, beforeTurn: claims.askRenewWhile, told, bad });
  }

  /** Keys are unique in the session, which belongs to this instance; the core's own ids begin with `#`. */
  const claims = makeClaims(runner, () => requestId(`${(keys += 1)}`), failed);

  async function fetchCredential(): Promise<string | undefined> {
    const text = typeof credential === 'function' ? await credential() : credential;
    if (text !== undefined) checkText('credential', text, CREDENTIAL_BYTES_MAX);
    return text;
  }

  function told(effect: Told): void {
    if (effect.kind === 'warning') return warn({ code: effect.code, message: effect.text });
    if (effect.kind !== 'status') return claims.tell(effect);
    listeners.emit('status', { status: effect.status, error: effect.failure && errorOf(effect.failure) });
  }

  /** Warned of at the 1st, 2nd, 4th, 8th ...: garbage must not become a flood of its own. */
  function bad(problem: string): void {
    badFrames += 1;
    if ((badFrames & (badFrames - 1)) === 0) warn({ code: 'bad-frame', message: `${badFrames} bad messages so far; ${problem}` });
  }

  async function ready(given: TimeoutOptions = {}): Promise<void> {
    checkOptions(given, TIMEOUT_RULES);
    await runner().ask<'done'>((reference) => ({ kind: 'ready', reference }), given.timeoutMs ?? connectTimeoutMs);
  }

  async function inspect(name: string, given: TimeoutOptions = {}): Promise<LeaseView> {
    checkName(name);
    checkOptions(given, TIMEOUT_RULES);
    const { views } = await runner().ask<'views'>(
      (reference) => ({ kind: 'list', reference, name: leaseName(name), prefix: '', after: '', limit: 1 }),
      given.timeoutMs ?? connectTimeoutMs,
    );
    return { name, holders: [], queue: 0, state: null, lastFencingToken: null, ...views[0] };
  }

  async function end(given: CloseOptions): Promise<void> {
    checkOptions(given, DRAIN_RULES);
    const { handle, until } = runner();
    handle({ kind: 'close', keep: [...running].flatMap(({ key }) => key ?? []) });
    for (const { stop } of running) stop();
    await until(() => running.size === 0, given.drainMs ?? DRAIN_MS_DEFAULT);
    await until(() => runner().idle, CLOSE_ANSWER_MS);
    handle({ kind: 'close-now' });
  }

  function close(given: CloseOptions = {}): Promise<void> {
    closing ??= quiet(
      end(given).catch((error: unknown) => {
        // Bad options: nothing was closed.
        closing = undefined;
        throw error;
      }),
    );
    return closing;
  }

  const acquire = async (name: string, given: AcquireOptions = {}): Promise<Lease> =>
    (await claims.claim(termsOf(name, given, ttlMs), given)).lease;

  async function runWork<T>(name: string, given: RunOptions, work: unknown): Promise<T | undefined> {
    if (typeof work !== 'function') throw badRequest('work', `work is ${inWords(work)}; allowed: a function`);
    const terms = termsOf(name, given, ttlMs, RUN_RULES);
    // What it takes and returns is said by the overloads of `Client.run`.
    return run(claims, ready, running, terms, given, work as Work<T>).finally(() => runner().handle({ kind: 'wake' }));
  }

  return {
    run: <T>(name: string, given: RunOptions | Work<T>, work?: Work<T>) =>
      // The overloads of `Client.run` say which calls cannot end in undefined.
      (typeof given === 'function' ? runWork<T>(name, {}, given) : runWork<T>(name, given, work)) as Promise<T>,
    acquire: (name, given) => quiet(acquire(name, given)),
    tryAcquire: (name, given) =>
      quiet(
        acquire(name, { ...given, waitMs: 0 }).catch((error: unknown) => {
          if (isLeaseError(error, 'wait-timeout')) return null;
          throw error;
        }),
      ),
    inspect: (name, given) => quiet(inspect(name, given)),
    ready: (given) => quiet(ready(given)),
    close,
    get status() {
      return started?.status ?? 'idle';
    },
    on: listeners.on,
    [Symbol.asyncDispose]: () => close(),
  };
}

const thrown = (cause: unknown): Warning => ({ code: 'listener', message: `a callback threw: ${String(cause)}`, cause });

function socketClass(options: ConnectOptions): WebSocketClass {
  const found = options.WebSocket ?? globalThis.WebSocket;
  if (found === undefined) throw badRequest('WebSocket', 'this runtime has no WebSocket: give one as options.WebSocket, or use Node 22 or newer');
  return found;
}
