import { makeCoordinatorCore } from '../../../server/core/coordinator-core.ts';
import { socketId, type CoordinatorCore, type Ids, type SocketId } from '../../../server/core/core-types.ts';
import { applyBatch, beginRun, contentsOf, emptyImage, type JournalImage } from '../../../server/core/journal-fold.ts';
import type { Batch, Journal } from '../../../server/core/journal-port.ts';
import { LIMITS_DEFAULT, type Limits } from '../../../server/core/limits.ts';
import { listeningClock } from '../../../server/core/listening-clock.ts';
import type { TableEvent } from '../../../server/core/table-types.ts';
import { Driver, type Spoken } from '../../../server/net/driver.ts';
import { CLOSE_CODES } from '../../../shared/close-codes.ts';
import { checkMessage } from '../../../shared/frame-check.ts';
import { CLIENT_FRAMES, type ClientMessage, type CoordinatorMessage } from '../../../shared/frames.ts';
import {
  frameNumber,
  journalId,
  secret,
  secretHash,
  sessionId,
  type FencingToken,
  type LeaseName,
  type SessionId,
} from '../../../shared/ids.ts';
import { durationMs, monoMs, wallMs } from '../../../shared/time.ts';
import type { Host } from './host.ts';
import type { Connection, End } from './network.ts';
import type { Random } from './random.ts';

type RenewalKind = 'renewal-arrived' | 'renewal-done' | 'renewal-late';

interface Line {
  readonly connection: Connection;
  hello: boolean;
  session: SessionId | null;
  /** The session that its `hello` named, and when that was read. A take-over is answered only when it is stored (R15). */
  asked: { readonly session: SessionId; readonly at: number } | null;
}

interface Running {
  readonly core: CoordinatorCore;
  readonly driver: Driver;
  readonly sockets: Map<SocketId, Line>;
  /** Of all sockets of this run: one may be closed before it was told what its `hello` came to. */
  readonly lines: Map<SocketId, Line>;
  /** When something of a session was read last in this run, on the coordinator's own clock. */
  readonly readAt: Map<SessionId, number>;
  /** The same without what was read for the turn under way, and without those whose connection has ended. */
  readonly knownAt: Map<SessionId, number>;
  inFlight: Batch | null;
}

/** Runs the production core under the production driver, on a simulated loop and disk. */
export class Coordinator {
  readonly host: Host;
  image: JournalImage = emptyImage(journalId('journal'));
  #backup: JournalImage | null = null;
  #lost = 0;
  #largestTtlMs: number | null = null;
  /** How the disk does: `ms` an append; or it is full, and every append fails. */
  disk: { ms: number; full: boolean } = { ms: 1, full: false };
  onEvents: (events: readonly TableEvent[]) => void = () => undefined;
  onNote: (text: string) => void = () => undefined;
  onRenewal: (kind: RenewalKind, renewal: string, token: FencingToken) => void = () => undefined;
  onStored: (batch: Batch) => void = () => undefined;
  #running: Running | null = null;
  /** Sessions of which something was read that no turn has taken yet. */
  readonly #readNow: SessionId[] = [];
  /** Those who have said `bye` since. */
  readonly #leftNow = new Set<SessionId>();
  #sockets = 0;
  readonly #random: Random;

  constructor(host: Host, random: Random) {
    this.host = host;
    this.#random = random;
  }

  get isUp(): boolean {
    return this.#running !== null;
  }

  get core(): CoordinatorCore | null {
    return this.#running?.core ?? null;
  }

  /** Whether the disk was lost, or replaced by an older copy. */
  get isReplaced(): boolean {
    return this.#lost > 0;
  }

  /** An operator copies the journal. */
  backup(): void {
    this.#backup = structuredClone(this.image);
  }

