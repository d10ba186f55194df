import { NETWORK_PREFIX, undoing } from './left-over.ts';
import { system } from './tools.ts';

/** A network namespace with one link to this one. What runs in it reaches nothing else, and the link can be taken down. */
export class OwnNetwork implements Disposable {
  /** This side of the link. */
  readonly address: string;
  /** A program started under this runs in the namespace, and is the process that it started as. */
  readonly under: readonly string[];
  readonly #name: string;
  readonly #undo: Disposable;

  constructor(index: number) {
    // From the block for tests of networks (RFC 2544), a link for each process that plays at the same time.
    const net = `198.18.${(process.pid + index) % 256}`;
    this.address = `${net}.1`;
    this.#name = `${NETWORK_PREFIX}${process.pid}-${index}`;
    this.under = ['ip', 'netns', 'exec', this.#name];
    const [here, there] = [`lh${process.pid}h${index}`, `lh${process.pid}t${index}`];
    system('ip', 'netns', 'add', this.#name);
    // The link goes with the namespace that one of its ends is in.
    this.#undo = undoing(() => system('ip', 'netns', 'delete', this.#name));
    system('ip', 'link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', this.#name);
    system('ip', 'address', 'add', `${this.address}/24`, 'dev', here);
    system('ip', 'link', 'set', here, 'up');
    system('ip', '-n', this.#name, 'address', 'add', `${net}.2/24`, 'dev', there);
    system('ip', '-n', this.#name, 'link', 'set', there, 'up');
    system('ip', '-n', this.#name, 'link', 'set', 'lo', 'up');
    this.#there = there;
  }

  readonly #there: string;

  down(): void {
    system('ip', '-n', this.#name, 'link', 'set', this.#there, 'down');
  }

  up(): void {
    system('ip', '-n', this.#name, 'link', 'set', this.#there, 'up');
  }

  [Symbol.dispose](): void {
    this.#undo[Symbol.dispose]();
  }
}
