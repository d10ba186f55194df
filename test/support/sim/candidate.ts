import {
  candidateOf,
  electionStatus,
  electionStep,
  leaderOf,
  type Candidate,
  type ElectionEffect,
  type ElectionEvent,
} from '../../../client/core/election-machine.ts';
import type { FencingToken, RequestId } from '../../../shared/ids.ts';
import { durationMs, listeningMs } from '../../../shared/time.ts';
import { reference, type Reference } from '../../../client/core/types.ts';
import { visit } from './cells/visited.ts';
import type { SimulatedClient } from './client.ts';
import { NAMES, type Stage } from './faults.ts';
import type { Mood } from './mutex.ts';
import type { Random } from './random.ts';
import { TERMS } from './scripted.ts';

const [NAME] = NAMES;

/** How it goes: `hasty` candidates lead for an instant; in calm times each leads for long enough to be paced by nothing. */
export interface ElectionMood extends Pick<Mood, 'calm' | 'atRest'> {
  hasty: boolean;
}

/** A leadership as short as this, several in a row, is followed by a pause: in calm times there is none. */
const LASTING_MS = 1_000;

/** What one client does for ever: stands, leads for a while, resigns or stops and begins anew. The machine is the product's. */
export class SimulatedCandidate {
  readonly client: SimulatedClient;
  /** Times that it led since all was calm, and at all. */
  calmTerms = 0;
  readonly counts = { elected: 0, deposed: 0, stopped: 0, leaders: 0, paused: 0 };
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #isHasty: boolean;
  readonly #mood: ElectionMood;
  #candidate: Candidate;
  /** Of the claim, and then of the lease. */
  #key: RequestId | null = null;
  #watch: Reference | null = null;
  /** What it was told last. */
  #isElected = false;
  #leader: FencingToken | null = null;
  /** The largest that this candidacy was told of, and the last of its own that is over. */
  #largest = 0;
  #over = 0;
  /** Counts the candidacies: what was planned for an earlier one is void. */
  #turn = 0;
  #references = 1_000_000;

