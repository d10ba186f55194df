import type { FencingToken, LeaseName } from '../../../shared/ids.ts';

/** A time in which a client believed that it held a lease: whoever had read it would have been told `held`. */
export interface Belief {
  readonly kind: 'believed';
  readonly client: string;
  readonly name: LeaseName;
  readonly token: FencingToken;
  readonly from: number;
  readonly to: number;
}

/** What happened, in true time. The checkers read nothing else, and it names nothing of the code. */
export type Happened =
  | Belief
  /** A client asked. `waitMs` null: without limit. */
  | {
      readonly kind: 'claimed';
      readonly at: number;
      readonly client: string;
      readonly claim: string;
      readonly name: LeaseName;
      readonly waitMs: number | null;
      readonly priority: number;
      readonly steals: boolean;
    }
  /** A client changed the priority of what it asked, while that waits or is held. */
  | { readonly kind: 'amended'; readonly at: number; readonly claim: string }
  /** The coordinator has it in its queue, under this session of its client. */
  | {
      readonly kind: 'queued';
      readonly at: number;
      readonly name: LeaseName;
      readonly claim: string;
      readonly session: string;
    }
  /** Without a grant. */
  | { readonly kind: 'left-queue'; readonly at: number; readonly claim: string; readonly session: string }
  /**
   * The coordinator decided to grant to it. `present`: the sessions on an open connection of which it had read something
   * just before, and before what it had read at the moment of its decision.
   */
  | {
      readonly kind: 'chosen';
      readonly at: number;
      readonly name: LeaseName;
      readonly claim: string;
      readonly session: string;
      readonly present: readonly string[];
    }
  /** That was undone before anybody was told: the claim stands in the queue as before. */
  | { readonly kind: 'put-back'; readonly at: number; readonly claim: string; readonly session: string }
  /** It was told how that ended, or took it back. */
  | {
      readonly kind: 'claim-ended';
      readonly at: number;
      readonly client: string;
      readonly claim: string;
      readonly token: FencingToken | null;
      readonly code: string;
    }
  /** Nothing is left of what the client asked. */
  | { readonly kind: 'restarted'; readonly at: number; readonly client: string }
  /** The coordinator granted; it decided so this long (on its clock) after it had read something of whom it granted to. */
  | {
      readonly kind: 'granted';
      readonly at: number;
      readonly name: LeaseName;
      readonly token: FencingToken;
      readonly unheardMs: number;
      /** It has one window and no more: no renewal makes it longer. */
      readonly fixed: boolean;
    }
  /** The coordinator ended a lease; `byTime`: because its time was over. */
  | {
      readonly kind: 'ended';
      readonly at: number;
      readonly name: LeaseName;
      readonly token: FencingToken;
      readonly byTime: boolean;
    }
  /** That is on the disk. */
  | { readonly kind: 'end-stored'; readonly at: number; readonly token: FencingToken }
  /** The coordinator was killed: what was not on the disk is undone. */
  | { readonly kind: 'killed'; readonly at: number }
  /** A renewal reached the coordinator's host, whether it is read at once or not. */
  | { readonly kind: 'renewal-arrived'; readonly at: number; readonly renewal: string; readonly token: FencingToken }
  /** It was answered that it is done, or that the lease is over. */
  | { readonly kind: 'renewal-done'; readonly at: number; readonly renewal: string; readonly token: FencingToken }
  | { readonly kind: 'renewal-late'; readonly at: number; readonly renewal: string; readonly token: FencingToken }
  /** The coordinator answered that the release was done. */
  | { readonly kind: 'released'; readonly at: number; readonly client: string; readonly token: FencingToken }
  /** An operator opened the name although somebody may believe: S1 is given up for whoever believed then. */
  | { readonly kind: 'forced'; readonly at: number; readonly name: LeaseName }
  /** On the disk, whether anybody knows it or not. */
  | { readonly kind: 'grant-stored'; readonly at: number; readonly token: FencingToken }
  | {
      readonly kind: 'state-stored';
      readonly at: number;
      readonly name: LeaseName;
      readonly token: FencingToken;
      readonly version: number;
      readonly value: string;
      /** The value counts: one more than what its writer saw. */
      readonly count: number;
      /** Whose write it is, as the value itself says. */
      readonly by?: string;
    }
  /** The disk was lost, or an older copy of it put in its place. */
  | { readonly kind: 'disk-replaced'; readonly at: number }
  | {
      readonly kind: 'state-told';
      readonly at: number;
      readonly client: string;
      readonly name: LeaseName;
      readonly version: number;
      readonly value: string;
    }
  /** What the disk has in the end. */
  | { readonly kind: 'state-left'; readonly at: number; readonly name: LeaseName; readonly version: number }
  /** At rest, what the disk has of leases, and what the coordinator has. */
  | {
      readonly kind: 'leases-left';
      readonly at: number;
      readonly onDisk: readonly FencingToken[];
      readonly held: readonly FencingToken[];
    }
  /** A store outside applied a write: one more than its writer had read there. */
  | {
      readonly kind: 'counted';
      readonly at: number;
      readonly counter: 'fenced' | 'open';
      readonly name: LeaseName;
      readonly client: string;
      readonly token: FencingToken;
      readonly read: number;
    }
  | { readonly kind: 'calm'; readonly at: number }
  | { readonly kind: 'over'; readonly at: number };

export class History {
  readonly events: Happened[] = [];
  /** What an observer inside the world found: a watcher, a candidate. */
  readonly broken: string[] = [];
  /** In words, for people. */
  readonly lines: string[] = [];
  readonly counts = {
    grants: 0,
    contested: 0,
    losses: 0,
    recovered: 0,
    doubts: 0,
    resumed: 0,
    writes: 0,
    undone: 0,
    gone: 0,
    faults: 0,
    restarts: 0,
    clientRestarts: 0,
    farewells: 0,
    revoked: 0,
    forced: 0,
    stolen: 0,
    handedOver: 0,
    madeWay: 0,
    putAway: 0,
    reloaded: 0,
    takenOver: 0,
    separated: 0,
    restored: 0,
    disksLost: 0,
    fenced: 0,
    views: 0,
    drained: 0,
    denied: 0,
  };

  add(event: Happened): void {
    this.events.push(event);
  }

  note(at: number, text: string): void {
    this.lines.push(`${at.toFixed(3)} ${text}`);
  }
}

export type Counts = History['counts'];
