import { createInterface } from 'node:readline';
import { now } from '../../support/log.ts';
import { RawClient } from '../../support/raw-client.ts';
import { say } from '../../support/script.ts';
import { nameOf, type Crowd } from './names.ts';

/** A program: many leases over some sockets, renewed at their pace until they fall silent, all at once. */
const [, , url = '', text = '{}'] = process.argv;
const crowd = JSON.parse(text) as Crowd; // Written by the case.
const RENEW_PART = 2 / 3;

/** One socket. Its leases are renewed together. */
class Member {
  readonly #raw: RawClient;
  readonly #index: number;
  #leases: { readonly name: string; readonly fencingToken: number }[] = [];
  /** Of the last renewal: it was processed between the two. Null while its answer is on its way. */
  #sentAt = 0n;
  #answeredAt: bigint | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(raw: RawClient, index: number) {
    this.#raw = raw;
    this.#index = index;
    raw.listen((message, at) => {
      if (message['type'] === 'renewed') this.#answeredAt = at;
    });
  }

  async acquire(): Promise<void> {
    const { ttlMs, perSocket } = crowd;
    const names = Array.from({ length: perSocket }, (_, lease) => nameOf(this.#index, lease));
    this.#raw.sendAll(names.map((name) => ({ type: 'acquire', request: name, name, ttlMs })));
    for (let count = 0; count < perSocket; count += 1) {
      const { request, fencingToken } = await this.#raw.take('granted', 30_000);
      // The request of each is its name.
      this.#leases.push({ name: request as string, fencingToken: Number(fencingToken) });
    }
    this.#renew();
    await this.#raw.take('renewed', 30_000);
  }

  hush(): { readonly sentAt: bigint; readonly answeredAt: bigint | null } {
    clearTimeout(this.#timer);
    this.#raw.hush();
    return { sentAt: this.#sentAt, answeredAt: this.#answeredAt };
  }

  #renew(): void {
    this.#sentAt = now();
    this.#answeredAt = null;
    this.#raw.send({ type: 'renew', request: 'renew', leases: this.#leases });
    this.#timer = setTimeout(() => this.#renew(), crowd.ttlMs * RENEW_PART);
  }
}

const members = await Promise.all(
  Array.from({ length: crowd.sockets }, async (_, index) => new Member((await RawClient.welcome(url)).client, index)),
);
await Promise.all(members.map((member) => member.acquire()));
say('held');

createInterface({ input: process.stdin }).once('line', () => {
  const last = members.map((member) => member.hush());
  // What was under way was processed about now.
  const silentAt = now();
  say('silent', { last: last.map(({ sentAt, answeredAt }) => ({ sentAt, answeredAt: answeredAt ?? silentAt })) });
});
