import type { FencingToken, LeaseName, RequestId, SessionId } from '../../../shared/ids.ts';
import type { DurationMs, ListeningMs } from '../../../shared/time.ts';
import type { ClaimTerms, StoredState } from '../journal-port.ts';
import type { Timer } from './deadlines.ts';
import type { ClaimQueue } from './claim-queue.ts';

/** What the table is made of. Each kind of thing that has a deadline owns one timer. */
export type Owner = Holder | Claim | Closure | QuietTime;

/** Everything known of one name. It is forgotten when nothing is left of it: no holder, claim, closure or state. */
export interface NameEntry {
  readonly name: LeaseName;
  /** A list from the start, though the capacity is 1 until shared modes come. */
  readonly holders: Holder[];
  /** Beside a holder only while its grant, to the session that the closure exempts, is pending. */
  closure: Closure | null;
  /** Null while nobody waits. */
  queue: ClaimQueue | null;
  /** The last token that somebody may have been told. */
  lastToken: FencingToken | null;
  state: NameState | null;
}

/** One grant, from its decision to its end. */
export interface Holder {
  readonly kind: 'holder';
  readonly entry: NameEntry;
  /** With the ceilings of the coordinator put in; the window stays as asked. Only its priority changes. */
  terms: ClaimTerms;
  readonly fencingToken: FencingToken;
  phase: HolderPhase;
  readonly timer: Timer;
}

export type HolderPhase = Pending | Held | Ending;

export type HeldHolder = Holder & { readonly phase: Held };
export type EndingHolder = Holder & { readonly phase: Ending };

/** Decided, and on its way to the journal: cannot expire, and nobody is told of it (R5). */
export interface Pending {
  readonly kind: 'pending';
  /** Goes back to its place when the grant is undone (R14). */
  readonly claim: Claim;
  readonly ttlMs: DurationMs;
  /** From when the journal counts its life: its decision, then the handing over of its batch. */
  countedFrom: ListeningMs;
}

export interface Held {
  readonly kind: 'held';
  /** The window as stored: no renewal reaches further (R4). */
  ttlMs: DurationMs;
  deadline: ListeningMs;
  readonly since: ListeningMs;
  readonly ceilingAt: ListeningMs;
  /** When `ceiling-near` is to be told; null once it was, and for leases that do not renew. */
  nearAt: ListeningMs | null;
  hearing: Hearing;
  /** Whether a longer window is on its way to the journal. */
  widening: boolean;
  /** The priority above its own that its holder was last asked to yield to; null while none waits. */
  yieldTo: number | null;
}

/** Whether its holder was heard from in this run (R3). */
export type Hearing =
  | { readonly kind: 'heard' }
  /** `silentMs`: as stored when the run began. `told`: whether this run's silence was handed out to be stored. */
  | { readonly kind: 'unheard'; readonly silentMs: DurationMs; readonly told: boolean }
  /** Heard, and a silence stored before must be taken back first; then the window reaches to `until`. */
  | { readonly kind: 'hearing'; readonly until: ListeningMs };

/** An authority has ended it; its holder may still believe until it has acknowledged, or until `deadline` (R1). */
export interface Ending {
  readonly kind: 'ending';
  readonly code: 'revoked' | 'stolen';
  readonly ttlMs: DurationMs;
  readonly deadline: ListeningMs;
  readonly since: ListeningMs;
  readonly ceilingAt: ListeningMs;
}

/** A request for a lease, in its name's queue or granted and pending. */
export interface Claim {
  readonly kind: 'claim';
  readonly entry: NameEntry;
  terms: ClaimTerms;
  /** Order of arrival over all names; never changes, so that a claim put back stands where it stood. */
  readonly arrival: number;
  /** Above 0: it has stolen and stands at the head, the latest first (R1). */
  head: number;
  /** `probed`: silent, and already passed over in this silence (R19). */
  standing: 'awake' | 'silent' | 'probed';
  /** One try: it does not wait, and is not stored. */
  readonly once: boolean;
  /** Null: waits without limit, or as long as its client will say (after a restart). */
  waitUntil: ListeningMs | null;
  /** Whether the journal has it, or has it on its way. */
  stored: boolean;
  readonly timer: Timer;
}

/** A name that is closed after its holder is gone: to everybody, or to all but one session. */
export interface Closure {
  readonly kind: 'closure';
  readonly entry: NameEntry;
  readonly exempt: SessionId | null;
  readonly timer: Timer;
}

export interface QuietTime {
  readonly kind: 'quiet';
  readonly timer: Timer;
}

export interface NameState {
  /** Null until the first write is durable. */
  durable: StoredState | null;
  /** Decided and not yet durable, oldest first. */
  readonly pending: StoredState[];
  /** What it counts for in the bytes of all states. */
  countedBytes: number;
}

export interface SessionEntry {
  readonly id: SessionId;
  /** Its claims are passed over until it is heard from (R19). */
  silent: boolean;
  readonly leases: Map<RequestId, Holder>;
  readonly claims: Map<RequestId, Claim>;
}
