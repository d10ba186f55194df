import { PROTOCOL_VERSION } from '../../../../shared/limits.ts';
import type { Messages } from '../../support/log.ts';
import { textOf } from '../../support/program/in-words.ts';
import { RawClient } from '../../support/raw-client.ts';

export type Message = Messages[number];

const NAME = 'owned';
const TTL_MS = 3_000;
/** More than one socket of this case says, pongs included: so that each round begins above the one before. */
const FRAMES_A_ROUND = 100;

/** One session that holds one lease, and whatever sockets speak for it, told what to say by hand. */
export class Owner {
  readonly url: string;
  readonly session: string;
  /** The socket that speaks for the session. */
  live: RawClient;
  readonly #instance: string;
  readonly #secret: string;
  readonly #token: number;
  #dial = 1;
  #frame = 1;
  #renewals = 0;

  private constructor(url: string, live: RawClient, known: Known) {
    this.url = url;
    this.live = live;
    this.session = known.session;
    this.#instance = known.instance;
    this.#secret = known.secret;
    this.#token = known.token;
  }

  static async come(url: string): Promise<Owner> {
    const instance = `owner-${process.pid}`;
    const { client, welcome } = await RawClient.welcome(url, { instance });
    client.send({ type: 'acquire', request: 'claim', name: NAME, ttlMs: TTL_MS });
    const granted = await client.take('granted');
    return new Owner(url, client, {
      instance,
      session: textOf(welcome['session']),
      secret: textOf(welcome['secret']),
      token: Number(granted['fencingToken']),
    });
  }

  /** Numbers above all that were said so far. */
  nextRound(): { readonly dial: number; readonly frame: number } {
    this.#dial += 2;
    this.#frame += FRAMES_A_ROUND;
    return { dial: this.#dial, frame: this.#frame };
  }

  open(): Promise<RawClient> {
    return RawClient.open(this.url);
  }

  /** Resumes the session over that socket; what it says later counts on from that frame. */
  hello(socket: RawClient, { dial, frame }: { readonly dial: number; readonly frame: number }): void {
    socket.countFrom(frame);
    const resume = { session: this.session, secret: this.#secret };
    const versions = { protocolMin: PROTOCOL_VERSION, protocolMax: PROTOCOL_VERSION };
    socket.send({ type: 'hello', ...versions, instance: this.#instance, dial, resume });
  }

  nextRenewal(): string {
    this.#renewals += 1;
    return `renewal-${this.#renewals}`;
  }

  renew(socket: RawClient, request: string): void {
    socket.send({ type: 'renew', request, leases: [{ name: NAME, fencingToken: this.#token }] });
  }

  /** The live socket's renewal, as it is answered. */
  async renewed(): Promise<Message> {
    this.renew(this.live, this.nextRenewal());
    return this.live.take('renewed');
  }

  /** Whether a message lists the lease, with what is left of its window. */
  lists(leases: Message[string] | undefined): boolean {
    const [one, ...more] = (Array.isArray(leases) ? leases : []) as Messages; // As every message that tells of leases.
    return more.length === 0 && one?.['fencingToken'] === this.#token && Number(one['leftMs']) > 0;
  }

  async leave(): Promise<void> {
    this.live.send({ type: 'release', request: 'give-back', name: NAME, fencingToken: this.#token });
    await this.live.take('released');
    this.live.send({ type: 'bye', keepMs: 0 });
    this.live.close();
  }
}

interface Known {
  readonly instance: string;
  readonly session: string;
  readonly secret: string;
  readonly token: number;
}
