/** The configurations of lease.pml that are exhausted, and the rules that are taken out of them one at a time. */

export interface Configuration {
  readonly name: string;
  /** What is in it, as the end of a sentence. */
  readonly has: string;
  readonly claims: string;
  readonly flags: readonly string[];
  /** Fewer states than this and something was cut off by mistake. */
  readonly statesMin: number;
}

export interface Mutant {
  readonly flag: string;
  readonly of: string;
  /** The claim that the model sees broken. */
  readonly breaks: 'S1' | 'S2' | 'S9';
  /** How the rule is taken out, as the end of a sentence. */
  readonly how: string;
}

export const CONFIGURATIONS: readonly Configuration[] = [
  {
    name: 'both',
    has: 'two clients alike, a lossy network, a queue and pauses',
    claims: 'S1 S2',
    flags: [],
    statesMin: 200_000,
  },
  {
    name: 'rates',
    has: 'a slow and a fast clock and old anchors',
    claims: 'S1 S2',
    flags: ['B_PLAIN', 'RATES'],
    statesMin: 300_000,
  },
  {
    name: 'queue',
    has: 'claims after claims, grants pushed out of the queue, releases and pauses',
    claims: 'S1 S2',
    flags: ['B_PLAIN', 'CLAIMS_A=2', 'TOKENS=3'],
    statesMin: 1_000_000,
  },
  {
    name: 'sockets',
    has: 'new dials at any time, resumption and a revocation',
    claims: 'S1 S2 S7',
    flags: ['B_PLAIN', 'SOCKETS', 'REVOKE'],
    statesMin: 1_000_000,
  },
  {
    name: 'restart',
    has: 'two restarts of the coordinator, slow writes and stored silence',
    claims: 'S1 S2 S4 S5',
    flags: ['B_PLAIN', 'RESTART', 'CRASHES=2'],
    statesMin: 1_000_000,
  },
  {
    name: 'stall',
    has: 'a coordinator that stalls at any point of its turn',
    claims: 'S1 S2 S9',
    flags: ['B_PLAIN', 'STALL'],
    statesMin: 1_000_000,
  },
];

const mutant = (of: string, breaks: Mutant['breaks'], flag: string, how: string): Mutant => ({ flag, of, breaks, how });

export const MUTANTS: readonly Mutant[] = [
  mutant('rates', 'S1', 'MARGIN=0', 'a client keeps no stop margin (R11)'),
  mutant('rates', 'S1', 'NO_PASSING', 'a waiter is granted however old its anchor is (R11, R19)'),
  mutant('queue', 'S1', 'NO_ANCHOR', 'a window counts from the receipt of its message (R5)'),
  mutant('queue', 'S1', 'LATER_SEND', 'an anchor is taken from a later send (R5)'),
  mutant('queue', 'S1', 'REVIVE', 'a late answer revives a lost lease (R2)'),
  mutant('queue', 'S1', 'RELEASE_FIRST', 'a client stops believing after it sent its release (R13)'),
  mutant('queue', 'S1', 'UNCONDITIONAL', 'a renewal is not conditional (S3)'),
  mutant('queue', 'S1', 'TIMER_BELIEF', 'belief is a flag that a timer ends, and the client is paused (R18)'),
  mutant('sockets', 'S1', 'FULL_WELCOME', 'a welcome tells a full window (R8)'),
  mutant('sockets', 'S1', 'LATE_SOCKET', 'a grant on an abandoned socket is heard (R9)'),
  mutant('sockets', 'S1', 'REVOKE_OPENS', 'a revocation opens the name at once (R1)'),
  mutant('restart', 'S1', 'NO_WINDOWS', 'a restart gives stored leases no windows (R3)'),
  mutant('restart', 'S1', 'SPEAK_FIRST', 'a grant is told before it is durable (R5, R15)'),
  mutant('restart', 'S1', 'HEARD_NOT_AWAITED', 'the heard marker is not awaited (R3)'),
  mutant('restart', 'S2', 'TOKEN_RESET', 'the mark goes with the row of its lease (R17)'),
  mutant('stall', 'S1', 'WINDOW_EARLY', 'windows count from a reading made before the sockets were read (R6)'),
  mutant('stall', 'S9', 'EXPIRE_FIRST', 'leases expire before the sockets are read (R6)'),
  mutant('stall', 'S9', 'EXPIRE_LATE', 'expiry is judged by a reading made after the sockets were read (R6)'),
  mutant('stall', 'S9', 'CATCH_UP', 'the listening clock catches up after a stall (R6)'),
];

/** A mutant that breaks S1 is followed to the overlap itself, beyond what leads to it. */
export function flagsOf(one: Mutant): readonly string[] {
  const base = CONFIGURATIONS.find(({ name }) => name === one.of)?.flags ?? [];
  return [...base, ...(one.breaks === 'S1' ? ['ONLY_S1'] : []), one.flag];
}