  constructor(client: SimulatedClient, stage: Stage, random: Random, mood: ElectionMood) {
    this.client = client;
    this.#stage = stage;
    this.#random = random;
    this.#mood = mood;
    this.#isHasty = random.chance(0.3);
    this.#candidate = candidateOf('idle', client.host.stamp.mono);
    client.onStart = () => this.#begin();
    client.onClaim = (key, outcome) => {
      if (key !== this.#key) return;
      if (outcome.kind === 'granted') this.#soon({ kind: 'granted', token: outcome.fencingToken });
      else this.#soon({ kind: 'failed', failure: outcome.failure });
    };
    client.onLease = (key, { kind }) => {
      if (kind === 'lost') stage.history.counts.losses += 1;
      if (key === this.#key && (kind === 'lost' || kind === 'released')) this.#soon({ kind: 'over' });
    };
    client.onQueued = (key, position) => {
      if (key === this.#key) this.#soon({ kind: 'queued', position });
    };
    client.onStatus = (status) => this.#soon({ kind: 'connection', status });
    client.onView = (view) => {
      if (view.name === NAME) this.#soon({ kind: 'view', view });
    };
    this.#begin();
  }

  /** At rest one leads, and everybody knows which; whoever says that it stands does. */
  problems(isLeader: boolean): readonly string[] {
    const { id, core } = this.client;
    const holder = this.#stage.coordinator.core?.show(listeningMs(0), NAME).holders[0]?.fencingToken ?? null;
    const status = electionStatus(this.#candidate);
    const right = isLeader ? 'leading' : 'standing';
    return [
      ...(this.calmTerms === 0 ? [`${id} never led in calm times`] : []),
      ...(status === right ? [] : [`${id} is ${status} at rest, not ${right}; its connection is ${core.status}`]),
      ...(leaderOf(this.#candidate) === holder && this.#leader === holder
        ? []
        : [`${id} believes that ${leaderOf(this.#candidate)} leads and was told ${this.#leader}; it is ${holder}`]),
    ];
  }

  get isLeading(): boolean {
    return this.#candidate.phase.kind === 'leading';
  }

  /** Says this and that again and again, whether it leads or not, for as long as candidates are hasty. */
  fidget(random: Random): void {
    this.client.host.after(random.between(20, 1_500), () => {
      if (!this.#mood.hasty) return;
      const kind = random.chance(0.3) ? 'stop' : 'resign';
      for (let times = random.whole(1, 3); times > 0; times -= 1) this.#step({ kind });
      this.fidget(random);
    });
  }

  #begin(): void {
    this.#turn += 1;
    this.#candidate = candidateOf(this.client.core.status, this.client.host.stamp.mono);
    this.#isElected = false;
    this.#leader = null;
    // A new one knows nothing of what was before it.
    this.#largest = 0;
    this.#over = 0;
    this.#key = null;
    const mine = (this.#watch = reference((this.#references += 1)));
    this.client.handle({ kind: 'watch', reference: mine, name: NAME });
    this.#claim();
  }

  /** As an event of its own, since the client is in the midst of one. */
  #soon(event: ElectionEvent): void {
    const { host } = this.client;
    const turn = this.#turn;
    host.soon(() => {
      if (turn === this.#turn) this.#step(event);
    });
  }

  #step(event: ElectionEvent): void {
    visit('election', this.#candidate.phase.kind, event.kind);
    const { state, effects } = electionStep(this.#candidate, event, this.client.host.stamp.mono, () =>
      this.#random.next(),
    );
    this.#candidate = state;
    for (const effect of effects) this.#perform(effect);
    this.#check(event);
  }

  #check({ kind }: ElectionEvent): void {
    const { id, core, host } = this.client;
    const { phase } = this.#candidate;
    const wrong = (what: string): void => void this.#stage.history.broken.push(`${id} after ${kind}: ${what}`);
    if (this.#isElected !== (phase.kind === 'leading')) wrong(`told ${this.#isElected}, but it is ${phase.kind}`);
    if (this.#leader !== leaderOf(this.#candidate))
      wrong(`told that ${this.#leader} leads, but ${leaderOf(this.#candidate)} does`);
    if (phase.kind === 'leading' && this.#key !== null && core.lease(host.stamp, this.#key) === null)
      wrong('it leads without a lease');
    if (phase.kind === 'leading' && phase.token <= this.#candidate.ended) wrong('it leads under a token that is over');
  }

  #perform(effect: ElectionEffect): void {
    const { client } = this;
    switch (effect.kind) {
      case 'claim':
        return this.#claim();
      case 'pause': {
        this.counts.paused += 1;
        const turn = this.#turn;
        client.host.after(effect.ms, () => turn === this.#turn && this.#step({ kind: 'due' }));
        return undefined;
      }
      case 'release':
        return this.#release();
      case 'leave':
        return this.#leave();
      case 'elected':
        return this.#elected();
      case 'deposed':
        this.counts.deposed += 1;
        if (!this.#isElected) this.#stage.history.broken.push(`${client.id} was deposed and not elected`);
        this.#isElected = false;
        this.#over = this.#largest;
        return undefined;
      case 'leader':
        return this.#led(effect.token);
      default:
        return effect satisfies never;
    }
  }

  /** Nobody who led before comes back, and least of all itself. */
  #led(token: FencingToken | null): void {
    this.counts.leaders += 1;
    this.#leader = token;
    if (token === null) return;
    const { broken } = this.#stage.history;
    // An older copy of the journal has older things to show.
    if (this.#stage.coordinator.isReplaced) return;
    if (token < this.#largest) broken.push(`${this.client.id} was told that ${token} leads after ${this.#largest}`);
    if (token <= this.#over) broken.push(`${this.client.id} was told that ${token} leads, its own that is over`);
    this.#largest = token;
  }

  #claim(): void {
    const ttlMs = durationMs(this.#random.pick([1_000, 2_000, 3_000]));
    this.#key = this.client.acquire({ ...TERMS, name: NAME, ttlMs, candidate: true });
  }

  #elected(): void {
    const random = this.#random;
    const { history } = this.#stage;
    if (this.#isElected) history.broken.push(`${this.client.id} was elected twice`);
    this.#isElected = true;
    this.counts.elected += 1;
    if (this.#mood.calm) this.calmTerms += 1;
    history.counts.grants += 1;
    const { calm, hasty } = this.#mood;
    const ms = calm
      ? random.between(LASTING_MS, 2 * LASTING_MS)
      : random.between(1, hasty && this.#isHasty ? 100 : 5_000);
    const [turn, key] = [this.#turn, this.#key];
    this.client.host.after(ms, () => {
      if (this.#mood.atRest || turn !== this.#turn || key !== this.#key) return;
      this.#step({ kind: random.chance(0.2) ? 'stop' : 'resign' });
    });
  }

  #release(): void {
    const key = this.#key;
    if (key === null) return;
    this.client.ask(
      (mine) => ({ kind: 'release', key, reference: mine, handOver: false }),
      () => undefined,
    );
  }

  /** Stopped: nothing is left of it, and another begins. */
  #leave(): void {
    const { client } = this;
    this.counts.stopped += 1;
    if (this.#watch !== null) client.handle({ kind: 'unwatch', reference: this.#watch });
    if (this.#key !== null) client.handle({ kind: 'withdraw', key: this.#key });
    this.#watch = null;
    this.#key = null;
    const turn = this.#turn;
    client.host.after(this.#random.between(0, 500), () => turn === this.#turn && this.#begin());
  }
}
