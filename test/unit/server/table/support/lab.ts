import {
  applyBatch,
  beginRun,
  contentsOf,
  emptyImage,
  outOfSequence,
  type JournalImage,
} from '../../../../../server/core/journal-fold.ts';
import type { Batch, ClaimTerms, DurableEvent } from '../../../../../server/core/journal-port.ts';
import { makeLeaseTable } from '../../../../../server/core/lease-table.ts';
import { LIMITS_DEFAULT, type Limits } from '../../../../../server/core/limits.ts';
import type { LeaseTable, NameView, TableCommand, TableEvent } from '../../../../../server/core/table-types.ts';
import { fencingToken, journalId, leaseName, requestId, sessionId } from '../../../../../shared/ids.ts';
import { durationMs, listeningMs, wallMs, type ListeningMs } from '../../../../../shared/time.ts';

/** Before the floor of tokens counts, so that a new journal's first token is 1. */
export const WALL = wallMs(0);

export type EventOf<K extends TableEvent['kind']> = Extract<TableEvent, { readonly kind: K }>;

interface Terms {
  readonly ttlMs?: number;
  readonly maxLifetimeMs?: number;
  readonly minHoldMs?: number;
  readonly lockDelayMs?: number;
  readonly priority?: number;
  readonly renews?: boolean;
}

export interface Asking extends Terms {
  readonly waitMs?: number;
  readonly steal?: boolean;
  readonly whenOwn?: 'queue' | 'reject';
}

export const NAME = 'printer';

/** A lease table with a clock and a journal that the test moves. Sessions are `a`, `b`..., requests `a1`, `b1`... */
export class Lab {
  table: LeaseTable;
  now: ListeningMs = listeningMs(0);
  limits: Limits;
  image: JournalImage;
  flying: Batch | null = null;
  /** What the last step said. */
  said: readonly TableEvent[] = [];
  readonly history: TableEvent[] = [];

  constructor(limits: Partial<Limits> = {}, image: JournalImage = emptyImage(journalId('j'))) {
    this.limits = { ...LIMITS_DEFAULT, ...limits };
    this.image = image;
    this.table = this.#load();
  }

  /** Moves the clock; nothing ends before `advance`. */
  pass(ms: number): this {
    this.now = listeningMs(this.now + ms);
    return this;
  }

  do(command: TableCommand): readonly TableEvent[] {
    return this.#hear(this.table.apply(this.now, command));
  }

  advance(): readonly TableEvent[] {
    return this.#hear(this.table.advance(this.now));
  }

  /** The clock moves, and what is over ends. */
  after(ms: number): readonly TableEvent[] {
    return this.pass(ms).advance();
  }

  /** Hands over the next batch, with what the coordinator itself writes into it. */
  take(extra: readonly DurableEvent[] = []): readonly DurableEvent[] {
    const sequence = this.image.sequence + 1;
    this.flying = { sequence, events: [...this.table.takeDurable(sequence, this.now), ...extra] };
    return this.flying.events;
  }

  /** The batch in flight is durable, and nobody is told: as when the process is killed then. */
  store(): Batch | null {
    if (this.flying === null) return null;
    const batch = this.#land();
    const gap = outOfSequence(this.image.sequence, batch);
    if (gap !== null) throw new Error(gap);
    applyBatch(this.image, batch);
    return batch;
  }

  /** The batch in flight is durable. */
  arrive(): readonly TableEvent[] {
    const batch = this.store();
    if (batch === null) throw new Error('no batch is in flight');
    return this.do({ kind: 'appended', sequence: batch.sequence });
  }

  /** The batch in flight is known not to be. */
  fail(): readonly TableEvent[] {
    return this.do({ kind: 'append-failed', sequence: this.#land().sequence });
  }

  /** Everything decided is durable, all at this instant. */
  flush(extra: readonly DurableEvent[] = []): readonly TableEvent[] {
    const said: TableEvent[] = [];
    do {
      this.take(extra);
      said.push(...this.arrive());
    } while (this.table.hasDurable);
    this.said = said;
    return said;
  }

  /** Killed and started again: what was in flight or not yet handed over is gone, and the clock begins at 0. */
  restart(limits: Partial<Limits> = {}): this {
    this.flying = null;
    beginRun(this.image);
    this.limits = { ...this.limits, ...limits };
    this.now = listeningMs(0);
    this.table = this.#load();
    return this;
  }

  /** What this run's silence and listening time come to, as the coordinator writes them. */
  noteTime(): readonly DurableEvent[] {
    const leases = this.table.unheard(this.now);
    const listened: DurableEvent = { kind: 'listened', listeningMs: durationMs(this.now) };
    return leases.length === 0 ? [listened] : [{ kind: 'silent', leases }, listened];
  }

  view(name = NAME): NameView | null {
    return this.table.view(this.now, leaseName(name));
  }

  /** Who is shown as the holder. */
  holder(name = NAME): string | null {
    return this.view(name)?.holders[0]?.session ?? null;
  }

  token(name = NAME): number {
    return this.view(name)?.holders[0]?.fencingToken ?? Number.NaN;
  }

  /** The requests of a queue in its order, found by the position of each. */
  queue(...sessions: readonly string[]): readonly string[] {
    const claims = sessions.flatMap((session) => this.table.claimsOf(sessionId(session)));
    return claims.toSorted((x, y) => x.position - y.position).map((claim) => claim.request);
  }

  /** A grant, told. Returns its token. */
  granted(session: string, asking: Asking = {}, name = NAME): number {
    this.do(acquire(session, asking, name));
    const token = this.flush().flatMap((event) => (event.kind === 'granted' ? [event.lease.fencingToken] : []))[0];
    if (token === undefined) throw new Error(`${session} was not granted ${name}`);
    return token;
  }

  #load(): LeaseTable {
    return makeLeaseTable(contentsOf(this.image), this.limits, this.now, WALL);
  }

  #land(): Batch {
    const batch = this.flying;
    if (batch === null) throw new Error('no batch is in flight');
    this.flying = null;
    return batch;
  }

