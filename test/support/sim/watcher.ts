import type { WireLeaseView } from '../../../shared/frames.ts';
import { listeningMs } from '../../../shared/time.ts';
import type { SimulatedClient } from './client.ts';
import { NAMES, type Stage } from './faults.ts';

/** Watches every name through one client, over its restarts, and holds what it sees against what it saw before. */
export class Watcher {
  readonly #client: SimulatedClient;
  readonly #stage: Stage;
  readonly #last = new Map<string, WireLeaseView>();
  readonly #largest = new Map<string, { readonly token: number; readonly version: number }>();

  constructor(client: SimulatedClient, stage: Stage) {
    this.#client = client;
    this.#stage = stage;
    const before = client.onStart;
    client.onStart = () => {
      before();
      this.#start();
    };
    client.onView = (view) => this.#see(view);
    this.#start();
  }

  #start(): void {
    const { history } = this.#stage;
    for (const name of NAMES)
      this.#client.ask(
        (reference) => ({ kind: 'watch', reference, name }),
        (outcome) => {
          const code = outcome.kind === 'failed' ? outcome.failure.code : undefined;
          const isOver = code === 'closed' || (code === 'refused' && this.#client.isDenied);
          if (!isOver) history.broken.push(`S10 a watch of ${this.#client.id} ended: ${JSON.stringify(outcome)}`);
        },
      );
  }

  /** One journal: neither tokens nor versions go back, whatever was missed between. */
  #see(view: WireLeaseView): void {
    const { history } = this.#stage;
    const { name, state, holders, lastFencingToken: token = 0 } = view;
    const seen = this.#largest.get(name) ?? { token: 0, version: 0 };
    this.#last.set(name, view);
    this.#largest.set(name, { token: Math.max(token, seen.token), version: state?.version ?? 0 });
    history.counts.views += 1;
    // An older copy of the journal has older things to show.
    if (this.#stage.coordinator.isReplaced) return;
    const broken = (what: string): void => void history.broken.push(`S2 ${this.#client.id} saw ${name} ${what}`);
    // Of a name without a state nothing is stored once it is free: then there is no token to compare.
    if (token !== 0 && token < seen.token) broken(`at token ${token} after ${seen.token}`);
    // Nobody removes a state here.
    if ((state?.version ?? 0) < seen.version) broken(`at version ${state?.version} after ${seen.version}`);
    if (holders.some(({ fencingToken }) => fencingToken > token)) broken('held under a token above its last one');
  }

  /** At rest what was seen last is how it is. */
  problems(): readonly string[] {
    // What depends on the instant is not compared.
    const now = listeningMs(0);
    return NAMES.flatMap((name) => {
      const [seen, is] = [this.#last.get(name), this.#stage.coordinator.core?.show(now, name)].map(settled);
      return seen === is ? [] : [`${this.#client.id} last saw ${seen}; it is ${is}`];
    });
  }
}

/** What does not change by itself. */
const settled = (view: WireLeaseView | undefined): string =>
  JSON.stringify(
    view && [
      view.name,
      view.holders.map(({ label, session, fencingToken }) => [label, session, fencingToken]),
      view.queue,
      view.state,
      view.lastFencingToken,
    ],
  );
