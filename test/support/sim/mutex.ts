import type { AcquireTerms, LeaseNews, Outcome } from '../../../client/core/types.ts';
import type { FencingToken, LeaseName, RequestId } from '../../../shared/ids.ts';
import type { Json } from '../../../shared/json.ts';
import { durationMs } from '../../../shared/time.ts';
import type { ClaimOutcome, SimulatedClient } from './client.ts';
import { NAMES, type Stage } from './faults.ts';
import type { Counters } from './counters.ts';
import type { Workload } from './plan.ts';
import type { Random } from './random.ts';
import { TERMS } from './scripted.ts';

/** How it goes: `calm` means short holds, waits that are timed, and grants that are counted. */
export interface Mood {
  calm: boolean;
  /** Nobody claims, and nobody lets go. */
  atRest: boolean;
  readonly names: number;
  readonly workload: Workload;
}

/** Of what a workload does more often than the others: how often. */
const STEALS: Partial<Record<Workload, number>> = { steal: 0.4, crowd: 0.6 };
const HANDS_OVER: Partial<Record<Workload, number>> = { 'hand-over': 0.6 };
const HAS_PRIORITY: Partial<Record<Workload, number>> = { 'hand-over': 0.5 };
/** Holders that make way when they are asked to, and priorities that change. */
const YIELDS: readonly Workload[] = ['hand-over'];

/** Windows, and how long a lease is held, where a workload has others than all. */
type Windows = readonly [number, ...number[]];
const TTLS_MS: Windows = [1_000, 1_500, 2_000, 3_000, 6_000];
const OWN_TTLS_MS: Partial<Record<Workload, Windows>> = {
  lag: [1_000, 1_000, 1_500],
  crowd: [1_000, 3_000, 6_000],
  naps: [1_000, 1_000, 1_500, 2_000, 3_000],
  outages: [3_000, 6_000, 6_000],
};
const HOLDS_MS = [50, 7_000] as const;
const OWN_HOLDS_MS: Partial<Record<Workload, readonly [number, number]>> = {
  crowd: [50, 1_500],
  outages: [4_000, 10_000],
};

/** One try takes an answer, and as long as a dial may take at most. */
const CONNECT_MS_MAX = 2_000;
/** Timers of a platform are late at times. */
const SLACK_MS = 100;

/** What one client does for ever: claims, holds, writes, lets go. */
export class Worker {
  /** Grants since all was calm. */
  calmGrants = 0;
  readonly client: SimulatedClient;
  readonly #stage: Stage;
  readonly #counters: Counters;
  readonly #random: Random;
  readonly #mood: Mood;
  #current: RequestId | null = null;
  /** The current one was granted while there were faults. */
  #ofFaults = false;
  #lateAt = Infinity;
  #starts = 0;

  constructor(client: SimulatedClient, stage: Stage, counters: Counters, random: Random, mood: Mood) {
    this.#counters = counters;
    this.client = client;
    this.#stage = stage;
    this.#random = random;
    this.#mood = mood;
    client.onClaim = (key, outcome) => this.#claimed(key, outcome);
    client.onLease = (key, news) => this.#heard(key, news);
    client.onStart = () => {
      this.#starts += 1;
      this.#current = null;
      this.#again(random.between(0, 500));
    };
    client.onStart();
  }

  /** What it got while there were faults it still has, and whoever waits has had no chance yet. */
  get lingers(): boolean {
    return this.#ofFaults && this.#current !== null && this.#holds(this.#current);
  }

