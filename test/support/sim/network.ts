import type { Host } from './host.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

export type Side = 'client' | 'coordinator';

/** One end of a connection: the host it is on, and what that hears. */
export interface End {
  readonly host: Host;
  /** A message lies in the socket, and is heard when the loop reads it. */
  arrived?(text: string): void;
  heard(text: string): void;
  closed(code: number, reason: string): void;
}

const other = (side: Side): Side => (side === 'client' ? 'coordinator' : 'client');

/** A connection: messages arrive in order or not at all, each direction for itself. */
export class Connection {
  readonly client: string;
  readonly #network: Network;
  readonly #ends: Readonly<Record<Side, End>>;
  /** When the last message to this side arrives: the next one does not overtake it. */
  readonly #last: Record<Side, number> = { client: 0, coordinator: 0 };
  /** Whatever goes to this side vanishes, and nobody is told. */
  readonly #swallowed: Record<Side, boolean> = { client: false, coordinator: false };
  readonly #open: Record<Side, boolean> = { client: true, coordinator: true };
  /** The client's goodbye does not arrive: to the coordinator the connection lives on, and what was sent on it arrives. */
  #closeIsLost = false;

  constructor(network: Network, client: string, ends: Readonly<Record<Side, End>>) {
    this.#network = network;
    this.client = client;
    this.#ends = ends;
  }

  send(to: Side, text: string): void {
    this.#network.onMessage(this.client, to, text);
    this.#deliver(to, (end) => end.heard(text), false, text);
  }

  /** `by` is done with it at once; the other side hears of it behind what was sent before. */
  close(by: Side, code: number, reason: string): void {
    if (!this.#open[by]) return;
    this.#open[by] = false;
    if (by === 'client' && this.#closeIsLost) return;
    this.#deliver(other(by), (end, to) => {
      this.#open[to] = false;
      end.closed(code, reason);
    });
    this.#network.connections.delete(this);
  }

  /** A network in between cuts it: what is on the way is lost, and both sides are told. */
  reset(): void {
    const sides = (['client', 'coordinator'] as const).filter((side) => this.#open[side]);
    for (const side of sides) this.#deliver(side, (end) => end.closed(1006, ''), true);
    this.#network.connections.delete(this);
  }

  loseClose(): void {
    this.#closeIsLost = true;
  }

  swallow(to: Side): void {
    this.#swallowed[to] = true;
  }

  #deliver(to: Side, job: (end: End, to: Side) => void, last = false, text?: string): void {
    const { world } = this.#network;
    const at = Math.max(this.#last[to], world.now + this.#network.delayMs(this.client, to));
    this.#last[to] = at;
    const isOpen = this.#open[to];
    if (last) this.#open[to] = false;
    world.plan(at, () => {
      if (!isOpen || this.#swallowed[to] || (!last && !this.#open[to])) return;
      const end = this.#ends[to];
      if (text !== undefined) end.arrived?.(text);
      end.host.do(() => job(end, to));
    });
  }
}

interface Slow {
  readonly ms: number;
  readonly until: number;
  readonly only: Side | undefined;
}

/** All connections between clients and the coordinator, and what goes wrong with them. */
export class Network {
  readonly world: World;
  readonly connections = new Set<Connection>();
  /** Every message as it leaves, for whoever compares two runs. */
  onMessage: (client: string, to: Side, text: string) => void = () => undefined;
  readonly #random: Random;
  readonly #cut = new Map<string, number>();
  readonly #slow = new Map<string, Slow>();

  constructor(world: World, random: Random) {
    this.world = world;
    this.#random = random;
  }

  /** Of a message to one side; without one, of a dial. */
  delayMs(client: string, to?: Side): number {
    const slow = this.#slow.get(client);
    const isSlow = slow !== undefined && slow.until > this.world.now && (slow.only === undefined || slow.only === to);
    if (isSlow) return this.#random.between(slow.ms / 4, slow.ms);
    return this.#random.chance(0.05) ? this.#random.between(5, 60) : this.#random.between(0.1, 3);
  }

  /** Whether messages of this client are late, or some that were may still be on their way. */
  isLate(client: string): boolean {
    const slow = this.#slow.get(client);
    return slow !== undefined && slow.until + slow.ms > this.world.now;
  }

  connect(client: string, ends: Readonly<Record<Side, End>>): Connection {
    const connection = new Connection(this, client, ends);
    this.connections.add(connection);
    return connection;
  }

  of(client: string): readonly Connection[] {
    return [...this.connections].filter((connection) => connection.client === client);
  }

  /** Whether a dial of this client gets no answer at all. */
  isCut(client: string): boolean {
    return (this.#cut.get(client) ?? 0) > this.world.now;
  }

  /** Nothing passes for a while and no dial is answered; the connections of before stay dead for good, unclosed. */
  partition(client: string, ms: number): void {
    this.#cut.set(client, this.world.now + ms);
    for (const connection of this.of(client)) {
      connection.swallow('client');
      connection.swallow('coordinator');
    }
  }

  /** Each message takes up to `delayMs`; with `only`, each to that side. */
  slow(client: string, delayMs: number, ms: number, only?: Side): void {
    this.#slow.set(client, { ms: delayMs, until: this.world.now + ms, only });
  }
}
