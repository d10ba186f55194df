/** Counts connections: in all, by address, and those that were not welcomed yet. */
export interface AdmissionLimits {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  readonly unauthenticatedMax: number;
}

export class Admission {
  #all = 0;
  #unauthenticated = 0;
  readonly #byAddress = new Map<string, number>();

  get connections(): number {
    return this.#all;
  }

  /** Takes one more connection of this address in, or says in words which limit stands against it. */
  admit(address: string, limits: AdmissionLimits): string | null {
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (this.#all >= limits.connectionsMax)
      return `There are ${this.#all} connections; allowed are at most ${limits.connectionsMax} (connectionsMax).`;
    if (ofAddress >= limits.connectionsPerAddressMax) {
      return `There are ${ofAddress} connections of your address; allowed are at most ${limits.connectionsPerAddressMax} (connectionsPerAddressMax).`;
    }
    const full = this.#unauthenticatedFull(limits);
    if (full !== null) return full;
    this.#all += 1;
    this.#unauthenticated += 1;
    this.#byAddress.set(address, ofAddress + 1);
    return null;
  }

  /** A channel of an admitted connection, which waits for its own hello; the first one is what the connection waits for. */
  admitChannel(isFirst: boolean, limits: AdmissionLimits): string | null {
    if (isFirst) return null;
    const full = this.#unauthenticatedFull(limits);
    if (full === null) this.#unauthenticated += 1;
    return full;
  }

  channelLeft(wasWelcomed: boolean): void {
    if (!wasWelcomed) this.#unauthenticated -= 1;
  }

  welcomed(): void {
    this.#unauthenticated -= 1;
  }

  /** An admitted connection is gone. */
  left(address: string, wasWelcomed: boolean): void {
    this.#all -= 1;
    if (!wasWelcomed) this.#unauthenticated -= 1;
    const ofAddress = (this.#byAddress.get(address) ?? 1) - 1;
    if (ofAddress === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, ofAddress);
  }

  #unauthenticatedFull({ unauthenticatedMax }: AdmissionLimits): string | null {
    if (this.#unauthenticated < unauthenticatedMax) return null;
    return `There are ${this.#unauthenticated} connections that were not welcomed yet; allowed are at most ${unauthenticatedMax} (unauthenticatedMax).`;
  }
}

/** An IPv4 address that came over an IPv6 socket is the same address. */
export const plainAddress = (address: string | undefined): string =>
  (address ?? 'unknown').replace(/^::ffff:(?=\d+\.)/i, '');
