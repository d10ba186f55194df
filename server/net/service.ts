import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Hono } from 'hono';
import { fencingToken, leaseName } from '../../shared/ids.ts';
import { DEFAULT_PORT } from '../../shared/limits.ts';
import { durationProblem } from '../../shared/options.ts';
import { between, durationMs } from '../../shared/time.ts';
import type {
  Coordinator,
  CoordinatorStatus,
  ListenOptions,
  RevokeOptions,
  UpgradingServer,
} from './coordinator-types.ts';
import { makeCoordinatorCore } from '../core/coordinator-core.ts';
import { VIEWS_DEFAULT } from '../core/coordinator/reading.ts';
import type { CoordinatorCore, Input } from '../core/core-types.ts';
import type { Limits } from '../core/limits.ts';
import { listeningClock } from '../core/listening-clock.ts';
import { CoordinatorError } from './coordinator-error.ts';
import { Driver, type Spoken } from './driver.ts';
import { refuseHandshake } from './handshake.ts';
import { makeHttpApp } from './http-app.ts';
import type { Reading } from './http-leases.ts';
import { openServers, type OpenServers } from './http-server.ts';
import { checkedLimits, type Settings } from './options.ts';
import { isLoopbackName } from './origins.ts';
import { notReady } from './readiness.ts';
import { revokeProblem } from './revoke-options.ts';
import { randomIds } from './secrets.ts';
import { Sockets } from './sockets.ts';
import { version } from './version.ts';

const DRAIN_MS_DEFAULT = 4_000;
const DRAIN_MS_MAX = 60_000;
/** How long a client that was told `draining` waits before it looks for the next run. */
const RETRY_AFTER_DRAIN_MS = 1_000;

type Phase =
  | { readonly kind: 'starting' }
  | { readonly kind: 'serving'; readonly core: CoordinatorCore; readonly driver: Driver }
  | { readonly kind: 'draining'; readonly core: CoordinatorCore | null; readonly driver: Driver | null }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'broken' };

interface Asked {
  readonly resolve: (ended: readonly number[]) => void;
  readonly reject: (error: CoordinatorError) => void;
}

