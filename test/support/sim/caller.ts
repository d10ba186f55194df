import { reference, type ClientEvent } from '../../../client/core/types.ts';
import type { RequestId } from '../../../shared/ids.ts';
import type { SimulatedClient } from './client.ts';
import type { Mood } from './mutex.ts';
import type { Random } from './random.ts';

type Call = (key: RequestId) => readonly ClientEvent[];

const renew: Call = (key) => [{ kind: 'renew', key, reference: NOBODY }];
const stopRenewing: Call = (key) => [{ kind: 'stop-renewing', key }];
const release: Call = (key) => [{ kind: 'release', key, reference: NOBODY, handOver: false }];
const handOver: Call = (key) => [{ kind: 'release', key, reference: NOBODY, handOver: true }];
/** Whose answer nobody waits for. */
const NOBODY = reference(0);

const CALLS: readonly [Call, ...Call[]] = [
  renew,
  renew,
  renew,
  stopRenewing,
  release,
  handOver,
  (key) => [...handOver(key), ...renew(key)],
  (key) => [...handOver(key), ...handOver(key), ...stopRenewing(key)],
  (key) => [...handOver(key), ...release(key)],
  (key) => [...release(key), ...stopRenewing(key), ...renew(key)],
];

/** A program that knows no better: it calls what it likes on what it has and had, in whatever state that is. */
export class Caller {
  readonly #client: SimulatedClient;
  readonly #random: Random;
  readonly #mood: Pick<Mood, 'calm'>;

  constructor(client: SimulatedClient, random: Random, mood: Pick<Mood, 'calm'>) {
    this.#client = client;
    this.#random = random;
    this.#mood = mood;
    this.#again();
  }

  #again(): void {
    this.#client.host.after(this.#random.between(20, 900), () => {
      if (this.#mood.calm) return;
      this.#call();
      this.#again();
    });
  }

  #call(): void {
    const { recent } = this.#client;
    const key = recent[this.#random.whole(0, recent.length - 1)];
    if (key === undefined) return;
    for (const event of this.#random.pick(CALLS)(key))
      if (event.kind === 'release' || event.kind === 'renew')
        this.#client.ask(
          (mine) => ({ ...event, reference: mine }),
          () => undefined,
        );
      else this.#client.handle(event);
  }
}
