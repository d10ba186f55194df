import { connect, type Client, type ElectOptions, type Election, type Lease, type LeaseView } from 'leasehold';
import { cable, type Cable } from './cable.ts';
import { counterOf, keepCounting, type Counter } from './counter.ts';
import type { Log } from './log.ts';
import { outagesInto } from './outages.ts';
import type { Pulse } from './pulse.ts';
import { Right } from './right.ts';
import type { Leader, Scene } from './scene.ts';
import type { Diary } from './together/diary.ts';
import { reasonOf, shortToken } from './words.ts';

const NAME = 'examples/tabs';
/** Short, so that there is something to see. */
const TTL_MS = 4_000;
/** Given and not left to its default, since the bar shows it. */
export const STOP_MARGIN = 0.1;

/** What the page's switch adds to the rules of its election. */
export type Preference = Pick<ElectOptions, 'prefer'>;

/** This tab in the election: what it does there, and what it knows. */
export class Candidate {
  readonly network: Cable;
  readonly client: Client;
  readonly #me: string;
  readonly #log: Log;
  readonly #diary: Diary;
  readonly #right = new Right();
  #election: Election;
  #unfollow: () => void = () => undefined;
  #changed: () => void = () => undefined;
  #view: LeaseView | null = null;
  #counter: Counter | null = null;
  /** The last lease of this tab, and since when. */
  #last: { readonly lease: Lease; readonly sinceMs: number } | null = null;

  constructor(diary: Diary, log: Log, pulse: Pulse) {
    this.#me = diary.label;
    this.#diary = diary;
    this.#log = log;
    this.network = cable(() => pulse.beat());
    // The coordinator that this page came from.
    const options = { label: this.#me, WebSocket: this.network.WebSocket };
    this.client = connect(new URL('../../', location.href), options);
    this.client.on('status', outagesInto(log));
    this.client.on('warning', ({ code, message }) => log(`${code}: ${message}`));
    this.#election = this.#stand({});
  }

  get election(): Election {
    return this.#election;
  }

  get lastLease(): Lease | null {
    return this.#last?.lease ?? null;
  }

  /** Calls `changed` when there is something new to see, beside what runs with the clock. */
  follow(changed: () => void): void {
    this.#changed = changed;
    this.client.subscribe(changed);
    this.#watch().catch((error: unknown) => this.#log(String(error), 'bad'));
  }

  /** To be called whenever code of this page runs. */
  beat(): void {
    if (this.#last !== null) this.#right.look(this.#last.lease);
  }

  /** Leaves the queue and stands in it again, under other rules. */
  async standAgain(preference: Preference): Promise<void> {
    await this.#election.stop();
    this.#unfollow();
    this.#election = this.#stand(preference);
    this.#changed();
  }

  async #watch(): Promise<void> {
    for await (const view of this.client.watch(NAME)) {
      this.#view = view;
      this.#counter = counterOf(view.state?.value);
      this.#diary.heard(view.holders[0] ?? null);
      this.#changed();
    }
  }

  #stand(preference: Preference): Election {
    const log = this.#log;
    const rules = { ttlMs: TTL_MS, stopMarginMs: TTL_MS * STOP_MARGIN, ...preference };
    const election = this.client.elect(NAME, rules);
    this.#unfollow = election.subscribe(() => this.#changed());
    election.on('elected', (lease) => this.#lead(lease));
    election.on('deposed', ({ code }) => {
      this.#ended(code);
      if (code === 'released') log('this tab has stepped down');
      else log(`this tab leads no more: ${reasonOf(code)} (${code})`, 'bad');
    });
    election.on('leader', (view) => {
      const holder = view?.holders[0];
      if (holder === undefined || election.isLeader) return;
      log(`${holder.label} leads, under token ${shortToken(holder.fencingToken)}`);
    });
    return election;
  }

  #lead(lease: Lease): void {
    const log = this.#log;
    this.#last = { lease, sinceMs: performance.now() };
    this.#right.look(lease);
    this.#diary.write({ kind: 'led', token: lease.fencingToken });
    log(`this tab leads, under token ${shortToken(lease.fencingToken)}`, 'good');
    lease.on('renewed', () => this.#right.look(lease));
    lease.on('at-risk', ({ why }) =>
      log(`at risk: ${why === 'silent' ? 'a renewal is unanswered' : 'the clocks disagree'}`),
    );
    lease.on('recovered', () => log('recovered: the lease is renewed'));
    void keepCounting(lease, this.#me);
  }

  #ended(why: string): void {
    if (this.#last === null) return;
    const token = this.#last.lease.fencingToken;
    const knownAtMs = Date.now();
    this.#diary.write({ kind: 'ended', token, why, knownAtMs }, this.#right.endedAtMs(knownAtMs));
  }

  /** What is to be seen now; read off the clocks at each call. */
  scene(): Scene {
    const { isLeader } = this.election;
    const isOpen = this.client.status === 'open' && !this.network.isCut;
    const leader = isLeader ? this.#own() : isOpen ? this.#other() : null;
    return {
      me: this.#me,
      part: isLeader ? 'leads' : leader !== null ? 'follows' : isOpen && this.#view !== null ? 'nobody' : 'unknown',
      isAtRisk: isLeader && this.#last?.lease.status === 'at-risk',
      leader,
      queue: isOpen ? (this.#view?.queue ?? null) : null,
      position: isOpen ? this.election.position : null,
      counter: this.#counter,
      writtenUnder: this.#view?.state?.fencingToken ?? null,
      connection: this.network.isCut ? 'network cut' : this.client.status,
      isCut: this.network.isCut,
    };
  }

  #own(): Leader | null {
    if (this.#last === null) return null;
    const { lease, sinceMs } = this.#last;
    const leftMs = lease.remainingMs;
    return {
      label: this.#me,
      token: lease.fencingToken,
      heldForMs: performance.now() - sinceMs,
      leftMs,
      filled: leftMs / lease.ttlMs + STOP_MARGIN,
    };
  }

  /** Whoever holds the lease, by the last that was heard. What this tab has lost is nobody's, until its window is over. */
  #other(): Leader | null {
    const holder = this.#view?.holders[0];
    if (holder === undefined || holder.fencingToken === this.#last?.lease.fencingToken) return null;
    const { label, fencingToken: token, heldForMs, remainingMs: leftMs } = holder;
    return { label, token, heldForMs, leftMs, filled: leftMs / TTL_MS };
  }
}
