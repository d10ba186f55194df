import type { Limits } from '../../../../../server/core/limits.ts';
import type { HeldLease, TableCommand, TableEvent } from '../../../../../server/core/table-types.ts';
import { leaseName, requestId, sessionId } from '../../../../../shared/ids.ts';
import { acquire, endAck, Lab, liftMark, release, renew, revoke, who, type Asking } from './lab.ts';

export const SESSIONS = ['a', 'b', 'c', 'd'] as const;
export const NAMES = ['x', 'y'] as const;

/** What a client takes for its own. It stops by its own word or by its clock, never by what it is told. */
interface Belief {
  readonly session: string;
  readonly request: string;
  readonly name: string;
  readonly token: number;
  /** In real time. */
  until: number;
}

interface Waiting {
  readonly session: string;
  readonly request: string;
  readonly name: string;
  readonly arrival: number;
  priority: number;
  head: number;
}

/**
 * Clients, a journal and a lease table, with what was promised kept beside it by simpler means: each step is held
 * against that. Real time runs on while the coordinator is down or stalls; its own clock does not.
 */
export class World {
  readonly lab = new Lab({ queueMax: 6, perSessionMax: 8, stateIdleMs: 5_000 });
  readonly beliefs: Belief[] = [];
  /** Claims that are in a queue, by request. */
  readonly waiting = new Map<string, Waiting>();
  /** Claims whose grant is decided and not told. */
  readonly pending = new Map<string, Waiting>();
  readonly silent = new Set<string>();
  /** Tokens whose end was decided, whether it was stored or not. */
  readonly over = new Set<number>();
  readonly versions = new Map<string, number>();
  readonly tally = { grants: 0, undone: 0, restarts: 0, contested: 0, ended: 0, passedOver: 0 };
  real = 0;
  largestToken = 0;
  #arrivals = 0;
  #heads = 0;
  #toldToken = 0;
  /** Requests whose claim or lease has ended in this run. */
  readonly #ended = new Set<string>();

  pass(realMs: number, listeningMs: number): void {
    this.real += realMs;
    this.lab.pass(listeningMs);
  }

