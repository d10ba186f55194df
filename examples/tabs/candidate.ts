import { connect, type Client, type Election, type Lease, type LeaseView } from 'leasehold';
import { cable, type Cable } from './cable.ts';
import { counterOf, keepCounting, type Counter } from './counter.ts';
import type { Log } from './log.ts';
import { outagesInto } from './outages.ts';
import type { Leader, Scene } from './scene.ts';
import { reasonOf, shortToken } from './words.ts';

const NAME = 'examples/tabs';
/** Short, so that there is something to see. */
const TTL_MS = 4_000;
/** Given and not left to its default, since the bar shows it. */
export const STOP_MARGIN = 0.1;

/** This tab in the election: what it does there, and what it knows. */
export class Candidate {
  readonly network: Cable = cable();
  readonly client: Client;
  readonly election: Election;
  readonly #me: string;
  readonly #log: Log;
  #view: LeaseView | null = null;
  #counter: Counter | null = null;
  /** The last lease of this tab, and since when. */
  #last: { readonly lease: Lease; readonly sinceMs: number } | null = null;

  constructor(me: string, log: Log) {
    this.#me = me;
    this.#log = log;
    // The coordinator that this page came from.
    this.client = connect(new URL('../../', location.href), { label: me, WebSocket: this.network.WebSocket });
    this.election = this.client.elect(NAME, { ttlMs: TTL_MS, stopMarginMs: TTL_MS * STOP_MARGIN });
    this.#tell();
  }

  /** Calls `changed` when there is something new to see, beside what runs with the clock. */
  follow(changed: () => void): void {
    this.client.subscribe(changed);
    this.election.subscribe(changed);
    this.#watch(changed).catch((error: unknown) => this.#log(String(error), 'bad'));
  }

  async #watch(changed: () => void): Promise<void> {
    for await (const view of this.client.watch(NAME)) {
      this.#view = view;
      this.#counter = counterOf(view.state?.value);
      changed();
    }
  }

  #tell(): void {
    const log = this.#log;
    this.client.on('status', outagesInto(log));
    this.client.on('warning', ({ code, message }) => log(`${code}: ${message}`));
    this.election.on('elected', (lease) => this.#lead(lease));
    this.election.on('deposed', ({ code }) => {
      if (code === 'released') log('this tab has stepped down');
      else log(`this tab leads no more: ${reasonOf(code)} (${code})`, 'bad');
    });
    this.election.on('leader', (view) => {
      const holder = view?.holders[0];
      if (holder === undefined || this.election.isLeader) return;
      log(`${holder.label} leads, under token ${shortToken(holder.fencingToken)}`);
    });
  }

  #lead(lease: Lease): void {
    const log = this.#log;
    this.#last = { lease, sinceMs: performance.now() };
    log(`this tab leads, under token ${shortToken(lease.fencingToken)}`, 'good');
    lease.on('at-risk', ({ why }) =>
      log(`at risk: ${why === 'silent' ? 'a renewal is unanswered' : 'the clocks disagree'}`),
    );
    lease.on('recovered', () => log('recovered: the lease is renewed'));
    void keepCounting(lease, this.#me);
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