/** One coordinator: the core, its driver, its sockets and its HTTP side, from the first read of the journal to the end. */
export class Service implements Coordinator {
  readonly app: Hono;
  readonly ready: Promise<void>;
  readonly broken: Promise<Error>;
  readonly #settings: Settings;
  readonly #sockets: Sockets;
  readonly #servers: OpenServers[] = [];
  readonly #asked = new Map<number, Asked>();
  #limits: Limits;
  #phase: Phase = { kind: 'starting' };
  #lastReference = 0;
  #closing: Promise<void> | null = null;
  /** Of the drain: the shortest that was asked for. */
  readonly #timeIsOver: Promise<void>;
  #endTime: () => void = () => undefined;
  /** What the journal held, for the line that says that it listens. */
  #opened: Readonly<Record<string, unknown>> = {};
  #tellBroken: (error: Error) => void = () => undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#limits = settings.limits;
    this.broken = new Promise((resolve) => (this.#tellBroken = resolve));
    this.#timeIsOver = new Promise((resolve) => (this.#endTime = resolve));
    this.#sockets = new Sockets({ ...settings, input: (input) => this.#input(input) });
    this.app = makeHttpApp({
      version: version(),
      rules: settings.rules,
      base: settings.base,
      pages: settings.pages,
      reasons: () => this.status.notReady,
      details: () => {
        const { phase, quietMs, connections, sessions, sockets, leases, claims, watches } = this.status;
        return { phase, quietMs, connections, sessions, sockets, leases, claims, watches, ...this.#appended() };
      },
      auth: settings.auth,
      loop: settings.loop,
      reading: () => this.#reading(),
    });
    this.ready = this.#start();
    // Whoever listens hears of it; whoever only attaches may never ask.
    this.ready.catch(() => undefined);
  }

  get status(): CoordinatorStatus {
    const { core, driver } = 'core' in this.#phase ? this.#phase : { core: null, driver: null };
    const status = core?.status ?? null;
    const quietUntil = status?.quietUntil ?? null;
    return {
      phase: this.#phase.kind,
      notReady: notReady({
        core: status,
        isListening: driver?.isListening ?? true,
        phase: this.#phase.kind,
      }),
      urls: this.#servers.flatMap((server) => server.urls),
      connections: this.#sockets.connections,
      sessions: status?.sessions ?? 0,
      sockets: status?.sockets ?? 0,
      leases: status?.leases ?? 0,
      claims: status?.claims ?? 0,
      watches: status?.watches ?? 0,
      appends: status?.appends ?? 0,
      quietMs:
        quietUntil === null || driver === null ? 0 : Math.max(0, Math.floor(between(driver.lastReading, quietUntil))),
    };
  }

  attach(httpServer: UpgradingServer): void {
    httpServer.on('upgrade', (...given) => {
      // What Node's servers pass; their types are kept out of the public ones.
      const [request, stream, head] = given as [IncomingMessage, Duplex, Buffer];
      // Another listener may want what is not ours: a development server's own socket.
      const isForeign = !this.#sockets.isOwnPath(request.url);
      if (isForeign && httpServer.listenerCount('upgrade') > 1) return;
      this.#upgrade(request, stream, head);
    });
  }

  async listen(options: ListenOptions = {}): Promise<{ readonly url: string; readonly urls: readonly string[] }> {
    const { port = DEFAULT_PORT, host = '127.0.0.1' } = options;
    const [first, ...others] = typeof host === 'string' ? [host] : host;
    if (first === undefined)
      throw new CoordinatorError('bad-request', 'listen: host is an empty list; give at least one address.', {
        param: 'host',
      });
    for (const one of [first, ...others]) this.#refuseOpenDoor(one);
    await this.ready;
    if (this.#phase.kind !== 'serving')
      throw new CoordinatorError('draining', 'listen: the coordinator is closed or about to be.');
    const servers = await openServers({
      app: this.app,
      hosts: [first, ...others],
      port,
      connectionsMax: this.#limits.connectionsMax,
      upgrade: (request, stream, head) => this.#upgrade(request, stream, head),
    }).catch((error: unknown) => {
      throw new CoordinatorError('unavailable', notListening(error, first, port), { param: 'port', cause: error });
    });
    this.#servers.push(servers);
    this.#settings.logger.info({ urls: servers.urls, ...this.#opened }, 'listening');
    return { url: servers.urls[0], urls: servers.urls };
  }

  configure(limits: Partial<Limits>): void {
    this.#limits = checkedLimits(limits, this.#limits);
    this.#sockets.configure(this.#limits);
    this.#input({ kind: 'configure', limits: this.#limits });
  }

  async revoke(name: string, options: RevokeOptions = {}): Promise<readonly number[]> {
    const wrong = revokeProblem(name, options);
    if (wrong !== null) throw new CoordinatorError('bad-request', `revoke: ${wrong.problem}.`, { param: wrong.param });
    await this.ready;
    if (this.#phase.kind !== 'serving') throw stopped();
    this.#lastReference += 1;
    const reference = this.#lastReference;
    const { now = false, fencingToken: token, by = '' } = options;
    return new Promise((resolve, reject) => {
      this.#asked.set(reference, { resolve, reject });
      this.#input({
        kind: 'revoke',
        reference,
        name: leaseName(name),
        fencingToken: token === undefined ? null : fencingToken(token),
        now,
        by,
      });
    });
  }

  close(options: { readonly drainMs?: number } = {}): Promise<void> {
    const drainMs = options.drainMs ?? DRAIN_MS_DEFAULT;
    const problem = durationProblem('drainMs', drainMs, 0, DRAIN_MS_MAX);
    if (problem !== null)
      return Promise.reject(new CoordinatorError('bad-request', `close: ${problem.problem}.`, { param: 'drainMs' }));
    this.#settings.loop.after(drainMs, this.#endTime);
    this.#closing ??= this.#drainAndClose();
    return this.#closing;
  }

  async #start(): Promise<void> {
    const { journal, loop, logger, quietMs } = this.#settings;
    const contents = await journal.load().catch((error: unknown) => {
      this.#phase = { kind: 'failed' };
      throw error;
    });
    if (this.#phase.kind !== 'starting') return;
    const clock = listeningClock(loop.mono());
    const core = makeCoordinatorCore({ contents, limits: this.#limits, ids: randomIds, quietMs, wall: loop.wall() });
    const driver = new Driver({
      core,
      journal,
      loop,
      read: (mono) => clock.read(mono),
      speak: (output) => this.#speak(output),
      appendFailed: (error) =>
        logger.error(
          { code: 'unavailable', error: inShort(error) },
          'the journal did not take a batch; grants wait, held leases go on',
        ),
      broken: (error) => this.#break(error),
    });
    this.#phase = { kind: 'serving', core, driver };
    this.#opened = {
      journal: contents.id,
      run: contents.run,
      fresh: contents.fresh,
      leases: contents.leases.length,
      claims: contents.claims.length,
    };
    logger.debug(this.#opened, 'the journal is read');
  }

  /** As of the last turn or tick: a question over HTTP advances no clock. */
  #reading(): Reading | null {
    const { core, driver } = 'core' in this.#phase ? this.#phase : { core: null, driver: null };
    if (core === null || driver === null) return null;
    return {
      show: (name) => core.show(driver.lastReading, name),
      list: (prefix, after, limit) => core.list(driver.lastReading, prefix, after, limit ?? VIEWS_DEFAULT),
    };
  }

  #appended(): { readonly appendMs?: number } {
    const ms = 'driver' in this.#phase ? (this.#phase.driver?.lastAppendMs ?? null) : null;
    return ms === null ? {} : { appendMs: Math.round(ms) };
  }

  #input(input: Input): void {
    if ('driver' in this.#phase) this.#phase.driver?.input(input);
  }

  #speak(output: Spoken): void {
    const { logger } = this.#settings;
    switch (output.kind) {
      case 'send':
      case 'close':
        return this.#sockets.speak(output);
      case 'answer':
        this.#asked.get(output.reference)?.resolve(output.ended);
        this.#asked.delete(output.reference);
        return undefined;
      case 'happened':
        return undefined; // History and metrics will read the spine here.
      case 'note':
        return logger[output.level]({ code: output.code }, output.text);
      default:
        return output satisfies never;
    }
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (!this.#sockets.isOwnPath(request.url)) {
      stream.on('error', () => stream.destroy());
      return refuseHandshake(stream, { status: 404, text: 'Sockets are at /v1/socket.' });
    }
    const { kind } = this.#phase;
    if (kind !== 'starting' && kind !== 'failed') return this.#sockets.upgrade(request, stream, head);
    const go = (): void => this.#sockets.upgrade(request, stream, head);
    stream.on('error', () => stream.destroy());
    this.ready.then(go, () => refuseHandshake(stream, { status: 503, text: 'The journal could not be read.' }));
    return undefined;
  }

  /** Everybody who can reach it may do everything: that is for this machine only, unless somebody says otherwise. */
  #refuseOpenDoor(host: string): void {
    if (this.#settings.auth !== null || this.#settings.insecure || isLoopbackName(host)) return;
    throw new CoordinatorError(
      'unauthorized',
      `Without authentication it listens on loopback only, and ${host} is not: everybody who reaches it could take and end leases. ` +
        'Use 127.0.0.1, or accept that with --insecure; in code, give `auth`, or `insecure: true`.',
      { param: 'host' },
    );
  }

  async #drainAndClose(): Promise<void> {
    const { logger, journal } = this.#settings;
    const { core, driver } = this.#phase.kind === 'serving' ? this.#phase : { core: null, driver: null };
    if (this.#phase.kind !== 'broken') this.#phase = { kind: 'draining', core, driver };
    this.#sockets.closeTo('draining', 'The coordinator is about to stop. Try again in a moment.');
    if (driver !== null) {
      driver.input({ kind: 'drain', retryAfterMs: durationMs(RETRY_AFTER_DRAIN_MS) });
      await Promise.race([this.#drained(driver), this.#timeIsOver]);
    }
    this.#sockets.terminateAll();
    driver?.stop();
    for (const asked of this.#asked.values()) asked.reject(stopped());
    this.#asked.clear();
    await Promise.all(this.#servers.map((server) => server.close()));
    await this.ready.catch(() => undefined);
    await journal.close();
    if (this.#phase.kind !== 'broken') this.#phase = { kind: 'closed' };
    if (this.#servers.length > 0) logger.info({}, 'closed');
  }

  /** The core closes the sockets of its sessions; those that have none yet are closed here, one turn later. */
  async #drained(driver: Driver): Promise<void> {
    await this.#nextTurn();
    await this.#nextTurn();
    this.#sockets.closeAll('draining', 'The coordinator is about to stop.');
    await this.#sockets.whenEmpty();
    // What was decided while the last sockets closed, and what an append that was in flight left to write.
    for (let last = null, current = driver.settled(); current !== last; current = driver.settled()) {
      last = current;
      await current;
      await this.#nextTurn();
      await this.#nextTurn();
    }
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#settings.loop.soon(resolve));
  }

  #break(cause: unknown): void {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    this.#phase = { kind: 'broken' };
    this.#settings.logger.error({ code: 'internal', stack: error.stack }, 'a broken invariant stopped the coordinator');
    this.#sockets.closeTo('internal', 'A defect stopped the coordinator.');
    this.#sockets.closeAll('internal', 'A defect stopped the coordinator.');
    this.#tellBroken(error);
  }
}

const stopped = (): CoordinatorError => new CoordinatorError('draining', 'The coordinator is closed or about to be.');

const inShort = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function notListening(error: unknown, host: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use. Stop what listens there, or give another with --port.`;
  if (code === 'EACCES') return `Port ${port} on ${host} is not allowed to this user. Give one above 1023 with --port.`;
  if (code === 'EADDRNOTAVAIL') return `${host} is not an address of this machine. Give one that is with --host.`;
  if (code === 'ENOTFOUND') return `${host} is not known. Give an address of this machine with --host.`;
  return `Cannot listen on ${host}:${port}: ${inShort(error)}.`;
}
