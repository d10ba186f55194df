import type { FencingToken, LeaseName } from '../../../shared/ids.ts';

/** A time in which a client believed that it held a lease: whoever had read it would have been told `held`. */
export interface Belief {
  readonly client: string;
  readonly name: LeaseName;
  readonly token: FencingToken;
  readonly from: number;
  readonly to: number;
}

export interface Grant {
  readonly at: number;
  readonly name: LeaseName;
  readonly token: FencingToken;
}

/** What the checkers read. They know nothing of the code that made it. */
export class History {
  readonly beliefs: Belief[] = [];
  readonly grants: Grant[] = [];
  /** What a client was told and the disk did not have (S4), or that came too late (S10). */
  readonly broken: string[] = [];
  /** In words, for the comparison of two runs of one seed and for people. */
  readonly lines: string[] = [];
  readonly counts = {
    losses: 0,
    restarts: 0,
    contested: 0,
    recovered: 0,
    doubts: 0,
    grants: 0,
    writes: 0,
    undone: 0,
    faults: 0,
    revoked: 0,
    putAway: 0,
    views: 0,
  };

  note(at: number, text: string): void {
    this.lines.push(`${at.toFixed(3)} ${text}`);
  }
}

/** S1: no two clients believe at once that they hold one name. */
export function overlaps({ beliefs }: History): readonly string[] {
  const found: string[] = [];
  // Of each name the belief that reaches furthest so far, in order of their beginnings.
  const furthest = new Map<LeaseName, Belief>();
  for (const belief of beliefs.toSorted((a, b) => a.from - b.from)) {
    const before = furthest.get(belief.name);
    if (before !== undefined && before.token !== belief.token && belief.from < before.to) {
      found.push(`S1 "${belief.name}": ${inWords(before)} and ${inWords(belief)}`);
    }
    if (before === undefined || belief.to > before.to) furthest.set(belief.name, belief);
  }
  return found;
}

/** S2: each grant's token is larger than that of every earlier grant. */
export function fallenTokens({ grants }: History): readonly string[] {
  const found: string[] = [];
  let largest: Grant | undefined;
  for (const grant of grants) {
    if (largest !== undefined && grant.token <= largest.token) {
      found.push(
        `S2 token ${grant.token} at ${grant.at.toFixed(3)} after ${largest.token} at ${largest.at.toFixed(3)}`,
      );
    }
    if (largest === undefined || grant.token > largest.token) largest = grant;
  }
  return found;
}

const inWords = ({ client, token, from, to }: Belief): string =>
  `${client} with ${token} from ${from.toFixed(3)} to ${to.toFixed(3)}`;