  acquire(by: string, name: string, asking: Asking): void {
    const command = acquire(by, asking, name);
    if (command.kind !== 'acquire') return;
    const { session, request } = command.terms;
    if (this.silent.delete(session)) this.do({ kind: 'heard-from', session, silent: false });
    const known = this.waiting.has(request) || this.pending.has(request) || this.#leased(session, request);
    if (!known) {
      this.#arrivals += 1;
      const claim = { session, request, name, arrival: this.#arrivals, priority: asking.priority ?? 0, head: 0 };
      this.waiting.set(request, claim);
      if (asking.steal === true && this.#canSteal(name, asking.waitMs !== 0)) this.#toHead(claim);
    }
    const events = this.do(command);
    const refused = events.some((event) => event.kind === 'refused' && event.request === request);
    if (!known && refused) this.waiting.delete(request);
    this.check();
  }

  /** The client stops believing before it says so (R13). */
  release(session: string, name: string, handOver: boolean): void {
    for (const belief of this.#of(session, name)) {
      const events = this.do(release(session, belief.token, handOver, name));
      const kept = events.some((event) => event.kind === 'released' && event.code === 'nobody-waiting');
      if (!kept) this.#forget(belief);
    }
    this.check();
  }

  acknowledge(session: string, name: string): void {
    for (const belief of this.#of(session, name)) {
      const before = this.lab.table.counts().leases;
      const events = this.do(endAck(session, belief.token, name));
      if (events.length > 0 || this.lab.table.counts().leases < before) this.#forget(belief);
    }
    this.check();
  }

  renew(session: string, name: string): void {
    for (const belief of this.#of(session, name)) this.do(renew(session, belief.token, name));
    this.check();
  }

  /** A lease that is welcomed is believed in, from the reading of that `hello` on. */
  resume(session: string): void {
    this.silent.delete(session);
    this.do({ kind: 'heard-from', session: sessionId(session), silent: false });
    for (const lease of this.lab.table.heldBy(sessionId(session))) this.#believe(lease);
    this.check();
  }

  fallSilent(session: string): void {
    if (![...this.waiting.values(), ...this.pending.values()].some((claim) => claim.session === session)) return;
    this.silent.add(session);
    this.do({ kind: 'heard-from', session: sessionId(session), silent: true });
    this.check();
  }

  /** Whoever withdraws a claim does not believe in what may have come of it (R13). */
  cancel(by: string): void {
    const { session, request } = who(by);
    for (const belief of this.beliefs.filter((one) => one.request === request)) this.#forget(belief);
    this.do({ kind: 'cancel', session, request });
    this.check();
  }

  /** With `now` S1 is given up for the name. */
  revoke(name: string, now: boolean): void {
    if (now) for (const belief of this.beliefs.filter((one) => one.name === name)) this.#forget(belief);
    this.do(revoke(null, now, name));
    this.check();
  }

  limit(limits: Partial<Limits>): void {
    this.lab.limits = { ...this.lab.limits, ...limits };
    this.do({ kind: 'limits', limits: this.lab.limits });
    this.check();
  }

  liftMark(by: number): void {
    this.largestToken += by;
    this.do(liftMark(this.largestToken));
    this.check();
  }

  amend(claim: string, priority: number): void {
    const waiting = this.waiting.get(claim);
    if (waiting === undefined) return;
    waiting.priority = priority;
    this.do({ kind: 'amend', session: sessionId(waiting.session), request: requestId(claim), priority });
    this.check();
  }

  command(command: TableCommand): void {
    this.do(command);
    this.check();
  }

  /** Everything is applied, and what it said is heard. */
  do(command: TableCommand): readonly TableEvent[] {
    return this.hear(this.lab.do(command));
  }

  /** Nothing of the coordinator's memory is left; what was stored is. */
  restart(downMs: number): void {
    this.real += downMs;
    this.lab.restart();
    this.tally.restarts += 1;
    this.#checkStoredOrder();
    // A token that was never stored was never told, so it may come again.
    this.largestToken = Math.max(this.#toldToken, this.lab.image.mark);
    this.pending.clear();
    this.waiting.clear();
    this.silent.clear();
    for (const { terms } of this.lab.image.claims.values()) {
      this.#arrivals += 1;
      const { session, request, name, priority } = terms;
      this.waiting.set(request, { session, request, name, priority, arrival: this.#arrivals, head: 0 });
      this.silent.add(session);
    }
    this.#checkWindows();
    this.check();
  }

  hear(events: readonly TableEvent[]): readonly TableEvent[] {
    for (const event of events) this.#hearOne(event);
    return events;
  }

  check(): void {
    for (const name of NAMES) {
      const queue = [...this.waiting.values()].filter((claim) => claim.name === name).toSorted(inOrder);
      const seen = SESSIONS.flatMap((session) => this.lab.table.claimsOf(sessionId(session)))
        .filter((claim) => claim.name === name)
        .toSorted((a, b) => a.position - b.position);
      same(
        seen.map((claim) => claim.request),
        queue.map((claim) => claim.request),
        `the queue of ${name}`,
      );
      same(
        seen.map((claim) => claim.position),
        queue.map((_, index) => index),
        `the places in the queue of ${name}`,
      );
    }
    same(this.lab.table.counts().claims, this.waiting.size, 'the count of claims');
    for (const belief of this.#living()) this.#checkDeadline(belief);
  }

  #hearOne(event: TableEvent): void {
    switch (event.kind) {
      case 'grant-decided':
        return this.#decided(event.lease.terms, event.lease.fencingToken);
      case 'grant-undone': {
        this.tally.undone += 1;
        const claim = this.pending.get(event.request);
        if (claim === undefined) throw new Error(`${event.request} was not pending`);
        this.pending.delete(event.request);
        this.waiting.set(event.request, claim);
        return undefined;
      }
      case 'granted':
        this.#ended.add(event.request);
        this.pending.delete(event.request);
        return this.#told(event.lease, event.repeat);
      case 'renewed':
        return this.#believe(event.lease);
      case 'claim-ended':
        this.tally.ended += 1;
        this.#ended.add(event.request);
        this.waiting.delete(event.request);
        this.pending.delete(event.request);
        return undefined;
      case 'refused':
        this.#ended.add(event.request);
        this.waiting.delete(event.request);
        return undefined;
      case 'passed-over':
        this.tally.passedOver += 1;
        demand(this.silent.has(event.session), `${event.session} is passed over and was not silent`);
        return undefined;
      case 'ending':
        this.over.add(event.fencingToken);
        return undefined;
      case 'ended':
        this.over.add(event.fencingToken);
        return undefined;
      case 'state-set':
        this.versions.set(event.name, event.version);
        return undefined;
      default:
        return undefined;
    }
  }

  /** S8: whoever stands before it cannot be told of a grant. S2: its token is larger than any before. */
  #decided({ request, name }: { readonly request: string; readonly name: string }, token: number): void {
    const claim = this.waiting.get(request);
    if (claim === undefined) throw new Error(`${request} did not wait`);
    const others = [...this.waiting.values()].filter((other) => other.name === name && other !== claim);
    const before = others.filter((other) => inOrder(other, claim) < 0 && !this.silent.has(other.session));
    same(before, [], `those before ${request} who can be told`);
    demand(token > this.largestToken, `token ${token} is not above ${this.largestToken}`);
    this.largestToken = token;
    this.tally.contested += others.length > 0 ? 1 : 0;
    this.waiting.delete(request);
    this.pending.set(request, claim);
  }

  /** S1: nobody else believes. */
  #told(lease: HeldLease, repeat: boolean): void {
    const others = this.#living().filter((belief) => belief.name === lease.name && belief.token !== lease.fencingToken);
    same(others, [], `who else believes in ${lease.name} at ${this.real}`);
    if (!repeat) this.tally.grants += 1;
    this.#toldToken = Math.max(this.#toldToken, lease.fencingToken);
    this.#believe(lease);
  }

  /** Counted from now at the latest: a client counts from when it sent what was read by now. */
  #believe(lease: HeldLease): void {
    const until = this.real + (lease.deadline - this.lab.now);
    const known = this.beliefs.find((belief) => belief.token === lease.fencingToken);
    const { session, request, name, fencingToken: token } = lease;
    if (known === undefined) this.beliefs.push({ session, request, name, token, until });
    else known.until = Math.max(known.until, until);
  }

  #forget({ token }: { readonly token: number }): void {
    const place = this.beliefs.findIndex((belief) => belief.token === token);
    if (place !== -1) this.beliefs.splice(place, 1);
  }

  #living(): readonly Belief[] {
    return this.beliefs.filter((belief) => belief.until > this.real);
  }

  #of(session: string, name: string): readonly Belief[] {
    return this.#living().filter((belief) => belief.session === session && belief.name === name);
  }

