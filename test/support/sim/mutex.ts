import type { AcquireTerms, LeaseNews } from '../../../client/core/types.ts';
import type { LeaseName, RequestId } from '../../../shared/ids.ts';
import { durationMs } from '../../../shared/time.ts';
import type { ClaimOutcome, SimulatedClient } from './client.ts';
import { NAMES, type Stage } from './faults.ts';
import type { Random } from './random.ts';
import { TERMS } from './scripted.ts';

/** How it goes: `calm` means short holds, waits that are timed, and grants that are counted. */
export interface Mood {
  calm: boolean;
  /** Nobody claims, and nobody lets go. */
  atRest: boolean;
  readonly names: number;
}

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
  readonly #random: Random;
  readonly #mood: Mood;
  #current: RequestId | null = null;
  #lateAt = Infinity;

  constructor(client: SimulatedClient, stage: Stage, random: Random, mood: Mood) {
    this.client = client;
    this.#stage = stage;
    this.#random = random;
    this.#mood = mood;
    client.onClaim = (key, outcome) => this.#claimed(key, outcome);
    client.onLease = (key, news) => this.#heard(key, news);
    client.onStart = () => {
      this.#current = null;
      this.#again(random.between(0, 500));
    };
    client.onStart();
  }

  #terms(): AcquireTerms {
    const random = this.#random;
    return {
      ...TERMS,
      ttlMs: durationMs(random.pick([1_000, 1_500, 2_000, 3_000, 6_000])),
      name: NAMES[random.whole(1, this.#mood.names) - 1] ?? NAMES[0],
      waitMs: random.chance(0.6) ? null : durationMs(random.pick([0, 800, 4_000])),
      renew: random.chance(0.9),
      priority: random.chance(0.1) ? 1 : undefined,
      lockDelayMs: random.chance(0.1) ? durationMs(500) : undefined,
      minHoldMs: random.chance(0.1) ? durationMs(700) : undefined,
      steal: !this.#mood.calm && random.chance(0.05),
    };
  }

  #again(ms: number): void {
    const mine = this.#current;
    this.client.host.after(ms, () => {
      if (mine === this.#current) this.#claim();
    });
  }

  #claim(): void {
    if (this.#mood.atRest) return;
    const terms = this.#terms();
    this.#current = this.client.acquire(terms);
    const limitMs = terms.waitMs === 0 ? CONNECT_MS_MAX : terms.waitMs;
    this.#lateAt = this.#mood.calm && limitMs !== null ? this.client.host.mono + limitMs + SLACK_MS : Infinity;
  }

  #claimed(key: RequestId, outcome: ClaimOutcome): void {
    const { history } = this.#stage;
    this.#note(`${key} ${outcome.kind === 'granted' ? `granted ${outcome.fencingToken}` : outcome.failure.code}`);
    if (key !== this.#current) return;
    if (this.client.host.mono > this.#lateAt) history.broken.push(`S10 ${key} ended after the end of its wait`);
    if (outcome.kind === 'failed') return this.#again(this.#random.between(20, 600));
    history.counts.grants += 1;
    if (this.#mood.calm) this.calmGrants += 1;
    return this.#hold(key, outcome.name);
  }

  #heard(key: RequestId, news: LeaseNews): void {
    if (news.kind === 'renewed') return;
    const { counts } = this.#stage.history;
    this.#note(`${key} ${news.kind}${'code' in news ? ` ${news.code}` : ''}`);
    if (news.kind === 'lost') counts.losses += 1;
    if (news.kind === 'recovered') counts.recovered += 1;
    if (news.kind === 'at-risk' && news.why === 'doubt') counts.doubts += 1;
    const isOver = news.kind === 'lost' || news.kind === 'released';
    if (isOver && key === this.#current) this.#again(this.#random.between(1, 400));
  }

  #hold(key: RequestId, name: LeaseName): void {
    const random = this.#random;
    if (random.chance(0.4)) this.#write(key, name);
    const ms = this.#mood.calm ? random.between(5, 200) : random.between(50, 7_000);
    this.client.host.after(ms, () => {
      if (key === this.#current) this.#letGo(key);
    });
  }

  #write(key: RequestId, name: LeaseName): void {
    const { history, coordinator } = this.#stage;
    this.client.ask(
      (reference) => ({ kind: 'set-state', key, reference, value: { by: this.client.id }, ifVersion: undefined }),
      (outcome) => {
        if (outcome.kind !== 'state-set') return;
        history.counts.writes += 1;
        const stored = coordinator.image.states.get(name)?.version ?? 0;
        if (stored < outcome.version)
          history.broken.push(`S4 ${key} was told of version ${outcome.version}, stored is ${stored}`);
      },
    );
  }

  #letGo(key: RequestId): void {
    if (this.#mood.atRest) return undefined;
    if (this.#random.chance(0.1)) return this.client.handle({ kind: 'stop-renewing', key });
    return this.client.ask(
      (reference) => ({ kind: 'release', key, reference, handOver: this.#random.chance(0.1) }),
      (outcome) => {
        // Nobody to hand it to: it is kept, and runs out in the end.
        const isKept = outcome.kind === 'released' && outcome.code === 'nobody-waiting';
        if (isKept) this.client.handle({ kind: 'stop-renewing', key });
      },
    );
  }

  #note(text: string): void {
    this.#stage.history.note(this.#stage.world.now, `${this.client.id} ${text}`);
  }
}