  #terms(): AcquireTerms {
    const random = this.#random;
    const { workload, calm } = this.#mood;
    return {
      ...TERMS,
      ttlMs: durationMs(random.pick((calm ? undefined : OWN_TTLS_MS[workload]) ?? TTLS_MS)),
      name: NAMES[random.whole(1, this.#mood.names) - 1] ?? NAMES[0],
      waitMs: random.chance(0.6) ? null : durationMs(random.pick([0, 800, 4_000])),
      renew: random.chance(0.9),
      // In calm times nobody overtakes, so that whoever waits has its turn.
      priority: !calm && random.chance(HAS_PRIORITY[workload] ?? 0.1) ? random.whole(0, 2) : undefined,
      lockDelayMs: random.chance(0.1) ? durationMs(500) : undefined,
      minHoldMs: random.chance(0.1) ? durationMs(700) : undefined,
      steal: !calm && random.chance(STEALS[workload] ?? 0.05),
    };
  }

  #again(ms: number): void {
    const [mine, starts] = [this.#current, this.#starts];
    this.client.host.after(ms, () => {
      // A page that was loaded again may have the same key.
      if (mine === this.#current && starts === this.#starts) this.#claim();
    });
  }

  #claim(): void {
    if (this.#mood.atRest) return;
    const terms = this.#terms();
    this.#current = this.client.acquire(terms);
    if (YIELDS.includes(this.#mood.workload)) this.#amendLater(this.#current);
    const limitMs = terms.waitMs === 0 ? CONNECT_MS_MAX : terms.waitMs;
    this.#lateAt = this.#mood.calm && limitMs !== null ? this.client.host.mono + limitMs + SLACK_MS : Infinity;
  }

  /** Its claim, or the lease that has come of it by then. */
  #amendLater(key: RequestId): void {
    this.client.host.after(this.#random.between(10, 6_000), () => {
      if (key !== this.#current || this.#mood.calm) return;
      const priority = this.#random.whole(0, 2);
      const { history, world } = this.#stage;
      history.add({ kind: 'amended', at: world.now, claim: key });
      this.client.handle({ kind: 'amend', key, priority });
      this.#amendLater(key);
    });
  }

  #claimed(key: RequestId, outcome: ClaimOutcome): void {
    const { history } = this.#stage;
    this.#note(`${key} ${outcome.kind === 'granted' ? `granted ${outcome.fencingToken}` : outcome.failure.code}`);
    if (key !== this.#current) return;
    if (this.client.host.mono > this.#lateAt) history.broken.push(`S10 ${key} ended after the end of its wait`);
    if (outcome.kind === 'failed') return this.#again(this.#random.between(20, 600));
    history.counts.grants += 1;
    this.#ofFaults = !this.#mood.calm;
    if (this.#mood.calm) this.calmGrants += 1;
    return this.#hold(key, outcome.name, outcome.fencingToken);
  }

  #heard(key: RequestId, news: LeaseNews): void {
    if (news.kind === 'renewed') return;
    const { counts } = this.#stage.history;
    this.#note(`${key} ${news.kind}${'code' in news ? ` ${news.code}` : ''}`);
    if (news.kind === 'lost') counts.losses += 1;
    if (news.kind === 'yield-requested' && YIELDS.includes(this.#mood.workload)) this.#makeWay(key);
    if (news.kind === 'recovered') counts.recovered += 1;
    if (news.kind === 'at-risk' && news.why === 'doubt') counts.doubts += 1;
    const isOver = news.kind === 'lost' || news.kind === 'released';
    if (isOver && key === this.#current) this.#again(this.#random.between(1, 400));
  }

  #hold(key: RequestId, name: LeaseName, token: FencingToken): void {
    const random = this.#random;
    const { host } = this.client;
    // One write after the other, so that one is on its way when the window ends.
    if (random.chance(0.5)) this.#write(key, name, random.whole(1, 4) * (this.#mood.workload === 'lag' ? 20 : 1));
    const ms = this.#mood.calm
      ? random.between(5, 200)
      : random.between(...(OWN_HOLDS_MS[this.#mood.workload] ?? HOLDS_MS));
    const counts = this.#mood.workload === 'counter' ? 20 : random.whole(0, 2);
    const holds = (): boolean => key === this.#current && this.#holds(key);
    host.after(ms * random.next(), () => this.#counters.count({ client: this.client, name, token, holds }, counts));
    host.after(ms, () => {
      if (key === this.#current) this.#letGo(key);
    });
  }

  #holds(key: RequestId): boolean {
    return this.client.core.lease(this.client.host.stamp, key)?.status === 'held';
  }

  /** A counter in the lease's own state: each write one more than what is there, so that a lost one shows. */
  #write(key: RequestId, name: LeaseName, times: number): void {
    const { client } = this;
    const lease = client.core.lease(client.host.stamp, key);
    if (lease === null || times === 0) return;
    const value = { count: countIn(lease.state?.value) + 1, by: client.id };
    client.ask(
      (reference) => ({ kind: 'set-state', key, reference, value, ifVersion: undefined }),
      (outcome) => this.#wrote(outcome, key, name, value, times),
    );
  }

  #wrote(outcome: Outcome, key: RequestId, name: LeaseName, value: Json, times: number): void {
    const { history, world } = this.#stage;
    if (outcome.kind !== 'state-set') return;
    const { version } = outcome;
    history.counts.writes += 1;
    const { id, host } = this.client;
    history.add({ kind: 'state-told', at: world.now, client: id, name, version, value: JSON.stringify(value) });
    host.soon(() => key === this.#current && this.#write(key, name, times - 1));
  }

  #letGo(key: RequestId): void {
    if (this.#mood.atRest) return undefined;
    if (this.#random.chance(0.1)) return this.client.handle({ kind: 'stop-renewing', key });
    const handOver = this.#random.chance(HANDS_OVER[this.#mood.workload] ?? 0.1);
    return this.client.ask(
      (reference) => ({ kind: 'release', key, reference, handOver }),
      (outcome) => {
        if (handOver && outcome.kind === 'released' && outcome.released) this.#stage.history.counts.handedOver += 1;
        // Nobody to hand it to: it is kept, and runs out in the end.
        const isKept = outcome.kind === 'released' && outcome.code === 'nobody-waiting';
        if (isKept) this.client.handle({ kind: 'stop-renewing', key });
      },
    );
  }

  /** After a moment, as whoever has something to finish. Where nobody takes it, it is kept. */
  #makeWay(key: RequestId): void {
    const { host } = this.client;
    host.after(this.#random.between(0, 300), () => {
      if (key !== this.#current || this.#mood.atRest || !this.#holds(key)) return;
      this.client.ask(
        (reference) => ({ kind: 'release', key, reference, handOver: true }),
        (outcome) => {
          if (outcome.kind === 'released' && outcome.released) this.#stage.history.counts.madeWay += 1;
        },
      );
    });
  }

  #note(text: string): void {
    this.#stage.history.note(this.#stage.world.now, `${this.client.id} ${text}`);
  }
}

/** What a worker wrote, or nothing. */
export function countIn(value: Json | undefined): number {
  return typeof value === 'object' && value !== null && 'count' in value ? Number(value['count']) : 0;
}

/** And who wrote it. */
export function writerIn(value: Json | undefined): string {
  const by = typeof value === 'object' && value !== null && 'by' in value ? value['by'] : '';
  return typeof by === 'string' ? by : '';
}