  /** An older copy is put in the journal's place, or, without one, an empty file. */
  restore(quietMs: number): void {
    if (this.#backup === null) return this.lose(quietMs);
    this.#lost += 1;
    this.image = { ...structuredClone(this.#backup), quietMs: durationMs(quietMs) };
    return undefined;
  }

  lose(quietMs: number): void {
    this.#lost += 1;
    this.#backup = null;
    this.image = { ...emptyImage(journalId(`journal-${this.#lost}`)), quietMs: durationMs(quietMs) };
  }

  /** An operator lowers the largest TTL, or lifts the limit. */
  limit(ttlMsMax: number | null): void {
    this.#largestTtlMs = ttlMsMax;
    this.#running?.driver.input({ kind: 'configure', limits: this.#limits() });
  }

  #limits(): Limits {
    return this.#largestTtlMs === null
      ? LIMITS_DEFAULT
      : { ...LIMITS_DEFAULT, ttlMsMax: durationMs(this.#largestTtlMs) };
  }

  /** It says that it is about to stop, and grants nothing any more. */
  drain(retryAfterMs: number): void {
    this.#running?.driver.input({ kind: 'drain', retryAfterMs: durationMs(retryAfterMs) });
  }

  start(quietMs = 0): void {
    if (this.#running !== null) return;
    beginRun(this.image);
    const wall = wallMs(this.host.stamp.wall);
    const core = makeCoordinatorCore({
      contents: contentsOf(this.image),
      limits: this.#limits(),
      ids: countedIds(`${this.#lost}-${this.image.run}`),
      quietMs: durationMs(quietMs),
      wall,
    });
    const clock = listeningClock(monoMs(this.host.mono));
    const alive = (job: () => void) => (): void => void (this.#running?.core === core && job());
    const driver = new Driver({
      core,
      journal: this.#journal(),
      read: (now) => clock.read(now),
      loop: {
        mono: () => this.host.stamp.mono,
        wall: () => this.host.stamp.wall,
        after: (ms, job) => this.host.after(ms, alive(job)),
        soon: (job) => this.host.soon(alive(() => this.#turn(job))),
      },
      speak: (output) => this.#speak(output),
      appendFailed: () => undefined,
      broken: (error) => {
        throw error;
      },
    });
    this.#running = {
      core,
      driver,
      sockets: new Map(),
      lines: new Map(),
      readAt: new Map(),
      knownAt: new Map(),
      inFlight: null,
    };
  }

  /** SIGKILL: what is in flight is stored or not. With the machine, nobody is told that its sockets are gone. */
  kill(withTheMachine: boolean): void {
    const running = this.#running;
    if (running === null) return;
    this.#running = null;
    running.driver.stop();
    if (running.inFlight !== null && this.#random.chance(0.5)) this.#store(running.inFlight);
    for (const { connection } of running.sockets.values()) {
      if (withTheMachine) connection.swallow('client');
      connection.close('coordinator', 1006, '');
    }
  }

  /** An operator takes the lease from whoever has it; the name opens when the holder has said that it stopped (R1). */
  revoke(name: LeaseName, now: boolean): void {
    this.#running?.driver.input({ kind: 'revoke', reference: 0, name, fencingToken: null, now, by: 'operator' });
  }

  #store(batch: Batch): void {
    applyBatch(this.image, batch);
    this.onStored(batch);
  }

  /** The end of a new connection, or null where nobody listens. */
  accept(connectionOf: (end: End) => Connection): Connection | null {
    const running = this.#running;
    if (running === null) return null;
    const socket = socketId((this.#sockets += 1));
    const isHere = (): boolean => this.#running === running && running.sockets.has(socket);
    const connection = connectionOf({
      host: this.host,
      arrived: (text) => void (isHere() && this.#arrived(text)),
      heard: (text) => void (isHere() && this.#read(running, socket, text)),
      closed: () => {
        if (!isHere()) return;
        running.sockets.delete(socket);
        const session = running.lines.get(socket)?.session ?? null;
        if (session !== null) running.knownAt.delete(session);
        running.driver.input({ kind: 'socket-closed', socket });
      },
    });
    const line: Line = { connection, hello: false, session: null, asked: null };
    running.sockets.set(socket, line);
    running.lines.set(socket, line);
    return connection;
  }

  /** Never, where nothing of it was read in this run. */
  unheardMs(session: SessionId): number {
    const running = this.#running;
    if (running === null) return Infinity;
    // A `hello` that was neither answered with another session nor refused is a word of the session that it names.
    const asked = [...running.lines.values()].flatMap((line) =>
      line.session === null && line.asked?.session === session ? [line.asked.at] : [],
    );
    return running.driver.lastReading - Math.max(running.readAt.get(session) ?? -Infinity, ...asked);
  }

  /** Of whom something was read less than `ms` ago, whatever is read at this very moment. */
  presentFor(ms: number): readonly SessionId[] {
    const running = this.#running;
    if (running === null) return [];
    return [...running.knownAt].flatMap(([session, at]) => (running.driver.lastReading - at < ms ? [session] : []));
  }

  #turn(job: () => void): void {
    const read = this.#readNow.splice(0);
    job();
    for (const session of read)
      if (!this.#leftNow.has(session))
        this.#running?.knownAt.set(session, this.#running.readAt.get(session) ?? -Infinity);
    this.#leftNow.clear();
  }

  #arrived(text: string): void {
    if (!text.includes('"renew"')) return;
    for (const message of messagesIn(text))
      if (message.type === 'renew')
        for (const { fencingToken } of message.leases) this.onRenewal('renewal-arrived', message.request, fencingToken);
  }

  #say(socket: SocketId, messages: readonly CoordinatorMessage[]): void {
    const line = this.#running?.lines.get(socket);
    for (const message of messages) {
      if (message.type === 'welcome' && line !== undefined) {
        line.session = message.session;
        this.#heardFrom(line);
      }
      if (message.type !== 'renewed') continue;
      for (const { code, fencingToken } of message.leases)
        if (code === undefined || code === 'expired' || code === 'superseded')
          this.onRenewal(code === undefined ? 'renewal-done' : 'renewal-late', message.request, fencingToken);
    }
    this.#running?.sockets.get(socket)?.connection.send('client', JSON.stringify(messages));
  }

  #left(line: Line | undefined): void {
    const running = this.#running;
    if (running === null || line === undefined || line.session === null) return;
    running.knownAt.delete(line.session);
    this.#leftNow.add(line.session);
  }

  #heardFrom({ session }: Line): void {
    const running = this.#running;
    if (session === null || running === null) return;
    running.readAt.set(session, running.driver.lastReading);
    this.#readNow.push(session);
  }

  #read({ driver, sockets }: Running, socket: SocketId, text: string): void {
    const line = sockets.get(socket);
    if (line !== undefined) this.#heardFrom(line);
    const messages = messagesIn(text);
    const [first, ...rest] = messages;
    // From its turn on nobody is there to be granted anything.
    if (messages.some(({ type }) => type === 'bye')) this.#left(line);
    if (line === undefined || first === undefined || !('frame' in first))
      throw new Error(`a frame without a number: ${text}`);
    if (line.hello) return driver.input({ kind: 'frame', socket, frame: frameNumber(Number(first.frame)), messages });
    if (first.type !== 'hello' || rest.length > 0) throw new Error(`not a hello: ${text}`);
    line.hello = true;
    if (first.resume !== undefined) line.asked = { session: first.resume.session, at: driver.lastReading };
    const resumeHash = first.resume === undefined ? null : hashOf(first.resume.secret);
    return driver.input({ kind: 'hello', socket, hello: first, resumeHash, rest: [] });
  }

  #speak(output: Spoken): void {
    switch (output.kind) {
      case 'send':
        this.#say(output.socket, output.messages);
        return;
      case 'close': {
        const line = this.#running?.sockets.get(output.socket);
        this.#running?.sockets.delete(output.socket);
        if (line !== undefined) line.asked = null;
        line?.connection.close('coordinator', CLOSE_CODES[output.code], output.reason);
        // As the adapter does, once the socket has closed.
        this.#running?.driver.input({ kind: 'socket-closed', socket: output.socket });
        return;
      }
      case 'happened':
        this.onEvents(output.events);
        return;
      case 'note':
        this.onNote(`${output.code}: ${output.text}`);
        return;
      case 'answer':
        return;
      default:
        output satisfies never;
    }
  }

  #journal(): Journal {
    const append = (batch: Batch, stored: () => void, failed: (error: unknown) => void): void => {
      const running = this.#running;
      if (running === null) return;
      running.inFlight = batch;
      const { full, ms } = this.disk;
      this.host.world.plan(this.host.world.now + this.#random.between(ms / 2, ms), () => {
        if (this.#running !== running) return;
        running.inFlight = null;
        if (!full) this.#store(batch);
        this.host.do(() => (full ? failed(new Error('full')) : stored()));
      });
    };
    return {
      load: () => Promise.reject(new Error('loaded by hand')),
      close: () => Promise.resolve(),
      // A promise would settle in a microtask, which simulated time knows nothing of; the driver calls `then` only.
      append: (batch) =>
        ({
          then: (stored: () => void, failed: (error: unknown) => void) => append(batch, stored, failed),
        }) as unknown as Promise<void>,
    };
  }
}

export const hashOf = (text: string) => secretHash(`hash of ${text}`);

function countedIds(run: string): Ids {
  let count = 0;
  return {
    session: () => sessionId(`session-${run}-${(count += 1)}`),
    secret: () => {
      const made = secret(`secret-${run}-${(count += 1)}`);
      return { secret: made, hash: hashOf(made) };
    },
  };
}

/** Through JSON and the table of frames, as over a socket: what the table refuses is a defect of the sender. */
function messagesIn(text: string): readonly ClientMessage[] {
  const parsed: unknown = JSON.parse(text);
  return (Array.isArray(parsed) ? parsed : [parsed]).map((one) => {
    const checked = checkMessage(CLIENT_FRAMES, one);
    if (!checked.ok) throw new Error(`${checked.param}: ${checked.problem} in ${text}`);
    return checked.message;
  });
}
