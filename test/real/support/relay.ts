import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { now, type Messages } from './log.ts';
import { FrameSplitter, type WireFrame } from './web-socket-frames.ts';

/** `up` is from the client to the coordinator. */
export type Direction = 'up' | 'down';

/** One WebSocket text frame on its way through. */
export interface Passing {
  readonly at: bigint;
  readonly direction: Direction;
  readonly connection: number;
  readonly messages: Messages;
}

export type Verdict = 'pass' | 'swallow';
export type Watcher = (passing: Passing) => Verdict | void;

/**
 * A TCP relay between one client and the coordinator, made to fail in scripted ways: it delays, swallows single
 * frames, drops one direction, goes silent without a FIN, resets, and refuses.
 */
export class Relay {
  /** Added to every byte of that direction, order kept. */
  readonly delayMs = { up: 0, down: 0 };
  /** Connections taken so far. */
  accepted = 0;
  readonly port: number;
  readonly #target: () => number;
  readonly #pairs = new Set<Pair>();
  readonly #watchers = new Set<Watcher>();
  readonly #dropping = { up: false, down: false };
  #server: Server;
  #mute = false;

  private constructor(server: Server, port: number, target: () => number) {
    this.#server = server;
    this.port = port;
    this.#target = target;
    server.on('connection', (socket) => this.#take(socket));
  }

  /** `target`: the coordinator's port at the time of each new connection. */
  static async open(target: () => number): Promise<Relay> {
    const server = createServer();
    await listen(server, 0);
    return new Relay(server, (server.address() as AddressInfo).port, target); // A TCP server's address is never a path.
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Sees every text frame before it passes; may swallow it. Returns how to stop. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** The next frame in that direction with a message that matches; `act` runs before it passes, and decides whether it does. */
  next(
    direction: Direction,
    matches: (message: Messages[number]) => boolean,
    act: (passing: Passing) => Verdict | void = () => 'pass',
  ): Promise<Passing> {
    return new Promise((resolve) => {
      const stop = this.watch((passing) => {
        if (passing.direction !== direction || !passing.messages.some(matches)) return 'pass';
        stop();
        const verdict = act(passing);
        resolve(passing);
        return verdict;
      });
    });
  }

  /** Frames of that direction vanish until `heal`; the connections live on. */
  drop(direction: Direction): void {
    this.#dropping[direction] = true;
  }

  /** Nothing passes either way and nobody is told: present connections are dead, new ones are taken and stay silent. */
  blackHole(): void {
    this.#mute = true;
    for (const pair of this.#pairs) pair.dead = true;
  }

  /** New connections pass again. Those that went dead in a black hole stay dead: their bytes are gone. */
  heal(): void {
    this.#mute = false;
    this.#dropping.up = false;
    this.#dropping.down = false;
  }

  /** What a network does to dead connections in the end: they are reset, and their ends may forget them. */
  bury(): void {
    for (const pair of this.#pairs) if (pair.dead) pair.reset();
  }

  /** RST to both ends of every connection, now. */
  reset(): void {
    for (const pair of this.#pairs) pair.reset();
  }

  /** New connections are refused (nothing listens) for that long. */
  async refuse(ms: number): Promise<void> {
    this.#server.close();
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (this.#closed) return;
    const server = createServer((socket) => this.#take(socket));
    await listen(server, this.port);
    this.#server = server;
  }

  #closed = false;

  close(): void {
    this.#closed = true;
    this.#server.close();
    for (const pair of this.#pairs) pair.destroy();
  }

  #take(socket: Socket): void {
    this.accepted += 1;
    const pair = new Pair(socket, this.#target(), this.accepted, {
      allows: (passing) => this.#allows(passing),
      delayMs: (direction) => this.delayMs[direction],
      gone: () => this.#pairs.delete(pair),
    });
    pair.dead = this.#mute;
    this.#pairs.add(pair);
  }

  #allows(passing: Passing): boolean {
    let allowed = !this.#dropping[passing.direction];
    for (const watcher of this.#watchers) if (watcher(passing) === 'swallow') allowed = false;
    return allowed;
  }
}

interface Gate {
  allows(passing: Passing): boolean;
  delayMs(direction: Direction): number;
  gone(): void;
}

/** One connection: the client's socket and the one to the coordinator. */
class Pair {
  /** Nothing passes any more, and no end is told of it. */
  dead = false;
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #number: number;
  readonly #gate: Gate;
  readonly #queued: Record<Direction, { readonly dueAt: number; readonly act: () => void }[]> = { up: [], down: [] };

  constructor(client: Socket, port: number, number: number, gate: Gate) {
    this.#client = client;
    this.#upstream = connect(port, '127.0.0.1');
    this.#number = number;
    this.#gate = gate;
    for (const socket of [this.#client, this.#upstream]) {
      socket.setNoDelay(true);
      // Ends and errors of one side are passed to the other below, or kept from it when the relay plays dead.
      socket.on('error', () => undefined);
    }
    this.#pipe('up', this.#client, this.#upstream);
    this.#pipe('down', this.#upstream, this.#client);
  }

  reset(): void {
    this.#client.resetAndDestroy();
    this.#upstream.resetAndDestroy();
    this.#gate.gone();
  }

  destroy(): void {
    this.#client.destroy();
    this.#upstream.destroy();
    this.#gate.gone();
  }

  #pipe(direction: Direction, from: Socket, to: Socket): void {
    const splitter = new FrameSplitter();
    from.on('data', (chunk: Buffer) => {
      for (const frame of splitter.push(chunk)) {
        if (this.#passes(direction, frame)) this.#later(direction, () => to.write(frame.raw));
      }
    });
    from.on('close', () => {
      if (this.dead) return;
      this.#later(direction, () => to.destroy());
      this.#gate.gone();
    });
  }

  #passes(direction: Direction, frame: WireFrame): boolean {
    if (this.dead) return false;
    if (frame.text === null) return true;
    const passing = { at: now(), direction, connection: this.#number, messages: messagesOf(frame.text) };
    return this.#gate.allows(passing) && !this.dead;
  }

  #later(direction: Direction, act: () => void): void {
    const queue = this.#queued[direction];
    const delayMs = this.#gate.delayMs(direction);
    if (delayMs <= 0 && queue.length === 0) return act();
    const dueAt = Math.max(performance.now() + delayMs, queue.at(-1)?.dueAt ?? 0);
    queue.push({ dueAt, act });
    if (queue.length === 1) this.#pump(direction);
  }

  #pump(direction: Direction): void {
    const queue = this.#queued[direction];
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      const waitMs = next.dueAt - performance.now();
      if (waitMs > 0) {
        setTimeout(() => this.#pump(direction), Math.ceil(waitMs));
        return;
      }
      queue.shift();
      next.act();
    }
  }
}

/** The messages of a frame: it carries one, or an array of them. */
export function messagesOf(text: string): Messages {
  const parsed: unknown = JSON.parse(text);
  return (Array.isArray(parsed) ? parsed : [parsed]) as Messages; // Both ends check what they read; this only looks.
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