  #hear(events: readonly TableEvent[]): readonly TableEvent[] {
    this.said = events;
    this.history.push(...events);
    return events;
  }
}

export const only = <K extends TableEvent['kind']>(events: readonly TableEvent[], kind: K): readonly EventOf<K>[] =>
  events.filter((event): event is EventOf<K> => event.kind === kind);

/** The kinds of events but for `view-changed`, which goes with nearly all of them. */
export const kinds = (events: readonly TableEvent[]): readonly string[] =>
  events.map((event) => event.kind).filter((kind) => kind !== 'view-changed');

/** `a` asks by request `a1`; `a2` is the same session by another request. */
export const who = (by: string) => ({
  session: sessionId(by.replace(/\d+$/, '')),
  request: requestId(/\d$/.test(by) ? by : `${by}1`),
});

export const terms = (by: string, given: Terms = {}, name = NAME): ClaimTerms => ({
  ...who(by),
  name: leaseName(name),
  askedTtlMs: durationMs(given.ttlMs ?? 10_000),
  maxLifetimeMs: durationMs(given.maxLifetimeMs ?? 86_400_000),
  minHoldMs: durationMs(given.minHoldMs ?? 0),
  lockDelayMs: durationMs(given.lockDelayMs ?? 0),
  priority: given.priority ?? 0,
  renews: given.renews ?? true,
});

export const acquire = (by: string, asking: Asking = {}, name = NAME): TableCommand => ({
  kind: 'acquire',
  terms: terms(by, asking, name),
  waitMs: asking.waitMs === undefined ? null : durationMs(asking.waitMs),
  steal: asking.steal ?? false,
  whenOwn: asking.whenOwn ?? 'queue',
});

export const renew = (by: string, token: number, name = NAME): TableCommand => ({
  kind: 'renew',
  session: who(by).session,
  name: leaseName(name),
  fencingToken: fencingToken(token),
});

export const release = (by: string, token: number, handOver = false, name = NAME): TableCommand => ({
  kind: 'release',
  session: who(by).session,
  request: requestId(`${by}-release`),
  name: leaseName(name),
  fencingToken: fencingToken(token),
  handOver,
});

export const setState = (
  by: string,
  token: number,
  value: string | null,
  given: {
    readonly request?: string;
    readonly ifVersion?: number;
    readonly wall?: number;
    readonly name?: string;
  } = {},
): TableCommand => ({
  kind: 'set-state',
  session: who(by).session,
  request: requestId(given.request ?? `${by}-state`),
  name: leaseName(given.name ?? NAME),
  fencingToken: fencingToken(token),
  valueJson: value === null ? null : JSON.stringify(value),
  ifVersion: given.ifVersion ?? null,
  wall: wallMs(given.wall ?? 0),
});

export const cancel = (by: string): TableCommand => ({ kind: 'cancel', ...who(by) });
export const amend = (by: string, priority: number): TableCommand => ({ kind: 'amend', ...who(by), priority });
export const claimsGone = (by: string): TableCommand => ({ kind: 'claims-gone', session: who(by).session });
export const silent = (by: string): TableCommand => ({ kind: 'heard-from', session: who(by).session, silent: true });
export const heard = (by: string): TableCommand => ({ kind: 'heard-from', session: who(by).session, silent: false });

export const endAck = (by: string, token: number, name = NAME): TableCommand => ({
  kind: 'end-ack',
  session: who(by).session,
  name: leaseName(name),
  fencingToken: fencingToken(token),
});

export const revoke = (token: number | null = null, now = false, name = NAME): TableCommand => ({
  kind: 'revoke',
  name: leaseName(name),
  fencingToken: token === null ? null : fencingToken(token),
  now,
});

export const quiet = (until: number): TableCommand => ({ kind: 'quiet', until: listeningMs(until) });
export const writable = (yes: boolean): TableCommand => ({ kind: 'writable', writable: yes });
export const liftMark = (token: number): TableCommand => ({ kind: 'lift-mark', fencingToken: fencingToken(token) });
