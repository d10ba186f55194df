import type { ClaimTerms, DurableEvent, StoredState } from '../journal-port.ts';
import type { Holder, NameEntry } from './model.ts';

/** What is done once an event is durable, or undone when it is known not to be. */
export type Effect =
  | { readonly kind: 'grant'; readonly holder: Holder }
  /** The claim left the queue for this grant, and stays there if the grant is undone. */
  | { readonly kind: 'claim-granted'; readonly holder: Holder }
  | { readonly kind: 'state'; readonly entry: NameEntry; readonly state: StoredState }
  | { readonly kind: 'heard'; readonly holder: Holder }
  | { readonly kind: 'window'; readonly holder: Holder };

export interface Post {
  readonly event: DurableEvent;
  readonly effect: Effect | null;
}

/** The durable events in the order decided: those of the batch in flight, and those that wait for the next. */
export class Outbox {
  #flying: { readonly sequence: number; readonly posts: readonly Post[] } | null = null;
  #waiting: Post[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(event: DurableEvent, effect: Effect | null = null): void {
    this.#waiting.push({ event, effect });
  }

  /** All that waits is from here on in flight, as `prepare` makes it. */
  take(sequence: number, prepare: (posts: readonly Post[]) => readonly Post[]): readonly DurableEvent[] {
    if (this.#flying !== null) throw new Error(`batch ${this.#flying.sequence} is in flight; only one may be (R14)`);
    this.#flying = { sequence, posts: prepare(this.#waiting) };
    this.#waiting = [];
    return this.#flying.posts.map((post) => post.event);
  }

  /** Batch `sequence` is durable. */
  arrived(sequence: number): readonly Post[] {
    return this.#land(sequence);
  }

  /** Batch `sequence` is not: everything from it on, to be put back by `replace`. */
  returned(sequence: number): readonly Post[] {
    return [...this.#land(sequence), ...this.#waiting];
  }

  /** What is to be written instead of all that waits. */
  replace(posts: readonly Post[]): void {
    this.#waiting = [...posts];
  }

  /** The grants that are decided and not durable, oldest first. */
  grants(): readonly Holder[] {
    const posts = [...(this.#flying?.posts ?? []), ...this.#waiting];
    return posts.flatMap(({ effect }) => (effect?.kind === 'grant' ? [effect.holder] : []));
  }

  /** A turn that had nothing to write for the table did not take a batch from it. */
  #land(sequence: number): readonly Post[] {
    const flying = this.#flying;
    if (flying === null) return [];
    if (flying.sequence !== sequence) throw new Error(`batch ${sequence} ended while ${flying.sequence} is in flight`);
    this.#flying = null;
    return flying.posts;
  }
}

export const claimEnded = ({ session, request }: ClaimTerms): DurableEvent => ({
  kind: 'claim-ended',
  session,
  request,
});