  /** S5: the coordinator holds a lease for as long as its holder believes in it. */
  #checkDeadline({ name, token, until }: Belief): void {
    const holder = this.lab.view(name)?.holders.find((one) => one.fencingToken === token);
    if (holder === undefined) return;
    const deadline = this.real + (holder.deadline - this.lab.now);
    demand(deadline >= until, `token ${token} is held until ${deadline}, and believed in until ${until}`);
  }

  /** S5: over a restart claims stand in the order in which they came. */
  #checkStoredOrder(): void {
    // A request that was claimed, ended and claimed again in one run may be stored as it first came.
    const known = new Map([...this.waiting, ...this.pending].filter(([request]) => !this.#ended.has(request)));
    this.#ended.clear();
    for (const name of NAMES) {
      const stored = [...this.lab.image.claims.values()].filter(({ terms }) => terms.name === name);
      const arrivals = stored.flatMap(({ terms }) => known.get(terms.request)?.arrival ?? []);
      same(
        arrivals,
        arrivals.toSorted((a, b) => a - b),
        `the stored order of claims for ${name}`,
      );
    }
  }

  /** S5, R3: never longer than stored, never less than what the holder was told. */
  #checkWindows(): void {
    for (const { terms, fencingToken, ttlMs, silentMs } of this.lab.image.leases.values()) {
      const [lease] = this.lab.table.heldBy(terms.session).filter((one) => one.fencingToken === fencingToken);
      const most = Math.max(0, ttlMs - silentMs);
      demand((lease?.deadline ?? Infinity) <= most, `token ${fencingToken} has more than its stored ${most} ms`);
    }
    for (const { name, token } of this.#living().filter((belief) => !this.over.has(belief.token))) {
      const tokens = this.lab.view(name)?.holders.map((holder) => holder.fencingToken);
      same(tokens, [token], `who holds ${name} after a restart`);
    }
    for (const [name, version] of this.versions) {
      const stored = this.lab.view(name)?.state?.version ?? 0;
      demand(stored >= version, `version ${version} of ${name} was acknowledged, ${stored} is stored`);
    }
  }

  /** One try takes only what nobody was told of; it does not wait for anybody's end. */
  #canSteal(name: string, waits: boolean): boolean {
    const held = this.lab.view(name)?.holders.length ?? 0;
    return (held > 0 && waits) || [...this.pending.values()].some((claim) => claim.name === name);
  }

  #toHead(claim: Waiting): void {
    this.#heads += 1;
    claim.head = this.#heads;
  }

  #leased(session: string, request: string): boolean {
    return NAMES.some((name) =>
      this.lab.table
        .view(this.lab.now, leaseName(name))
        ?.holders.some((one) => one.session === session && one.request === request),
    );
  }
}

const inOrder = (a: Waiting, b: Waiting): number => b.head - a.head || b.priority - a.priority || a.arrival - b.arrival;

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

function same(actual: unknown, expected: unknown, what: string): void {
  const [is, ought] = [JSON.stringify(actual), JSON.stringify(expected)];
  demand(is === ought, `${what}: ${is}, and ought to be ${ought}`);
}
