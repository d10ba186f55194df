import type { Entry } from '../real/support/log.ts';

/** One fault, from its first to its last instant, on the clock of the log (`process.hrtime.bigint()`). */
export interface FaultSpan {
  /** A short name: `kill-coordinator`, `link-down`, `disk-full`. */
  readonly kind: string;
  /** A client's label, `coordinator`, `disk`, `clock`. */
  readonly victim: string;
  readonly from: bigint;
  readonly to: bigint;
}

/** What a run of faults leaves behind. The report and the judges read this and nothing else. */
export interface ChaosRun {
  readonly seed: number;
  /** How it is played again; where its report went does not belong to it. */
  readonly command: string;
  readonly commit: string;
  /** ISO 8601, UTC. */
  readonly date: string;
  readonly machine: string;
  /** Kinds of faults that this machine cannot play; null in a log of a time when nobody noted it. */
  readonly leftOut: readonly string[] | null;
  readonly from: bigint;
  readonly to: bigint;
  readonly clients: readonly string[];
  readonly names: readonly string[];
  readonly faults: readonly FaultSpan[];
  readonly entries: readonly Entry[];
}

export interface Verdict {
  /** What each judge found, in words. Empty: the run passes. */
  readonly violations: readonly string[];
  /** Grants, losses, restarts, ...: a run in which one of them is 0 has shown nothing of it, and fails. */
  readonly counts: Readonly<Record<string, number>>;
}
